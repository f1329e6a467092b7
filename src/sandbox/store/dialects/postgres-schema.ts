/**
 * Translates the migrations to PostgreSQL. They are written once, for SQLite (src/sandbox/store/migrations.ts). The primary key of each
 * table begins with its account (src/sandbox/README.md, "Keys").
 */

import { STEPS_OF_POSTGRES } from '../migrations.ts';

/** The kind of a table's key: its own id, its account first, or no account. */
export type Keyed = 'root' | 'account' | 'apart';

interface Table {
  readonly keyed: Keyed;
  readonly columns: readonly string[];
}

export interface PostgresSchema {
  /** The statements of each migration. */
  readonly steps: readonly (readonly string[])[];
  readonly tables: ReadonlyMap<string, Table>;
}

/** Attributes that may have a fraction (`decimal` in src/resources), and columns that are compared with them. */
const DECIMAL = /^(?:cdate|mdate|senddate|scheduledtime|endtime)$/;

/** Translates the migrations. @throws Error for unknown syntax, because guessing would be unsafe */
export function postgresSchema(migrations: readonly string[]): PostgresSchema {
  const tables = new Map<string, Table>();
  const steps = migrations.map((step) =>
    statementsIn(STEPS_OF_POSTGRES.get(step) ?? step).flatMap((statement) => translate(statement, tables)),
  );
  return { steps, tables };
}

/** Splits a step into statements. No text in the migrations contains a `;` or a `--`. */
const statementsIn = (step: string): readonly string[] =>
  step
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');

function translate(statement: string, tables: Map<string, Table>): readonly string[] {
  const table = /^create table (\w+) \((.*)\)(?: without rowid)?$/.exec(statement);
  if (table) return createTable(table[1] ?? '', table[2] ?? '', tables);
  const column = /^alter table (\w+) add column (\w+) (.*)$/.exec(statement);
  if (column) return addColumn(column[1] ?? '', column[2] ?? '', column[3] ?? '', tables);
  const dropped = /^alter table (\w+) drop column (\w+)$/.exec(statement);
  if (dropped) return dropColumn(dropped[1] ?? '', dropped[2] ?? '', tables);
  const index = /^create (unique )?index (\w+) on (\w+) (\(.*)$/.exec(statement);
  if (index) return [`create ${index[1] ?? ''}index ${index[2]} on ${quoted(index[3] ?? '')} ${index[4]}`];
  if (/^drop index \w+$/.test(statement)) return [statement];
  const insert = /^insert or ignore into (.*)$/.exec(statement);
  if (insert) return [`insert into ${insert[1]} on conflict do nothing`];
  throw new Error(`a migration that PostgreSQL has no words for yet: ${statement}`);
}

/** Quotes a name. `user` is a keyword in PostgreSQL. */
const quoted = (name: string): string => `"${name}"`;

interface Reference {
  readonly column: string;
  readonly to: string;
  readonly cascades: boolean;
}

interface Column {
  readonly name: string;
  readonly text: string;
  readonly isIdentity: boolean;
  readonly isKey: boolean;
  readonly reference: Reference | undefined;
}

function createTable(name: string, body: string, tables: Map<string, Table>): readonly string[] {
  const items = partsOf(body);
  const isConstraint = (item: string): boolean => /^(?:primary key|unique) ?\(/.test(item);
  const columns = items.filter((item) => !isConstraint(item)).map(readColumn);
  const unique = items.filter((item) => item.startsWith('unique')).map(listIn);
  const named = columns.map((column) => column.name);
  const references = columns.flatMap(({ reference }) => reference ?? []);
  const parent = references.find(({ to }) => tables.get(to)?.keyed === 'account');
  const isOfAccount = named.includes('account_id') || parent !== undefined;
  const keyed: Keyed = name === 'account' ? 'root' : isOfAccount ? 'account' : 'apart';
  const isChild = isOfAccount && !named.includes('account_id');
  const all = [...(isChild ? ['account_id'] : []), ...named];
  tables.set(name, { keyed, columns: all });
  const [given] = items.filter((item) => item.startsWith('primary key')).map(listIn);
  const own = given ?? columns.filter(({ isKey }) => isKey).map((column) => column.name);
  const key = keyed === 'account' ? ['account_id', ...own.filter((each) => each !== 'account_id')] : own;
  for (const columnsOfKey of unique)
    if (keyed === 'account' && columnsOfKey[0] !== 'account_id')
      throw new Error(`${name}: what is unique there is so within an account`);
  const table = `create table ${quoted(name)} (${[
    ...(isChild ? ['account_id bigint not null'] : []),
    ...columns.map(({ text }) => text),
    `primary key (${key.join(', ')})`,
    ...unique.map((list) => `unique (${list.join(', ')})`),
    ...references.map((reference) => foreignKey(reference, tables, name)),
  ].join(', ')})`;
  // Columns for lookups without an account.
  const lookup = own[0] === 'account_id' || keyed !== 'account' ? [] : [own];
  return [
    table,
    ...lookup.map((list) => `create index ${name}_own_key on ${quoted(name)} (${list.join(', ')})`),
    ...(isChild && parent ? accountFrom(name, parent) : []),
  ];
}

function addColumn(
  table: string,
  name: string,
  definition: string,
  tables: Map<string, Table>,
): readonly string[] {
  const known = tables.get(table);
  if (!known) throw new Error(`no table ${table} has been made`);
  tables.set(table, { ...known, columns: [...known.columns, name] });
  const column = readColumn(`${name} ${definition}`);
  const references = column.reference ? [foreignKey(column.reference, tables, table)] : [];
  return [
    `alter table ${quoted(table)} ${[`add column ${column.text}`, ...references.map((key) => `add ${key}`)].join(', ')}`,
  ];
}

function dropColumn(table: string, name: string, tables: Map<string, Table>): readonly string[] {
  const known = tables.get(table);
  if (!known) throw new Error(`no table ${table} has been made`);
  tables.set(table, { ...known, columns: known.columns.filter((column) => column !== name) });
  return [`alter table ${quoted(table)} drop column ${name}`];
}

/** Splits at the commas outside of parentheses. */
function partsOf(body: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= body.length; at += 1) {
    const character = body[at];
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character !== undefined && (character !== ',' || depth > 0)) continue;
    parts.push(body.slice(from, at).trim());
    from = at + 1;
  }
  return parts;
}

