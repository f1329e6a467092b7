/** Reads and writes any resource's rows by the words of a request. */
import type { Db } from './open.ts';
import { allRows, insertedId, keepIdsRising, rowTexts, write } from './prepared.ts';
import { type SqlText, sql } from './sql.ts';
import type { JsonMembers } from './statements.ts';
import type { Tables } from './tables.ts';

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;
export type Condition = SqlText;

/** Where a resource's rows come from. */
export interface Source {
  /** A select whose rows have at least the columns of the resource. */
  readonly rows: SqlText<SqlRow>;
  /** What the rows are equal in, whatever is asked: those of one user alone. */
  readonly always?: SqlRow;
  /** Attributes that no column holds: a filter by one, said of the columns that do. */
  readonly computed?: Readonly<Record<string, (value: SqlValue) => Condition>>;
}

export interface Selection {
  /** Equality on each; null matches null. */
  readonly filters?: SqlRow;
  readonly sort?: string;
  /** Whether `sort` can be null. */
  readonly nullable?: boolean;
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
  const rows: SqlRow[] = [];
  for (const part of partsOf(source, selection)) {
    const left = leftOf(selection, rows.length);
    if (left !== 0) rows.push(...(await allRows(db, part(left), left)));
  }
  return rows;
}

/** The same as JSON objects with these members; undefined where JSON can't say what is stored. */
export function selectTexts(
  db: Db,
  source: Source,
  selection: Selection,
  members: JsonMembers,
): readonly string[] | undefined {
  const texts: string[] = [];
  for (const part of partsOf(source, selection)) {
    const left = leftOf(selection, texts.length);
    if (left === 0) continue;
    const found = rowTexts(db, part(left), members);
    if (found === undefined) return undefined;
    texts.push(...found);
  }
  return texts;
}

/** Undefined without a limit. */
const leftOf = ({ limit }: Selection, found: number): number | undefined =>
  limit === undefined ? undefined : Math.max(0, limit - found);

/** A select of so many rows; of all where that is undefined. */
type Part = (limit: number | undefined) => SqlText<SqlRow>;

/** What gives the rows of a selection, one after the other: each is one range of an index. */
function partsOf(source: Source, selection: Selection): readonly Part[] {
  const { ties = ['id'], reverse = false, start } = selection;
  const sort = selection.sort ?? ties[0] ?? 'id';
  const direction = reverse ? sql`desc` : sql`asc`;
  // Equal in all rows it orders nothing, and would hide from SQLite that an index has the order.
  const free = [...new Set([sort, ...ties])].filter((column) => selection.filters?.[column] === undefined);
  const order = free.map(
    (each) => sql`${sql.ref(each)} ${direction}${each === sort ? nulls(selection) : sql``}`,
  );
  const ordered = order.length === 0 ? sql`` : sql`order by ${sql.join(order)}`;
  const filters = filtersOf(source, selection.filters ?? {});
  const part =
    (...more: readonly Condition[]): Part =>
    (limit) => {
      const conditions = [...filters, ...more];
      const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, ' and ')}`;
      const most = limit === undefined ? sql`` : sql`limit ${limit}`;
      return sql<SqlRow>`select * from (${source.rows}) as r ${where} ${ordered} ${most}`;
    };
  const column = sql.ref(sort);
  if (start === undefined || (start === null && !reverse)) return [part()];
  const without = part(sql`${column} is null`);
  if (start === null) return [without];
  if (!reverse) return [part(sql`${column} >= ${start}`)];
  // Nulls come last, and one range of the index can't hold both.
  const values = part(sql`${column} <= ${start}`);
  return selection.nullable ? [values, without] : [values];
}

/** Null stands before every value: SQLite has it so without being told. */
const nulls = ({ nullable = false, reverse = false }: Selection): SqlText =>
  nullable ? (reverse ? sql` nulls last` : sql` nulls first`) : sql``;

/** Attributes with a handful of values, each shared by many rows; the value that gets rarer while an account fills up. */
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

/** Of several filters the one that leaves fewest rows is looked up: a `+` keeps the others' indexes out. */
function filtersOf({ always = {}, computed = {} }: Source, filters: SqlRow): readonly Condition[] {
  const given: readonly Filter[] = Object.entries(filters).filter(([name]) => !Object.hasOwn(computed, name));
  const fine = given.filter(([column]) => !Object.hasOwn(COARSE, column));
  const rare = given.find(([column, value]) => COARSE[column] === value) ?? given[0];
  const isSought = (filter: Filter): boolean => (fine.length > 0 ? fine.includes(filter) : filter === rare);
  return [
    ...given.map((filter) => equality(filter, isSought(filter))),
    ...Object.entries(always).map((filter) => equality(filter, given.length === 0)),
    ...Object.entries(computed).flatMap(([name, condition]) => {
      const value = filters[name];
      return value === undefined ? [] : [condition(value)];
    }),
  ];
}

function equality([column, value]: Filter, isSought: boolean): Condition {
  const left = isSought ? sql.ref(column) : sql`+${sql.ref(column)}`;
  return value === null ? sql`${left} is null` : sql`${left} = ${value}`;
}

/** Inserts and returns the new id. */
export async function insertRow(db: Db, table: keyof Tables, row: SqlRow): Promise<number> {
  const columns = Object.keys(row).map((column) => sql.ref(column));
  const query = sql`insert into ${sql.table(table)} (${sql.join(columns)}) values (${sql.join(Object.values(row))})`;
  const id = await insertedId(db, query, table);
  if (row['id'] !== undefined) await keepIdsRising(db, table);
  return id;
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
