/** The interface of a store, whichever database it uses. */
import { explainTooNewFileVersion, SvcError } from '../../../kit/text/svc-error.ts';
import type { Dialect, Sql } from './sql.ts';
import type { UsedNonces } from './used-nonces.ts';

/** A connection to the database. Outside of a transaction, each statement waits until the connection is free. */
export interface Db {
  readonly dialect: Dialect;
  /** Cached rows of accounts, partners, users and settings. */
  readonly rowCache: RowCache;
  /** The used nonces on SQLite. Undefined on PostgreSQL, which finds a nonce by its primary key. */
  readonly nonces?: UsedNonces;
  /** Does not empty `rowCache`: use `run` for a statement that changes accounts, partners, users or settings. */
  readonly all: <Row>(query: Sql<Row>) => Promise<Row[]>;
  readonly first: <Row>(query: Sql<Row>) => Promise<Row | undefined>;
  /** Runs an insert, update or delete, and empties `rowCache`. Set `keepsCache` for a statement that changes no cached row. */
  readonly run: (query: Sql, options?: { readonly keepsCache: boolean }) => Promise<WriteResult>;
  /** Runs a statement about the database itself, such as a pragma or `analyze`. */
  readonly exec: (query: Sql) => Promise<void>;
  /**
   * Returns ordered rows as JSON texts with the members of `rowToJson`, in a third of the time of `all`: SQLite returns them as one text.
   * Returns undefined if the caller must use `all`: on PostgreSQL, or if JSON can't represent a stored value.
   */
  readonly texts: (query: Sql, rowToJson: RowToJsonSql) => readonly string[] | undefined;
}

/** Members of the JSON object that SQL makes from a row. */
export interface RowToJsonSql {
  /** Maps the name of each member, in order, to its SQL expression, such as a column or `json(…)`. */
  readonly sqlByName: Readonly<Record<string, string>>;
  /** True if a member may have a fraction, of which SQLite writes only 15 digits. `texts` then returns undefined if it finds a fraction. */
  readonly canHoldFractionalNumbers: boolean;
}

export interface WriteResult {
  readonly changes: number;
  /** Id of the inserted row. On PostgreSQL, the statement must end with `returning id`. */
  readonly id: number;
}

/**
 * The data that a transaction may read and change. SQLite ignores the scope and runs transactions one after the other. PostgreSQL runs
 * transactions in parallel unless their scopes conflict (src/sandbox/README.md, "Who waits for whom").
 *
 * - `account`: reads and changes the data of the account `id`, and locks this account. If no such account exists, locks nothing
 * - `read`: reads a snapshot, takes no lock, and changes nothing but nonces and the log
 * - `without-lock`: begins without a lock. The function that runs in the transaction either calls `lockAccountRow` or `lockClockRow`, or
 *   only adds rows that no other transaction changes
 */
export type TransactionScope =
  | { readonly kind: 'account'; readonly id: number }
  | { readonly kind: 'read' }
  | { readonly kind: 'without-lock' };

/** The scope of a transaction that only adds rows, or changes rows that no other transaction changes. */
export const WITHOUT_LOCK: TransactionScope = { kind: 'without-lock' };

export interface Store {
  readonly db: Db;
  /**
   * Runs `work` in one atomic transaction, by default with a lock on the whole store. The database may repeat the transaction, so effects
   * of `work` outside of the store must be idempotent.
   */
  readonly transaction: <T>(work: (db: Db) => Promise<T>, scope?: TransactionScope) => Promise<T>;
  /** Runs `work` on one connection outside of a transaction, while no one else uses it. */
  readonly alone: <T>(work: (db: Db) => Promise<T>) => Promise<T>;
  /** Reports whether other processes may use the same database. */
  readonly isShared: boolean;
  readonly close: () => Promise<void>;
}

/** Returns a connection for use outside of transactions. Each statement waits until `alone` gives it a connection of its own. */
export const createWaitingDb = (dialect: Dialect, alone: Store['alone']): Db => ({
  dialect,
  rowCache: new AlwaysEmptyRowCache(),
  all: (query) => alone((db) => db.all(query)),
  first: (query) => alone((db) => db.first(query)),
  run: (query, options) => alone((db) => db.run(query, options)),
  exec: (query) => alone((db) => db.exec(query)),
  texts: () => undefined,
});

/** The database can't be used: damaged, missing, of another program or of another version. It was not changed. */
export class StoreError extends SvcError<'storage'> {
  override readonly name = 'StoreError';

  constructor(message: string, hint: string, cause?: unknown) {
    super('storage', message, { hint, cause });
  }
}

/** `databaseName`: path of the file, or `the database`. Only development versions of svc made older tables. */
export function wrongStoreVersionError(
  databaseName: string,
  { version, age }: { readonly version: number; readonly age: 'older' | 'newer' },
  hints: Readonly<Record<'older' | 'newer', string>>,
): StoreError {
  return age === 'newer'
    ? new StoreTooNewError(databaseName, version, hints.newer)
    : new StoreError(
        `${databaseName} was made by a development version of svc (its tables are of version ${version})`,
        hints.older,
      );
}

export class StoreTooNewError extends StoreError {
  readonly version: number;

  constructor(databaseName: string, version: number, hint: string) {
    super(explainTooNewTablesVersion(databaseName, version), hint);
    this.version = version;
  }
}

export const explainTooNewTablesVersion = (databaseName: string, version: number): string =>
  String(explainTooNewFileVersion(databaseName, version, 0, 'tables'));

/** The database is lost or unavailable, and the work was not done, except for a `CommitUnknownError`. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** Thrown when the database is lost during a commit. The work may have been done, so it must not be repeated. */
export class CommitUnknownError extends StoreUnavailableError {
  constructor(cause: unknown) {
    super(
      "Lost the connection to the sandbox's database; it is not known whether the request succeeded",
      cause,
    );
  }
}

/** The database is read-only, such as a standby server. The work was not done; requests that only read still succeed. */
export class ReadOnlyStoreError extends StoreUnavailableError {
  constructor(cause: unknown) {
    super("The sandbox's database is read-only at the moment; nothing was written", cause);
  }
}

/** Caches rows that every request reads and that change rarely: accounts, partners, users and settings. */
export class RowCache {
  readonly #rows = new Map<string, unknown>();
  #forgotten = 0;

  /** Returns the row of this kind and key, and calls `read` only if it is not cached. The row is frozen. */
  async get<Row>(
    kind: string,
    key: string | number,
    read: () => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const name = `${kind} ${key}`;
    const found = this.#rows.get(name);
    if (found !== undefined || this.#rows.has(name)) return found as Row | undefined;
    const before = this.#forgotten;
    const row = await read();
    // A write may have come in between.
    if (before === this.#forgotten) this.keep(kind, key, row);
    return row;
  }

  keep(kind: string, key: string | number, row: unknown): void {
    if (this.#rows.size >= MOST_ROWS) this.#rows.clear();
    this.#rows.set(`${kind} ${key}`, Object.freeze(row));
  }

  forget(): void {
    this.#forgotten += 1;
    if (this.#rows.size > 0) this.#rows.clear();
  }
}

/** A cache that stays empty. It is used outside transactions, where another transaction may change any row. */
export class AlwaysEmptyRowCache extends RowCache {
  override keep(): void {}
}

const MOST_ROWS = 5_000;
