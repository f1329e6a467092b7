import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CredentialFlags, resolveCredentials } from '../../src/client/profiles/credentials.ts';
import { ProfileError } from '../../src/client/profiles/errors.ts';
import type { Profile } from '../../src/client/profiles/profile.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { COMPANY, COMPANY_KEY, PARTNER, PARTNER_KEY, storeOf } from '../support/profiles.ts';

const FORMS = depth('SVC_URL_FORMS', { few: 100, full: 500 });
const ENV_KEY = 'f'.repeat(32);
const ACTING: Profile = { ...PARTNER, companyId: 20, userId: 21 };
const never = () => Promise.reject(new Error('the key command is not to run'));

interface Case {
  readonly asked?: CredentialFlags;
  readonly env?: Readonly<Record<string, string>>;
  readonly profiles?: readonly Profile[];
  readonly defaultName?: string | undefined;
}

function resolve({ asked = {}, env = {}, profiles = [COMPANY], defaultName = profiles[0]?.name }: Case) {
  return resolveCredentials(asked, env, storeOf(profiles, defaultName), never);
}

async function refusal(from: Case): Promise<ProfileError> {
  const error = await resolve(from).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProfileError)) throw new Error(`no refusal but ${String(error)}`);
  const said = JSON.stringify([error.message, error.hints, error.stack]);
  for (const key of [COMPANY_KEY, PARTNER_KEY, ENV_KEY]) expect(said).not.toContain(key);
  return error;
}

// Contract, "Global flags": "Precedence: flag, environment, profile."
describe('precedence for a company', () => {
  const ENV_ALL = {
    SVC_BASE_URL: 'https://env.example',
    SVC_COMPANY_ID: '70',
    SVC_USER_ID: '30',
    SVC_API_KEY: ENV_KEY,
  };

  it.each<[string, Case, object, object]>([
    [
      'the profile gives all',
      {},
      { companyId: 7, userId: 3, apiKey: COMPANY_KEY },
      { baseUrl: 'profile prod', key: 'profile prod', company: 'profile prod', user: 'profile prod' },
    ],
    [
      'the environment before the profile: user',
      { env: { SVC_USER_ID: '30' } },
      { companyId: 7, userId: 30, apiKey: COMPANY_KEY },
      { user: 'environment SVC_USER_ID', key: 'profile prod' },
    ],
    [
      'the environment before the profile: key',
      { env: { SVC_API_KEY: ENV_KEY } },
      { companyId: 7, userId: 3, apiKey: ENV_KEY },
      { key: 'environment SVC_API_KEY', company: 'profile prod' },
    ],
    [
      'the environment before the profile: company, with its own key',
      { env: { SVC_COMPANY_ID: '70', SVC_USER_ID: '30', SVC_API_KEY: ENV_KEY } },
      { companyId: 70, userId: 30, apiKey: ENV_KEY },
      { company: 'environment SVC_COMPANY_ID', baseUrl: 'profile prod' },
    ],
    [
      'a flag before the environment: user',
      { asked: { user: '300' }, env: { SVC_USER_ID: '30' } },
      { companyId: 7, userId: 300, apiKey: COMPANY_KEY },
      { user: 'flag --user' },
    ],
    [
      'a flag before the environment: company',
      { asked: { company: '700' }, env: ENV_ALL },
      { companyId: 700, userId: 30, apiKey: ENV_KEY },
      { company: 'flag --company', user: 'environment SVC_USER_ID' },
    ],
    [
      'the same company by flag keeps the key and the user of the profile',
      { asked: { company: '7' } },
      { companyId: 7, userId: 3, apiKey: COMPANY_KEY },
      { company: 'flag --company', user: 'profile prod', key: 'profile prod' },
    ],
    [
      'an empty variable counts as unset',
      { env: { SVC_COMPANY_ID: '', SVC_USER_ID: '', SVC_API_KEY: '', SVC_BASE_URL: '', SVC_PROFILE: '' } },
      { companyId: 7, userId: 3, apiKey: COMPANY_KEY },
      { key: 'profile prod', partner: 'not set' },
    ],
  ])('%s', async (_, from, credentials, sources) => {
    const resolved = await resolve(from);
    expect(resolved.credentials).toEqual({ kind: 'company', ...credentials });
    expect(resolved.sources).toMatchObject(sources);
  });

  it.each<[string, Case, string, string]>([
    ['profile', {}, 'https://api.example.com', 'profile prod'],
    ['environment', { env: ENV_ALL }, 'https://env.example', 'environment SVC_BASE_URL'],
    [
      'flag',
      { env: ENV_ALL, asked: { baseUrl: 'https://flag.example/x/' } },
      'https://flag.example/x',
      'flag --base-url',
    ],
  ])('the base URL from the %s', async (_, from, baseUrl, source) => {
    const resolved = await resolve(from);
    expect([resolved.baseUrl, resolved.sources.baseUrl]).toEqual([baseUrl, source]);
    expect(resolved.origin).toBe(new URL(baseUrl).origin);
  });

  it('the environment alone is enough: no profile is read', async () => {
    const store = storeOf([COMPANY], 'prod');
    const resolved = await resolveCredentials({}, ENV_ALL, store, never);
    expect(resolved).toMatchObject({
      credentials: { kind: 'company', companyId: 70, userId: 30, apiKey: ENV_KEY },
      profile: undefined,
    });
    expect(store.reads).toBe(0);
  });
});

