/**
 * A way past kysely for the statements of every request: within a transaction they are run at once, by their text.
 * Elsewhere they wait for their turn like all others.
 */
import { CompiledQuery, type RawBuilder, SqliteAdapter } from 'kysely';
import type { Db } from './open.ts';
import type { Statements } from './statements.ts';

/** Kysely hands its adapter on to whatever is made from it, transactions above all. */
export class PreparingAdapter extends SqliteAdapter {
  readonly statements: Statements;

  constructor(statements: Statements) {
    super();
    this.statements = statements;
  }
}

/** The rows of a select that ends at so many; below 0 for no end. */
export async function limitedRows<Row>(
  db: Db,
  query: RawBuilder<Row>,
  limit: number,
): Promise<readonly Row[]> {
  const statements = statementsOf(db);
  if (!statements) return (await query.execute(db)).rows;
  const { sql, parameters } = query.compile(db);
  const statement = statements.prepare(sql);
  if (limit !== 1) return statement.page(parameters) as Row[];
  const row = statement.first(parameters) as Row | undefined;
  return row === undefined ? [] : [row];
}

/** Runs an insert, update or delete; how many rows it has changed. */
export async function changes(db: Db, query: RawBuilder<unknown>): Promise<number> {
  const { sql, parameters } = query.compile(db);
  return changedRows(db, sql, parameters);
}

/** The first row of a select. */
export async function firstRow<Row>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row | undefined> {
  const statements = statementsOf(db);
  if (statements) return statements.prepare(text).first(values) as Row | undefined;
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows[0];
}

/** The same of a row that rarely changes: read once, until something is written that might change it. */
export async function knownRow<Row>(
  db: Db,
  text: string,
  values: readonly (string | number)[],
): Promise<Readonly<Row> | undefined> {
  const statements = statementsOf(db);
  return statements ? (statements.known(text, values) as Row | undefined) : firstRow(db, text, values);
}

/** How many rows an insert, update or delete has changed. */
export async function changedRows(db: Db, text: string, values: readonly unknown[]): Promise<number> {
  const statements = statementsOf(db);
  if (statements) return statements.prepare(text).run(values).changes;
  const { numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, [...values]));
  return Number(numAffectedRows);
}

function statementsOf(db: Db): Statements | undefined {
  if (!db.isTransaction) return undefined;
  const { adapter } = db.getExecutor();
  return adapter instanceof PreparingAdapter ? adapter.statements : undefined;
}
