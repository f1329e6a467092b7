/** Reads and writes the rows of any resource, with the filters and the order of a request. */
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import { Sql, sql } from './driver/sql.ts';
import type { RowToJsonSql } from './driver/store.ts';
import type { Db } from './open.ts';
import { hasId, type Row, type Tables } from './schema/tables.ts';

export type SqlValue = string | number | null;

export type SqlRow = Readonly<Record<string, SqlValue>>;

export type SqlCondition = Sql;

/** The SQL query that reads the rows of a resource, and the conditions that filter these rows. */
export interface ResourceRowsQuery {
  /** A select that has at least the columns of the resource. */
  readonly select: Sql<SqlRow>;
  /** Values that all rows must have, such as the id of one user. */
  readonly requiredValues?: SqlRow;
  /** Conditions that replace the comparison of a column with the value of a filter, by attribute. `email` ignores case, for example. */
  readonly computedConditions?: Readonly<Record<string, (value: SqlValue) => SqlCondition>>;
}

export interface RowSelectionOptions {
  /** Values that the rows must have, by column. Null matches null. */
  readonly filters?: SqlRow;
  readonly sort?: string;
  /** True if the column whose name is in `sort` can contain null. */
  readonly nullable?: boolean;
  /** Further sort columns. They order the rows that have the same value in the column `sort`. */
  readonly ties?: readonly string[];
  readonly reverse?: boolean;
  /** Value of the sort column of the first row, inclusive. Null comes before every other value. */
  readonly start?: SqlValue | undefined;
  readonly limit?: number | undefined;
}

/** Returns the rows that match the filters, in order of the column `sort`, and then of the columns `ties`. */
export async function selectRows(
  db: Db,
  source: ResourceRowsQuery,
  selection: RowSelectionOptions = {},
): Promise<readonly SqlRow[]> {
  const rows: SqlRow[] = [];
  for (const part of partsOf(source, selection)) {
    const left = leftOf(selection, rows.length);
    if (left === 0) continue;
    // A single row is read faster.
    if (left === 1) rows.push(...[await db.first(part(left))].filter((row) => row !== undefined));
    else rows.push(...(await db.all(part(left))));
  }
  return rows;
}

export async function selectRequiredRow<Row>(db: Db, query: Sql<Row>): Promise<Row> {
  const row = await db.first(query);
  if (row === undefined) throw new Error('a row is missing from the store');
  return row;
}

export async function findId(db: Db, query: Sql<{ readonly id: number }>): Promise<number | undefined> {
  return (await db.first(query))?.id;
}

export async function countBy(db: Db, query: Sql<{ readonly count: number }>): Promise<number> {
  return (await db.first(query))?.count ?? 0;
}

export async function findRowOfAccount<T extends keyof Tables>(
  db: Db,
  table: T,
  accountId: number,
  id: number,
): Promise<Row<T> | undefined> {
  return db.first(
    sql<Row<T>>`select * from ${sql.ref(table)} where account_id = ${accountId} and id = ${id}`,
  );
}

/** Throws `ServiceError` 404 if the account has no such row: `List 7 not found`, for the noun `List`. */
export async function requireRowOfAccount<T extends keyof Tables>(
  db: Db,
  table: T,
  accountId: number,
  id: number,
  noun: string,
): Promise<Row<T>> {
  const row = await findRowOfAccount(db, table, accountId, id);
  if (!row) throw createNotFoundError(`${noun} ${id}`);
  return row;
}

export async function findRowById<T extends keyof Tables>(
  db: Db,
  table: T,
  id: number,
): Promise<Row<T> | undefined> {
  return db.first(sql<Row<T>>`select * from ${sql.ref(table)} where id = ${id}`);
}

/** Returns the rows with these ids, from all accounts, in any order. */
export async function listRowsByIds<T extends keyof Tables>(
  db: Db,
  table: T,
  ids: readonly number[],
): Promise<Row<T>[]> {
  if (ids.length === 0) return [];
  return db.all(sql<Row<T>>`select * from ${sql.ref(table)} where id in (${sql.join(ids)})`);
}

export async function listRowsOfAccount<T extends keyof Tables>(
  db: Db,
  table: T,
  accountId: number,
): Promise<Row<T>[]> {
  return db.all(sql<Row<T>>`select * from ${sql.ref(table)} where account_id = ${accountId} order by id`);
}

export async function hasRow(db: Db, query: Sql): Promise<boolean> {
  return (await db.first(query)) !== undefined;
}