describe('precedence for a partner', () => {
  const ENV_PARTNER = {
    SVC_BASE_URL: 'https://env.example',
    SVC_PARTNER_ID: '110',
    SVC_PARTNER_API_KEY: ENV_KEY,
  };

  it.each<[string, Case, object]>([
    ['the profile alone', { profiles: [PARTNER] }, { partnerId: 11, apiKey: PARTNER_KEY }],
    [
      '--company acts for one',
      { profiles: [PARTNER], asked: { company: '9' } },
      { partnerId: 11, companyId: 9, apiKey: PARTNER_KEY },
    ],
    [
      'SVC_COMPANY_ID acts for one',
      { profiles: [PARTNER], env: { SVC_COMPANY_ID: '9', SVC_USER_ID: '4' } },
      { partnerId: 11, companyId: 9, userId: 4, apiKey: PARTNER_KEY },
    ],
    [
      'the company and user of the profile',
      { profiles: [ACTING] },
      { partnerId: 11, companyId: 20, userId: 21, apiKey: PARTNER_KEY },
    ],
    [
      "another company leaves the profile's user behind",
      { profiles: [ACTING], asked: { company: '9' } },
      { partnerId: 11, companyId: 9, apiKey: PARTNER_KEY },
    ],
    ['the environment alone', { profiles: [], env: ENV_PARTNER }, { partnerId: 110, apiKey: ENV_KEY }],
    [
      'the environment alone, for a company',
      { profiles: [], env: { ...ENV_PARTNER, SVC_COMPANY_ID: '9' } },
      { partnerId: 110, companyId: 9, apiKey: ENV_KEY },
    ],
    [
      'the environment over a default profile of the other kind',
      { profiles: [COMPANY], env: ENV_PARTNER },
      { partnerId: 110, apiKey: ENV_KEY },
    ],
    [
      'its own key in the environment permits another partner id',
      { profiles: [PARTNER], env: { SVC_PARTNER_ID: '12', SVC_PARTNER_API_KEY: ENV_KEY } },
      { partnerId: 12, apiKey: ENV_KEY },
    ],
  ])('%s', async (_, from, credentials) => {
    expect((await resolve(from)).credentials).toEqual({ kind: 'partner', ...credentials });
  });

  // Interface, "Partner hash": X-Svc-UID is "allowed only when X-Svc-CID is present".
  it.each<[string, Case, string]>([
    ['--user', { profiles: [PARTNER], asked: { user: '4' } }, 'flag --user'],
    ['SVC_USER_ID', { profiles: [PARTNER], env: { SVC_USER_ID: '4' } }, 'environment SVC_USER_ID'],
  ])('%s without a company is rejected', async (_, from, source) => {
    expect(await refusal(from)).toMatchObject({ kind: 'usage', message: expect.stringContaining(source) });
  });
});

