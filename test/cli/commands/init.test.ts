import { beforeEach, describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { initSetUp, URL } from '../../support/init-run.ts';
import { IDS, KEYS, NOW } from '../../support/sandbox.ts';

const { folder, sandbox, svc, stored, profiles } = initSetUp();

describe('svc init', () => {
  it('asks, checks with a signed request, saves, and says what to try next', async () => {
    const answers = ['service', URL, 'company', String(IDS.company), String(IDS.admin), KEYS.company];
    const run = await svc(['init'], { tty: true, answers });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    // The first profile needs no name, so there are at most 6 questions.
    expect(run.questions).toEqual([
      'What do you want to connect to?',
      'Address of the service (https://…)',
      'Whose credentials are these?',
      'Id of the company',
      'Id of the user',
      'API key (hidden)',
    ]);
    expect(run.stderr).toBe(
      'Your partner, or the support of the service, gives you the ids of the company and the user, and the\n  API key.\n' +
        `Checked the API key: it is valid for company 1 (Company).\n` +
        `Saved profile default in ${folder()}/config.json; it is the default profile.\n` +
        "Output format: table. Time zone of local times: Europe/London, the company's. To change them:\n" +
        '  svc profile set default output json\n  svc profile set default tz America/New_York\n' +
        'Try next:\n  svc doctor\n  svc task list\n  svc email create --help\n',
    );
    expect(JSON.parse(await stored())).toMatchObject({
      profiles: { default: { companyId: 1, userId: 1, companyZone: 'Europe/London' } },
    });
  });

  it('checks a partner, who needs no company', async () => {
    const answers = ['service', URL, 'partner', String(IDS.partner), KEYS.partner];
    const run = await svc(['init'], { tty: true, answers });
    expect([run.exitCode, run.stdout]).toEqual([0, '']);
    expect(run.stderr).toContain(`Checked the API key: it is valid for partner ${IDS.partner}.`);
    expect(JSON.parse(await stored())).toMatchObject({ profiles: { partner: { partnerId: IDS.partner } } });
  });

  it.each([
    ['a company', ['company', '1', '1', KEYS.company], {}],
    ['a partner', ['partner', String(IDS.partner), KEYS.partner], {}],
    ['a second profile', ['company', '1', '1', KEYS.company, 'work', false], { before: true }],
    ['a profile beside variables', ['company', '1', '1', KEYS.company, 'work'], { SVC_PROFILE: 'no name' }],
  ])('ends with three commands that work unchanged: %s', async (_, answers, about) => {
    const { before, ...env } = about as { readonly before?: true; readonly SVC_PROFILE?: string };
    if (before)
      await svc(['init'], { tty: true, answers: ['service', URL, 'company', '1', '1', KEYS.company] });
    const run = await svc(['init'], { tty: true, answers: ['service', URL, ...answers], env });
    const steps = run.stderr.split('Try next:\n  svc ')[1]?.trimEnd().split('\n  svc ') ?? [];
    expect(steps).toHaveLength(3);
    for (const step of steps) {
      const tried = await svc(step.split(' '), { env });
      expect([step, tried.exitCode]).toEqual([step, 0]);
    }
  });

  it('offers an unused name', async () => {
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
    const first = await svc(['init', '--profile', 'prod'], {
      tty: true,
      answers: ['service', URL, 'company', '1', '1', KEYS.company],
    });
    expect(first.stderr).toContain('it is the default profile.');
    expect(await defaultName()).toBe('prod');
  });

  it.each([
    [
      false,
      'prod',
      'prod stays the default profile; to use the new profile, add --profile other',
      '  svc --profile other doctor',
    ],
    [true, 'other', 'it is the default profile', '  svc doctor'],
  ])('init asks about a second profile: %s', async (answer, name, words, step) => {
    const run = await svc(['init'], { tty: true, columns: 400, answers: [...second, answer] });
    expect(run.questions.at(-1)).toBe('Make other the default profile instead of prod?');
    expect(run.stderr).toContain(words);
    expect(run.stderr).toContain(step);
    expect(await defaultName()).toBe(name);
  });

  it.each([
    ['--default', 'other'],
    ['--no-default', 'prod'],
  ])('%s sets it without a question', async (flag, name) => {
    expect((await svc(['init', flag], { tty: true, answers: second })).exitCode).toBe(0);
    expect(await defaultName()).toBe(name);
  });

  it.each([
    [[], 'prod', 'prod stays the default profile'],
    [['--no-default'], 'prod', 'prod stays the default profile'],
    [['--default'], 'other', 'it is the default profile'],
  ])('profile add %j sets it without a terminal', async (flags, name, words) => {
    const ids = ['--base-url', URL, '--company', '1', '--user', '2', '--api-key-stdin'];
    const run = await svc(['profile', 'add', ...flags, 'other', ...ids], { stdin: KEYS.company });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(words);
    expect(await defaultName()).toBe(name);
  });

  it('profile remove names the account in its question', async () => {
    const run = await svc(['profile', 'remove', 'prod'], { tty: true, answers: [false] });
    expect(run.questions).toEqual([`Really remove profile prod (company 1 at ${URL}) and its key?`]);
    expect(await defaultName()).toBe('prod');
  });

  it('profile remove reports the new default when the default is removed', async () => {
    await svc(['init'], { tty: true, answers: [...second, false] });
    const run = await svc(['profile', 'remove', 'prod', '--yes'], {});
    expect(run.stderr).toContain('other is now the default profile.');
  });
});

// Contract, "Forms": output and tz of a profile may be set when it is made, as `profile set` does later.
describe('--set-output and --set-tz', () => {
  const IDS_GIVEN = ['--base-url', URL, '--company', '1', '--user', '1'];
  const SET = ['--set-output', 'json', '--set-tz', 'Asia/Tokyo'];

  it.each([
    ['init on a terminal', ['init', ...IDS_GIVEN], { tty: true, answers: [KEYS.company] }],
    [
      'init without a terminal',
      ['init', ...IDS_GIVEN, '--api-key-stdin', '--profile', 'default'],
      { stdin: KEYS.company },
    ],
    ['profile add', ['profile', 'add', 'default', ...IDS_GIVEN, '--api-key-stdin'], { stdin: KEYS.company }],
  ])('%s saves them in the profile', async (_, argv, outside) => {
    expect((await svc([...argv, ...SET], outside)).exitCode).toBe(0);
    expect(await profiles()).toMatchObject({ default: { output: 'json', tz: 'Asia/Tokyo' } });
    expect((await svc(['folder', 'list'])).stdout).toBe('[]\n');
  });

  it.each([
    ['--set-output', 'xml', 'unknown output format xml'],
    ['--set-tz', 'Nowhere', 'unknown time zone Nowhere'],
  ])('%s %s is rejected before any question', async (flag, value, words) => {
    const run = await svc(['init', flag, value], { tty: true });
    expect([run.exitCode, run.questions]).toEqual([2, []]);
    expect(run.stderr).toContain(words);
  });
});

describe('a sandbox that init starts', () => {
  it.each([
    [['--base-url', URL], 'cannot combine --sandbox with --base-url'],
    [['--company', '1', '--user', '1'], 'cannot combine --sandbox with --company, --user'],
    [['--partner', '1', '--api-key-stdin'], 'cannot combine --sandbox with --partner, --api-key-stdin'],
    [['--key-command', 'true'], 'cannot combine --sandbox with --key-command'],
    [['--profile', 'none'], 'cannot create a profile with the name none'],
  ])('is not started together with %j', async (flags, words) => {
    const run = await svc(['init', '--sandbox', ...flags], { env: { SVC_STATE_DIR: folder() } });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(words);
    await expect(stored()).rejects.toThrow();
  });

  it('is only announced in a dry run', async () => {
    const env = { SVC_STATE_DIR: folder() };
    const run = await svc(['init', '--sandbox', '--dry-run'], { env });
    expect(run.exitCode).toBe(0);
    expect(run.stdout + run.stderr).toContain(`start a sandbox in ${folder()}/sandbox`);
    await expect(stored()).rejects.toThrow();
  });

  it('reports a sandbox that cannot start, and asks again for the service', async () => {
    await svc(['init', '--profile', 'prod'], {
      tty: true,
      answers: ['service', URL, 'company', '1', '1', KEYS.company],
    });
    const run = await svc(['init', '--profile', 'prod', '--replace'], {
      tty: true,
      answers: ['new-sandbox', 'service', URL, 'company', '1', '1', KEYS.company],
      env: { SVC_STATE_DIR: folder() },
    });
    expect([run.exitCode, run.questions.slice(0, 3)]).toEqual([
      0,
      [
        'What do you want to connect to?',
        'What do you want to connect to?',
        'Address of the service (https://…)',
      ],
    ]);
    expect(run.stderr).toContain('The profile prod does not belong to a sandbox, so svc does not change it.');
    expect(Object.keys(await profiles())).toEqual(['prod']);
  });
});

describe('svc doctor', () => {
  it('reports for each part whether it works', async () => {
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
      'rules',
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
      const { headers, ...rest } = await sandbox().service.handle(request);
      return { ...rest, headers: { ...headers, date: new Date((NOW + seconds) * 1000).toUTCString() } };
    };
  const clockRow = async (transport: Transport) => {
    const env = { SVC_BASE_URL: URL, SVC_COMPANY_ID: '1', SVC_USER_ID: '1', SVC_API_KEY: KEYS.company };
    const run = await svc(['doctor', '-o', 'json'], { env, transport });
    const rows: { readonly check: string }[] = JSON.parse(run.stdout);
    return { exit: run.exitCode, row: rows.find(({ check }) => check === 'clock') };
  };

  it.each([
    [3600, "the service's clock is 3600 s ahead of this machine's"],
    [-45, "the service's clock is 45 s behind this machine's"],
  ])('reports a clock that is off by %i s, because signatures depend on Date', async (seconds, found) => {
    expect(await clockRow(dated(seconds))).toEqual({ exit: 1, row: { check: 'clock', ok: false, found } });
  });

  // Wire: "Authentication runs on the machine's clock, always. The service's own clock, which a sandbox can move …".
  it('only mentions a service clock that was moved, and does not fail', async () => {
    await sandbox().at(30 * 86_400);
    expect(await clockRow(dated(0))).toEqual({
      exit: 0,
      row: {
        check: 'clock',
        ok: true,
        found: "same as here; the sandbox's own clock, by which tasks run, shows 2026-12-31 09:00 UTC",
      },
    });
  });
});
