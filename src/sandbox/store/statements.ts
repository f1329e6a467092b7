/** The statements of one connection, each prepared once. */
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type Database from 'libsql';

export interface Statement extends SqliteStatement {
  readonly all: (values: readonly unknown[]) => Record<string, unknown>[];
  /**
   * Each row of an ordered select as the text of a JSON object with these members; undefined where JSON can't say what is
   * stored. Rows leave SQLite as one text so, which takes a third of the time.
   */
  readonly texts: (members: JsonMembers, values: readonly unknown[]) => readonly string[] | undefined;
  readonly first: (values: readonly unknown[]) => Record<string, unknown> | undefined;
  readonly run: (values: readonly unknown[]) => Database.RunResult;
}

export interface JsonMembers {
  /** By name, in order, the SQL of the value: of a column's name, or of what `json` gives. */
  readonly sql: Readonly<Record<string, string>>;
  /** Whether a number may have a fraction: then it is looked for, which takes a tenth of the time of a page. */
  readonly mayHaveFraction: boolean;
}

export interface Statements extends SqliteDatabase {
  readonly prepare: (text: string) => Statement;
  /** The first row of a select of some that rarely change: the same object until anything is written that might change it. */
  readonly known: (text: string, values: readonly unknown[]) => Readonly<Record<string, unknown>> | undefined;
}

/** What is told of each statement that runs: its text and values. */
export type OnQuery = (query: { readonly sql: string; readonly parameters: readonly unknown[] }) => void;

/** Statements of `database`, kept by their text. */
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
    // Everything else may change what a `*` stands for.
    if (!WORKS_ON_ROWS.test(text)) kept.clear();
    else if (text.length <= LONGEST_KEPT) {
      // The one that was kept first; what is in use comes back at once.
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

/** The same statement, which tells of each of its runs. */
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
/** Above all no rollback. Nothing refers to rows of these tables, and nobody asks for them as known rows. */
const CHANGES_NO_KNOWN_ROW =
  /^\s*(select|begin|commit|savepoint|release|(insert into|delete from) "?(nonce|do_not_contact|request_log)"?)\b/i;
const MOST_KNOWN = 1_000;
const MOST_KEPT = 500;
/** Longer ones insert many rows, and hardly ever as many again. */
const LONGEST_KEPT = 8_000;

interface Watch {
  readonly begin: () => void;
  readonly fail: () => void;
}

/** Row objects are made from rows of values: libsql's own way to make them takes half as long again. */
class KeptStatement implements Statement {
  readonly reader: boolean;
  readonly #database: Database.Database;
  readonly #text: string;
  readonly #watch: Watch;
  readonly #prepared: Database.Statement;
  /** After `all`, `get` of the same statement would answer with the values of `all`: libsql does not bind new ones. */
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

  /** One that failed may not take values again. */
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

/** SQLite's functions have 127 arguments at most. */
const MOST_MEMBERS = 60;
/** SQLite's JSON has 15 digits of a number with a fraction. Also finds some that stand in texts. */
const HAS_FRACTION = /:-?[0-9]+[.e]/;
