/** Contract, "Snapshots" and "Files": databases of other versions. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/sandbox/store/open.ts';
import { postgresDdl, sqliteDdl } from '../../../../src/sandbox/store/schema/ddl.ts';
import { tables } from '../../../../src/sandbox/store/schema/tables.ts';
import {
  OLDEST_SCHEMA_VERSION,
  planSchemaUpgrade,
  type SchemaUpgradeStep,
  schemaUpgradeSteps,
} from '../../../../src/sandbox/store/schema/versions.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const step = (name: string): SchemaUpgradeStep => ({
  sqlite: [`${name} in SQLite`],
  postgres: [`${name} in PostgreSQL`],
});
const THREE = [step('a'), step('b'), step('c')];
const CURRENT = OLDEST_SCHEMA_VERSION + schemaUpgradeSteps.length;

describe('the statements from a version to the current one', () => {
  it.each([
    [OLDEST_SCHEMA_VERSION, ['a', 'b', 'c']],
    [OLDEST_SCHEMA_VERSION + 1, ['b', 'c']],
    [OLDEST_SCHEMA_VERSION + 3, []],
  ])('are the later steps for version %i', (version, names) => {
    expect(planSchemaUpgrade(version, 'sqlite', THREE)).toEqual({
      kind: 'steps',
      version: OLDEST_SCHEMA_VERSION + 3,
      statements: names.map((name) => `${name} in SQLite`),
    });
    expect(planSchemaUpgrade(version, 'postgres', THREE)).toMatchObject({
      statements: names.map((name) => `${name} in PostgreSQL`),
    });
  });

  it('create all tables in an empty database, which then needs no step', () => {
    const version = OLDEST_SCHEMA_VERSION + 3;
    expect(planSchemaUpgrade(0, 'sqlite', THREE)).toEqual({
      kind: 'steps',
      version,
      statements: sqliteDdl(tables),
    });
    expect(planSchemaUpgrade(0, 'postgres', THREE)).toMatchObject({
      version,
      statements: postgresDdl(tables),
    });
  });

  // A released step cannot change any more. A later step that changes these tables removes them from this test.
  it('create the tables of a new database', () => {
    const created = (statements: readonly string[] = []): readonly string[] =>
      statements.filter((statement) => !statement.startsWith('alter '));
    const [first] = schemaUpgradeSteps;
    expect(sqliteDdl(tables)).toEqual(expect.arrayContaining([...created(first?.sqlite)]));
    expect(postgresDdl(tables)).toEqual(expect.arrayContaining([...created(first?.postgres)]));
  });

  it.each([
    [OLDEST_SCHEMA_VERSION + 4, 'newer'],
    [OLDEST_SCHEMA_VERSION - 1, 'older'],
    [1, 'older'],
  ])('do not exist for version %i', (version, age) => {
    expect(planSchemaUpgrade(version, 'sqlite', THREE)).toEqual({ kind: 'refused', age });
  });
});

describe('a file of another version', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await makeTemporaryFolder('versions');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    [
      OLDEST_SCHEMA_VERSION - 1,
      `was made by a development version of svc (its tables are of version ${OLDEST_SCHEMA_VERSION - 1})`,
      'run svc sandbox reset to remove it and start over',
    ],
    [
      CURRENT + 1,
      `was written by a newer svc (version ${CURRENT + 1} of the tables)`,
      'open it with the program that created it, or choose another folder with --data DIR',
    ],
  ])('is refused and left unchanged: version %i', async (version, words, hint) => {
    const path = join(folder, `${version}.db`);
    const file = new Database(path);
    file.exec(`create table kept (a); pragma user_version = ${version}`);
    file.close();
    await expect(openStore(path)).rejects.toMatchObject({
      message: `${path} ${words}`,
      hints: [hint],
    });
    const after = new Database(path);
    expect(after.prepare('select name from sqlite_master').all()).toMatchObject([{ name: 'kept' }]);
    expect(after.prepare('pragma user_version').get()).toMatchObject({ user_version: version });
    after.close();
  });

  it('opens again with its rows if it has the current version', async () => {
    const path = join(folder, 'current.db');
    await (await openStore(path)).close();
    const file = new Database(path);
    file.exec("insert into setting values ('kept', 'yes')");
    expect(file.prepare('pragma user_version').get()).toMatchObject({ user_version: CURRENT });
    file.close();
    const store = await openStore(path);
    await store.close();
    const after = new Database(path);
    expect(after.prepare('select * from setting').all()).toMatchObject([{ key: 'kept', value: 'yes' }]);
    after.close();
  });
});
