/** Builds SQL statements for SQLite and PostgreSQL. Other files write each statement as a template with the tag `sql`. */
export type Dialect = 'sqlite' | 'postgres';

/** A statement as the database reads it, with a placeholder for each value. */
export interface CompiledStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Forms = Readonly<Record<Dialect, Sql>>;

/** A part of a statement, or a whole statement with rows of type `Row`. */
export class Sql<Row = unknown> {
  /** Never set. It tells the compiler the type of the rows that a statement returns. */
  declare readonly row: Row;
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];
  readonly #forms: Forms | undefined;

  constructor(texts: readonly string[], values: readonly unknown[], forms?: Forms) {
    this.#texts = texts;
    this.#values = values;
    this.#forms = forms;
  }

  /** Returns the text and the values. The text of a template without nested parts is built once and cached. */
  compile(dialect: Dialect): CompiledStatement {
    const values: unknown[] = [];
    if (this.#forms || this.#values.some(isPart)) return { text: this.#write(dialect, values), values };
    const kept = TEXTS[dialect].get(this.#texts);
    if (kept !== undefined) return { text: kept, values: this.#values };
    const text = this.#write(dialect, values);
    // A template passes the same frozen array each time; other texts are new arrays.
    if (Object.isFrozen(this.#texts)) TEXTS[dialect].set(this.#texts, text);
    return { text, values };
  }

  #write(dialect: Dialect, values: unknown[]): string {
    if (this.#forms) return this.#forms[dialect].#write(dialect, values);
    let text = this.#texts[0] ?? '';
    for (let at = 0; at < this.#values.length; at += 1) {
      const value = this.#values[at];
      if (value instanceof Sql) text += value.#write(dialect, values);
      else {
        values.push(value);
        text += dialect === 'sqlite' ? '?' : `$${values.length}`;
      }
      text += this.#texts[at + 1] ?? '';
    }
    return text;
  }
}

const isPart = (value: unknown): boolean => value instanceof Sql;

const TEXTS: Readonly<Record<Dialect, WeakMap<readonly string[], string>>> = {
  sqlite: new WeakMap(),
  postgres: new WeakMap(),
};

/** Builds a statement from a template. A value that is itself an `Sql` is inserted as SQL text. Every other value becomes a parameter. */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return new Sql(texts, values);
}

sql.ref = (name: string): Sql => new Sql([`"${name.replaceAll('"', '""')}"`], []);

/** Returns a part of a statement that consists of this text, unchanged. The text must not come from a request. */
sql.raw = <Row = unknown>(text: string): Sql<Row> => new Sql([text], []);

sql.join = (pieces: readonly unknown[], between = ', '): Sql =>
  new Sql(pieces.map((_, at) => (at === 0 ? '' : between)).concat(''), pieces);

sql.either = (forms: Forms): Sql => new Sql([], [], forms);

/** Returns a list for `in` with one parameter, so that the text of the statement stays the same for any number of ids. */
sql.ids = (ids: readonly number[]): Sql =>
  sql.either({
    sqlite: sql`(select value from json_each(${JSON.stringify(ids)}))`,
    postgres: sql`(select unnest(${ids}::bigint[]))`,
  });

/** Returns the condition that the column equals one of the texts: one parameter on PostgreSQL, so that one statement serves any number. */
sql.isOneOf = (column: string, texts: readonly string[]): Sql =>
  sql.either({
    sqlite: sql`${sql.ref(column)} in (${sql.join(texts)})`,
    postgres: sql`${sql.ref(column)} is not null and ${sql.ref(column)} = any(${texts}::text[])`,
  });

/** Returns a column for a condition for which SQLite must use no index. PostgreSQL chooses good indexes by itself. */
sql.noIndex = (column: string): Sql =>
  sql.either({ sqlite: sql.raw(`+${column}`), postgres: sql.raw(column) });
