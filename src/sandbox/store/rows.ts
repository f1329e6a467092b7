/** Reads and writes any resource's rows by the words of a request. */
import type { Db } from './open.ts';
import { allRows, rowTexts, write } from './prepared.ts';
import { type SqlText, sql } from './sql.ts';
import type { JsonMembers } from './statements.ts';
import type { Tables } from './tables.ts';

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;
/** A select whose rows have at least the columns of a resource. */
export type Source = SqlText<SqlRow>;

export interface Selection {
  /** Equality on each; null matches null. */
  readonly filters?: SqlRow;
  readonly sort?: string;
  /** Order among rows of the same `sort`. */
  readonly ties?: readonly string[];
  readonly reverse?: boolean;
  /** Begin at this value of `sort`, inclusive. Null stands before every value. */
  readonly start?: SqlValue | undefined;
  readonly limit?: number | undefined;
}

/** The rows of `source` that match, ordered by `sort` and then `ties`. */
export async function selectRows(
  db: Db,
  source: Source,
  selection: Selection = {},
): Promise<readonly SqlRow[]> {
  return allRows(db, selectionFrom(source, selection), selection.limit);
}

/** The same as JSON objects with these members; undefined where JSON can't say what is stored. */
export function selectTexts(
  db: Db,
  source: Source,
  selection: Selection,
  members: JsonMembers,
): readonly string[] | undefined {
  return rowTexts(db, selectionFrom(source, selection), members);
}

function selectionFrom(source: Source, selection: Selection): SqlText<SqlRow> {
  const { filters = {}, ties = ['id'], reverse = false, start, limit = -1 } = selection;
  const sort = selection.sort ?? ties[0] ?? 'id';
  const direction = reverse ? sql`desc` : sql`asc`;
  const conditions = Object.entries(filters).map(([column, value]) => sql`${sql.ref(column)} is ${value}`);
  if (start !== undefined) conditions.push(fromStart(sort, reverse, start));
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, ' and ')}`;
  const order = [sort, ...ties].map((column) => sql`${sql.ref(column)} ${direction}`);
  return sql<SqlRow>`select * from (${source}) as r ${where}
    order by ${sql.join(order)} limit ${limit}`;
}

function fromStart(sort: string, reverse: boolean, start: SqlValue): SqlText<unknown> {
  const column = sql.ref(sort);
  if (start === null) return reverse ? sql`${column} is null` : sql`true`;
  return reverse ? sql`(${column} <= ${start} or ${column} is null)` : sql`${column} >= ${start}`;
}

/** Inserts and returns the new id. */
export async function insertRow(db: Db, table: keyof Tables, row: SqlRow): Promise<number> {
  const columns = Object.keys(row).map((column) => sql.ref(column));
  const query = sql`insert into ${sql.table(table)} (${sql.join(columns)}) values (${sql.join(Object.values(row))})`;
  const { lastInsertRowid } = await write(db, query);
  return Number(lastInsertRowid);
}

/** Sets columns of the row with this id; does nothing where there is none. */
export async function updateRow(db: Db, table: keyof Tables, id: number, set: SqlRow): Promise<void> {
  const changes = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  if (changes.length === 0) return;
  await write(db, sql`update ${sql.table(table)} set ${sql.join(changes)} where id = ${id}`);
}

/** Deletes the row with this id. @throws the store's error where other rows need it */
export async function deleteRow(db: Db, table: keyof Tables, id: number): Promise<void> {
  await write(db, sql`delete from ${sql.table(table)} where id = ${id}`);
}
