/**
 * M4 with real processes: `svc` against an https service that is not on loopback and whose clock lags. SVC_CLOCKS says how
 * often; once unless it is set.
 */
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../src/protocol/wire.ts';
import { builtSvc } from '../support/built-package.ts';
import { type HttpsService, httpsService } from '../support/https-service.ts';
import { putEmail, putList } from '../support/messages.ts';
import { writesIn } from '../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS, type TestSandbox } from '../support/sandbox.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const RUNS = Number(process.env['SVC_CLOCKS'] ?? 1);
const LAG = 30 * 86_400;

let folder: string;
let script: string;
let sandbox: TestSandbox;
let service: HttpsService;
const sent: WireRequest[] = [];

beforeAll(async () => {
  folder = await makeTemporaryFolder('lag');
  script = await builtSvc();
  sandbox = await createTestSandbox({ machineNow: Date.now });
  await putList(sandbox);
  await putEmail(sandbox);
  service = await httpsService(folder, async (request) => {
    sent.push(request);
    const { status, headers, body } = await sandbox.service.handle(request);
    return { status, body, headers: { ...headers, 'x-svc-time': String(seconds() - LAG) } };
  });
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
  await rm(dirname(script), { recursive: true, force: true });
});

const seconds = (): number => Math.floor(Date.now() / 1000);

const svc = (argv: readonly string[]) =>
  execa(process.execPath, [script, ...argv], {
    reject: false,
    extendEnv: false,
    cwd: folder,
    stdin: 'ignore',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      ...service.env,
      SVC_COMPANY_ID: String(IDS.company),
      SVC_USER_ID: String(IDS.admin),
      SVC_API_KEY: KEYS.company,
    },
  });

describe('a service 30 days behind, that is not on loopback', () => {
  const task = [
    'task',
    'create',
    '--name',
    'Sale',
    '--channel',
    'email',
    '--message',
    'Message',
    '--list',
    '1',
  ];
  const sms = ['sms', 'send', '--from', 'Example'];

  it('svc doctor looks at its certificate through the proxy', async () => {
    const { stdout, exitCode } = await svc(['doctor', '-o', 'json']);
    const rows: readonly { check: string; found: string }[] = JSON.parse(stdout);
    const found = (name: string) => rows.find(({ check }) => check === name)?.found;
    expect(exitCode).toBe(0);
    expect(found('tls')).toMatch(
      /^careful: the certificate expires .* UTC, in 2 days, signed by Tests, a private authority that this machine trusts; /,
    );
    expect(found('proxy')).toMatch(/^127\.0\.0\.1:[0-9]+ \(HTTPS_PROXY\), to service\.test:443$/);
    expect(found('NODE_EXTRA_CA_CERTS')).toMatch(/ca\.pem: 1 certificate$/);
  });

  it('gets no request to send at a time that is past by this machine', async () => {
    await writeFile(join(folder, 'to.csv'), `to,message,senddate\n447700900123,Hi,${seconds() - 86_400}\n`);
    for (let run = 0; run < RUNS; run += 1) {
      const yesterday = String(seconds() - 86_400);
      const lines = [
        [...task, '--at', yesterday],
        [...sms, '--to', '447700900123', '--text', 'Hi', '--at', yesterday],
        [...sms, '--file', 'to.csv', '--yes'],
      ];
      const argv = lines[run % lines.length] ?? task;
      for (const each of RUNS > 1 ? [argv] : lines) {
        const { exitCode, stderr, stdout } = await svc(each);
        expect([exitCode, stdout], stderr).toEqual([2, '']);
        expect(stderr).toContain('was 1 day ago');
        expect(stderr).toContain("the service's clock is 30 days behind this machine's");
      }
    }
    expect(sent.length).toBeGreaterThan(0);
    expect(writesIn(sent)).toEqual([]);
    expect(await sandbox.rows('task')).toEqual([]);
    expect(await sandbox.rows('sms')).toEqual([]);
  });

  it('gets a time that is in the future by both clocks', async () => {
    const { exitCode, stderr } = await svc([...task, '--at', String(seconds() + 7200)]);
    expect(exitCode, stderr).toBe(0);
    expect(writesIn(sent)).toEqual(['POST /v1/task']);
  });
});
