/** Opens the store: a SQLite file, a database in memory, or a PostgreSQL database. */
import { isPostgresUrl } from './driver/postgres-url.ts';
import { sql } from './driver/sql.ts';
import { openSqlite } from './driver/sqlite.ts';
import type { QueryListener } from './driver/sqlite-statements.ts';
import { type Db, type Store, StoreUnavailableError } from './driver/store.ts';

export {
  type Db,
  ReadOnlyStoreError,
  type Store,
  StoreError,
  StoreUnavailableError,
  type TransactionScope,
} from './driver/store.ts';

/**
 * Opens the store, and creates or upgrades its tables.
 * @param at a path, `:memory:` for a database in memory, or a `postgres://` URL.
 * @param options `onQuery` is called after each statement on SQLite; PostgreSQL ignores `onQuery`
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

/**
 * Explains why the store can't be read or written: a full or failing disk, or an unreachable database. Undefined for every other error,
 * which is a bug.
 */
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

export interface StoreErrorExplanation {
  /** 503 if the same request may succeed later, otherwise 500. */
  readonly status: 500 | 503;
  readonly words: string;
}

/** Reports whether the error is a violation of a unique constraint. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === '23505');

/**
 * Returns the change counter of the store, as text. If two results differ, data has changed in between. The counter is the number of rows
 * written since the store was opened. PostgreSQL counts the rows of all processes, and its count may be a second or two late.
 */
export async function readStoreChangeCounter(db: Db): Promise<string> {
  return String((await db.first(MARK))?.mark ?? 0);
}

const MARK = sql<{ readonly mark: number }>`${sql.either({
  sqlite: sql`select total_changes() as mark`,
  postgres: sql`select cast(coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) as bigint) as mark
    from pg_stat_user_tables`,
})}`;
