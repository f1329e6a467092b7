/** Caches the prepared statements of one connection to SQLite. */
import type Database from 'libsql';
import type { CompiledStatement } from './sql.ts';
import type { RowToJsonSql, WriteResult } from './store.ts';

/** Called after each statement with its text and values. */
export type QueryListener = (query: {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}) => void;

type Values = readonly unknown[];

export class SqliteStatementCache {
  readonly #database: Database.Database;
  readonly #onQuery: QueryListener | undefined;
  readonly #kept = new Map<string, Statement>();

  constructor(database: Database.Database, onQuery?: QueryListener) {
    this.#database = database;
    this.#onQuery = onQuery;
  }

  all(query: CompiledStatement): Record<string, unknown>[] {
    return this.#use(query, (statement) => statement.all(query.values));
  }

  first(query: CompiledStatement): Record<string, unknown> | undefined {
    return this.#use(query, (statement) => statement.first(query.values));
  }

  run(query: CompiledStatement): WriteResult {
    return this.#use(query, (statement) => statement.run(query.values));
  }

  texts(query: CompiledStatement, rowToJson: RowToJsonSql): readonly string[] | undefined {
    return this.#use(query, (statement) => statement.texts(rowToJson, query.values));
  }

  /** Runs a statement once, and removes all statements from the cache: the statement may change the columns that `*` selects. */
  exec({ text, values }: CompiledStatement): void {
    this.#kept.clear();
    this.#onQuery?.({ sql: text, parameters: values });
    new Statement(this.#database, text).run(values);
  }

  close(): void {
    this.#kept.clear();
    if (this.#database.open) this.#database.close();
  }

  /** Forgets a statement that failed, because SQLite might not accept new values for it. */
  #use<T>({ text, values }: CompiledStatement, work: (statement: Statement) => T): T {
    this.#onQuery?.({ sql: text, parameters: values });
    const statement = this.#kept.get(text) ?? this.#prepare(text);
    try {
      return work(statement);
    } catch (error) {
      this.#kept.delete(text);
      throw error;
    }
  }

  #prepare(text: string): Statement {
    const statement = new Statement(this.#database, text);
    if (text.length > LONGEST_KEPT) return statement;
    // Drops the statement that was cached first. If it is still in use, it is soon cached again.
    if (this.#kept.size >= MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(text, statement);
    return statement;
  }
}

const MOST_KEPT = 500;

/** Maximum length of a cached statement. Longer ones insert many rows and are rarely needed again. */
const LONGEST_KEPT = 8_000;

interface PreparedStatement {
  readonly statement: Database.Statement;
  /** Reports whether the statement returns rows. Stored, because every call to libsql takes time. */
  readonly isReader: boolean;
}

/** The prepared statements of one text. Builds rows from arrays of values; libsql's own row objects take 1.5 times as long. */
class Statement {
  readonly #database: Database.Database;
  readonly #text: string;
  /** For `all` and `run`. Like the others, it is prepared when it is first used: most texts need only one of them. */
  #forAll: PreparedStatement | undefined;
  /** A second statement, for `get` only: after `all` on the same statement, libsql would run `get` with the values of `all`. */
  #forFirst: Database.Statement | undefined;
  readonly #forTexts = new WeakMap<RowToJsonSql, Database.Statement>();
  #columns: readonly string[] | undefined;

  constructor(database: Database.Database, text: string) {
    this.#database = database;
    this.#text = text;
  }

  all(values: Values): Record<string, unknown>[] {
    const { statement } = this.#prepare();
    return (statement.all(values) as unknown[][]).map((row) => this.#named(row, statement));
  }

  first(values: Values): Record<string, unknown> | undefined {
    this.#forFirst ??= this.#database.prepare(this.#text).raw();
    const row = this.#forFirst.get(values) as unknown[] | undefined;
    return row && this.#named(row, this.#forFirst);
  }

  run(values: Values): WriteResult {
    const { statement, isReader } = this.#prepare();
    if (isReader) {
      const rows = this.all(values);
      const { id } = rows[0] ?? {};
      return { changes: rows.length, id: Number(id ?? 0) };
    }
    const { changes, lastInsertRowid } = statement.run(values);
    return { changes, id: Number(lastInsertRowid) };
  }

  texts(rowToJson: RowToJsonSql, values: Values): readonly string[] | undefined {
    let statement = this.#forTexts.get(rowToJson);
    if (!statement) {
      const pairs = Object.entries(rowToJson.sqlByName).map(([name, value]) => `'${name}', ${value}`);
      if (pairs.length > MOST_MEMBERS) return undefined;
      const row = `json_object(${pairs.join(', ')})`;
      statement = this.#database.prepare(`select group_concat(${row}, char(10)) from (${this.#text})`).raw();
      this.#forTexts.set(rowToJson, statement);
    }
    const [text] = statement.get(values) as [string | null];
    if (text === null) return [];
    return rowToJson.canHoldFractionalNumbers && HAS_FRACTION.test(text) ? undefined : text.split('\n');
  }

  #prepare(): PreparedStatement {
    if (this.#forAll) return this.#forAll;
    const prepared = this.#database.prepare(this.#text);
    const isReader = prepared.reader;
    this.#forAll = { statement: isReader ? prepared.raw() : prepared, isReader };
    return this.#forAll;
  }

  #named(row: readonly unknown[], statement: Database.Statement): Record<string, unknown> {
    this.#columns ??= statement.columns().map(({ name }) => name);
    const named: Record<string, unknown> = {};
    for (let at = 0; at < this.#columns.length; at += 1) named[this.#columns[at] ?? ''] = row[at];
    return named;
  }
}

/** Members of an object that `json_object` creates. Each takes two arguments, and a function of SQLite accepts at most 127. */
const MOST_MEMBERS = 60;

/** Matches a number with a fraction in a JSON text (and in some text values). SQLite writes only 15 digits of such a number. */
const HAS_FRACTION = /:-?[0-9]+[.e]/;
