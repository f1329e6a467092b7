/**
 * The row types are made from the migrated tables, and every attribute that the interface's tables name can be read
 * from a column. After a migration, `npx vitest run --config .config/vitest.config.ts
 * test/sandbox/store/tables.test.ts -u` writes the row types anew.
 */

import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/resources/catalogue.ts';
import { migrations } from '../../../src/sandbox/store/migrations.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import { sourceOf } from '../../../src/sandbox/store/sources.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

function migrated(): Database.Database {
  const database = new Database(':memory:');
  for (const step of migrations) database.exec(step);
  return database;
}

describe('row types', () => {
  it('are those of the tables', async () => {
    await expect(rowTypes(migrated())).toMatchFileSnapshot('../../../src/sandbox/store/tables.ts');
  });
});

describe('each attribute that a resource declares is a column of its source', () => {
  const viewer = { accountId: 1, userId: 1, isAdmin: true, restricted: false };
  it.each(catalogue.map((resource) => [resource.name, resource] as const))('%s', async (name, resource) => {
    const { close } = await openStore(':memory:');
    const { text } = sourceOf(name, viewer).rows.compile('sqlite');
    const columns = migrated()
      .prepare(text)
      .columns()
      .map((column) => column.name);
    await close();
    expect(columns).toEqual(expect.arrayContaining(Object.keys(resource.fields)));
  });
});

/** The text of `tables.ts`, in the order in which the migrations make the tables. */
function rowTypes(database: Database.Database): string {
  const names = database
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by rowid",
    )
    .all()
    .map((row) => String(Object(row).name));
  const rows = names.map((table) => rowType(database, table));
  const index = names.map((table) => `  readonly ${table}: ${typeName(table)};\n`).join('');
  return `${HEADER}\n${rows.join('\n')}\nexport interface Tables {\n${index}}\n\n${FOOTER}`;
}

const HEADER = `/**
 * The rows of the store as TypeScript sees them, made from the migrations: see test/sandbox/store/tables.test.ts.
 * Booleans are 0 and 1, times Unix seconds.
 */
type Generated<T> = T;
`;
const FOOTER = 'export type Row<T extends keyof Tables> = Tables[T];\n';

function rowType(database: Database.Database, table: string): string {
  const columns = database.prepare(`pragma table_info(${table})`).all() as Column[];
  const keys = columns.filter(({ pk }) => pk > 0).length;
  const lines = columns.map((column) => `  readonly ${column.name}: ${columnType(column, keys)};\n`);
  return `export interface ${typeName(table)} {\n${lines.join('')}}\n`;
}

/** A sole integer key, and what has a default, need not be given in an insert. */
function columnType({ type, notnull, dflt_value, pk }: Column, keys: number): string {
  const plain = type.toUpperCase() === 'TEXT' ? 'string' : 'number';
  const isOwnKey = pk > 0 && keys === 1 && plain === 'number';
  const whole = notnull === 1 || pk > 0 ? plain : `${plain} | null`;
  return dflt_value !== null || isOwnKey ? `Generated<${whole}>` : whole;
}

const typeName = (table: string): string =>
  `${table.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Row`;
