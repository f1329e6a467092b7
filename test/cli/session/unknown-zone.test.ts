/**
 * Contract, "Flags for attributes", Times: if svc does not know the company's zone, and `--tz` and the profile give none, a local time is
 * "exit 2 with `--tz` to add, and tables show and name UTC". A guess would send hours early or late (second attack M7).
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { withEverything } from '../../support/everything.ts';
import { NOBODY, type Run, runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const UNKNOWN: readonly (readonly [string, unknown])[] = [
  ...[null, undefined, '', ' ', 'UTC+3', '+02:00', 'Mars/Phobos', ' Europe/London', 'Europe/London\n'],
  ...['x'.repeat(10_000), 3, true, ['Europe/London'], { toString: 1 }],
].map((zone) => [(JSON.stringify(zone) ?? 'missing').slice(0, 20), zone]);

let folder: string;
let sandbox: TestSandbox;
let service: ReturnType<typeof serviceOf>;
let zone: unknown;
beforeEach(async () => {
  folder = await makeTemporaryFolder('zone');
  sandbox = await withEverything();
  service = serviceOf(sandbox);
  zone = null;
});
afterEach(() => rm(folder, { recursive: true }));

/** The service, whose account has `zone`. */
const transport: Transport = async (request, signal) => {
  const response = await service.transport(request, signal);
  if (!/^\/v1\/account\b/.test(request.path) || request.method === 'HEAD') return response;
  const body = JSON.parse(response.body);
  const { data } = body.response;
  for (const each of [data].flat()) each.timezone = zone;
  return { ...response, body: JSON.stringify(body) };
};

const svc = (argv: string | readonly string[], env: Readonly<Record<string, string | undefined>> = {}) =>
  runCli(typeof argv === 'string' ? argv.split(' ') : argv, {
    cwd: folder,
    transport,
    env: { SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state'), ...env },
  });
const TASK = ['task', 'create', '--channel', 'email', '--message', '1', '--name', 'T', '--list', '1', '--at'];
const SMS = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'Hi', '--at'];

/** Expects exit 2 that names `--tz`, no request that writes, and no word of a zone of the company. */
function expectRefusal(run: Run): void {
  expect([run.exitCode, run.stdout]).toEqual([2, '']);
  expect(run.stderr).toContain('--tz Europe/London');
  expect(run.stderr).toContain("the company's time zone");
  expect(run.stderr).not.toContain(', the company');
  expect(writesIn(service.sent)).toEqual([]);
}

/** Runs a command with a profile, whose settings may have a zone. */
const withProfile = async (...settings: readonly string[]) => {
  const add = ['profile', 'add', 'prod', '--base-url', 'https://api.example.com', '--company', '1'];
  const env = { ...NOBODY, SVC_CONFIG_DIR: join(folder, 'config') };
  const stdin = KEYS.company;
  await runCli([...add, '--user', '1', '--no-check', '--api-key-stdin'], { stdin, env });
  for (const setting of settings) await svc(`profile set prod ${setting}`, NOBODY);
  return (argv: string | readonly string[]) => svc(argv, NOBODY);
};

describe('a local time (2-M7)', () => {
  it.each(UNKNOWN)('is exit 2 if the zone of the account is %s', async (_, given) => {
    zone = given;
    expectRefusal(await svc([...TASK, 'tomorrow 09:00']));
  });

  it.each([
    ...['2026-12-04 09:00', 'friday 9am', 'today 15:00', '09:00', '25.12.2026 09:00', 'next monday 08:00'],
  ])('%s is exit 2 for task create, task update and sms send', async (at) => {
    expectRefusal(await svc([...TASK, at]));
    expectRefusal(await svc(['task', 'update', '1', '--at', at]));
    expectRefusal(await svc([...SMS, at]));
  });

  it('names the flag, the zone and, with a profile, the setting', async () => {
    zone = 'Mars/Phobos';
    const run = await (await withProfile())([...TASK, 'tomorrow 09:00']);
    expectRefusal(run);
    expect(run.stderr).toContain('--at (scheduledtime) is a local time');
    expect(run.stderr).toContain("svc does not know the company's time zone Mars/Phobos");
    expect(run.stderr).toContain('svc profile set prod tz Europe/London');
  });

  it('is in the zone of --tz or of the profile, and nothing is called the zone of the company', async () => {
    const inFlag = await svc([...TASK, '2026-12-04 09:00', '--tz', 'Asia/Tokyo', '-o', 'json']);
    const inProfile = await (await withProfile('tz Asia/Tokyo'))([
      ...[...TASK, '2026-12-04 09:00', '-o', 'json'],
    ]);
    for (const run of [inFlag, inProfile]) {
      expect(run.exitCode, run.stderr).toBe(0);
      expect(JSON.parse(run.stdout)).toMatchObject({ scheduledtime: Date.UTC(2026, 11, 4) / 1000 });
      expect(run.stderr).toContain("svc does not know the company's time zone");
      expect(run.stderr).not.toContain(', the company');
    }
  });

  it.each([
    ['+2h'],
    ['in 3 hours'],
    [String(NOW + 7200)],
    ['2026-12-04T09:00:00Z'],
    ['2026-12-04T09:00+02:00'],
  ])('%s is no local time and works', async (at) => {
    for (const given of [null, 'Mars/Phobos', ['Europe/London']]) {
      zone = given;
      for (const argv of [TASK, SMS]) {
        const run = await svc([...argv, at, '--yes']);
        expect([run.exitCode, run.stderr]).toEqual([0, expect.stringContaining('(UTC)')]);
        expect(run.stderr).not.toContain('the company\n');
      }
    }
  });
});

