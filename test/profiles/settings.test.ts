import { describe, expect, it } from 'vitest';
import { ProfileError } from '../../src/client/profiles/errors.ts';
import { PROFILE_SETTING_NAMES, type Profile } from '../../src/client/profiles/profile.ts';
import { withProfileSetting } from '../../src/client/profiles/settings.ts';
import { COMPANY, COMPANY_KEY, PARTNER } from '../support/profiles.ts';

const { apiKey: _, ...WITHOUT_KEY } = COMPANY;

it.each<[string, string, Partial<Profile>]>([
  ['base-url', 'https://API.example.com/eu', { baseUrl: 'https://API.example.com/eu' }],
  ['company', '8', { companyId: 8 }],
  ['user', '9', { userId: 9 }],
  ['output', 'json', { output: 'json' }],
  ['tz', 'Europe/Berlin', { tz: 'Europe/Berlin' }],
  ['naming.header-prefix', 'X-Acme-', { naming: { headerPrefix: 'X-Acme-' } }],
  ['naming.company-scheme', 'AcmeHash', { naming: { companyScheme: 'AcmeHash' } }],
  ['naming.partner-scheme', 'AcmePartner', { naming: { partnerScheme: 'AcmePartner' } }],
  ['naming.opt-in-tag', '%acme_optin%', { naming: { optInTag: '%acme_optin%' } }],
  ['naming.link-element', 'acme_link', { naming: { linkElement: 'acme_link' } }],
  ['naming.name-element', 'acme_name', { naming: { nameElement: 'acme_name' } }],
  ['naming.headerPrefix', 'X-Acme-', { naming: { headerPrefix: 'X-Acme-' } }],
  ['naming.footer', 'link', { naming: { footer: 'link' } }],
  ['naming.case', 'any', { naming: { case: 'any' } }],
  ['naming.null-optional', 'true', { naming: { nullOptional: true } }],
  ['naming.fields.enablecrm', 'enableacme', { naming: { fields: { enablecrm: 'enableacme' } } }],
])('%s accepts %s', (key, value, change) => {
  expect(withProfileSetting(COMPANY, key, value)).toEqual({ ...COMPANY, ...change });
});

it('removes the cached data of a company when another is set', () => {
  expect(withProfileSetting({ ...COMPANY, companyZone: 'Asia/Tokyo' }, 'company', '8')).toEqual({
    ...COMPANY,
    companyId: 8,
  });
});

it('all settable keys are known to the settings', () => {
  for (const key of PROFILE_SETTING_NAMES) {
    const value = key === 'base-url' ? COMPANY.baseUrl : key === 'partner' ? '5' : '';
    const error = catching(() => withProfileSetting(PARTNER, key.replace('<attribute>', 'enablecrm'), value));
    expect(error?.message ?? '').not.toContain('no setting');
  }
});

it('a key command replaces the stored key', () => {
  expect(withProfileSetting(COMPANY, 'key-command', 'pass show svc')).toEqual({
    ...WITHOUT_KEY,
    keyCommand: 'pass show svc',
  });
});

it('an empty value removes an optional setting', () => {
  const full: Profile = { ...PARTNER, companyId: 5, output: 'json', tz: 'UTC' };
  expect(
    ['output', 'tz', 'company'].reduce((profile, key) => withProfileSetting(profile, key, ''), full),
  ).toEqual(PARTNER);
  const named = withProfileSetting(COMPANY, 'naming.fields.enablecrm', 'enableacme');
  expect(withProfileSetting(named, 'naming.fields.enablecrm', '').naming).toEqual({ fields: {} });
});

describe('rejects', () => {
  it.each<[Profile, string, string, string]>([
    [COMPANY, 'api-key', COMPANY_KEY, 'a profile has no setting "api-key"'],
    [COMPANY, 'name', 'other', 'a profile has no setting "name"'],
    [COMPANY, '__proto__', 'x', 'a profile has no setting "__proto__"'],
    [COMPANY, 'naming.nope', 'x', 'a profile has no setting "naming.nope"'],
    [COMPANY, 'naming.fields', 'x', 'a profile has no setting "naming.fields"'],
    [COMPANY, 'naming.fields.__proto__', 'x', 'naming.fields.__proto__'],
    [COMPANY, 'naming.header-prefix', 'X Acme:', 'naming.headerPrefix cannot be'],
    // Contract, "Safety": "A profile's key belongs to one origin".
    [
      COMPANY,
      'base-url',
      'https://evil.example',
      'belongs to https://api.example.com and cannot be moved to https://evil.example',
    ],
    [COMPANY, 'base-url', 'http://api.example.com', 'must start with https://'],
    [COMPANY, 'company', '0', 'company must be a whole number'],
    [COMPANY, 'company', '', 'a company profile needs the id of its company'],
    [COMPANY, 'partner', '3', 'a company profile has no partner id'],
    [PARTNER, 'user', '3', 'only together with a company'],
    [COMPANY, 'key-command', ' ', 'key-command: the value is empty'],
    [COMPANY, 'output', 'xml', 'output cannot be "xml"'],
    [COMPANY, 'tz', 'CEST+1', 'tz must be a name of the TZ database'],
  ])('%o: %s = %s', (profile, key, value, message) => {
    const error = catching(() => withProfileSetting(profile, key, value));
    expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining(message) });
    expect(JSON.stringify([error?.message, error?.hints])).not.toContain(COMPANY_KEY);
  });
});

function catching(work: () => unknown): ProfileError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ProfileError) return error;
    throw error;
  }
}