describe('choice of the profile', () => {
  const OTHER: Profile = { ...COMPANY, name: 'other', companyId: 8 };
  const profiles = [COMPANY, OTHER, PARTNER];

  it.each<[string, Case, string]>([
    ['the default one', { profiles }, 'prod'],
    ['SVC_PROFILE', { profiles, env: { SVC_PROFILE: 'other' } }, 'other'],
    [
      '--profile before SVC_PROFILE',
      { profiles, asked: { profile: 'prod' }, env: { SVC_PROFILE: 'other' } },
      'prod',
    ],
    [
      'a named profile decides the kind',
      { profiles, asked: { profile: 'prod' }, env: { SVC_PARTNER_API_KEY: ENV_KEY, SVC_PARTNER_ID: '5' } },
      'prod',
    ],
    [
      'keys of both kinds: the default one decides',
      { profiles, env: { SVC_API_KEY: ENV_KEY, SVC_PARTNER_API_KEY: PARTNER_KEY } },
      'prod',
    ],
    [
      'a named one applies even if the environment has all values, for its naming',
      {
        profiles,
        asked: { profile: 'other', company: '7', user: '1', baseUrl: 'https://x.example' },
        env: { SVC_API_KEY: ENV_KEY },
      },
      'other',
    ],
  ])('%s', async (_, from, name) => {
    expect((await resolve(from)).profile?.name).toBe(name);
  });

  it.each<[string, Case, string, string]>([
    [
      'an unknown name',
      { profiles, asked: { profile: 'nope' } },
      'usage',
      'profile nope (flag --profile) not found',
    ],
    [
      'an impossible name',
      { profiles, env: { SVC_PROFILE: '__proto__' } },
      'usage',
      '"__proto__" is not a valid profile name (environment SVC_PROFILE)',
    ],
    ['an empty name', { profiles, asked: { profile: '' } }, 'usage', '"" is not a valid profile name'],
    [
      'keys of both kinds and no profile',
      { profiles: [], env: { SVC_API_KEY: ENV_KEY, SVC_PARTNER_API_KEY: PARTNER_KEY } },
      'usage',
      'SVC_API_KEY and SVC_PARTNER_API_KEY are both set',
    ],
    ['nothing at all', { profiles: [] }, 'no-credentials', 'no credentials'],
    [
      'only a part',
      { profiles: [], env: { SVC_API_KEY: ENV_KEY } },
      'no-credentials',
      'missing the base URL (--base-url or SVC_BASE_URL), the company id (--company or SVC_COMPANY_ID), the user id (--user or SVC_USER_ID)',
    ],
    [
      'all but the key',
      { profiles: [], env: { SVC_BASE_URL: 'https://x.example', SVC_PARTNER_ID: '1' } },
      'no-credentials',
      'missing the key (SVC_PARTNER_API_KEY)',
    ],
  ])('%s is rejected', async (_, from, kind, message) => {
    expect(await refusal(from)).toMatchObject({ kind, message: expect.stringContaining(message) });
  });

  it('explains why a default profile of the other kind was not used', async () => {
    const { hints } = await refusal({ profiles, env: { SVC_PARTNER_API_KEY: ENV_KEY } });
    expect(hints[0]).toBe(
      'the key in the environment is a partner key, so svc does not use the default profile prod, which is a company profile',
    );
  });

  it('lists the profiles if none is the default', async () => {
    const { hints } = await refusal({ profiles: [COMPANY, OTHER], defaultName: 'gone' });
    expect(hints[0]).toMatch(/: prod, other$/);
  });
});