describe('a campaign (2-M7)', () => {
  const campaign = (...times: readonly string[]) =>
    writeFile(
      join(folder, 'c.yaml'),
      [
        'version: 1',
        'campaign: spring',
        'tasks:',
        ...times.map(
          (at, key) => `  t${key}: { name: N${key}, message: 1, channel: email, list: 1, at: "${at}" }`,
        ),
      ].join('\n'),
    );

  it.each(['plan', 'apply --yes', 'rehearse'])(
    '%s is exit 2 with the place of each local time',
    async (verb) => {
      zone = 'Mars/Phobos';
      await campaign('2026-12-04 09:00', '2026-12-05T09:00:00Z', 'friday 9am');
      const run = await svc(`${verb} c.yaml`);
      expectRefusal(run);
      expect(run.stderr).toMatch(/c\.yaml:4:\d+: task t0: at: "2026-12-04 09:00" is a local time/);
      expect(run.stderr).toMatch(/c\.yaml:6:\d+: task t2: at: "friday 9am" is a local time/);
      expect(run.stderr).not.toContain('task t1');
    },
  );

  it('with --tz, or without local times, is planned and applied', async () => {
    await campaign('2026-12-05T09:00:00Z', '2026-12-06T09:00:00+01:00');
    expect((await svc('plan c.yaml --out c.plan')).exitCode).toBe(0);
    expect(await svc('apply c.plan --yes')).toMatchObject({ exitCode: 0 });
    await campaign('2026-12-05T09:00:00Z', '2026-12-06T09:00:00+01:00', '2026-12-07 09:00');
    expect(await svc('apply c.yaml --yes --tz Asia/Tokyo')).toMatchObject({ exitCode: 0 });
    const times = (await sandbox.rows('task')).slice(1).map(({ scheduledtime }) => scheduledtime);
    expect(times).toEqual([
      ...[Date.UTC(2026, 11, 5, 9), Date.UTC(2026, 11, 6, 8), Date.UTC(2026, 11, 7)].map((ms) => ms / 1000),
    ]);
  });

  it('is rehearsed only in a known zone, because rules act by it', async () => {
    await campaign('2026-12-05T09:00:00Z');
    expectRefusal(await svc('rehearse c.yaml'));
    expectRefusal(await svc('rehearse'));
    const run = await svc('rehearse c.yaml --tz Asia/Tokyo -o json');
    const { sends } = JSON.parse(run.stdout);
    expect(sends).toContainEqual(expect.objectContaining({ key: 't0', local: '2026-12-05 18:00' }));
  });

  it.each(UNKNOWN)('is exported with UTC times if the zone is %s', async (_, given) => {
    zone = given;
    const run = await svc('export out');
    expect([run.exitCode, run.stderr]).toEqual([0, expect.any(String)]);
  });
});

describe('a budget (2-M7)', () => {
  it.each(['tasks-per-day 5', 'recipients-per-day 5', 'hours 00:00-24:00', 'days mon-sun'])(
    'with %s sends nothing, because its days and hours are unknown',
    async (setting) => {
      const run = await withProfile(`budget.${setting}`);
      const refused = await run([...TASK, '+1d']);
      expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain('budget: the day and the hour of this send are not known');
      expect(refused.stderr).toContain('svc profile set prod tz Europe/London');
      // --tz would choose the day of the budget anew with each command.
      expect((await run([...TASK, '+1d', '--tz', 'Asia/Tokyo'])).exitCode).toBe(2);
      expect(writesIn(service.sent)).toEqual([]);
    },
  );

  it('still permits a cancellation, and sends in the zone of the profile', async () => {
    const run = await withProfile('budget.hours 09:00-10:00');
    expect((await run('task cancel 1 --yes')).exitCode).toBe(0);
    await run('profile set prod tz Asia/Tokyo');
    expect((await run([...TASK, '2026-12-05T00:00Z'])).exitCode).toBe(0);
    expect((await run([...TASK, '2026-12-05T09:00Z'])).exitCode).toBe(2);
  });
});

describe('what svc shows (2-M7)', () => {
  it.each(UNKNOWN)('is in UTC, and says so, if the zone is %s', async (_, given) => {
    zone = given;
    const tables = await svc('task list');
    expect([tables.exitCode, tables.stderr]).toEqual([0, expect.stringContaining('Times are in UTC.')]);
    for (const line of [
      'task get 1',
      'task calendar',
      'usage --month 2026-11',
      'forecast',
      'doctor',
      'why list 1',
    ]) {
      const run = await svc(line);
      expect([run.exitCode, line, run.stderr]).toEqual([0, line, expect.any(String)]);
    }
    expect((await svc('task get 1')).stdout).toContain('+00:00 (UTC)');
    expect((await svc('task calendar')).stderr + (await svc('task calendar')).stdout).toContain('UTC');
    expect((await svc('usage --month 2026-11')).stderr).toContain('starts and ends at midnight in UTC');
    expect((await svc('doctor')).stdout).toContain("does not know the company's time zone");
  });

  it('is exit 2 if its meaning depends on the zone', async () => {
    expectRefusal(await svc('automation simulate subscription:1 --at +1h'));
    await writeFile(join(folder, 'team.signers'), '');
    expectRefusal(await svc('audit --since 2026-12-01 --plans . --signers team.signers'));
    expectRefusal(await svc('audit --until 2026-12-01 --plans . --signers team.signers'));
  });
});
