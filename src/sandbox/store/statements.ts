/** The statements of one connection, each prepared once. */
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type Database from 'libsql';

export interface Statement extends SqliteStatement {
  readonly all: (values: readonly unknown[]) => Record<string, unknown>[];
  /** As `all`, for a select of many rows that has an order: they leave SQLite as one text, which takes a third of the time. */
  readonly page: (values: readonly unknown[]) => Record<string, unknown>[];
  readonly first: (values: readonly unknown[]) => Record<string, unknown> | undefined;
  readonly run: (values: readonly unknown[]) => Database.RunResult;
}

export interface Statements extends SqliteDatabase {
  readonly prepare: (text: string) => Statement;
  /** The first row of a select of some that rarely change: the same object until anything is written that might change it. */
  readonly known: (text: string, values: readonly unknown[]) => Readonly<Record<string, unknown>> | undefined;
}

/** Statements of `database`, kept by their text. */
export function keepStatements(database: Database.Database): Statements {
  const kept = new Map<string, Statement>();
  const known = new Map<string, Map<string, Readonly<Record<string, unknown>> | undefined>>();
  const prepare = (text: string): Statement => {
    const found = kept.get(text);
    if (found) return found;
    const beforeRun = CHANGES_NO_KNOWN_ROW.test(text) ? () => undefined : () => known.clear();
    const statement = new KeptStatement(database, text, beforeRun);
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

const WORKS_ON_ROWS = /^\s*(select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;
/** Above all no rollback. Nothing refers to rows of these two tables, and nobody asks for them as known rows. */
const CHANGES_NO_KNOWN_ROW =
  /^\s*(select|begin|commit|savepoint|release|(insert into|delete from) "?(nonce|do_not_contact)"?)\b/i;
const MOST_KNOWN = 1_000;
const MOST_KEPT = 500;
/** Longer ones insert many rows, and hardly ever as many again. */
const LONGEST_KEPT = 8_000;

/** Row objects are made from rows of values: libsql's own way to make them takes half as long again. */
class KeptStatement implements Statement {
  readonly reader: boolean;
  readonly #database: Database.Database;
  readonly #text: string;
  readonly #prepared: Database.Statement;
  readonly #beforeRun: () => void;
  #columns: readonly string[] | undefined;
  #asJson: Database.Statement | undefined;

  constructor(database: Database.Database, text: string, beforeRun: () => void) {
    const prepared = database.prepare(text);
    this.reader = prepared.reader;
    this.#database = database;
    this.#text = text;
    this.#beforeRun = beforeRun;
    this.#prepared = this.reader ? prepared.raw() : prepared;
  }

  all(values: readonly unknown[]): Record<string, unknown>[] {
    this.#beforeRun();
    return (this.#prepared.all(values) as unknown[][]).map((row) => this.#named(row));
  }

  first(values: readonly unknown[]): Record<string, unknown> | undefined {
    this.#beforeRun();
    const row = this.#prepared.get(values) as unknown[] | undefined;
    return row && this.#named(row);
  }

  page(values: readonly unknown[]): Record<string, unknown>[] {
    if (this.#names().length > MOST_ARGUMENTS) return this.all(values);
    this.#asJson ??= this.#database.prepare(inJson(this.#text, this.#names())).raw();
    const [json] = this.#asJson.get(values) as [string];
    if (HAS_FRACTION.test(json)) return this.all(values);
    return (JSON.parse(json) as unknown[][]).map((row) => this.#named(row));
  }

  run(values: readonly unknown[]): Database.RunResult {
    this.#beforeRun();
    return this.#prepared.run(values);
  }

  *iterate(values: readonly unknown[]): IterableIterator<Record<string, unknown>> {
    this.#beforeRun();
    for (const row of this.#prepared.iterate(values)) yield this.#named(row as unknown[]);
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

function inJson(text: string, names: readonly string[]): string {
  const columns = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  return `select json_group_array(json_array(${columns.join(', ')})) from (${text})`;
}

/** SQLite's limit for a function is 127. */
const MOST_ARGUMENTS = 100;
/** SQLite's JSON has 15 digits of a number with a fraction. Also finds some that stand in texts. */
const HAS_FRACTION = /[[,]-?[0-9]+[.e]/;
