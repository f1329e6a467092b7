/** Caches the prepared statements of one connection. */
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type Database from 'libsql';
import { CHANGES_NO_KNOWN_ROW } from './dialects/dialect.ts';

export interface Statement extends SqliteStatement {
  readonly all: (values: readonly unknown[]) => Record<string, unknown>[];
  /**
   * Returns each row of an ordered select as the text of a JSON object with these members; undefined if JSON can't represent a stored
   * value. SQLite returns all rows as one text, which takes a third of the time.
   */
  readonly texts: (members: JsonMembers, values: readonly unknown[]) => readonly string[] | undefined;
  readonly first: (values: readonly unknown[]) => Record<string, unknown> | undefined;
  readonly run: (values: readonly unknown[]) => Database.RunResult;
}

export interface JsonMembers {
  /** The SQL expression of each member by its name, in order: a column, or the result of `json`. */
  readonly sql: Readonly<Record<string, string>>;
  /** Reports whether a number may have a fraction. The check for fractions takes a tenth of the time of a page. */
  readonly mayHaveFraction: boolean;
}

export interface Statements extends SqliteDatabase {
  readonly prepare: (text: string) => Statement;
  /** Returns the first row of a select on a table that rarely changes. Returns the same object until a statement might change it. */
  readonly known: (text: string, values: readonly unknown[]) => Readonly<Record<string, unknown>> | undefined;
}

/** Called after each statement with its text and values. */
export type OnQuery = (query: { readonly sql: string; readonly parameters: readonly unknown[] }) => void;

/** Returns the statements of `database`, cached by their text. */
export function keepStatements(database: Database.Database, onQuery?: OnQuery): Statements {
  const kept = new Map<string, Statement>();
  const known = new Map<string, Map<string, Readonly<Record<string, unknown>> | undefined>>();
  const prepare = (text: string): Statement => {
    const found = kept.get(text);
    if (found) return found;
    const changesKnownRows = !CHANGES_NO_KNOWN_ROW.test(text);
    const made = new KeptStatement(database, text, {
      begin: () => {
        if (changesKnownRows) known.clear();
      },
      fail: () => kept.delete(text),
    });
    const statement = onQuery === undefined ? made : told(made, text, onQuery);
    // Any other statement may change the columns that `*` selects.
    if (!WORKS_ON_ROWS.test(text)) kept.clear();
    else if (text.length <= LONGEST_KEPT) {
      // Drops the statement that was cached first. If it is still in use, it is soon cached again.
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
      kept.set(text, statement);
    }
    return statement;
  };
  return {
    prepare,
    known: (text, values) => {
      const rows = known.get(text) ?? new Map();
      const key = values.join(' ');
      if (rows.has(key)) return rows.get(key);
      const row = prepare(text).first(values);
      if (rows.size >= MOST_KNOWN) rows.clear();
      known.set(text, rows.set(key, row && Object.freeze(row)));
      return row;
    },
    close: () => {
      kept.clear();
      known.clear();
      database.close();
    },
  };
}

/** Returns the same statement, which calls `onQuery` on each run. */
function told(statement: Statement, sql: string, onQuery: OnQuery): Statement {
  const telling =
    <A extends readonly unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      onQuery({ sql, parameters: given.at(-1) as readonly unknown[] });
      return work(...given);
    };
  return {
    reader: statement.reader,
    all: telling((values: readonly unknown[]) => statement.all(values)),
    texts: telling((members: JsonMembers, values: readonly unknown[]) => statement.texts(members, values)),
    first: telling((values: readonly unknown[]) => statement.first(values)),
    run: telling((values: readonly unknown[]) => statement.run(values)),
    iterate: telling((values: readonly unknown[]) => statement.iterate(values)),
  };
}

const WORKS_ON_ROWS = /^\s*(select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;
const MOST_KNOWN = 1_000;
const MOST_KEPT = 500;
/** Longest statement that is cached. Longer ones insert many rows, and the same number of rows rarely recurs. */
const LONGEST_KEPT = 8_000;

interface Watch {
  readonly begin: () => void;
  readonly fail: () => void;
}

/** A cached statement. Builds row objects from arrays of values, because libsql's own row objects take half as long again. */
class KeptStatement implements Statement {
  readonly reader: boolean;
  readonly #database: Database.Database;
  readonly #text: string;
  readonly #watch: Watch;
  readonly #prepared: Database.Statement;
  /** A separate statement for `get`. After `all`, libsql would bind no new values and repeat the values of `all`. */
  #forFirst: Database.Statement | undefined;
  readonly #forTexts = new WeakMap<JsonMembers, Database.Statement>();
  #columns: readonly string[] | undefined;

  constructor(database: Database.Database, text: string, watch: Watch) {
    const prepared = database.prepare(text);
    this.reader = prepared.reader;
    this.#database = database;
    this.#text = text;
    this.#watch = watch;
    this.#prepared = this.reader ? prepared.raw() : prepared;
  }

  all(values: readonly unknown[]): Record<string, unknown>[] {
    const rows = this.#run(() => this.#prepared.all(values)) as unknown[][];
    return rows.map((row) => this.#named(row));
  }

  first(values: readonly unknown[]): Record<string, unknown> | undefined {
    this.#forFirst ??= this.#database.prepare(this.#text).raw();
    const statement = this.#forFirst;
    const row = this.#run(() => statement.get(values)) as unknown[] | undefined;
    return row && this.#named(row);
  }

  texts(members: JsonMembers, values: readonly unknown[]): readonly string[] | undefined {
    let statement = this.#forTexts.get(members);
    if (!statement) {
      const pairs = Object.entries(members.sql).map(([name, value]) => `'${name}', ${value}`);
      if (pairs.length > MOST_MEMBERS) return undefined;
      const row = `json_object(${pairs.join(', ')})`;
      statement = this.#database.prepare(`select group_concat(${row}, char(10)) from (${this.#text})`).raw();
      this.#forTexts.set(members, statement);
    }
    const given = statement;
    const [text] = this.#run(() => given.get(values)) as [string | null];
    if (text === null) return [];
    return members.mayHaveFraction && HAS_FRACTION.test(text) ? undefined : text.split('\n');
  }

  run(values: readonly unknown[]): Database.RunResult {
    return this.#run(() => this.#prepared.run(values));
  }

  *iterate(values: readonly unknown[]): IterableIterator<Record<string, unknown>> {
    for (const row of this.#run(() => this.#prepared.iterate(values))) yield this.#named(row as unknown[]);
  }

  /** Runs the work. A statement that failed may not accept values again, so it is dropped. */
  #run<T>(work: () => T): T {
    this.#watch.begin();
    try {
      return work();
    } catch (error) {
      this.#watch.fail();
      throw error;
    }
  }

  #names(): readonly string[] {
    this.#columns ??= this.#prepared.columns().map(({ name }) => name);
    return this.#columns;
  }

  #named(row: readonly unknown[]): Record<string, unknown> {
    const names = this.#names();
    const named: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at += 1) named[names[at] ?? ''] = row[at];
    return named;
  }
}

/** SQLite's functions accept at most 127 arguments. */
const MOST_MEMBERS = 60;
/** Matches a number with a fraction, of which SQLite's JSON keeps only 15 digits. It also matches some texts. */
const HAS_FRACTION = /:-?[0-9]+[.e]/;
