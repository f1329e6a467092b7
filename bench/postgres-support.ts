/** Prepares databases for benchmarks, and exports a PostgreSQL server from the support files of the tests. */
import { sql } from '../src/sandbox/store/driver/sql.ts';
import { openStore, type Store } from '../src/sandbox/store/open.ts';
import { insertRow } from '../src/sandbox/store/rows.ts';
import { fillLargeSend } from '../test/support/large-send.ts';

export { postgresPrograms, runSql, startCluster } from '../test/support/postgres.ts';

interface Company {
  readonly id: number;
  readonly adminUserId: number;
  readonly apiKey: string;
}

/** Creates companies, each with an admin and a folder. */
export async function fillCompanies(url: string, count: number): Promise<readonly Company[]> {
  const store = await openStore(url);
  const now = Math.floor(Date.now() / 1000);
  const times = { cdate: now, mdate: now };
  const made: Company[] = [];
  await insertRow(store.db, 'partner', { name: 'P', api_key: 'key-of-the-partner', timezone: 'UTC' });
  for (let at = 1; at <= count; at += 1) {
    const apiKey = `key-of-company-${at}`;
    const account = { partner_id: 1, name: `C${at}`, contactemail: 'c@example.com', timezone: 'UTC' };
    const id = await insertRow(store.db, 'account', { ...account, api_key: apiKey, ...times });
    made.push({ id, apiKey, adminUserId: await addAdmin(store, id, now) });
    await insertRow(store.db, 'folder', { account_id: id, name: 'News', ...times });
  }
  await store.close();
  return made;
}

/** Creates a company with a task that is due. @param spare credits for further tasks */
export async function fillSend(at: string, recipients: number, spare = 0): Promise<void> {
  const store = await openStore(at);
  const now = Math.floor(Date.now() / 1000) - 60;
  await fillLargeSend(store, { recipients, spare, now });
  await addAdmin(store, 1, now);
  await store.db.run(sql`update setting set value = 'real' where key = 'clock.mode'`);
  await store.close();
}

function addAdmin(store: Store, account_id: number, now: number): Promise<number> {
  const user = { username: 'admin', firstname: 'A', lastname: 'B', email: 'a@example.com', timezone: 'UTC' };
  return insertRow(store.db, 'user', { account_id, ...user, isadmin: 1, cdate: now, mdate: now });
}
