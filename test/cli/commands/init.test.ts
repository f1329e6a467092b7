import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/errors.ts';
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
const NOBODY_THERE: Transport = () => Promise.reject(new TransportError('not-sent', 'nobody is there'));

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
    expect(JSON.parse(await stored())).toMatchObject({ profiles: { work: { companyId: 1, userId: 1 } } });
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

// Contract, "Forms" and "Global flags": a flag wins over the environment; a key never comes from a flag.
describe('svc init with answers in flags and environment', () => {
  const COMPANY = { SVC_BASE_URL: URL, SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: KEYS.company };
  const PARTNER = {
    SVC_BASE_URL: URL,
    SVC_PARTNER_ID: String(IDS.partner),
    SVC_PARTNER_API_KEY: KEYS.partner,
  };

  it.each([
    ['all but the name', [], COMPANY, [''], ['Name of the profile']],
    ['all', ['--profile', 'work'], COMPANY, [], []],
    ['a name in SVC_PROFILE', [], { ...COMPANY, SVC_PROFILE: 'work' }, [], []],
    ["a partner's", ['--profile', 'work'], PARTNER, [], []],
    [
      'ids',
      ['--base-url', URL, '--company', '1', '--user', '1', '--profile', 'work'],
      {},
      [KEYS.company],
      ['API key (hidden)'],
    ],
    [
      'a partner by its flag',
      ['--base-url', URL, '--partner', String(IDS.partner), '--profile', 'work'],
      {},
      [KEYS.partner],
      ['API key (hidden)'],
    ],
    [
      'a key',
      ['--profile', 'work'],
      { SVC_API_KEY: KEYS.company },
      ['service', URL, '1', '1'],
      ['What is it for?', 'Address of the service (https://…)', 'Id of the company', 'Id of the user'],
    ],
    [
      'keys of both kinds',
      ['--profile', 'work'],
      { ...COMPANY, ...PARTNER },
      ['company'],
      ['Whose credentials are these?'],
    ],
  ])('asks nothing that is given: %s', async (_, flags, env, answers, questions) => {
    const run = await svc(['init', ...flags], { tty: true, answers, env });
    expect([run.exitCode, run.stdout, run.questions]).toEqual([0, '', questions]);
    expect(run.stderr).toMatch(/^Taken: /);
    for (const key of [KEYS.company, KEYS.partner]) expect(run.stderr).not.toContain(key);
    expect(Object.keys(JSON.parse(await stored()).profiles)).toHaveLength(1);
  });

  it('says in one line what was taken, and from where', async () => {
    const flags = ['--company', '1', '--profile', 'work'];
    const run = await svc(['init', ...flags], { tty: true, env: { ...COMPANY, SVC_COMPANY_ID: '2' } });
    expect(run.exitCode).toBe(0);
    expect(run.stderr.split('\n')[0]).toBe(
      `Taken: address ${URL} (environment SVC_BASE_URL), company 1 (flag --company), user 1 (environment SVC_USER_ID), the key (environment SVC_API_KEY).`,
    );
    expect(run.stderr).toContain('wins over the profile: unset SVC_COMPANY_ID\n');
  });

  it('asks for the name where the one that is given is taken', async () => {
    await svc(['init', '--profile', 'work'], { tty: true, env: COMPANY });
    const run = await svc(['init', '--profile', 'work', '--no-default'], {
      tty: true,
      env: COMPANY,
      answers: ['other'],
    });
    expect([run.exitCode, run.questions]).toEqual([0, ['Name of the profile']]);
    expect(run.stderr).toContain('There is a profile work already (flag --profile).');
    expect(Object.keys(JSON.parse(await stored()).profiles)).toEqual(['other', 'work']);
  });

  describe('off a terminal', () => {
    const IDS_GIVEN = ['--base-url', URL, '--company', '1', '--user', '1'];

    it.each([
      ['a company by flags', [...IDS_GIVEN, '--api-key-stdin'], {}, KEYS.company, 'company 1 (Company)'],
      ['the environment', [], COMPANY, '', 'company 1 (Company)'],
      [
        'a partner',
        ['--base-url', URL, '--partner', String(IDS.partner), '--api-key-stdin'],
        {},
        `${KEYS.partner}\n`,
        `partner ${IDS.partner}`,
      ],
      [
        'a partner that acts for a company',
        ['--base-url', URL, '--partner', String(IDS.partner), '--company', '1', '--api-key-stdin'],
        {},
        KEYS.partner,
        `partner ${IDS.partner}, company 1 (Company)`,
      ],
      [
        'a key command',
        [...IDS_GIVEN, '--key-command', `echo ${KEYS.company}`],
        { PATH: process.env['PATH'] },
        '',
        'company 1 (Company)',
      ],
    ])('needs no question: %s', async (_, flags, env, stdin, who) => {
      const run = await svc(['init', '--profile', 'work', ...flags], { env, stdin });
      expect([run.exitCode, run.stdout, run.questions]).toEqual([0, '', []]);
      expect(run.stderr).toContain(`checked: ${who}\n`);
      expect(run.stderr).not.toContain(stdin.trim() || KEYS.company);
      expect(JSON.parse(await stored()).default).toBe('work');
    });

    it.each([
      ['nothing is given', [], {}, '--base-url, --company, --user and --api-key-stdin are missing'],
      ['only a partner', ['--partner', '3'], {}, '--base-url and --api-key-stdin are missing'],
      ['only a key', [], { SVC_API_KEY: KEYS.company }, '--base-url, --company and --user are missing'],
      ['all but a user', ['--company', '1', '--base-url', URL, '--api-key-stdin'], {}, '--user is missing'],
      ['both kinds', [], { ...COMPANY, ...PARTNER }, 'of a company and of a partner'],
      [
        'no address',
        [...IDS_GIVEN, '--base-url', 'ftp://x', '--api-key-stdin'],
        {},
        'must start with https://',
      ],
      ['no id', [...IDS_GIVEN, '--company', 'x', '--api-key-stdin'], {}, 'an id is a whole number'],
      [
        'no name',
        [...IDS_GIVEN, '--profile', 'Work', '--api-key-stdin'],
        {},
        "can't be the name of a profile",
      ],
      [
        'no key',
        IDS_GIVEN,
        { SVC_API_KEY: 'short' },
        'has 32 characters; this has 5 (environment SVC_API_KEY)',
      ],
    ])('names all that is missing or wrong at once, and sends nothing: %s', async (_, flags, env, words) => {
      const { transport, sent } = serviceOf(sandbox);
      const run = await svc(['init', ...flags], { env, stdin: KEYS.company, transport });
      expect([run.exitCode, run.stdout, run.questions, sent]).toEqual([2, '', [], []]);
      expect(run.stderr).toContain(words);
      await expect(stored()).rejects.toThrow();
    });

    it('--no-input asks nothing on a terminal either, and --api-key-stdin has the key there', async () => {
      for (const flag of ['--no-input', '--api-key-stdin']) {
        const run = await svc(['init', flag], { tty: true });
        expect([run.exitCode, run.questions]).toEqual([2, []]);
        expect(run.stderr).toContain('--base-url, --company');
      }
    });

    it.each<readonly [string, Outside, number, string]>([
      ['refused', { stdin: KEYS.other }, 3, 'the service refused company 1, user 1 with this key (401)'],
      ['not reached', { stdin: KEYS.company, transport: NOBODY_THERE }, 7, 'nobody is there'],
    ])('saves nothing that is %s, but with --no-check', async (_, outside, exit, words) => {
      const argv = ['init', ...IDS_GIVEN, '--api-key-stdin'];
      const run = await svc(argv, outside);
      expect([run.exitCode, run.stdout]).toEqual([exit, '']);
      expect(run.stderr).toContain(words);
      expect(run.stderr).toContain('; nothing was saved');
      expect(run.stderr).not.toContain(outside.stdin);
      await expect(stored()).rejects.toThrow();
      const unchecked = await svc([...argv, '--no-check'], outside);
      expect([unchecked.exitCode, unchecked.stderr]).toEqual([0, expect.not.stringContaining('checked')]);
      expect(Object.keys(JSON.parse(await stored()).profiles)).toEqual(['default']);
    });
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
      'credentials',
      'service',
      'clock',
    ]);
    expect(rows.every(({ ok }) => ok)).toBe(true);
    expect(rows[4]?.found).toBe('Company, Europe/London');
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
    return { exit: run.exitCode, row: JSON.parse(run.stdout).at(-1) };
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
