/** Differences between the SQL dialects that one text can't cover. */
import type { Db } from '../store.ts';

export interface Differences {
  readonly name: 'sqlite' | 'postgres';
  /** Translates one of the store's own statements, which has a `?` for each value. */
  readonly textOf: (text: string) => string;
  /** Tables whose `id` the database assigns; undefined if the database reports the last id by itself. */
  readonly tablesWithId: ReadonlySet<string> | undefined;
}

/** Marks a statement that reads a row that rarely changes. The database never sees the mark. */
export const KNOWN = '/*known*/';

/**
 * Statements that change no cached row. Rollback is not among them. Nothing references the rows of the tables listed here, and no statement
 * with the mark reads them.
 */
export const CHANGES_NO_KNOWN_ROW =
  /^\s*(select|begin|commit|savepoint|release|(insert into|delete from) "?(nonce|do_not_contact|request_log)"?)\b/i;

/** An adapter with its differences. Kysely passes its adapter on to derived objects such as transactions. */
export interface DifferingAdapter {
  readonly differences: Differences;
}

/** Returns the differences of the database behind `db`. */
export function differencesOf(db: Db): Differences {
  const adapter: unknown = db.getExecutor().adapter;
  if (typeof adapter === 'object' && adapter !== null && 'differences' in adapter)
    return (adapter as DifferingAdapter).differences;
  return SQLITE;
}

/** SQLite needs no translation: all statements are written for it. */
const SQLITE: Differences = { name: 'sqlite', textOf: (text) => text, tablesWithId: undefined };
