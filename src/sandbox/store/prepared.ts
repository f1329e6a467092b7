/**
 * A way past kysely for the statements of every request: within a transaction they are run at once, by their text.
 * Elsewhere they wait for their turn like all others.
 */
import { CompiledQuery, SqliteAdapter } from 'kysely';
import type { Db } from './open.ts';
import type { SqlValue } from './rows.ts';
import type { Statements } from './statements.ts';

/** Kysely hands its adapter on to whatever is made from it, transactions above all. */
export class PreparingAdapter extends SqliteAdapter {
  readonly statements: Statements;

  constructor(statements: Statements) {
    super();
    this.statements = statements;
  }
}

/** Rows of a select. */
export async function allRows<Row>(db: Db, text: string, values: readonly SqlValue[]): Promise<Row[]> {
  const statements = statementsOf(db);
  if (statements) return statements.prepare(text).all(values) as Row[];
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}

/** The first row of a select. */
export async function firstRow<Row>(
  db: Db,
  text: string,
  values: readonly SqlValue[],
): Promise<Row | undefined> {
  const statements = statementsOf(db);
  if (statements) return statements.prepare(text).first(values) as Row | undefined;
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows[0];
}

/** How many rows an insert, update or delete has changed. */
export async function changedRows(db: Db, text: string, values: readonly SqlValue[]): Promise<number> {
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
