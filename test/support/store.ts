/** The store of a test: in memory, or with `npm run test:postgres` an empty database of PostgreSQL. The same tests run on both. */

import pg from 'pg';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import { openStore, type Store } from '../../src/sandbox/store/open.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import type { Row, Tables } from '../../src/sandbox/store/schema/tables.ts';
import { openInMemory } from './memory-store.ts';
import { type PostgresOfTests, postgresOfTests } from './postgres.ts';

/** The number of connections that a test run may have open. The oldest stores are closed for new ones. */
const MOST_OPEN = 12;

const opened: { readonly store: Store; readonly name: string }[] = [];
let made = 0;
let admin: Promise<pg.Client> | undefined;

/**
 * Opens a new store that is empty except for what `prepare` adds. It closes by itself.
 * @param kind names what `prepare` does, so that it runs once if a store can be copied
 */
export async function openTestStore(
  kind = 'empty',
  prepare: (store: Store) => Promise<unknown> = async () => undefined,
): Promise<Store> {
  const postgres = postgresOfTests();
  if (postgres === undefined) return openInMemory(kind, prepare);
  const { url, name } = await makeDatabase(postgres);
  const store = await openStore(url);
  await prepare(store);
  opened.push({ store, name });
  if (opened.length > MOST_OPEN) await discard(postgres);
  return store;
}

/** Returns the URL of an empty database with its tables, or undefined if tests run on SQLite. */
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
    // The server ends before the tests' own processes.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  })();
  return admin;
}

/**
 * Makes this change of a row fail from now on, as no request could.
 * @param condition of the row before the change
 */
export async function refuseChange(
  { db, isShared }: Store,
  table: keyof Tables,
  change: 'insert' | 'delete',
  { words, condition }: { readonly words: string; readonly condition?: string },
): Promise<void> {
  const when = condition === undefined ? '' : `when (${condition})`;
  const statements = isShared
    ? [
        `create function broken() returns trigger language plpgsql as $$ begin raise exception '${words}'; end $$`,
        `create trigger broken before ${change} on ${table} for each row ${when} execute function broken()`,
      ]
    : [
        `create trigger broken before ${change} on ${table} ${when} begin select raise(abort, '${words}'); end`,
      ];
  for (const statement of statements) await db.run(sql.raw(statement));
}

/** Returns a whole table, in the order and with the columns that SQLite has, for either database. */
export async function tableRows(store: Store, table: keyof Tables): Promise<readonly SqlRow[]> {
  const rows = (await store.db.all(
    sql<Row<typeof table>>`select * from ${sql.ref(table)}`,
  )) as unknown as SqlRow[];
  if (!store.isShared) return rows;
  const shown = CHILDREN.has(table) ? rows.map(({ account_id: _, ...row }) => row) : rows;
  return [...shown].sort((a, b) => compareKeys(Object.values(a), Object.values(b)));
}

/** Tables that have the account in their keys only on PostgreSQL (src/sandbox/README.md, "Keys"). */
const CHILDREN: ReadonlySet<string> = new Set([
  'subscription',
  'folder_access',
  'task_recipient',
  'departed_recipient',
]);

function compareKeys(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at];
    if (value === other) continue;
    if (typeof value === 'number' && typeof other === 'number') return value - other;
    return String(value) < String(other) ? -1 : 1;
  }
  return 0;
}
