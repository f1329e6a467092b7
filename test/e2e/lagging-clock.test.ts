/**
 * Clocks that differ, with real processes. M4: `svc` uses an https service that is not on loopback and whose clock lags. SVC_CLOCKS sets
 * the number of runs, by default one. A5: the clock of the machine that runs `svc` is off.
 */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireRequest } from '../../src/service/protocol/wire.ts';
import { builtSvc } from '../support/built-package.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { type HttpsService, httpsService, listenerOf } from '../support/https-service.ts';
import { putEmail, putList } from '../support/messages.ts';
import { writesIn } from '../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS, type TestSandbox } from '../support/sandbox.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary-folder.ts';

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
  await removeFolder(folder);
  await removeFolder(dirname(script));
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

describe('a service that is 30 days behind, and not on loopback', () => {
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

  it('shows its certificate through the proxy in svc doctor', async () => {
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

  it("gets no request to send at a time that is past by this machine's clock", async () => {
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

// Acceptance, A5: "faketime at 40 offsets within +/-1 day: 0 double sends, message gives skew +/-2 s, at most 1 re-sign".
const OFFSETS = depth('SVC_CLOCK_OFFSETS', { few: 4, full: 40 });
const hasFaketime = spawnSync('faketime', ['--version']).status === 0;

it.skipIf(!hasFaketime)(
  `at ${OFFSETS} offsets of this machine's clock a message is sent once, and svc doctor names the offset (SVC_SEED=${SEED})`,
  async () => {
    const own = await createTestSandbox({ machineNow: Date.now, hasRealClock: true });
    const statuses: number[] = [];
    const server = createServer(
      { keepAliveTimeout: 0 },
      listenerOf(async (request) => {
        const answer = await own.service.handle(request);
        statuses.push(answer.status);
        return answer;
      }),
    );
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SVC_COMPANY_ID: String(IDS.company),
      SVC_USER_ID: String(IDS.admin),
      SVC_API_KEY: KEYS.company,
    };
    const svcAt = (offset: number, argv: readonly string[]) => {
      const shift = `${offset < 0 ? '-' : '+'}${Math.abs(offset)}s`;
      const words = ['--exclude-monotonic', '-f', shift, process.execPath, script, ...argv];
      return execa('faketime', words, { reject: false, extendEnv: false, cwd: folder, stdin: 'ignore', env });
    };
    try {
      // The bounds of the service's window, and random offsets within it and beyond.
      const drawn = fc.sample(fc.integer({ min: -DAY, max: DAY }), { seed: SEED, numRuns: OFFSETS });
      const offsets = [
        DAY,
        -905,
        0,
        -DAY,
        895,
        905,
        -895,
        40,
        -40,
        3600,
        -3600,
        12 * 3600,
        -12 * 3600,
        ...drawn,
      ];
      for (const [at, offset] of offsets.slice(0, OFFSETS).entries()) {
        statuses.length = 0;
        const text = `message ${at}`;
        const to = ['--to', '447700900123', '--from', 'Example', '--text', text, '--now', '--yes'];
        const { exitCode, stderr } = await svcAt(offset, ['sms', 'send', ...to]);
        expect([offset, exitCode], stderr).toEqual([offset, 0]);
        expect(statuses.filter((status) => status === 401).length).toBe(Math.abs(offset) > 900 ? 1 : 0);
        const rows = await own.rows('sms');
        expect(rows.filter(({ message }) => message === text)).toHaveLength(1);
        const { stdout } = await svcAt(offset, ['doctor', '-o', 'json']);
        const checks: readonly { readonly check: string; readonly found: string }[] = JSON.parse(stdout);
        const found = checks.find(({ check }) => check === 'clock')?.found ?? '';
        const [, apart = '0', side] = /the service's clock is (\d+) s (ahead of|behind)/.exec(found) ?? [];
        const named = side === 'behind' ? Number(apart) : -Number(apart);
        expect([offset, Math.abs(named - offset) <= 2, found]).toEqual([offset, true, found]);
      }
      tried('A5', OFFSETS);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);

const DAY = 86_400;
