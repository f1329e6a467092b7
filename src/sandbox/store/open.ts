/** Opens the store: one SQLite file, memory, or a database of PostgreSQL. */
import { isPostgresUrl } from './dialects/postgres-url.ts';
import { openSqlite } from './dialects/sqlite.ts';
import type { OnQuery } from './statements.ts';
import { LostStore, type Store } from './store.ts';

export { type Db, LostStore, ReadOnlyStore, type Scope, type Store, StoreError } from './store.ts';

/**
 * @param at a path, `:memory:` for a store that lives in the process, or a `postgres://` URL
 * @param options `onQuery` is told of every statement of SQLite once it has run
 * @throws StoreError where it can't be used
 */
export async function openStore(at: string, options: { readonly onQuery?: OnQuery } = {}): Promise<Store> {
  if (!isPostgresUrl(at)) return openSqlite(at, options);
  const { openPostgres } = await import('./dialects/postgres.ts');
  return openPostgres(at);
}

/**
 * Why nothing can be written or read, in words: a disk that is full or failing, a database that can't be reached. Undefined
 * for every other error: those are our own.
 */
export function storeProblem(error: unknown): StoreProblem | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // 53100 is PostgreSQL's.
  if (code === 'SQLITE_FULL' || code === '53100')
    return { status: 500, words: "The disk that holds the sandbox's data is full; nothing was written" };
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_READONLY'))
    return {
      status: 500,
      words: `The disk that holds the sandbox's data can't be written (${code}); nothing was written`,
    };
  return error instanceof LostStore ? { status: 503, words: error.message } : undefined;
}

export interface StoreProblem {
  /** 503 where the same request may do in a moment. */
  readonly status: 500 | 503;
  readonly words: string;
}

/** Whether the database has a row already that there may be one of. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === '23505');
