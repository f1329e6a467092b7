/** The statements of one connection, each prepared once. */
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import type Database from 'libsql';

/** Row objects as libsql gives them, but from rows of values: its own way to make them takes half as long again. */
export interface Statement extends SqliteStatement {
  readonly all: (values: readonly unknown[]) => Record<string, unknown>[];
  readonly first: (values: readonly unknown[]) => Record<string, unknown> | undefined;
  readonly run: (values: readonly unknown[]) => Database.RunResult;
}

export interface Statements extends SqliteDatabase {
  readonly prepare: (text: string) => Statement;
}

/** Statements of `database`, kept by their text. */
export function keepStatements(database: Database.Database): Statements {
  const kept = new Map<string, Statement>();
  return {
    close: () => {
      kept.clear();
      database.close();
    },
    prepare: (text) => {
      const found = kept.get(text);
      if (found) return found;
      const statement = new KeptStatement(database.prepare(text));
      // Everything else may change what a `*` stands for.
      if (!WORKS_ON_ROWS.test(text)) kept.clear();
      else if (text.length <= LONGEST_KEPT) {
        // The one that was kept first; what is in use comes back at once.
        if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
        kept.set(text, statement);
      }
      return statement;
    },
  };
}

const WORKS_ON_ROWS = /^\s*(select|insert|update|delete|with|begin|commit|rollback|savepoint|release)\b/i;
const MOST_KEPT = 500;
/** Longer ones insert many rows, and hardly ever as many again. */
const LONGEST_KEPT = 8_000;

class KeptStatement implements Statement {
  readonly reader: boolean;
  readonly #prepared: Database.Statement;
  #names: readonly string[] | undefined;

  constructor(prepared: Database.Statement) {
    this.reader = prepared.reader;
    this.#prepared = this.reader ? prepared.raw() : prepared;
  }

  all(values: readonly unknown[]): Record<string, unknown>[] {
    return (this.#prepared.all(values) as unknown[][]).map((row) => this.#named(row));
  }

  first(values: readonly unknown[]): Record<string, unknown> | undefined {
    const row = this.#prepared.get(values) as unknown[] | undefined;
    return row && this.#named(row);
  }

  run(values: readonly unknown[]): Database.RunResult {
    return this.#prepared.run(values);
  }

  *iterate(values: readonly unknown[]): IterableIterator<Record<string, unknown>> {
    for (const row of this.#prepared.iterate(values)) yield this.#named(row as unknown[]);
  }

  #named(row: readonly unknown[]): Record<string, unknown> {
    this.#names ??= this.#prepared.columns().map(({ name }) => name);
    const named: Record<string, unknown> = {};
    for (let at = 0; at < this.#names.length; at += 1) named[this.#names[at] ?? ''] = row[at];
    return named;
  }
}
