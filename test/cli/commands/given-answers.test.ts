/** `svc init` with answers in flags and environment, with and without a terminal. */
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { initSetUp, URL } from '../../support/init-run.ts';
import { type Outside, serviceOf } from '../../support/run-cli.ts';
import { IDS, KEYS } from '../../support/sandbox.ts';

const { sandbox, svc, stored, profiles } = initSetUp();
const NOBODY_THERE: Transport = () => Promise.reject(new TransportError('not-sent', 'nobody is there'));

// Contract, "Forms" and "Global flags": a flag wins over the environment; a key never comes from a flag.
describe('svc init with answers in flags and environment', () => {
  const COMPANY = { SVC_BASE_URL: URL, SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: KEYS.company };
  const PARTNER = {
    SVC_BASE_URL: URL,
    SVC_PARTNER_ID: String(IDS.partner),
    SVC_PARTNER_API_KEY: KEYS.partner,
  };

  it.each([
    ['all but the name, which the first profile does not need', [], COMPANY, [], []],
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
      [
        'What do you want to connect to?',
        'Address of the service (https://…)',
        'Id of the company',
        'Id of the user',
      ],
    ],
    [
      'keys of both kinds',
      ['--profile', 'work'],
      { ...COMPANY, ...PARTNER },
      ['company'],
      ['Whose credentials are these?'],
    ],
  ])('does not ask for given values: %s', async (_, flags, env, answers, questions) => {
    const run = await svc(['init', ...flags], { tty: true, answers, env });
    expect([run.exitCode, run.stdout, run.questions]).toEqual([0, '', questions]);
    expect(run.stderr).toMatch(/^Using /);
    for (const key of [KEYS.company, KEYS.partner]) expect(run.stderr).not.toContain(key);
    expect(Object.keys(await profiles())).toHaveLength(1);
  });

  it('lists the given answers and their sources in one line', async () => {
    const flags = ['--company', '1', '--profile', 'work'];
    const run = await svc(['init', ...flags], {
      tty: true,
      columns: 400,
      env: { ...COMPANY, SVC_COMPANY_ID: '2' },
    });
    expect(run.exitCode).toBe(0);
    expect(run.stderr.split('\n')[0]).toBe(
      `Using address ${URL} (environment SVC_BASE_URL), company 1 (flag --company), user 1 (environment SVC_USER_ID), the key (environment SVC_API_KEY).`,
    );
    expect(run.stderr).toContain('To use the values of the profile: unset SVC_COMPANY_ID\n');
  });

  it('asks for the name if the given one is taken', async () => {
    await svc(['init', '--profile', 'work'], { tty: true, env: COMPANY });
    const run = await svc(['init', '--profile', 'work', '--no-default'], {
      tty: true,
      env: COMPANY,
      answers: ['other'],
    });
    expect([run.exitCode, run.questions]).toEqual([0, ['Name of the profile']]);
    expect(run.stderr).toContain('Profile work already exists (flag --profile).');
    expect(Object.keys(await profiles())).toEqual(['other', 'work']);
  });

  describe('without a terminal', () => {
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
    ])('asks nothing: %s', async (_, flags, env, stdin, who) => {
      const run = await svc(['init', '--profile', 'work', ...flags], { env, stdin });
      expect([run.exitCode, run.stdout, run.questions]).toEqual([0, '', []]);
      expect(run.stderr).toContain(`checked the API key: it is valid for ${who}\n`);
      expect(run.stderr).not.toContain(stdin.trim() || KEYS.company);
      expect(JSON.parse(await stored()).default).toBe('work');
    });

    it.each([
      ['nothing is given', [], {}, '--base-url, --company, --user and --api-key-stdin are missing'],
      ['only a partner', ['--partner', '3'], {}, '--base-url and --api-key-stdin are missing'],
      ['only a key', [], { SVC_API_KEY: KEYS.company }, '--base-url, --company and --user are missing'],
      ['all but a user', ['--company', '1', '--base-url', URL, '--api-key-stdin'], {}, '--user is missing'],
      ['both kinds', [], { ...COMPANY, ...PARTNER }, 'for a company and others for a partner'],
      [
        'no address',
        [...IDS_GIVEN, '--base-url', 'ftp://x', '--api-key-stdin'],
        {},
        'must start with https://',
      ],
      ['no id', [...IDS_GIVEN, '--company', 'x', '--api-key-stdin'], {}, 'an id is a whole number'],
      ['no name', [...IDS_GIVEN, '--profile', 'Work', '--api-key-stdin'], {}, 'invalid profile name Work'],
      [
        'no key',
        IDS_GIVEN,
        { SVC_API_KEY: 'short' },
        'has 32 characters, but this key has 5 (environment SVC_API_KEY)',
      ],
    ])('names everything missing or wrong at once, and sends nothing: %s', async (_, flags, env, words) => {
      const { transport, sent } = serviceOf(sandbox());
      const run = await svc(['init', ...flags], { env, stdin: KEYS.company, transport });
      expect([run.exitCode, run.stdout, run.questions, sent]).toEqual([2, '', [], []]);
      expect(run.stderr).toContain(words);
      await expect(stored()).rejects.toThrow();
    });

    it('--no-input asks nothing on a terminal either, and --api-key-stdin gives the key', async () => {
      for (const flag of ['--no-input', '--api-key-stdin']) {
        const run = await svc(['init', flag], { tty: true });
        expect([run.exitCode, run.questions]).toEqual([2, []]);
        expect(run.stderr).toContain('--base-url, --company');
      }
    });

    it.each<readonly [string, Outside, number, string]>([
      ['refused', { stdin: KEYS.other }, 3, 'the service refused company 1, user 1 with this key (401)'],
      ['not reached', { stdin: KEYS.company, transport: NOBODY_THERE }, 7, 'nobody is there'],
    ])('saves nothing for %s, unless --no-check is given', async (_, outside, exit, words) => {
      const argv = ['init', ...IDS_GIVEN, '--api-key-stdin'];
      const run = await svc(argv, outside);
      expect([run.exitCode, run.stdout]).toEqual([exit, '']);
      expect(run.stderr).toContain(words);
      expect(run.stderr).toContain('; nothing was saved');
      expect(run.stderr).not.toContain(outside.stdin);
      await expect(stored()).rejects.toThrow();
      const unchecked = await svc([...argv, '--no-check'], outside);
      expect([unchecked.exitCode, unchecked.stderr]).toEqual([0, expect.not.stringContaining('checked')]);
      expect(Object.keys(await profiles())).toEqual(['default']);
    });
  });
});
