/**
 * The few tests of `npm test` with real processes. They show that the parts work together, from a command line over a socket to the
 * sandbox's file. The tests of each part have the cases. Other tests that need a process run with `npm run test:e2e`.
 */
import { rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtSvc } from './support/built-package.ts';
import { hasPseudoTerminals, inTerminal } from './support/pseudo-terminal.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

let svc: string;
let home: string;
let env: Record<string, string>;
beforeAll(async () => {
  svc = await builtSvc();
  home = await makeTemporaryFolder('wires');
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    SVC_CONFIG_DIR: join(home, 'config'),
    SVC_STATE_DIR: join(home, 'state'),
    SVC_PROFILE: 'sandbox',
  };
  const started = await run('sandbox start --detach --port 0 --clock manual --seed demo --data data');
  expect(started).toMatchObject({ exitCode: 0 });
});
afterAll(async () => {
  await run('sandbox stop');
  await rm(home, { recursive: true, force: true });
  await rm(dirname(svc), { recursive: true, force: true });
});

async function run(line: string, input = '') {
  const { stdout, stderr, exitCode } = await execa(process.execPath, [svc, ...line.split(' ')], {
    ...{ env, extendEnv: false, cwd: home, input, reject: false },
  });
  return { stdout, stderr, exitCode };
}

it('one command reads the output of another', async () => {
  const made = await run('folder create --name Wires -o id');
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^[0-9]+$/) });
  const got = await run(`folder get ${made.stdout} -o json`);
  expect(JSON.parse(got.stdout)).toMatchObject({ name: 'Wires' });
  expect(await run(`folder delete ${made.stdout} --yes`)).toMatchObject({ exitCode: 0 });
  expect(await run(`folder get ${made.stdout}`)).toMatchObject({ exitCode: 4, stdout: '' });
});

it('the next command sees the clock as the earlier command moved it', async () => {
  const time = async (): Promise<number> => JSON.parse((await run('sandbox clock show -o json')).stdout).time;
  const before = await time();
  expect(await run('sandbox clock advance 90d')).toMatchObject({ exitCode: 0 });
  expect(await time()).toBe(before + 90 * 86_400);
});

it.each([
  ['no-such-command', 2],
  ['folder get 99999', 4],
  ['folder delete 1 --no-input', 2],
])('svc %s prints the reason only on stderr, and exits with %i', async (line, exitCode) => {
  expect(await run(line)).toEqual({ exitCode, stdout: '', stderr: expect.stringContaining('svc') });
});

it('exits with 7 for an unreachable service', async () => {
  const nobody = {
    SVC_BASE_URL: 'http://127.0.0.1:1',
    SVC_COMPANY_ID: '1',
    SVC_USER_ID: '1',
    SVC_API_KEY: '0'.repeat(32),
  };
  const { SVC_PROFILE: _, ...rest } = env;
  const argv = [svc, 'folder', 'list', '--retries', '0'];
  const options = { env: { ...rest, ...nobody }, extendEnv: false, cwd: home, reject: false } as const;
  expect(await execa(process.execPath, argv, options)).toMatchObject({ exitCode: 7, stdout: '' });
});

it('reads standard input', async () => {
  const imported = await run('dnc import - --yes', 'someone@example.com\n');
  expect(imported).toMatchObject({ exitCode: 0 });
  expect(await run('dnc check someone@example.com -o json')).toMatchObject({
    stdout: expect.stringContaining('someone@example.com'),
  });
});

it('stops writing when the reader closes', async () => {
  const line = `"${process.execPath}" "${svc}" sandbox outbox list --limit 200 -o csv | head -n 1`;
  const { stdout, stderr } = await execa('sh', ['-c', line], { env, extendEnv: false, cwd: home });
  expect([stdout.split('\n').length, stderr]).toEqual([1, '']);
});

it('keeps its profiles and the sandbox’s data private to this user', async () => {
  const modes = ['config', 'state', 'data'].map(async (name) => (await stat(join(home, name))).mode & 0o777);
  expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o700]);
});

it('reads files by names relative to the current folder', async () => {
  await writeFile(join(home, 'folder.json'), '{"name":"From a file"}');
  const made = await run('api POST /v1/folder --data @folder.json --yes');
  expect(made.exitCode).toBe(0);
  expect((await run('folder list -o csv')).stdout).toContain('From a file');
});

it('asks on a terminal, and accepts no', async (context) => {
  if (!hasPseudoTerminals) context.skip('the script of util-linux is not installed');
  const argv = [process.execPath, svc, 'folder', 'delete', '1'];
  const session = await inTerminal(argv, { env, cwd: home }, [
    { after: ['Really delete folder 1'], type: 'n\r' },
  ]);
  expect(session.exitCode).toBe(2);
  expect(await run('folder get 1')).toMatchObject({ exitCode: 0 });
});

it('Ctrl-C ends a waiting command with 130', async () => {
  const child = execa(process.execPath, [svc, 'log', 'tail', '--follow'], {
    env,
    extendEnv: false,
    cwd: home,
    reject: false,
  });
  const shown = new Promise((resolve) => child.stdout?.once('data', resolve));
  await Promise.race([shown, child]);
  child.kill('SIGINT');
  expect((await child).exitCode ?? 130).toBe(130);
});
