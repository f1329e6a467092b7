/** The interface of a store, whichever database it uses. */
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

/**
 * The data that a transaction may read and change. SQLite runs transactions one after the other and ignores it. PostgreSQL runs
 * transactions in parallel unless their scopes conflict (src/sandbox/README.md, "Who waits for whom").
 *
 * - `account`: reads and changes this account's data, with a lock on the account; `id` need not exist
 * - `read`: reads a snapshot, takes no lock, and changes nothing but nonces and the log
 * - `unheld`: takes no lock until the work calls `holdAccount` or `holdClock`; or only adds rows that no other work changes
 */
export type Scope =
  | { readonly kind: 'account'; readonly id: number }
  | { readonly kind: 'read' }
  | { readonly kind: 'unheld' };

export interface Store {
  readonly db: Db;
  /**
   * Runs `work` in one atomic transaction. The database may retry it, so its effects outside of the store must be idempotent.
   * @param scope if omitted, the transaction locks the whole store
   */
  readonly transaction: <T>(work: (db: Db) => Promise<T>, scope?: Scope) => Promise<T>;
  /** Reports whether other processes may use the same database. */
  readonly isShared: boolean;
  readonly close: () => Promise<void>;
}

/**
 * Thrown when the database can't be used: damaged, another program's, missing, or of a newer version; `hint` says what to do. The database
 * was not changed.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.hint = hint;
  }
}

/** Thrown when the database is lost or unavailable. The work was not done, unless the message says that it may have been. */
export class LostStore extends Error {
  override readonly name = 'LostStore';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/**
 * Thrown when the database is read-only: a standby, or one with that setting. The work was not done. A request that only reads can still be
 * answered.
 */
export class ReadOnlyStore extends LostStore {
  constructor(cause: unknown) {
    super("The sandbox's database can only be read at the moment; nothing was written", cause);
  }
}
