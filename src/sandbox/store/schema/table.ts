/** Declares tables as data. The statements that create the tables, and the types of their rows, are derived from the data. */
export type ColumnType = 'id' | 'rowid' | 'integer' | 'decimal' | 'real' | 'text';

interface Facts {
  readonly type: ColumnType;
  readonly isNull: boolean;
  /** Value of the column if an inserted row omits it. */
  readonly fallback?: string | number;
  readonly parent?: { readonly table: string; readonly cascades: boolean };
}

/** A column with values of type `T`. Booleans are 0 and 1, times are Unix seconds. */
export class TableColumn<T = unknown> {
  /** Exists only for the compiler, and is never set. Because of this member, the compiler knows the type of the values in the column. */
  declare readonly value: T;
  readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  get orNull(): TableColumn<T | null> {
    return new TableColumn({ ...this.facts, isNull: true });
  }

  or(fallback: T & (string | number)): TableColumn<T> {
    return new TableColumn({ ...this.facts, fallback });
  }

  /** References the id of another table. The referenced row can't be deleted while this row exists. */
  to(table: string): TableColumn<T> {
    return new TableColumn({ ...this.facts, parent: { table, cascades: false } });
  }

  /** References the id of another table. This row is deleted together with the referenced row. */
  within(table: string): TableColumn<T> {
    return new TableColumn({ ...this.facts, parent: { table, cascades: true } });
  }
}

const column = <T>(type: ColumnType): TableColumn<T> => new TableColumn({ type, isNull: false });

/** The key of a row, from a counter. An id is never used again. */
export const id = column<number>('id');

/** Key of a row of a log. SQLite uses the highest key plus 1. The newest row is never deleted, so no key is used twice. */
export const logRowId = column<number>('rowid');

export const integer = column<number>('integer');

export const decimal = column<number>('decimal');

export const real = column<number>('real');

export const text = column<string>('text');

/** A column for texts of a known set. The database does not check them. */
export const oneOf = <T extends string>() => column<T>('text');

export const accountId = integer.to('account');

export interface Index {
  /** Columns or SQL expressions of the index, separated by commas. */
  readonly on: string;
  readonly where?: string | undefined;
  readonly isUnique?: true;
}

export const index = (on: string, where?: string): Index => ({ on, where });

export const unique = (on: string, where?: string): Index => ({ on, where, isUnique: true });

export type Indexes = Readonly<Record<string, Index>>;

type Columns = Readonly<Record<string, TableColumn>>;

export interface Table<C extends Columns = Columns> {
  readonly columns: C;
  readonly key: readonly string[];
  /** Columns whose values are unique together, besides the key. */
  readonly unique?: readonly string[];
  /** The indexes of the table. The full name of an index is the name of the table, an underscore, and the key in this object. */
  readonly indexes?: Indexes;
  /** True if the table has neither key nor indexes on SQLite. Rows are found by `rowid`, and new ones go to the same page. */
  readonly isLogOnSqlite?: true;
}

/** Declares a table whose primary key is `id`. */
export const table = <C extends Columns>(
  columns: C,
  rest: { readonly unique?: readonly (keyof C & string)[]; readonly indexes?: Indexes } = {},
): Table<C> => ({ columns, key: ['id'], ...rest });

/** Declares a table whose primary key is not `id`. */
export const tableWithKey = <C extends Columns>(
  key: readonly (keyof C & string)[],
  columns: C,
  indexes: Indexes = {},
): Table<C> => ({ columns, key, indexes });

export type RowOf<T extends Table> = {
  readonly [Name in keyof T['columns']]: T['columns'][Name] extends TableColumn<infer Value> ? Value : never;
};

/**
 * Returns the indexes with which the interface lists the rows of a table. A page is read in the order of an index, and never sorted
 * (docs/design.md, "The store"): account, filter, sort key; SQLite adds the id. `filters` and `sorts` are attributes, without `id` and unique
 * ones; `where` selects the rows that the interface shows.
 */
export function indexesForListing(
  filters: readonly string[],
  sorts: readonly string[],
  where?: string,
): Indexes {
  const orders = [undefined, ...filters].flatMap((filter) =>
    [undefined, ...sorts].map((sort) => [...new Set([filter, sort])].filter((each) => each !== undefined)),
  );
  return Object.fromEntries(
    orders.map((columns) => [
      columns.length === 0 ? 'account' : `by_${columns.join('_')}`,
      index(['account_id', ...columns].join(', '), where),
    ]),
  );
}
