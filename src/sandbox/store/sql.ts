/**
 * SQL with values in it, written as with kysely's `sql` but put together in a tenth of the time: for what every request
 * asks.
 */

import { KNOWN } from './dialects/dialect.ts';

/** A piece of a statement, or a whole one whose rows are of type `Row`. */
export class SqlText<Row = unknown> {
  /** Only so that the compiler tells one kind of rows from another. */
  declare readonly row: Row;
  readonly #texts: readonly string[];
  readonly #values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts;
    this.#values = values;
  }

  /** The statement with a `?` for each value. */
  compile(): { readonly sql: string; readonly parameters: readonly unknown[] } {
    const parameters: unknown[] = [];
    return { sql: this.#write(parameters), parameters };
  }

  #write(parameters: unknown[]): string {
    let text = this.#texts[0] ?? '';
    for (let at = 0; at < this.#values.length; at += 1) {
      const value = this.#values[at];
      if (value instanceof SqlText) text += value.#write(parameters);
      else {
        text += '?';
        parameters.push(value);
      }
      text += this.#texts[at + 1] ?? '';
    }
    return text;
  }
}

/** Other pieces stand in it as text, everything else as a value. */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): SqlText<Row> {
  return new SqlText(texts, values);
}

/** The name of a column or table. */
sql.ref = (name: string): SqlText => new SqlText([`"${name.replaceAll('"', '""')}"`], []);

sql.table = sql.ref;

/** Begins a select of rows that rarely change, for a database that is far away. */
sql.known = new SqlText([KNOWN], []);

sql.join = (pieces: readonly unknown[], between = ', '): SqlText =>
  new SqlText(pieces.map((_, at) => (at === 0 ? '' : between)).concat(''), pieces);
