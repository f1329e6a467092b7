/** Contract, "A store that many share": the arguments and messages of `sandbox start --store` and `sandbox reset`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const PASSWORD = 'rosebud-7';
let folder: string;
beforeAll(async () => {
  folder = await makeTemporaryFolder('store');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (data: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const own = { SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state'), ...env };
  const words = ['sandbox', 'start', '--port', '0', '--profile', 'none', '--data', join(folder, data)];
  return runCli([...words, ...args], { env: own, cwd: folder });
};

/** Makes the folder of a sandbox that was started on this database. */
function folderOn(url: string): string {
  const path = join(folder, `on-${url.length}-${Math.random().toString(36).slice(2)}`);
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, 'store.json'), JSON.stringify({ url }), { mode: 0o600 });
  return path;
}

describe("rejects a URL that is not PostgreSQL's", () => {
  it.each([
    ['--store', [`mysql://svc:${PASSWORD}@db/svc`], {}],
    ['--store', [`postgres://svc:${PASSWORD}@[db/svc`], {}],
    ['SVC_SANDBOX_STORE', [], { SVC_SANDBOX_STORE: `svc:${PASSWORD}@db` }],
  ] as const)('%s exits with 2 and is not repeated', async (source, urls, env) => {
    const run = await start(
      'none',
      urls.flatMap((url) => ['--store', url]),
      env,
    );
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(`${source} is not the URL of a PostgreSQL database`);
    expect(run.stderr).toContain('postgres://USER@HOST/DATABASE');
    expect(run.stderr).not.toContain(PASSWORD);
  });
});

it.each([
  ['--store', (url: string) => [['--store', url], {}] as const],
  ['SVC_SANDBOX_STORE', (url: string) => [[], { SVC_SANDBOX_STORE: url }] as const],
])('%s of an unreachable server exits with 1, shown without its password', async (_, given) => {
  const [args, env] = given(`postgres://svc:${PASSWORD}@127.0.0.1:1/svc?sslpassword=${PASSWORD}`);
  const run = await start('unreachable', args, env);
  expect([run.exitCode, run.stdout]).toEqual([1, '']);
  expect(run.stderr).toContain('cannot reach PostgreSQL: postgres://svc@127.0.0.1:1/svc (ECONNREFUSED)');
  expect(run.stderr).not.toContain(PASSWORD);
});

it('refuses a folder with its own data and leaves it unchanged: exit 5', async () => {
  const path = join(folder, 'own');
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, 'sandbox.db'), 'data', { mode: 0o600 });
  const run = await start('own', ['--store', 'postgres://svc@127.0.0.1:1/svc']);
  expect(run.exitCode).toBe(5);
  expect(run.stderr).toContain('holds the data of another sandbox');
});

it('refuses a folder with an unreadable store, and starts no empty sandbox there: exit 1', async () => {
  const path = folderOn('broken');
  const run = await start(path.slice(folder.length + 1), []);
  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain('store.json does not hold the URL of a database');
});