const listIn = (item: string): readonly string[] =>
  (/\(([^)]*)\)/.exec(item)?.[1] ?? '').split(',').map((column) => column.trim());

const COLUMN =
  /^(\w+) (integer|text|real)( primary key)?( autoincrement)?( not null)?( default (?:-?\d+|'[^']*'))?(?: references (\w+) \(id\)( on delete cascade)?)?$/;

function readColumn(item: string): Column {
  const found = COLUMN.exec(item.trim());
  if (!found) throw new Error(`a column that PostgreSQL has no words for yet: ${item}`);
  const [, name = '', type, isKey, , isRequired, otherwise, to, cascades] = found;
  const isIdentity = name === 'id' && type === 'integer' && isKey !== undefined;
  const text = [
    name,
    type === 'text'
      ? 'text collate "C"'
      : type === 'real' || DECIMAL.test(name)
        ? 'double precision'
        : 'bigint',
    ...(isIdentity ? ['generated by default as identity'] : []),
    ...(isRequired === undefined && isKey === undefined ? [] : ['not null']),
    ...(otherwise === undefined ? [] : [otherwise.trim()]),
  ].join(' ');
  const reference = to === undefined ? undefined : { column: name, to, cascades: cascades !== undefined };
  return { name, text, isIdentity, isKey: isKey !== undefined, reference };
}

function foreignKey(
  { column, to, cascades }: Reference,
  tables: ReadonlyMap<string, Table>,
  from: string,
): string {
  const target = tables.get(to);
  if (!target) throw new Error(`${from} refers to ${to}, which has not been made`);
  const then = cascades ? ' on delete cascade' : '';
  return target.keyed === 'account'
    ? `foreign key (account_id, ${column}) references ${quoted(to)} (account_id, id)${then}`
    : `foreign key (${column}) references ${quoted(to)} (id)${then}`;
}

/** Creates a trigger that copies the account from the parent row if an insert does not name it. */
const accountFrom = (table: string, { column, to }: Reference): readonly string[] => [
  `create function svc_account_of_${table}() returns trigger language plpgsql as $$ begin
     select account_id into new.account_id from ${quoted(to)} where id = new.${column};
     return new;
   end $$`,
  `create trigger svc_account before insert on ${quoted(table)} for each row
     when (new.account_id is null) execute function svc_account_of_${table}()`,
];

/** Returns the statements that drop all tables and functions. PostgreSQL refuses them if other objects depend on the tables. */
export function dropStatements({ tables }: PostgresSchema): readonly string[] {
  const names = [...tables.keys()];
  return [
    `drop table if exists ${[...names.map(quoted), 'svc_version'].join(', ')}`,
    ...names.map((name) => `drop function if exists svc_account_of_${name}()`),
  ];
}
