/** Writes the statements that create the tables in SQLite. */
import type { ColumnType, Index, Table, TableColumn } from './table.ts';

/** Returns the statements that create the tables with their indexes. */
export const sqliteDdl = (tables: Readonly<Record<string, Table>>): readonly string[] =>
  Object.entries(tables).flatMap(([name, table]) => [
    createTable(name, table),
    ...Object.entries((!table.isLogOnSqlite && table.indexes) || {}).map(([end, index]) =>
      indexDdl(name, end, index),
    ),
  ]);

function createTable(name: string, { columns, key, unique, isLogOnSqlite }: Table): string {
  const hasOwnKey = isLogOnSqlite || (key.length === 1 && columns[key[0] ?? '']?.facts.type.endsWith('id'));
  const parts = [
    ...Object.entries(columns).map(([column, { facts }]) => columnText(column, facts)),
    ...(hasOwnKey ? [] : [`primary key (${key.join(', ')})`]),
    ...(unique ? [`unique (${unique.join(', ')})`] : []),
  ];
  return `create table "${name}" (\n  ${parts.join(',\n  ')}\n)${hasOwnKey ? '' : ' without rowid'}`;
}

const TYPES: Readonly<Record<ColumnType, string>> = {
  id: 'integer primary key autoincrement',
  rowid: 'integer primary key',
  integer: 'integer',
  decimal: 'integer',
  real: 'real',
  text: 'text',
};

/** Returns the definition of a column. SQLite's `alter table … add column` has the same syntax. */
function columnText(name: string, { type, isNull, fallback, parent }: TableColumn['facts']): string {
  return [
    name,
    TYPES[type],
    ...(isNull || type === 'id' || type === 'rowid' ? [] : ['not null']),
    ...(fallback === undefined ? [] : [`default ${sqlLiteral(fallback)}`]),
    ...(parent === undefined ? [] : [`references "${parent.table}" (id)`]),
    ...(parent?.cascades ? ['on delete cascade'] : []),
  ].join(' ');
}

export const sqlLiteral = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

/** Returns the statement that creates an index. Both databases accept it. */
export const indexDdl = (table: string, nameSuffix: string, { on, where, isUnique }: Index): string =>
  `create ${isUnique ? 'unique ' : ''}index ${table}_${nameSuffix} on "${table}" (${on})${where === undefined ? '' : ` where ${where}`}`;
