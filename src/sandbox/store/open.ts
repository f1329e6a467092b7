/** Opens the store: a SQLite file, a database in memory, or a PostgreSQL database. Copies a SQLite store to a file, and restores it. */
import { isPostgresUrl } from './driver/postgres-url.ts';
import { sql } from './driver/sql.ts';
import { openSqlite } from './driver/sqlite.ts';
import type { QueryListener } from './driver/sqlite-statements.ts';
import { type Db, type Store, StoreUnavailableError } from './driver/store.ts';

export { openSqliteInMemory, type RevertibleStore } from './driver/sqlite.ts';
export {
  type Db,
  ReadOnlyStoreError,
  type Store,
  StoreError,
  StoreUnavailableError,
  type TransactionScope,
  WITHOUT_LOCK,
} from './driver/store.ts';

/**
 * Opens the store at a path, in `:memory:` or at a `postgres://` URL, and creates or upgrades its tables. SQLite calls `onQuery` after each
 * statement.
 * @throws StoreError if the database can't be used
 */
export async function openStore(
  at: string,
  options: { readonly onQuery?: QueryListener } = {},
): Promise<Store> {
  if (!isPostgresUrl(at)) return openSqlite(at, options);
  const { openPostgres } = await import('./driver/postgres.ts');
  return openPostgres(at);
}

/** Explains a full or failing disk, or an unreachable database. Returns undefined for any other error, which is a bug. */
export function explainStoreError(error: unknown): StoreErrorExplanation | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // 53100 is PostgreSQL's code for a full disk.
  if (code === 'SQLITE_FULL' || code === '53100')
    return { status: 500, words: "The disk with the sandbox's data is full; nothing was written" };
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_READONLY'))
    return {
      status: 500,
      words: `Cannot write to the disk with the sandbox's data (${code}); nothing was written`,
    };
  return error instanceof StoreUnavailableError ? { status: 503, words: error.message } : undefined;
}

interface StoreErrorExplanation {
  /** 503 if the same request may succeed later, otherwise 500. */
  readonly status: 500 | 503;
  readonly words: string;
}

export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === '23505');

/**
 * Returns the change counter of the store: the number of rows written since it was opened. PostgreSQL counts the rows of all processes, and
 * its count may be a second or two late.
 */
export async function readStoreChangeCounter(db: Db): Promise<string> {
  return String((await db.first(MARK))?.mark ?? 0);
}

const MARK = sql<{ readonly mark: number }>`${sql.either({
  sqlite: sql`select total_changes() as mark`,
  postgres: sql`select cast(coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) as bigint) as mark
    from pg_stat_user_tables`,
})}`;

/** Writes the current data of the store to `path`, which must be an empty or a missing file. */
export async function copyStore({ db }: Store, path: string): Promise<void> {
  await db.exec(sql`vacuum into ${path}`);
}

/**
 * Replaces all data by that of the file at `path` in one transaction, except used nonces, logged requests and tokens.
 * @throws StoreError if the file is damaged, is not a copy of a store, or has a version that can't be upgraded
 */
export async function restoreStore(store: Store, path: string): Promise<void> {
  // Opening the file checks it, and upgrades its tables if they are older.
  await (await openStore(path)).close();
  await store.alone(async (db) => {
    await db.exec(sql`attach database ${path} as snapshot`);
    try {
      await replaceAllRows(db);
    } finally {
      await db.exec(sql`detach database snapshot`);
    }
  });
}

/** Replaces the rows of all tables by those of the attached snapshot. Foreign keys are off, because rows reference each other. */
async function replaceAllRows(db: Db): Promise<void> {
  await db.exec(sql`pragma foreign_keys = off`);
  try {
    await db.run(sql`begin immediate`);
    try {
      for (const table of await tablesOf(db)) {
        await db.run(sql`delete from main.${sql.ref(table)}`);
        await db.run(sql`insert into main.${sql.ref(table)} select * from snapshot.${sql.ref(table)}`);
      }
      await db.run(sql`commit`);
    } catch (error) {
      await db.run(sql`rollback`);
      throw error;
    }
  } finally {
    await db.exec(sql`pragma foreign_keys = on`);
  }
}

/** Returns the tables to copy, including `sqlite_sequence`, which holds the last ids. */
async function tablesOf(db: Db): Promise<readonly string[]> {
  const rows = await db.all(sql<{ readonly name: string }>`select name from main.sqlite_master
    where type = 'table' and name not in ('nonce', 'request_log', 'control_token') and (name = 'sqlite_sequence' or name not like 'sqlite\\_%' escape '\\')
    order by name`);
  return rows.map(({ name }) => name);
}
