/** The declared tables are those of the database, and each attribute of the interface's tables is read from a column. */
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sqliteDdl } from '../../../../src/sandbox/store/schema/ddl.ts';
import type { Table } from '../../../../src/sandbox/store/schema/table.ts';
import { tables } from '../../../../src/sandbox/store/schema/tables.ts';
import { rowsQuery } from '../../../../src/sandbox/store/sources.ts';
import { catalogue } from '../../../../src/service/resources/catalogue.ts';

let database: Database.Database;
beforeAll(() => {
  database = new Database(':memory:');
  for (const statement of sqliteDdl(tables)) database.exec(statement);
});
afterAll(() => database.close());

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

describe('each declared column has its type, its null and its default in the database', () => {
  it.each(Object.entries<Table>(tables))('%s', (name, { columns, key, isLogOnSqlite }) => {
    const found = database.prepare(`pragma table_info("${name}")`).all() as Column[];
    const ofKey = found.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    expect(ofKey.map((column) => column.name)).toEqual(isLogOnSqlite ? [] : key);
    expect(
      found.map((column) => ({
        name: column.name,
        isText: column.type === 'TEXT',
        isNull: column.notnull === 0 && column.pk === 0,
        fallback: column.dflt_value?.replaceAll("'", ''),
      })),
    ).toEqual(
      Object.entries(columns).map(([name, { facts }]) => ({
        name,
        isText: facts.type === 'text',
        isNull: facts.isNull,
        fallback: facts.fallback === undefined ? undefined : String(facts.fallback),
      })),
    );
  });
});

describe('each attribute that a resource declares is a column of its source', () => {
  const viewer = { accountId: 1, userId: 1, isAdmin: true, restricted: false };
  it.each(catalogue.map((resource) => [resource.name, resource] as const))('%s', (name, resource) => {
    const { text } = rowsQuery(name, viewer).select.compile('sqlite');
    const columns = database
      .prepare(text)
      .columns()
      .map((column) => column.name);
    expect(columns).toEqual(expect.arrayContaining(Object.keys(resource.fields)));
  });
});
