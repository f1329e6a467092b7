/** A data folder of an earlier version opens with all that it holds, and gets the indexes of a new one. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { migrations } from '../../../src/sandbox/store/migrations.ts';
import { openStore, type Store } from '../../../src/sandbox/store/open.ts';
import { NOW } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('migrations');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const schemaOf = async ({ db }: Store) =>
  await db.all(sql<{ name: string; sql: string }>`select name, sql from sqlite_master order by name`);

describe.each(migrations.map((_, index) => index + 1))('tables of version %i', (version) => {
  it('open as those of today, with their rows', async () => {
    const path = join(folder, `${version}.db`);
    const old = new Database(path);
    for (const step of migrations.slice(0, version)) old.exec(step);
    old.exec(`
      insert into partner (name, api_key, timezone) values ('Old', 'k', 'UTC');
      insert into account (partner_id, api_key, name, contactemail, timezone, cdate, mdate)
        values (1, 'k', 'Old', 'old@example.com', 'UTC', ${NOW}, ${NOW});
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
        insert into do_not_contact (account_id, contactdata, cdate) select 1, 'd' || i || '@example.com', ${NOW} - i from n;
      pragma user_version = ${version}`);
    old.close();

    const store = await openStore(path);
    const fresh = await openStore(':memory:');
    expect(await schemaOf(store)).toEqual(await schemaOf(fresh));
    expect(await store.db.all(sql`pragma integrity_check`)).toMatchObject([{ integrity_check: 'ok' }]);
    const rows = await store.db.all(sql<{ id: number }>`select id from do_not_contact where account_id = 1
      order by cdate limit 3`);
    expect(rows.map(({ id }) => id)).toEqual([500, 499, 498]);
    await store.close();
    await fresh.close();
  });
});