/** Returns the rows of `selectRows` as JSON texts with the members of `rowToJson`, or undefined if JSON can't represent a value. */
export function selectRowsAsJson(
  db: Db,
  source: ResourceRowsQuery,
  selection: RowSelectionOptions,
  rowToJson: RowToJsonSql,
): readonly string[] | undefined {
  const texts: string[] = [];
  for (const part of partsOf(source, selection)) {
    const left = leftOf(selection, texts.length);
    if (left === 0) continue;
    const found = db.texts(part(left), rowToJson);
    if (found === undefined) return undefined;
    texts.push(...found);
  }
  return texts;
}

/** Returns how many more rows the selection may return after `found` rows. Returns undefined if there is no limit. */
const leftOf = ({ limit }: RowSelectionOptions, found: number): number | undefined =>
  limit === undefined ? undefined : Math.max(0, limit - found);

/** Returns a select of at most `limit` rows, or of all rows if `limit` is undefined. */
type Part = (limit: number | undefined) => Sql<SqlRow>;

/** Returns the queries whose results together form the selection. Each query reads one range of an index. */
function partsOf(source: ResourceRowsQuery, selection: RowSelectionOptions): readonly Part[] {
  const { ties = ['id'], reverse = false, start } = selection;
  const sort = selection.sort ?? ties[0] ?? 'id';
  const direction = reverse ? sql`desc` : sql`asc`;
  // A filtered column has one value, so sorting by it is useless. It would also keep SQLite from using the order of an index.
  const free = [...new Set([sort, ...ties])].filter((column) => selection.filters?.[column] === undefined);
  const order = free.map(
    (each) => sql`${sql.ref(each)} ${direction}${each === sort ? nulls(selection) : sql``}`,
  );
  const ordered = order.length === 0 ? sql`` : sql`order by ${sql.join(order)}`;
  const filters = filtersOf(source, selection.filters ?? {});
  const part =
    (...more: readonly SqlCondition[]): Part =>
    (limit) => {
      const conditions = [...filters, ...more];
      const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, ' and ')}`;
      const most = limit === undefined ? sql`` : sql`limit ${limit}`;
      return sql<SqlRow>`select * from (${source.select}) as r ${where} ${ordered} ${most}`;
    };
  const column = sql.ref(sort);
  if (start === undefined || (start === null && !reverse)) return [part()];
  const without = part(sql`${column} is null`);
  if (start === null) return [without];
  if (!reverse) return [part(sql`${column} >= ${start}`)];
  // Nulls come last here, and one range of the index can't contain both.
  const values = part(sql`${column} <= ${start}`);
  return selection.nullable ? [values, without] : [values];
}

/** Returns `nulls first` or `nulls last` for an `order by`. As in SQLite, null counts as smaller than every other value. */
const nulls = ({ nullable = false, reverse = false }: RowSelectionOptions): Sql =>
  nullable ? (reverse ? sql` nulls last` : sql` nulls first`) : sql``;

/** The attributes with few distinct values, each with the value that is rare in a large account. Only a filter by it needs an index. */
const COARSE: Readonly<Record<string, SqlValue>> = {
  actiononweekend: 0,
  cancelled: 1,
  channel: 'sms',
  completed: 0,
  customoptin: 1,
  editable: 1,
  isshortcode: 1,
  paused: 1,
  type: 'text',
  used: 0,
  user_id: null,
};

type Filter = readonly [column: string, value: SqlValue];

/** Returns the conditions of the filters. SQLite uses an index only for the most selective one. */
function filtersOf(
  { requiredValues = {}, computedConditions = {} }: ResourceRowsQuery,
  filters: SqlRow,
): readonly SqlCondition[] {
  const given: readonly Filter[] = Object.entries(filters).filter(
    ([name]) => !Object.hasOwn(computedConditions, name),
  );
  const fine = given.filter(([column]) => !Object.hasOwn(COARSE, column));
  const rare = given.find(([column, value]) => COARSE[column] === value) ?? given[0];
  const isSought = (filter: Filter): boolean => (fine.length > 0 ? fine.includes(filter) : filter === rare);
  return [
    ...given.map((filter) => equality(filter, isSought(filter))),
    ...Object.entries(requiredValues).map((filter) => equality(filter, given.length === 0)),
    ...Object.entries(computedConditions).flatMap(([name, condition]) => {
      const value = filters[name];
      return value === undefined ? [] : [condition(value)];
    }),
  ];
}

function equality([column, value]: Filter, isSought: boolean): SqlCondition {
  const left = isSought ? sql.ref(column) : sql.noIndex(`"${column}"`);
  return value === null ? sql`${left} is null` : sql`${left} = ${value}`;
}

/** Inserts a row and returns the new id; 0 if the table has no ids. */
export async function insertRow(db: Db, table: keyof Tables, row: SqlRow): Promise<number> {
  const columns = sql.join(Object.keys(row).map(sql.ref));
  const returning = hasId(table) ? sql.either({ sqlite: sql``, postgres: sql` returning id` }) : sql``;
  const query = sql`insert into ${sql.ref(table)} (${columns}) values (${sql.join(Object.values(row))})${returning}`;
  const { id } = await db.run(query, { keepsCache: !KNOWN.has(table) });
  if (Object.hasOwn(row, 'id')) await raiseIds(db, table);
  return hasId(table) ? id : 0;
}

/** Tables whose rows the store caches. */
const KNOWN: ReadonlySet<string> = new Set(['account', 'partner', 'user', 'setting', 'folder_access']);

/** Maximum number of values in one statement of PostgreSQL, where each statement is a round trip. */
const MOST_VALUES = 8_000;

/** Row counts of the insert statements on SQLite, which keeps them prepared: preparing takes longer than inserting the rows. */
const ROWS_KEPT = [64, 8, 1];

/** Inserts rows with few statements. All rows must have the columns of the first row. */
export async function insertRows(db: Db, table: keyof Tables, rows: readonly SqlRow[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const most = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, columns.length)));
  for (let at = 0; at < rows.length; ) {
    const left = rows.length - at;
    const count =
      db.dialect === 'sqlite' ? (ROWS_KEPT.find((size) => size <= left) ?? 1) : Math.min(most, left);
    const values: SqlValue[] = [];
    for (const row of rows.slice(at, at + count))
      for (const column of columns) values.push(row[column] ?? null);
    await db.run(insertOf(table, columns, count, values), { keepsCache: !KNOWN.has(table) });
    at += count;
  }
  if (columns.includes('id')) await raiseIds(db, table);
}

/** Returns an insert statement for `count` rows. Keeps its text if `count` is in `ROWS_KEPT`. */
function insertOf(
  table: string,
  columns: readonly string[],
  count: number,
  values: readonly SqlValue[],
): Sql {
  const key = `${table} ${columns.join()} ${count}`;
  let texts = INSERTS.get(key);
  if (texts === undefined) {
    const names = columns.map((name) => `"${name}"`).join(', ');
    const between = Array.from({ length: count * columns.length - 1 }, (_, at) =>
      (at + 1) % columns.length === 0 ? '), (' : ', ',
    );
    texts = Object.freeze([`insert into "${table}" (${names}) values (`, ...between, ')']);
    if (ROWS_KEPT.includes(count)) INSERTS.set(key, texts);
  }
  return new Sql(texts, values);
}

const INSERTS = new Map<string, readonly string[]>();

/** Advances the id counter after rows with explicit ids were inserted. SQLite does this itself. */
async function raiseIds(db: Db, table: keyof Tables): Promise<void> {
  if (db.dialect === 'sqlite' || !hasId(table)) return;
  const name = sql.ref(table);
  const sequence = sql`pg_get_serial_sequence(${`"${table}"`}, 'id')`;
  await db.first(sql`select setval(${sequence}, greatest(
    (select max(id) from ${name}), nextval(${sequence}) - 1, 1))`);
}

/** Returns the assignments of an update: `"name" = value` for each column. */
export const assignments = (set: SqlRow): Sql =>
  sql.join(Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));

/** Sets columns of the row with this id; does nothing if no row has the id. */
export async function updateRow(db: Db, table: keyof Tables, id: number, set: SqlRow): Promise<void> {
  if (Object.keys(set).length === 0) return;
  await db.run(sql`update ${sql.ref(table)} set ${assignments(set)} where id = ${id}`);
}

/** Throws the store's error if other rows reference the row. */
export async function deleteRow(db: Db, table: keyof Tables, id: number): Promise<void> {
  await db.run(sql`delete from ${sql.ref(table)} where id = ${id}`);
}

/** Returns the ids of the account's records with this name, in ascending order. Deleted messages do not count. */
export async function idsByName(
  db: Db,
  table: 'task' | 'email_message' | 'list',
  accountId: number,
  name: string,
): Promise<readonly number[]> {
  const isVisible = table === 'email_message' ? sql`and deleted = 0` : sql``;
  const query = sql<{ readonly id: number }>`select id from ${sql.ref(table)}
    where account_id = ${accountId} and name = ${name} ${isVisible} order by id`;
  return (await db.all(query)).map(({ id }) => id);
}

export async function countRowsOfAccount(
  db: Db,
  table: 'list' | 'search' | 'profile_field' | 'sms_automation',
  accountId: number,
): Promise<number> {
  return countBy(db, sql`select count(*) as count from ${sql.ref(table)} where account_id = ${accountId}`);
}
