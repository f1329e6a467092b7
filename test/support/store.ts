/**
 * The store that a test asks for: in memory, or with `npm run test:postgres` an empty database of PostgreSQL. The same
 * tests run on both.
 */
import pg from 'pg';
import { openStore, type Store } from '../../src/sandbox/store/open.ts';
import { type PostgresOfTests, postgresOfTests } from './postgres.ts';

/** Connections that a test run may have open; the stores that were opened first are closed for others. */
const MOST_OPEN = 12;

const opened: { readonly store: Store; readonly name: string }[] = [];
let made = 0;
let admin: Promise<pg.Client> | undefined;

/** An empty store, new each time. Nobody has to close it. */
export async function openTestStore(): Promise<Store> {
  const postgres = postgresOfTests();
  if (postgres === undefined) return openStore(':memory:');
  const { url, name } = await makeDatabase(postgres);
  const store = await openStore(url);
  opened.push({ store, name });
  if (opened.length > MOST_OPEN) await discard(postgres);
  return store;
}

/** The URL of an empty database, with its tables; undefined where tests run on SQLite. */
export async function testDatabase(): Promise<string | undefined> {
  const postgres = postgresOfTests();
  return postgres && (await makeDatabase(postgres)).url;
}

async function makeDatabase(
  postgres: PostgresOfTests,
): Promise<{ readonly url: string; readonly name: string }> {
  made += 1;
  const name = `t${process.pid}_${process.env['VITEST_POOL_ID'] ?? 0}_${made}`;
  await (await adminOf(postgres)).query(
    `create database ${name} template ${postgres.template} strategy file_copy`,
  );
  return { url: postgres.url.replace(/[^/]*$/, name), name };
}

async function discard(postgres: PostgresOfTests): Promise<void> {
  const oldest = opened.shift();
  if (!oldest) return;
  await oldest.store.close();
  await (await adminOf(postgres)).query(`drop database if exists ${oldest.name} with (force)`);
}

function adminOf({ url }: PostgresOfTests): Promise<pg.Client> {
  admin ??= (async () => {
    const client = new pg.Client({ connectionString: url });
    // The server ends before the tests' own processes do.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  })();
  return admin;
}
