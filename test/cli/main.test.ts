import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openProfileStore } from '../../src/client/profiles/store.ts';
import { withEverything } from '../support/everything.ts';
import { NOBODY, PARTNER, runCli, serviceOf } from '../support/run-cli.ts';
import { createTestSandbox, KEYS } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Contract, "Output": the table of exit codes. */
describe('exit codes', () => {
  const answer = (status: number, body: string) => async () => ({ status, headers: {}, body });
  const error = (code: number) =>
    JSON.stringify({
      status: 'error',
      response: { code, subcode: null, message: 'No.' },
    });

  it.each([
    [401, 3],
    [403, 3],
    [404, 4],
    [409, 5],
    [423, 5],
    [400, 6],
    [413, 6],
    [415, 6],
    [429, 9],
    [500, 1],
  ])('a PUT with the response %i exits with %i', async (status, exit) => {
    const run = await runCli(['folder', 'update', '1', '--name', 'A', '-o', 'json'], {
      transport: answer(status, error(status)),
    });
    expect(run).toMatchObject({ exitCode: exit, stdout: '' });
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { exit, http: status } });
  });

  it('exits with 7 if it cannot reach the service', async () => {
    expect(await runCli(['folder', 'list'])).toMatchObject({ exitCode: 7, stdout: '' });
  });

  it('exits with 3 without credentials, before any request', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(['folder', 'list'], { transport, env: NOBODY });
    expect(run).toMatchObject({ exitCode: 3, stdout: '' });
    expect(sent).toEqual([]);
  });

  it('reports a page that the service did not write as an error', async () => {
    const run = await runCli(['folder', 'list'], { transport: answer(404, '<html>Not here</html>') });
    expect(run.exitCode).not.toBe(0);
    expect(run.stdout).toBe('');
  });
});

it('prints a usage error as one JSON object with -o json or SVC_OUTPUT', async () => {
  for (const [argv, env] of [
    [['folder', 'lst', '-o', 'json'], {}],
    [['folder', 'lst', '--json'], {}],
    [['folder', 'lst'], { SVC_OUTPUT: 'json' }],
  ] as const) {
    const run = await runCli(argv, { env });
    expect(JSON.parse(run.stderr)).toEqual({
      error: {
        kind: 'usage',
        exit: 2,
        message: 'svc folder has no lst',
        details: [],
        hint: expect.stringMatching(/^did you mean svc folder list(?: --output json| --json)?\?$/),
      },
    });
  }
});

it('exits with 130 after an interruption before a request, and sends nothing', async () => {
  const { transport, sent } = serviceOf(await withEverything());
  const run = await runCli(['folder', 'list'], { transport, signal: AbortSignal.abort() });
  expect(run).toMatchObject({ exitCode: 130, stdout: '' });
  expect(sent).toEqual([]);
});

describe('--debug', () => {
  it('traces requests on stderr, without the key, whole signatures and passwords', async () => {
    const { transport } = serviceOf(await withEverything());
    const line = ['user', 'update', '2', '--password', 'secret12', '--debug', '-o', 'json'];
    const run = await runCli(line, { transport });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toMatch(/^> PUT \/v1\/user\/2$/m);
    expect(run.stderr).toMatch(/^< 200 in [0-9]+ ms$/m);
    expect(run.stderr).toMatch(/signature="[0-9a-f]{6}…"/);
    expect(run.stderr).not.toContain(KEYS.company);
    expect(run.stderr + run.stdout).not.toContain('secret12');
    expect(JSON.parse(run.stdout)).toMatchObject({ id: 2 });
  });
});

describe('the profile', () => {
  async function withProfile(more: { readonly tz?: string; readonly output?: string }) {
    const configDir = await makeTemporaryFolder('main');
    const store = openProfileStore({ configDir, platform: process.platform });
    const ids = { companyId: 1, userId: 1, apiKey: KEYS.company };
    await store.save({ name: 'prod', kind: 'company', baseUrl: 'https://api.example.com', ...ids, ...more });
    const { transport } = serviceOf(await withEverything());
    return {
      transport,
      env: { ...NOBODY, SVC_CONFIG_DIR: configDir },
      remove: () => rm(configDir, { recursive: true }),
    };
  }

  it('gives credentials and the format, and a flag overrides it', async () => {
    const { remove, ...outside } = await withProfile({ output: 'json' });
    expect(JSON.parse((await runCli(['folder', 'get', '1'], outside)).stdout)).toMatchObject({
      name: 'News',
    });
    expect((await runCli(['folder', 'get', '1', '-o', 'id'], outside)).stdout).toBe('1\n');
    await remove();
  });

  it('gives the zone of local times, and --tz overrides it', async () => {
    const { remove, ...outside } = await withProfile({ tz: 'Asia/Tokyo' });
    const line = ['task', 'update', 'Sale', '--at', '2027-06-01 09:00', '--dry-run', '-o', 'json'];
    const seconds = (hour: number): number => Date.UTC(2027, 5, 1, hour) / 1000;
    expect(JSON.parse((await runCli(line, outside)).stdout).body).toEqual({ scheduledtime: seconds(0) });
    const utc = await runCli([...line, '--tz', 'UTC'], outside);
    expect(JSON.parse(utc.stdout).body).toEqual({ scheduledtime: seconds(9) });
    await remove();
  });
});

it('a partner without a company sees times in UTC', async () => {
  const sandbox = await createTestSandbox();
  const { transport } = serviceOf(sandbox);
  const env = { ...PARTNER, SVC_COMPANY_ID: undefined };
  const line = ['account', 'create', '--name', 'New', '--contactemail', 'new@example.com'];
  const run = await runCli(line, { transport, env });
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain('+00:00 (UTC)');
});

it('a table shows times in the zone of the company, and svc requests it once', async () => {
  const { transport, sent } = serviceOf(await withEverything());
  const run = await runCli(['folder', 'list', '--fields', 'name,cdate'], { transport });
  expect(run.stdout).toBe('NAME  CDATE\nNews  2026-12-01 09:00\n');
  expect(sent.map(({ path }) => path)).toEqual(['/v1/folder', '/v1/account']);
});
