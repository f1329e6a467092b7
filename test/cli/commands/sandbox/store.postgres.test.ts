/** Contract, "A store that many share": the question of `sandbox reset`, and the tables that it removes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/sandbox/store/open.ts';
import { type Cluster, postgresPrograms, runSql, startCluster } from '../../../support/postgres.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder, removeFolder } from '../../../support/temporary-folder.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('store');
});
afterAll(() => removeFolder(folder));

/** Makes the folder of a sandbox that was started on this database. */
function folderOn(url: string): string {
  const path = join(folder, `on-${url.length}-${Math.random().toString(36).slice(2)}`);
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, 'store.json'), JSON.stringify({ url }), { mode: 0o600 });
  return path;
}

describe.skipIf(postgresPrograms() === undefined)('reset', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    runSql(cluster.url, 'create database team');
    await (await openStore(cluster.urlOf('team'))).close();
    runSql(cluster.urlOf('team'), 'create table theirs (id int)');
  });
  afterAll(() => cluster?.remove());

  it("asks, names the database, and removes only the sandbox's tables", async () => {
    const url = cluster.urlOf('team');
    const data = folderOn(url);
    const reset = ['sandbox', 'reset', '--data', data];
    const unasked = await runCli(reset, { cwd: folder });
    expect(unasked.exitCode).toBe(2);
    expect(runSql(url, "select count(*) > 30 from pg_tables where schemaname = 'public'")).toBe('t');
    const asked = await runCli(reset, { cwd: folder, tty: true, answers: [false] });
    expect(asked.questions.join()).toContain(
      `delete all data in the database ${url}, which other sandboxes may share`,
    );
    const run = await runCli([...reset, '--yes'], { cwd: folder });
    expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining(`Deleted the data in ${url}.`)]);
    expect(runSql(url, "select tablename from pg_tables where schemaname = 'public'")).toBe('theirs');
    expect((await runCli(reset, { cwd: folder })).stderr).toContain('There is no sandbox in ');
  });
});
