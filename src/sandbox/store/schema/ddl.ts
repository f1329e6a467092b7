/** Writes the statements that create the tables. On PostgreSQL, primary keys begin with the account (src/sandbox/README.md, "Keys"). */
import type { ColumnType, Index, Table, TableColumn } from './table.ts';

export const sqliteDdl = (tables: Readonly<Record<string, Table>>): readonly string[] =>
  Object.entries(tables).flatMap(([name, table]) => [
    createSqliteTable(name, table),
    ...Object.entries((!table.isLogOnSqlite && table.indexes) || {}).map(([end, index]) =>
      indexDdl(name, end, index),
    ),
  ]);

function createSqliteTable(name: string, { columns, key, unique, isLogOnSqlite }: Table): string {
  const hasOwnKey = isLogOnSqlite || (key.length === 1 && columns[key[0] ?? '']?.facts.type.endsWith('id'));
  const parts = [
    ...Object.entries(columns).map(([column, { facts }]) => sqliteColumn(column, facts)),
    ...(hasOwnKey ? [] : [`primary key (${key.join(', ')})`]),
    ...(unique ? [`unique (${unique.join(', ')})`] : []),
  ];
  return `create table "${name}" (\n  ${parts.join(',\n  ')}\n)${hasOwnKey ? '' : ' without rowid'}`;
}

const SQLITE_TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'integer primary key autoincrement',
  rowid: 'integer primary key',
  integer: 'integer',
  decimal: 'integer',
  real: 'real',
  text: 'text',
};

/** Returns the definition of a column. SQLite's `alter table … add column` has the same syntax. */
function sqliteColumn(name: string, { type, isNull, fallback, parent }: TableColumn['facts']): string {
  return [
    name,
    SQLITE_TYPES[type],
    ...(isNull || type === 'id' || type === 'rowid' ? [] : ['not null']),
    ...(fallback === undefined ? [] : [`default ${sqlLiteral(fallback)}`]),
    ...(parent === undefined ? [] : [`references "${parent.table}" (id)`]),
    ...(parent?.cascades ? ['on delete cascade'] : []),
  ].join(' ');
}

const sqlLiteral = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

/** Returns the statement that creates an index. Both databases accept it. */
const indexDdl = (table: string, nameSuffix: string, { on, where, isUnique }: Index): string =>
  `create ${isUnique ? 'unique ' : ''}index ${table}_${nameSuffix} on "${table}" (${on})${where === undefined ? '' : ` where ${where}`}`;

type Tables = Readonly<Record<string, Table>>;

/**
 * Relation of a table to accounts, which decides the first column in its keys: `root` is the table `account` itself, and rows of `account`
 * belong to an account.
 */
type TableRelationToAccount = 'root' | 'account' | 'unrelated';

/** Returns how the rows of a table relate to accounts: `root`, `account` or `unrelated`. */
export function findTableRelationToAccount(name: string, tables: Tables): TableRelationToAccount {
  if (name === 'account') return 'root';
  return hasAccount(name, tables) || parentOf(name, tables) ? 'account' : 'unrelated';
}

const hasAccount = (name: string, tables: Tables): boolean =>
  Object.hasOwn(tables[name]?.columns ?? {}, 'account_id');

/** Returns the first reference to a table whose rows belong to accounts. A row without `account_id` belongs to that account. */
function parentOf(name: string, tables: Tables): Reference | undefined {
  return referencesOf(tables[name]).find(
    ({ table }) => table !== name && findTableRelationToAccount(table, tables) === 'account',
  );
}

interface Reference {
  readonly column: string;
  readonly table: string;
  readonly cascades: boolean;
}

const referencesOf = (table: Table | undefined): readonly Reference[] =>
  Object.entries(table?.columns ?? {}).flatMap(([column, { facts }]) =>
    facts.parent ? [{ column, ...facts.parent }] : [],
  );

export const postgresDdl = (tables: Tables): readonly string[] =>
  Object.entries(tables).flatMap(([name, table]) => [
    ...createPostgresTable(name, table, tables),
    ...Object.entries(table.indexes ?? {}).map(([end, index]) => indexDdl(name, end, index)),
  ]);

function createPostgresTable(name: string, table: Table, tables: Tables): readonly string[] {
  const isOfAccount = findTableRelationToAccount(name, tables) === 'account';
  const isChild = isOfAccount && !hasAccount(name, tables);
  const ofAccount = (columns: readonly string[]): readonly string[] =>
    isOfAccount ? ['account_id', ...columns.filter((each) => each !== 'account_id')] : columns;
  // A table without an account is mostly read by its two parents, so they make a better key than the id.
  const key = (isChild ? table.unique : undefined) ?? table.key;
  const parts = [
    ...(isChild ? ['account_id bigint not null'] : []),
    ...Object.entries(table.columns).map(([column, { facts }]) => postgresColumn(column, facts)),
    `primary key (${ofAccount(key).join(', ')})`,
    ...(table.unique && !isChild ? [`unique (${ofAccount(table.unique).join(', ')})`] : []),
    ...referencesOf(table).map((reference) => foreignKey(reference, tables)),
  ];
  // Some lookups name no account.
  const lookups = (key === table.key ? [key] : [key, table.key]).filter(
    (columns) => isOfAccount && columns[0] !== 'account_id',
  );
  return [
    `create table "${name}" (\n  ${parts.join(',\n  ')}\n)`,
    ...lookups.map((columns) =>
      indexDdl(name, columns === key ? 'own_key' : 'own_id', { on: columns.join(', ') }),
    ),
    ...(isChild ? accountTrigger(name, parentOf(name, tables)) : []),
  ];
}

const POSTGRES_TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'bigint generated by default as identity',
  rowid: 'bigint generated by default as identity',
  integer: 'bigint',
  decimal: 'double precision',
  real: 'double precision',
  // Compares texts octet by octet, as SQLite does.
  text: 'text collate "C"',
};

const postgresColumn = (name: string, { type, isNull, fallback }: TableColumn['facts']): string =>
  [
    name,
    POSTGRES_TYPES[type],
    ...(isNull ? [] : ['not null']),
    ...(fallback === undefined ? [] : [`default ${sqlLiteral(fallback)}`]),
  ].join(' ');

function foreignKey({ column, table, cascades }: Reference, tables: Tables): string {
  const end = cascades ? ' on delete cascade' : '';
  return findTableRelationToAccount(table, tables) === 'account'
    ? `foreign key (account_id, ${column}) references "${table}" (account_id, id)${end}`
    : `foreign key (${column}) references "${table}" (id)${end}`;
}

/** Returns the statements for a trigger that copies a missing `account_id` from the parent row. */
const accountTrigger = (table: string, parent: Reference | undefined): readonly string[] =>
  parent === undefined
    ? []
    : [
        `create function svc_account_of_${table}() returns trigger language plpgsql as $$ begin
  select account_id into new.account_id from "${parent.table}" where id = new.${parent.column};
  return new;
end $$`,
        `create trigger svc_account before insert on "${table}" for each row
  when (new.account_id is null) execute function svc_account_of_${table}()`,
      ];

/** Returns the statements that drop the tables and functions. PostgreSQL refuses them if other objects depend on the tables. */
export function postgresDropDdl(tables: Tables): readonly string[] {
  const names = Object.keys(tables);
  return [
    `drop table if exists ${[...names.map((name) => `"${name}"`), 'svc_version'].join(', ')}`,
    ...names.map((name) => `drop function if exists svc_account_of_${name}()`),
  ];
}
