/**
 * Runs the statements of every request without kysely. Within a transaction they run synchronously, by their text. Outside of one they wait
 * for a connection like other queries.
 */
import { CompiledQuery } from 'kysely';
import { differencesOf, KNOWN } from './dialects/dialect.ts';
import type { Db } from './open.ts';
import { PreparingAdapter } from './preparing-adapter.ts';
import type { SqlText } from './sql.ts';
import type { JsonMembers, Statements } from './statements.ts';

/** Returns the rows of a select. @param limit the limit in the statement; a single row is read faster */
export async function allRows<Row>(db: Db, query: SqlText<Row>, limit?: number): Promise<readonly Row[]> {
  const { sql, parameters } = query.compile();
  const statement = statementsOf(db)?.prepare(sql);
  if (statement && limit !== 1) return statement.all(parameters) as Row[];
  const first = statement?.first(parameters) as Row | undefined;
  if (statement) return first === undefined ? [] : [first];
  return (await db.executeQuery<Row>(raw(db, sql, parameters))).rows;
}

/** Returns the rows of an ordered select as JSON objects; undefined if they must be read as rows. */
export function rowTexts(db: Db, query: SqlText, members: JsonMembers): readonly string[] | undefined {
  const { sql, parameters } = query.compile();
  return statementsOf(db)?.prepare(sql).texts(members, parameters);
}

/** Returns the first row of a select. */
export async function firstRow<Row>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row | undefined> {
  const statements = statementsOf(db);
  if (statements) return statements.prepare(text).first(values) as Row | undefined;
  return (await db.executeQuery<Row>(raw(db, text, values))).rows[0];
}

/** Returns a row that rarely changes. It is cached until a statement might change it. */
export async function knownRow<Row>(
  db: Db,
  text: string,
  values: readonly (string | number)[],
): Promise<Readonly<Row> | undefined> {
  const statements = statementsOf(db);
  if (statements) return statements.known(text, values) as Row | undefined;
  return firstRow(db, differencesOf(db).name === 'postgres' ? `${KNOWN}${text}` : text, values);
}

interface Written {
  /** Number of rows that an insert, update or delete has changed. */
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

export async function write(db: Db, query: SqlText): Promise<Written> {
  const { sql, parameters } = query.compile();
  return run(db, sql, parameters);
}

/** Inserts a row and returns the id that the database assigns; 0 if the table has no ids. */
export async function insertedId(db: Db, query: SqlText, table: string): Promise<number> {
  const { tablesWithId } = differencesOf(db);
  if (tablesWithId === undefined) return Number((await write(db, query)).lastInsertRowid);
  if (!tablesWithId.has(table)) {
    await write(db, query);
    return 0;
  }
  const { sql, parameters } = query.compile();
  const row = await firstRow<{ readonly id: number }>(db, `${sql} returning id`, parameters);
  return row?.id ?? 0;
}

/** Advances the id counter after rows with explicit ids were inserted. SQLite does so itself. */
export async function keepIdsRising(db: Db, table: string): Promise<void> {
  if (differencesOf(db).tablesWithId === undefined) return;
  const text = `select setval(pg_get_serial_sequence('"${table}"', 'id'), greatest(
    (select max(id) from "${table}"), nextval(pg_get_serial_sequence('"${table}"', 'id')) - 1, 1))`;
  await firstRow(db, text, []);
}

/** Runs an insert, update or delete and returns the number of changed rows. */
export async function changedRows(db: Db, text: string, values: readonly unknown[]): Promise<number> {
  return (await run(db, text, values)).changes;
}

async function run(db: Db, text: string, values: readonly unknown[]): Promise<Written> {
  const statements = statementsOf(db);
  if (statements) return statements.prepare(text).run(values);
  const { numAffectedRows, insertId } = await db.executeQuery(raw(db, text, values));
  return { changes: Number(numAffectedRows), lastInsertRowid: insertId ?? 0 };
}

const raw = (db: Db, text: string, values: readonly unknown[]): CompiledQuery =>
  CompiledQuery.raw(differencesOf(db).textOf(text), [...values]);

function statementsOf(db: Db): Statements | undefined {
  if (!db.isTransaction) return undefined;
  const { adapter } = db.getExecutor();
  return adapter instanceof PreparingAdapter ? adapter.statements : undefined;
}
