/** Contract, "Partners and many companies": the contents of a roster, and the names of a company. */
import { describe, expect, it } from 'vitest';
import { ProfileError } from '../../src/client/profiles/errors.ts';
import {
  formatProfilesFile,
  parseProfilesFile,
  profilesToStoredObject,
} from '../../src/client/profiles/file-contents.ts';
import { isProfileCompanyList } from '../../src/client/profiles/profile.ts';
import {
  findProfileCompany,
  profileCompanyProblem,
  withProfileCompanies,
} from '../../src/client/profiles/roster.ts';
import { PARTNER } from '../support/profiles.ts';

const ONE = { id: 12, name: 'Harbour Coffee', tags: ['uk'], note: null };

it.each([
  ['an id of 0', { ...ONE, id: 0 }, 'has no id'],
  ['an id that a double has rounded', { ...ONE, id: 2 ** 60 }, 'has no id'],
  ['an id beyond 40 digits', { ...ONE, id: 10n ** 40n }, 'has no id'],
  ['no name', { ...ONE, name: ' ' }, 'has no name'],
  ['a name of 201 characters', { ...ONE, name: 'a'.repeat(201) }, 'has a name of more than 200'],
  ['a tag with a blank', { ...ONE, tags: ['u k'] }, 'has the tag "u k"'],
  ['a tag that begins with !', { ...ONE, tags: ['!uk'] }, 'has the tag "!uk"'],
  ['a tag with a line break', { ...ONE, tags: ['u\nk'] }, 'has the tag'],
  ['an empty tag', { ...ONE, tags: [''] }, 'has the tag ""'],
  ['a note of 1001 characters', { ...ONE, note: 'a'.repeat(1001) }, 'has a note of more than 1000'],
])('rejects %s', (_, company, problem) => {
  expect(profileCompanyProblem(company)).toContain(problem);
});

it('accepts values within the bounds', () => {
  expect(
    profileCompanyProblem({ id: 999_999_999_999_999, name: 'é'.repeat(200), tags: ['ä', 'x_1-b'], note: '' }),
  ).toBe(undefined);
});

describe('the file of profiles', () => {
  const text = (roster: unknown) =>
    formatProfilesFile({
      version: 1,
      profiles: { reseller: { kind: 'partner', baseUrl: PARTNER.baseUrl, roster } },
    });

  it('returns a roster unchanged, in its order', () => {
    const profile = withProfileCompanies(PARTNER, [{ ...ONE, id: 15 }, ONE]);
    const contents = { defaultName: undefined, profiles: new Map([[profile.name, profile]]) };
    const again = parseProfilesFile(formatProfilesFile(profilesToStoredObject(contents)), 'config.json');
    expect(again.profiles.get('reseller')?.roster?.map(({ id }) => id)).toEqual([15, 12]);
  });

  it.each([
    ['an id twice', [ONE, ONE]],
    ['another key', [{ ...ONE, apiKey: 'canary' }]],
    ['a tag that is a number', [{ ...ONE, tags: [1] }]],
    ['no list', {}],
  ])('with %s is not a file that svc writes', (_, roster) => {
    expect(isProfileCompanyList(roster)).toBe(false);
    expect(() => parseProfilesFile(text(roster), 'config.json')).toThrow(
      'profiles.reseller.roster must be a list',
    );
  });
});

describe('a name of a company', () => {
  const profile = { name: 'agency', roster: [ONE, { ...ONE, id: 13, name: '14' }] };

  it.each([
    ['12', { id: 12, company: ONE }],
    ['Harbour Coffee', { id: 12, company: ONE }],
    // A text that looks like an id counts as an id.
    ['14', { id: 14, company: undefined }],
  ])('%s', (text, found) => {
    expect(findProfileCompany(profile, text, 'flag --company')).toEqual(found);
  });

  it.each([['harbour coffee'], ['Harbour'], [''], ['-12'], ['1.5'], ['1'.repeat(41)]])(
    'is not %j',
    (text) => {
      expect(() => findProfileCompany(profile, text, 'flag --company')).toThrow(ProfileError);
    },
  );
});
