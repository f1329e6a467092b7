/**
 * Contract, "The sandbox, for people and teams": `sandbox requests [--follow]`: time, who, method, path, status, milliseconds. A 401 also
 * shows the failed check and the string that the service signed, without the key.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signRequest } from '../../../../src/service/auth/sign.ts';
import { type Outside, runCli } from '../../../support/run-cli.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../../support/running-sandbox.ts';
import { memoryStream } from '../../output/memory-stream.ts';

/** Tuesday 1 December 2026, 09:00 in London and UTC. */
const START = 1_796_115_600;
const NONCE = 'n'.repeat(40);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { machineNow: () => START * 1000 });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const requests = (flags: readonly string[] = [], outside: Outside = {}) =>
  runCli(['sandbox', 'requests', ...flags, '--data', folder.path], outside);

/** Sends a request that is signed with a key of someone else. */
function wronglySigned(): Promise<unknown> {
  const { company } = sandbox.ready;
  const headers = signRequest(
    { method: 'GET', path: '/v1/folder' },
    { kind: 'company', companyId: company.id, userId: company.adminUserId, apiKey: 'f'.repeat(32) },
    { nonce: NONCE, date: new Date(START * 1000).toUTCString() },
  );
  return sandbox.get('/v1/folder', { headers });
}

/** Replaces durations, which differ from run to run. */
const timeless = (text: string): string => text.replace(/ [0-9.]+$/gm, ' 1');

it('prints a line on stderr for an empty log, in JSON []', async () => {
  expect(await requests()).toMatchObject({ exitCode: 0, stdout: '', stderr: 'No requests yet.\n' });
  expect(await requests(['-o', 'json'])).toMatchObject({ exitCode: 0, stdout: '[]\n', stderr: '' });
});

describe('with requests', () => {
  beforeAll(async () => {
    await sandbox.api('POST', '/v1/folder', { name: 'News' });
    await wronglySigned();
  });

  it('prints a table, and below it the signed string with visible line ends', async () => {
    const run = await requests();
    expect(run.exitCode).toBe(0);
    expect(timeless(run.stdout).replaceAll(/ +/g, ' ')).toBe(
      [
        'ID TIME (UTC) WHO METHOD PATH STATUS MS',
        ' 2 12-01 09:00:00 company 1 user 1 GET /v1/folder 401 1',
        ' 1 12-01 09:00:00 company 1 user 1 POST /v1/folder 202 1',
        '',
      ].join('\n'),
    );
    expect(run.stderr).toMatch(
      new RegExp(
        [
          '^',
          'Request 2, GET /v1/folder: The signature does not match the key of company 1: no common slip explains it, so most likely it was made with another key\\.',
          'The service computed the signature from these lines. \\\\r\\\\n is CR LF, and no line end follows the key:',
          '  GET /v1/folder\\\\r\\\\n',
          '  Date: Tue, 01 Dec 2026 09:00:00 GMT\\\\r\\\\n',
          '  X-Svc-CID: 1\\\\r\\\\n',
          '  X-Svc-UID: 1\\\\r\\\\n',
          `  X-Svc-Nonce: ${NONCE}\\\\r\\\\n`,
          '  <API_KEY>',
          'The SHA-1 of these lines begins with [0-9a-f]{6}, but the signature of the request begins with [0-9a-f]{6}\\.',
          '$',
        ].join('\n'),
      ),
    );
  });

  it.each(['json', 'ndjson'])('-o %s prints all attributes, and nothing on stderr', async (format) => {
    const run = await requests(['--status', '401', '-o', format]);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    const row = format === 'json' ? JSON.parse(run.stdout)[0] : JSON.parse(run.stdout);
    expect(row).toMatchObject({ id: 2, time: START, check: 'signature', status: 401, method: 'GET' });
    expect(row.signed).toBe(
      `GET /v1/folder\r\nDate: Tue, 01 Dec 2026 09:00:00 GMT\r\nX-Svc-CID: 1\r\nX-Svc-UID: 1\r\nX-Svc-Nonce: ${NONCE}\r\n<API_KEY>`,
    );
  });

  it('--limit prints the newest; a filter without matches says so', async () => {
    expect(JSON.parse((await requests(['--limit', '1', '-o', 'json'])).stdout)).toMatchObject([{ id: 2 }]);
    expect(await requests(['--status', '418'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'None of the last 10,000 requests matches the filters.\n',
    });
  });

  it.each([
    [['--status', '42'], '--status: 42 is not a number from 100 to 599'],
    [['--status', 'x'], '--status: x is not'],
    [['--explain', '1', '--follow'], 'cannot combine --explain with --follow'],
    [['--explain', '1', '--status', '401'], 'cannot combine --explain with --status'],
    [['--explain', 'x'], '--explain: x is not'],
    [['--follow', '-o', 'json'], 'use -o ndjson'],
  ])('rejects %j: exit 2', async (flags, says) => {
    const run = await requests(flags);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(says);
  });

  it('--explain shows the fault of a request and its string to sign, without the key', async () => {
    const run = await requests(['--explain', '2'], { columns: 200 });
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    expect(run.stdout.replaceAll(/[0-9.]+ ms|[0-9a-f]{6}(?=…|\.)/g, 'X').replaceAll(/\n +/g, ' ')).toContain(
      'Wrong Authorization',
    );
    for (const part of [
      'Request 2: GET /v1/folder',
      '401 to company 1 user 1',
      'most likely it was made with another',
      'Right',
      'Tue, 01 Dec 2026 09:00:00 GMT',
      'String to sign',
      'X-Svc-UID: 1\\r\\n',
      '<API_KEY>',
      'openssl dgst -sha1',
    ])
      expect(run.stdout).toContain(part);
    expect(run.stdout).not.toContain(sandbox.ready.company.apiKey);
    const { fields, signed } = JSON.parse((await requests(['--explain', '2', '-o', 'json'])).stdout);
    expect(signed).toContain('<API_KEY>');
    expect(fields).toContainEqual({ field: 'X-Svc-CID', sent: '1', problem: null });
  });

  it('--explain says that a request succeeded, and exits with 4 for an unknown request', async () => {
    const fine = await requests(['--explain', '1']);
    expect([fine.exitCode, fine.stdout]).toEqual([0, expect.stringContaining('The request has no problem.')]);
    const none = await requests(['--explain', '99']);
    expect([none.exitCode, none.stdout]).toEqual([4, '']);
    expect(none.stderr).toContain('request 99 not found');
  });

  it('--follow prints the newest, then each new request, until Ctrl-C: exit 130', async () => {
    const end = new AbortController();
    const stdout = memoryStream();
    let polls = 0;
    const run = await requests(['--follow', '--limit', '1', '-o', 'ndjson'], {
      stdout,
      signal: end.signal,
      onSleep: () => {
        polls += 1;
        if (polls === 1) void sandbox.api('GET', '/v1/sms');
        if (stdout.text().includes('/v1/sms') || polls > 10_000) end.abort();
      },
    });
    expect(run.exitCode).toBe(130);
    const ids = stdout
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual([2, 3]);
  });
});
