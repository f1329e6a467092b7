import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { NOBODY, type Outside, runCli, serviceOf } from '../../support/run-cli.ts';
import { createTestSandbox, KEYS } from '../../support/sandbox.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await makeTemporaryFolder('profile');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const svc = (argv: readonly string[], outside: Outside = {}) =>
  runCli(argv, { ...outside, env: { ...NOBODY, SVC_CONFIG_DIR: folder, ...outside.env } });

const ADD = [
  ...['profile', 'add', 'prod', '--base-url', 'https://api.example.com'],
  // No service listens at these addresses, so a profile keeps exactly the given values.
  ...['--company', '42', '--user', '7', '--no-check', '--api-key-stdin'],
];
const stored = () => readFile(join(folder, 'config.json'), 'utf8');

describe('svc profile add: contract, "Forms"', () => {
  it('stores a company profile with mode 0600, and never prints its key', async () => {
    const run = await svc([...ADD, '-o', 'json'], { stdin: `${KEYS.company}\n` });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      name: 'prod',
      kind: 'company',
      company: 42,
      user: 7,
      key: 'stored',
    });
    expect(run.stdout + run.stderr).not.toContain(KEYS.company);
    expect(await stored()).toContain(KEYS.company);
    expect((await stat(join(folder, 'config.json'))).mode & 0o777).toBe(0o600);
  });

  it('stores a partner profile with a key command', async () => {
    const run = await svc([
      ...['profile', 'add', 'agency', '--base-url', 'https://api.example.com', '--partner', '3'],
      ...['--key-command', 'pass show svc', '--no-check', '-o', 'json'],
    ]);
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      kind: 'partner',
      partner: 3,
      company: null,
      key: 'command',
    });
  });

  it.each([
    ['a key that is too short', 'c0ffee', 'a company key has 32 characters, but this key has 6'],
    ['a key in capitals', KEYS.company.toUpperCase(), 'no upper-case letters'],
    ['a key of other letters', 'z'.repeat(32), 'only the characters 0-9a-f'],
    ['no key', '', 'this key has 0'],
  ])('rejects %s with the reason, and stores nothing', async (_, key, reason) => {
    const run = await svc(ADD, { stdin: key });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(reason);
    if (key !== '') expect(run.stderr).not.toContain(key);
    await expect(stored()).rejects.toThrow();
  });

  it.each([
    ['a name with capitals', ['profile', 'add', 'Prod']],
    ['__proto__', ['profile', 'add', '__proto__']],
    ['an address over plain http', [...ADD, '--base-url', 'http://api.example.com']],
    ['an invalid id', [...ADD, '--company', '-4']],
    ['a key on the command line', [...ADD, '--api-key', KEYS.company]],
  ])('rejects %s', async (_, argv) => {
    const run = await svc(argv, { stdin: KEYS.company });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    await expect(stored()).rejects.toThrow();
  });

  it('names missing values without a terminal', async () => {
    const run = await svc(['profile', 'add', 'prod', '--base-url', 'https://api.example.com'], { stdin: '' });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('--company is missing, and there is no terminal for a prompt');
  });

  it('asks on a terminal for missing values', async () => {
    const answers = ['https://api.example.com', '42', '7', KEYS.company];
    const run = await svc(['profile', 'add', 'prod', '--no-check'], { tty: true, answers });
    expect(run.exitCode).toBe(0);
    expect(run.questions).toEqual([
      'Address of the service (https://…)',
      'Id of the company',
      'Id of the user',
      'API key (hidden)',
    ]);
  });

  it('replaces a profile only with --replace', async () => {
    await svc(ADD, { stdin: KEYS.company });
    const again = await svc(ADD, { stdin: KEYS.other });
    expect([again.exitCode, again.stderr]).toEqual([
      2,
      expect.stringContaining('profile prod already exists'),
    ]);
    expect(await stored()).toContain(KEYS.company);
    expect((await svc([...ADD, '--replace'], { stdin: KEYS.other })).exitCode).toBe(0);
    expect(await stored()).toContain(KEYS.other);
  });

  it('keeps the limits of the profile that it replaces, and warns if limits of another account are lost', async () => {
    await svc(ADD, { stdin: KEYS.company });
    await svc(['profile', 'set', 'prod', 'read-only', 'true']);
    await svc(['profile', 'set', 'prod', 'budget.tasks-per-day', '3']);
    const same = await svc([...ADD, '--replace', '-o', 'json'], { stdin: KEYS.other });
    expect([same.exitCode, same.stderr]).toEqual([0, expect.not.stringContaining('warning')]);
    expect(JSON.parse(same.stdout)).toMatchObject({ read_only: true, budget: { 'tasks-per-day': 3 } });
    const company = ADD.indexOf('--company') + 1;
    const other = await svc([...ADD.with(company, '8'), '--replace'], { stdin: KEYS.other });
    expect([other.exitCode, other.stderr]).toEqual([
      0,
      expect.stringContaining('these limits were removed: read-only, budget'),
    ]);
  });

  // L7: a file over 1 MiB used to be written, and every later command then refused it.
  it.each([
    ['add', [...ADD.slice(0, 2), 'large', ...ADD.slice(3, -1), '--key-command', 'x'.repeat(1_200_000)]],
    ['set', ['profile', 'set', 'prod', 'key-command', 'x'.repeat(1_200_000)]],
  ])('%s rejects values that it could not read back, and loses no data', async (_, argv) => {
    await svc(ADD, { stdin: KEYS.company });
    const before = await stored();
    const run = await svc(argv);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('would be larger than 1 MiB');
    expect(run.stderr.length).toBeLessThan(2000);
    expect(await stored()).toBe(before);
    expect((await svc(['profile', 'list', '-o', 'id'])).exitCode).toBe(2);
    expect((await svc(['profile', 'show', 'prod', '-o', 'json'])).exitCode).toBe(0);
  });

  it('stores nothing with --dry-run', async () => {
    expect((await svc([...ADD, '--dry-run'], { stdin: KEYS.company })).exitCode).toBe(0);
    await expect(stored()).rejects.toThrow();
  });
});