// Contract, "Safety": "A profile's key belongs to one origin (scheme, host, port) and is never sent to another".
describe("a profile's key", () => {
  const LOCAL: Profile = { ...COMPANY, name: 'local', baseUrl: 'http://127.0.0.1:8025' };

  it.each<[string, Profile, string]>([
    ['https://api.example.com/', COMPANY, 'https://api.example.com'],
    ['https://api.example.com/other/path', COMPANY, 'https://api.example.com/other/path'],
    ['HTTPS://API.EXAMPLE.COM', COMPANY, 'https://api.example.com'],
    ['https://api.example.com:443', COMPANY, 'https://api.example.com'],
    ['http://127.0.0.1:8025/x', LOCAL, 'http://127.0.0.1:8025/x'],
  ])('is sent to %s, which is its origin', async (url, profile, baseUrl) => {
    for (const from of [{ asked: { baseUrl: url } }, { env: { SVC_BASE_URL: url } }])
      expect(await resolve({ ...from, profiles: [profile] })).toMatchObject({
        baseUrl,
        credentials: { apiKey: COMPANY_KEY },
      });
  });

  it.each<[string, string, Profile]>([
    ['another host', 'https://evil.example', COMPANY],
    ['a host below it', 'https://api.example.com.evil.example', COMPANY],
    ['a dot at the end', 'https://api.example.com.', COMPANY],
    ['another port', 'https://api.example.com:8443', COMPANY],
    ['another scheme', 'https://127.0.0.1:8025', LOCAL],
    ['another name of the same machine', 'http://localhost:8025', LOCAL],
    ['another loopback address', 'http://127.0.0.2:8025', LOCAL],
  ])('is not sent to %s', async (_, url, profile) => {
    const { origin } = new URL(url);
    for (const [from, source] of [
      [{ asked: { baseUrl: url } }, 'flag --base-url'],
      [{ env: { SVC_BASE_URL: url } }, 'environment SVC_BASE_URL'],
    ] as const) {
      const error = await refusal({ ...from, profiles: [profile] });
      expect(error.kind).toBe('usage');
      expect(error.message).toBe(
        `the key of profile ${profile.name} belongs to ${profile.baseUrl} and is not sent to ${origin} (${source})`,
      );
      expect(error.hints[0]).toContain('SVC_API_KEY');
    }
  });

  // Acceptance, A4: "500 URL tricks".
  it(`goes with none of ${FORMS} base URLs to another origin (SVC_SEED=${SEED})`, async () => {
    const host = fc.constantFrom(
      ...['api.example.com', 'API.example.com', 'api.example.com.', 'api.example.com.evil.example'],
      ...[
        'evil.example',
        'api.example.com@evil.example',
        'evil.example@api.example.com',
        'api\u3002example.com',
      ],
      ...[
        'api.example.com%2eevil.example',
        'api.example.com%00.evil.example',
        'xn--api',
        '\u24d0pi.example.com',
      ],
      ...['[::1]', '127.0.0.1', '0x7f.1', '2130706433', 'localhost', 'api.example.com\\@evil.example'],
    );
    const form = fc
      .tuple(
        fc.constantFrom(
          'https://',
          'https://',
          'HTTPS://',
          'http://',
          'https:',
          '//',
          'https:///',
          'https:\\\\',
          ' https://',
        ),
        host,
        fc.constantFrom('', '', ':443', ':8443', ':0443', ':', ':443@evil.example', ':0'),
        fc.constantFrom(
          '',
          '/',
          '/x',
          '//evil.example',
          '/..//evil.example',
          '?@evil.example',
          '#@evil.example',
          '\t',
          '\r\nHost: evil.example',
        ),
      )
      .map((parts) => parts.join(''));
    let [bound, refused] = [0, 0];
    // A small sample may contain no address of the profile's origin.
    const forms = ['https://api.example.com', ...fc.sample(form, { seed: SEED, numRuns: FORMS })];
    for (const baseUrl of forms) {
      const resolved = await resolve({ asked: { baseUrl } }).catch((error: unknown) => error);
      if (resolved instanceof Error) {
        expect(resolved).toBeInstanceOf(ProfileError);
        expect(JSON.stringify([resolved.message, resolved.stack])).not.toContain(COMPANY_KEY);
        refused += 1;
      } else {
        expect([baseUrl, new URL(baseUrl).origin]).toEqual([baseUrl, 'https://api.example.com']);
        expect(resolved).toMatchObject({ origin: 'https://api.example.com' });
        bound += 1;
      }
    }
    expect(Math.min(bound, refused)).toBeGreaterThan(0);
    tried('A4', bound + refused);
  });

  it('may be sent elsewhere if it comes from the environment', async () => {
    const resolved = await resolve({
      asked: { baseUrl: 'https://other.example' },
      env: { SVC_API_KEY: ENV_KEY },
    });
    expect(resolved).toMatchObject({ origin: 'https://other.example', credentials: { apiKey: ENV_KEY } });
  });

  it.each<[string, Case, string]>([
    ['company by flag', { asked: { company: '9' } }, 'company 7, not to 9 (flag --company)'],
    [
      'company and user by flag',
      { asked: { company: '9', user: '1' } },
      'company 7, not to 9 (flag --company)',
    ],
    [
      'company by environment',
      { env: { SVC_COMPANY_ID: '9' } },
      'company 7, not to 9 (environment SVC_COMPANY_ID)',
    ],
    [
      'partner',
      { profiles: [PARTNER], env: { SVC_PARTNER_ID: '9' } },
      'partner 11, not to 9 (environment SVC_PARTNER_ID)',
    ],
  ])('is not used for another %s', async (_, from, message) => {
    expect(await refusal(from)).toMatchObject({ kind: 'usage', message: expect.stringContaining(message) });
  });

  it('does not come from a key command for another origin or company', async () => {
    const { apiKey: _, ...rest } = COMPANY;
    const profiles = [{ ...rest, keyCommand: 'print-key' }];
    for (const asked of [{ baseUrl: 'https://evil.example' }, { company: '9' }])
      expect((await refusal({ profiles, asked })).kind).toBe('usage');
    expect((await resolve({ profiles, env: { SVC_API_KEY: ENV_KEY } })).sources.key).toBe(
      'environment SVC_API_KEY',
    );
  });
});

