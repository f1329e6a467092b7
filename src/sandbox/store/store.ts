/** What a store is, whichever database it stands on. */
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Db = Kysely<Tables>;

/**
 * What a transaction may read and change. SQLite runs them one after the other and takes no notice; PostgreSQL runs those
 * side by side that don't touch the same (src/sandbox/README.md, "Who waits for whom").
 *
 * - `account`: reads and changes what is this account's, alone with it; `id` may be one that there is none of
 * - `read`: reads as of one moment, waits for nobody, and changes nothing but nonces and the log
 * - `unheld`: holds nothing until the work itself does, by `holdAccount` or `holdClock`; or adds rows that nobody else changes
 */
export type Scope =
  | { readonly kind: 'account'; readonly id: number }
  | { readonly kind: 'read' }
  | { readonly kind: 'unheld' };

export interface Store {
  readonly db: Db;
  /**
   * Runs `work` in one transaction: all of it lands, or nothing. It may be run more than once, where the database asks for
   * that; what it leaves outside of the store must be as if it had run once.
   * @param scope left out: everything; it is alone with the whole store
   */
  readonly transaction: <T>(work: (db: Db) => Promise<T>, scope?: Scope) => Promise<T>;
  /** Whether other processes may be at work on the same database. */
  readonly isShared: boolean;
  readonly close: () => Promise<void>;
}

/** The database can't be used: damaged, not ours, not there, or of a newer version; `hint` says what to do. Nothing in it was changed. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.hint = hint;
  }
}

/** The database went away, or can't be had for the moment. What was asked was not done, or the message says that it may have been. */
export class LostStore extends Error {
  override readonly name = 'LostStore';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/**
 * The database can be read and not written: a standby, or one that somebody has set so. Nothing was done. A request that
 * only reads can be answered all the same.
 */
export class ReadOnlyStore extends LostStore {
  constructor(cause: unknown) {
    super("The sandbox's database can only be read at the moment; nothing was written", cause);
  }
}