// Contract, "Output": exits 3, 7 and 1; "Forms": the key by --api-key-stdin.
describe('svc profile add checks with the service first', () => {
  const CHECKED = ADD.filter((word) => word !== '--no-check').map(
    (word) => ({ '42': '1', '7': '1' })[word] ?? word,
  );
  let service: ReturnType<typeof serviceOf>;
  beforeEach(async () => {
    service = serviceOf(await createTestSandbox());
  });

  it('prints the account of the credentials on stderr', async () => {
    const run = await svc([...CHECKED, '-o', 'json'], { ...service, stdin: KEYS.company });
    expect([run.exitCode, JSON.parse(run.stdout)]).toMatchObject([0, { name: 'prod', key: 'stored' }]);
    expect(run.stderr).toMatch(
      /^checked the API key: it is valid for company 1 \(Company\)\nSaved profile prod in /,
    );
    expect(service.sent.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/account']);
    expect(
      (await svc([...CHECKED, '--replace', '--quiet'], { ...service, stdin: KEYS.company })).stderr,
    ).toBe('');
  });

  it.each<readonly [string, (sent: Transport) => Transport, string, number, string, string]>([
    [
      'a wrong key',
      (own) => own,
      KEYS.other,
      3,
      'unauthenticated',
      'refused company 1, user 1 with this key (401)',
    ],
    [
      'credentials that may not act',
      () => answering(403, 'account is locked'),
      KEYS.company,
      3,
      'forbidden',
      'knows company 1, user 1, but denies access (403: account is locked)',
    ],
    [
      'an address without a service',
      () => () => Promise.reject(new TransportError('not-sent', 'no way')),
      KEYS.company,
      7,
      'unreachable',
      'no way',
    ],
    [
      'another program',
      () => async () => ({ status: 200, headers: {}, body: '<p>hi' }),
      KEYS.company,
      1,
      'not-ours',
      'not from the service',
    ],
    [
      'a redirect',
      () => async () => ({ status: 302, headers: { location: 'https://b.example' }, body: '' }),
      KEYS.company,
      1,
      'redirect',
      'https://b.example',
    ],
    ['a service in trouble', () => answering(500, 'no'), KEYS.company, 1, 'failed', 'no'],
  ])('saves nothing for %s, unless --no-check is given', async (_, made, key, exit, kind, words) => {
    const transport = made(service.transport);
    const run = await svc([...CHECKED, '-o', 'json'], { transport, stdin: key });
    expect([run.exitCode, run.stdout]).toEqual([exit, '']);
    const { error } = JSON.parse(run.stderr);
    expect(error).toMatchObject({ kind, exit, hint: expect.stringContaining('--no-check') });
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/; nothing was saved$/);
    expect(run.stderr).not.toContain(key);
    await expect(stored()).rejects.toThrow();
    const text = await svc(CHECKED, { transport, stdin: key });
    expect([text.exitCode, text.stderr]).toEqual([exit, expect.stringContaining(words)]);
    const unchecked = await svc([...CHECKED, '--no-check'], { transport, stdin: key });
    expect(unchecked.exitCode).toBe(0);
    expect(await stored()).toContain(key);
  });

  it('uses the key that its key command prints', async () => {
    const add = (command: string) => {
      const words = CHECKED.slice(0, -1);
      return svc([...words, '--key-command', command], { ...service, env: { PATH: process.env['PATH'] } });
    };
    const failed = await add('exit 3');
    expect([failed.exitCode, failed.stdout]).toEqual([3, '']);
    expect(failed.stderr).toContain('the key command ended with exit code 3; nothing was saved');
    const wrong = await add(`echo ${KEYS.other}`);
    expect([wrong.exitCode, wrong.stderr.includes(KEYS.other)]).toEqual([3, false]);
    await expect(stored()).rejects.toThrow();
    expect(await add(`echo ${KEYS.company}`)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('checked the API key: it is valid for company 1 (Company)'),
    });
  });

  it('checks the stored credentials, whatever the environment has', async () => {
    const env = {
      SVC_BASE_URL: 'https://other.example',
      SVC_COMPANY_ID: '2',
      SVC_API_KEY: KEYS.other,
      SVC_PROFILE: 'x',
    };
    const run = await svc(CHECKED, { ...service, stdin: KEYS.company, env });
    expect([run.exitCode, run.stderr]).toEqual([
      0,
      expect.stringContaining('checked the API key: it is valid for company 1 (Company)'),
    ]);
  });

  it.each([['--no-check'], ['--dry-run']])('does not check with %s, which sends nothing', async (flag) => {
    const run = await svc([...CHECKED, flag], { ...service, stdin: KEYS.other });
    expect([run.exitCode, service.sent]).toEqual([0, []]);
    expect(run.stderr).not.toContain('checked');
  });
});

