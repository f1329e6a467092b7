/** What the dialects of SQL that a store speaks differ in, where the same words won't do. */
import type { Db } from '../store.ts';

export interface Differences {
  readonly name: 'sqlite' | 'postgres';
  /** A statement of our own, which has a `?` for each value, in the words of the database. */
  readonly textOf: (text: string) => string;
  /** Tables whose rows have an `id` that the database gives; undefined where it says the last one by itself. */
  readonly tablesWithId: ReadonlySet<string> | undefined;
}

/** Begins a statement for a row that rarely changes; the database never sees it. */
export const KNOWN = '/*known*/';

/** Above all no rollback. Nothing refers to rows of these tables, and nobody asks for them as known rows. */
export const CHANGES_NO_KNOWN_ROW =
  /^\s*(select|begin|commit|savepoint|release|(insert into|delete from) "?(nonce|do_not_contact|request_log)"?)\b/i;

/** Kysely hands its adapter on to whatever is made from it, transactions above all. */
export interface DifferingAdapter {
  readonly differences: Differences;
}

/** Of the database behind `db`. */
export function differencesOf(db: Db): Differences {
  const adapter: unknown = db.getExecutor().adapter;
  if (typeof adapter === 'object' && adapter !== null && 'differences' in adapter)
    return (adapter as DifferingAdapter).differences;
  return SQLITE;
}

/** Statements are written for it. */
const SQLITE: Differences = { name: 'sqlite', textOf: (text) => text, tablesWithId: undefined };