describe('a key command', () => {
  const { apiKey: _, ...rest } = COMPANY;
  const store = storeOf([{ ...rest, keyCommand: 'print-key --now' }], 'prod');

  it('returns the key', async () => {
    const asked: string[] = [];
    const resolved = await resolveCredentials({}, {}, store, async (command) => {
      asked.push(command);
      return COMPANY_KEY;
    });
    expect(resolved.credentials.apiKey).toBe(COMPANY_KEY);
    expect(resolved.sources.key).toBe('the output of key-command in profile prod');
    expect(asked).toEqual(['print-key --now']);
  });

  it('is checked for its output, which is not repeated', async () => {
    const printed = `${COMPANY_KEY}-and-more`;
    const error = await resolveCredentials({}, {}, store, async () => printed).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      kind: 'no-credentials',
      message:
        'a company key has 32 characters, but this key has 41 (the output of key-command in profile prod)',
    });
    expect(String(error)).not.toContain(COMPANY_KEY);
  });
});

describe('an invalid value names its source', () => {
  it.each<[string, Case, string]>([
    ['0', { asked: { company: '0' } }, 'flag --company'],
    ['negative', { asked: { user: '-3' } }, 'flag --user'],
    ['empty flag', { asked: { company: '' } }, 'flag --company'],
    ['not whole', { env: { SVC_USER_ID: '1.5' } }, 'environment SVC_USER_ID'],
    ['with a space', { env: { SVC_COMPANY_ID: ' 7' } }, 'environment SVC_COMPANY_ID'],
    ['16 digits', { env: { SVC_COMPANY_ID: '1234567890123456' } }, 'environment SVC_COMPANY_ID'],
    ['hexadecimal', { env: { SVC_PARTNER_ID: '0x1f' } }, 'environment SVC_PARTNER_ID'],
    ['a key in place of an id', { env: { SVC_COMPANY_ID: COMPANY_KEY } }, 'environment SVC_COMPANY_ID'],
    ['a key that is too short', { env: { SVC_API_KEY: 'abc' } }, 'environment SVC_API_KEY'],
    ['a key in upper case', { env: { SVC_API_KEY: COMPANY_KEY.toUpperCase() } }, 'no upper-case letters'],
    [
      'a base URL with a password',
      { asked: { baseUrl: `https://u:${COMPANY_KEY}@api.example.com` } },
      'flag --base-url',
    ],
    [
      'a base URL without https',
      { env: { SVC_BASE_URL: 'http://api.example.com' } },
      'environment SVC_BASE_URL',
    ],
  ])('%s', async (_, from, source) => {
    expect(await refusal(from)).toMatchObject({ kind: 'usage', message: expect.stringContaining(source) });
  });
});

describe('a profile that was edited by hand', () => {
  it.each<[string, Partial<Profile>, string]>([
    [
      'a key of the wrong length',
      { apiKey: 'abc' },
      'key: a company key has 32 characters, but this key has 3',
    ],
    [
      'an invalid base URL',
      { baseUrl: 'http://api.example.com' },
      'base-url: the base URL must start with https://',
    ],
    [
      'an invalid naming entry',
      { naming: { nope: 'x' } },
      'naming: nope is not a naming setting; naming settings define the names that this service uses',
    ],
    ['an invalid output format', { output: 'xml' }, 'output must be one of table, json'],
  ])('%s', async (_, change, message) => {
    expect(await refusal({ profiles: [{ ...COMPANY, ...change }] })).toMatchObject({
      kind: 'storage',
      message: expect.stringContaining(`cannot use profile prod in /config/config.json: ${message}`),
    });
  });
});

it('uses the naming of the profile', async () => {
  const profiles = [{ ...COMPANY, naming: { headerPrefix: 'X-Acme-' } }];
  expect((await resolve({ profiles })).naming.headerPrefix).toBe('X-Acme-');
  expect((await resolve({})).naming.headerPrefix).toBe('X-Svc-');
});