const answering =
  (status: number, message: string): Transport =>
  async () => ({
    status,
    headers: {},
    body: JSON.stringify({ status: 'error', response: { code: status, message } }),
  });

describe('svc profile list, show, use, set, remove', () => {
  beforeEach(async () => {
    await svc(ADD, { stdin: KEYS.company });
    await svc(['profile', 'add', 'test', ...ADD.slice(3)], { stdin: KEYS.other });
  });

  it('lists profiles without keys, the default first', async () => {
    const run = await svc(['profile', 'list', '-o', 'json']);
    expect(JSON.parse(run.stdout)).toMatchObject([
      { name: 'prod', default: true },
      { name: 'test', default: false },
    ]);
    expect(run.stdout).not.toContain(KEYS.company);
  });

  it('prints [] and exits with 0 without profiles', async () => {
    const run = await svc(['profile', 'list', '-o', 'json'], {
      env: { SVC_CONFIG_DIR: join(folder, 'none') },
    });
    expect([run.stdout.trim(), run.exitCode]).toEqual(['[]', 0]);
  });

  it('use sets another default', async () => {
    expect((await svc(['profile', 'use', 'test'])).exitCode).toBe(0);
    expect(JSON.parse((await svc(['profile', 'show', '-o', 'json'])).stdout)).toMatchObject({ name: 'test' });
  });

  it('set changes a setting, and a key command replaces the key', async () => {
    const run = await svc(['profile', 'set', 'prod', 'key-command', 'pass show svc', '-o', 'json']);
    expect(JSON.parse(run.stdout)).toMatchObject({
      key: 'command',
      key_command: 'pass show svc',
      default: true,
    });
    expect(await stored()).not.toContain(KEYS.company);
  });

  it.each([
    ['an unknown setting', ['prod', 'colour', 'red'], 'has no setting'],
    ['another origin for the same key', ['prod', 'base-url', 'https://evil.example.com'], 'cannot be moved'],
    ['an unknown zone', ['prod', 'tz', 'Mars/Olympus'], 'tz'],
    ['an unknown profile', ['nobody', 'tz', 'UTC'], 'profile nobody not found'],
  ])('set rejects %s', async (_, words, reason) => {
    const before = await stored();
    const run = await svc(['profile', 'set', ...words]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(reason);
    expect(await stored()).toBe(before);
  });

  // Contract, "Settings of a profile": lowering a guard is a question, and needs --yes without a terminal. Raising one asks nothing.
  it.each([
    ['read-only', 'true', 'false', 'read-only true → false'],
    ['budget.tasks-per-day', '3', '', 'budget.tasks-per-day 3 → none'],
    ['require-approvals', '2', '0', 'require-approvals 2 → 0'],
  ])('set asks before it lowers %s, but not before it raises it', async (key, high, low, change) => {
    const raised = await svc(['profile', 'set', 'prod', key, high], { tty: true, answers: [] });
    expect(raised).toMatchObject({ exitCode: 0, questions: [] });
    const before = await stored();
    const lower = ['profile', 'set', 'prod', key, low];
    const alone = await svc(lower);
    expect([alone.exitCode, alone.stdout]).toEqual([2, '']);
    expect(alone.stderr).toContain(`to lower a guard of profile prod: ${change} needs --yes`);
    const no = await svc(lower, { tty: true, answers: [false] });
    expect(no).toMatchObject({
      exitCode: 2,
      questions: [`Really lower a guard of profile prod: ${change}?`],
    });
    expect(await stored()).toBe(before);
    expect((await svc(lower, { tty: true, answers: [true] })).exitCode).toBe(0);
    await svc(['profile', 'set', 'prod', key, high]);
    expect((await svc([...lower, '--yes'])).exitCode).toBe(0);
    expect(await stored()).not.toBe(before);
  });

  it('set does not lower a guard that someone raised during the question', async () => {
    await svc(['profile', 'set', 'prod', 'budget.tasks-per-day', '3']);
    const run = await svc(['profile', 'set', 'prod', 'budget.tasks-per-day', '4'], {
      tty: true,
      answers: [true],
      onQuestion: async () => {
        await svc(['profile', 'set', 'prod', 'budget.tasks-per-day', '1']);
      },
    });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('has changed meanwhile')]);
    expect(await stored()).toContain('"tasks-per-day": 1');
  });

  it('remove deletes a profile with --yes, and asks on a terminal', async () => {
    expect((await svc(['profile', 'remove', 'test'])).exitCode).toBe(2);
    expect((await svc(['profile', 'remove', 'test'], { tty: true, answers: [false] })).exitCode).toBe(2);
    expect(await stored()).toContain(KEYS.other);
    expect((await svc(['profile', 'remove', 'test', '--yes'])).exitCode).toBe(0);
    expect(await stored()).not.toContain(KEYS.other);
  });
});
