/**
 * Contract, "Numbers, ids and names, once more": an error from the service carries `http` and `subcode` in its JSON, even if svc words
 * the message.
 */
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../src/service/protocol/wire.ts';
import { runCli, serviceOf } from '../support/run-cli.ts';
import { createTestSandbox, NOW } from '../support/sandbox.ts';

const at = new Date((NOW + 86_400) * 1000).toISOString();

it('a wrong key shows the time of the service as a time, and in JSON as the service sent it', async () => {
  const { transport } = serviceOf(await createTestSandbox());
  const env = { SVC_API_KEY: '0123456789abcdef0123456789abcdef' };
  const shown = await runCli(['task', 'list'], { transport, env });
  expect(shown.exitCode).toBe(3);
  expect(shown.stderr).toContain('time: 2026-12-01 09:00 UTC');
  const json = await runCli(['task', 'list', '-o', 'json'], { transport, env });
  expect(JSON.parse(json.stderr).error.details).toEqual([{ time: NOW }]);
});

describe('a 404', () => {
  it.each<readonly string[]>([
    ['folder', 'get', '99'],
    ['folder', 'get', 'nobody'],
    ['folder', 'update', '99', '--name', 'A'],
    ['folder', 'update', 'nobody', '--name', 'A'],
    ['folder', 'delete', '99', '--yes'],
    ['folder', 'delete', 'nobody', '--yes'],
    ['dnc', 'get', 'someone@example.com'],
    ['dnc', 'get', '--id', '99'],
    ['dnc', 'remove', 'someone@example.com', '--yes'],
    ['dnc', 'remove', '--id', '99', '--yes'],
    ['task', 'get', '99'],
    ['task', 'cancel', '99', '--yes'],
    ['task', 'wait', '99'],
    [
      'task',
      'create',
      '--channel',
      'email',
      '--message',
      'Nothing',
      '--list',
      '1',
      '--name',
      'T',
      '--at',
      at,
      '--yes',
    ],
    ['automation', 'get', 'click:99'],
    ['automation', 'get', '99'],
    ['automation', 'get', 'nobody'],
    ['automation', 'pause', 'sms:99'],
    ['subscriber-data', 'get', '3_17'],
    ['form', 'delete', '99', '--yes'],
  ])('%s %s %s %s', async (...argv) => {
    const { transport } = serviceOf(await createTestSandbox());
    const run = await runCli([...argv, '-o', 'json'], { transport });
    const lines = run.stderr.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '{}')).toMatchObject({ error: { exit: 4, http: 404, subcode: null } });
    expect([run.exitCode, run.stdout]).toEqual([4, '']);
  });

  it('has the subcode of the service, if there is one', async () => {
    const body = (subcode: number) =>
      `{"status":"error","response":{"code":404,"subcode":${subcode},"message":"gone"}}`;
    const transport: Transport = async () => ({ status: 404, headers: {}, body: body(7) });
    for (const argv of [
      ['folder', 'get', '99'],
      ['folder', 'get', 'nobody'],
      ['folder', 'update', '99', '--name', 'A'],
      ['folder', 'delete', '99', '--yes'],
      ['dnc', 'get', 'someone@example.com'],
      ['account', 'get'],
    ]) {
      const run = await runCli([...argv, '-o', 'json'], { transport });
      expect(JSON.parse(run.stderr.trim().split('\n').at(-1) ?? '{}')).toMatchObject({
        error: { exit: 4, http: 404, subcode: 7 },
      });
    }
  });
});

it('an error without a response has no http', async () => {
  const run = await runCli(['folder', 'get', '99', '-o', 'json']);
  const { error } = JSON.parse(run.stderr);
  expect([error.exit, 'http' in error, 'subcode' in error]).toEqual([7, false, false]);
});

it.each([
  [401, 3],
  [403, 3],
  [409, 5],
  [503, 1],
])('%i without an envelope has the subcode null', async (status, exit) => {
  const transport: Transport = async () => ({ status, headers: {}, body: '' });
  const run = await runCli(['folder', 'get', '99', '-o', 'json', '--retries', '0'], { transport });
  expect(JSON.parse(run.stderr)).toMatchObject({ error: { exit, http: status, subcode: null } });
});
