import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/protocol/wire.ts';
import { NOBODY, type Outside, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, IDS, KEYS, NOW, type TestSandbox } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let sandbox: TestSandbox;
beforeEach(async () => {
  folder = await makeTemporaryFolder('init');
  sandbox = await createTestSandbox();
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const svc = (argv: readonly string[], outside: Outside) =>
  runCli(argv, {
    transport: serviceOf(sandbox).transport,
    ...outside,
    env: { ...NOBODY, SVC_CONFIG_DIR: folder, ...outside.env },
  });
const stored = () => readFile(join(folder, 'config.json'), 'utf8');
const URL = 'https://api.example.com';

describe('svc init', () => {
  it('asks, checks with a signed request, saves, and says what to try next', async () => {
    const answers = ['service', URL, 'company', String(IDS.company), String(IDS.admin), KEYS.company, 'work'];
    const run = await svc(['init'], { tty: true, answers });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    expect(run.questions).toEqual([
      'What is it for?',
      'Address of the service (https://…)',
      'Whose credentials are these?',
      'Id of the company',
      'Id of the user',
      'API key (hidden)',
      'Name of the profile',
    ]);
    expect(run.stderr).toBe(
      `The service knows these credentials: company 1 (Company).\n` +
        `Saved profile work in ${folder}/config.json; it is the default one.\n` +
        'Try next:\n  svc doctor\n  svc account get\n  svc folder list\n',
    );
    expect(JSON.parse(await stored())).toMatchObject({
      profiles: { work: { companyId: 1, userId: 1, companyZone: 'Europe/London' } },
    });
  });

  it('checks a partner, who needs no company', async () => {
    const answers = ['service', URL, 'partner', String(IDS.partner), KEYS.partner, 'agency'];
    const run = await svc(['init'], { tty: true, answers });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    expect(run.stderr).toContain(`The service knows these credentials: partner ${IDS.partner}.`);
    expect(JSON.parse(await stored())).toMatchObject({ profiles: { agency: { partnerId: IDS.partner } } });
  });

  it.each([
    ['a company', ['company', '1', '1', KEYS.company, 'work'], {}],
    ['a partner', ['partner', String(IDS.partner), KEYS.partner, 'work'], {}],
    ['a second one', ['company', '1', '1', KEYS.company, 'work', false], { before: true }],
    ['one beside variables', ['company', '1', '1', KEYS.company, 'work'], { SVC_PROFILE: 'no name' }],
  ])('the three commands that it ends with work as they stand: %s', async (_, answers, about) => {
    const { before, ...env } = about as { readonly before?: true; readonly SVC_PROFILE?: string };
    if (before)
      await svc(['init'], { tty: true, answers: ['service', URL, 'company', '1', '1', KEYS.company, 'x'] });
    const run = await svc(['init'], { tty: true, answers: ['service', URL, ...answers], env });
    const steps = run.stderr.split('Try next:\n  svc ')[1]?.trimEnd().split('\n  svc ') ?? [];
    expect(steps).toHaveLength(3);
    for (const step of steps) {
      const tried = await svc(step.split(' '), { env });
      expect([step, tried.exitCode]).toEqual([step, 0]);
    }
  });

  it('offers a name that is free', async () => {
    const answers = ['service', URL, 'company', '1', '1', KEYS.company, ''];
    await svc(['init'], { tty: true, answers });
    const run = await svc(['init'], { tty: true, answers: [...answers, false] });
    expect(run.exitCode).toBe(0);
    expect(Object.keys(JSON.parse(await stored()).profiles)).toEqual(['default', 'default-2']);
  });
});

describe('the default profile', () => {
  const second = ['service', URL, 'company', '1', '2', KEYS.company, 'other'];
  const defaultName = async (): Promise<unknown> => JSON.parse(await stored()).default;
  beforeEach(async () => {
    const first = await svc(['init'], {
      tty: true,
      answers: ['service', URL, 'company', '1', '1', KEYS.company, 'prod'],
    });
    expect(first.stderr).toContain('it is the default one.');
    expect(await defaultName()).toBe('prod');
  });

  it.each([
    [
      false,
      'prod',
      'prod stays the default one, and --profile other uses this one',
      '  svc --profile other doctor',
    ],
    [true, 'other', 'it is the default one', '  svc doctor'],
  ])('of a second one init asks: %s', async (answer, name, words, step) => {
    const run = await svc(['init'], { tty: true, answers: [...second, answer] });
    expect(run.questions.at(-1)).toBe('Make other the default profile instead of prod?');
    expect(run.stderr).toContain(words);
    expect(run.stderr).toContain(step);
    expect(await defaultName()).toBe(name);
  });

  it.each([
    ['--default', 'other'],
    ['--no-default', 'prod'],
  ])('%s is the answer', async (flag, name) => {
    expect((await svc(['init', flag], { tty: true, answers: second })).exitCode).toBe(0);
    expect(await defaultName()).toBe(name);
  });

  it.each([
    [[], 'prod', 'prod stays the default one'],
    [['--no-default'], 'prod', 'prod stays the default one'],
    [['--default'], 'other', 'it is the default one'],
  ])('profile add %j, off a terminal', async (flags, name, words) => {
    const ids = ['--base-url', URL, '--company', '1', '--user', '2', '--api-key-stdin'];
    const run = await svc(['profile', 'add', ...flags, 'other', ...ids], { stdin: KEYS.company });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(words);
    expect(await defaultName()).toBe(name);
  });

  it('profile remove asks with whose it is', async () => {
    const run = await svc(['profile', 'remove', 'prod'], { tty: true, answers: [false] });
    expect(run.questions).toEqual([`Really forget profile prod (company 1 at ${URL}) and its key?`]);
    expect(await defaultName()).toBe('prod');
  });

  it('that another one becomes, because the former is removed, is told', async () => {
    await svc(['init'], { tty: true, answers: [...second, false] });
    const run = await svc(['profile', 'remove', 'prod', '--yes'], {});
    expect(run.stderr).toContain('other is the default profile now.');
  });
});

describe('svc doctor', () => {
  it('says of each part whether it works', async () => {
    const run = await svc(['doctor', '-o', 'json'], {
      env: { SVC_BASE_URL: URL, SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: KEYS.company },
    });
    const rows: { check: string; ok: boolean; found: string }[] = JSON.parse(run.stdout);
    expect(run.exitCode).toBe(0);
    expect(rows.map(({ check }) => check)).toEqual([
      'version',
      'node',
      'profiles',
      'journal',
      'credentials',
      'proxy',
      'service',
      'clock',
      'scheduled tasks',
      'deleted messages',
      'paused rules',
    ]);
    expect(rows.every(({ ok }) => ok)).toBe(true);
    expect(rows.find(({ check }) => check === 'service')?.found).toBe('Company, Europe/London');
    expect(run.stdout).not.toContain(KEYS.company);
  });

  it.each([
    ['no credentials', { SVC_API_KEY: undefined }, 3, 'credentials'],
    ['a wrong key', { SVC_API_KEY: KEYS.other }, 3, 'service'],
  ])('ends at %s with its exit code', async (_, env, exit, last) => {
    const base = { SVC_BASE_URL: URL, SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: KEYS.company };
    const run = await svc(['doctor', '-o', 'json'], { env: { ...base, ...env } });
    const rows: { check: string; ok: boolean }[] = JSON.parse(run.stdout);
    expect(run.exitCode).toBe(exit);
    expect(rows.at(-1)).toMatchObject({ check: last, ok: false });
  });

  const dated =
    (seconds: number): Transport =>
    async (request) => {
      const { headers, ...rest } = await sandbox.service.handle(request);
      return { ...rest, headers: { ...headers, date: new Date((NOW + seconds) * 1000).toUTCString() } };
    };
  const clockRow = async (transport: Transport) => {
    const env = { SVC_BASE_URL: URL, SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: KEYS.company };
    const run = await svc(['doctor', '-o', 'json'], { env, transport });
    const rows: { readonly check: string }[] = JSON.parse(run.stdout);
    return { exit: run.exitCode, row: rows.find(({ check }) => check === 'clock') };
  };

  it.each([
    [3600, "the service's is 3600 s ahead of this machine's"],
    [-45, "the service's is 45 s behind this machine's"],
  ])('tells a clock that is off by %i s: what signatures are judged by is Date', async (seconds, found) => {
    expect(await clockRow(dated(seconds))).toEqual({ exit: 1, row: { check: 'clock', ok: false, found } });
  });

  // Wire: "Authentication runs on the machine's clock, always. The service's own clock, which a sandbox can move …".
  it('only mentions a clock of the service that was moved: nothing is ill', async () => {
    await sandbox.at(30 * 86_400);
    expect(await clockRow(dated(0))).toEqual({
      exit: 0,
      row: {
        check: 'clock',
        ok: true,
        found: 'the same as here; its own clock, which schedules run by, shows 2026-12-31 09:00 UTC',
      },
    });
  });
});
