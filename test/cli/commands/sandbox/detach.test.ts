import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeSecretsFromEnvironment } from '../../../../src/cli/commands/sandbox/detach.ts';
import { runCli } from '../../../support/run-cli.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const env = { PATH: '/bin', PGPASSWORD: 'a', PGHOST: 'db', SVC_API_KEY: 'b', SVC_PARTNER_API_KEY: 'c' };

it.each([
  [false, ['PATH', 'PGHOST']],
  [true, ['PATH', 'PGPASSWORD', 'PGHOST']],
])('a detached sandbox gets no keys, and PGPASSWORD only for a database: %j', (usesDatabase, names) => {
  expect(Object.keys(removeSecretsFromEnvironment(env, usesDatabase))).toEqual(names);
});

// Contract, "Output": 130 is interrupted. The command used to miss a Ctrl-C before its process existed, and then waited forever.
it('Ctrl-C before the process starts leaves no process and no file', async () => {
  const folder = await makeTemporaryFolder('detach');
  const argv = ['sandbox', 'start', '--detach', '--port', '0', '--profile', 'none'];
  const { exitCode, stderr } = await runCli([...argv, '--data', join(folder, 'data')], {
    signal: AbortSignal.abort(),
  });
  expect([exitCode, stderr]).toEqual([130, 'svc: interrupted\n']);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});
