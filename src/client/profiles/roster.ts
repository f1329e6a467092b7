/**
 * Manages the roster: the companies that a partner profile stores, because the interface cannot list them (contract, "Partners and many
 * companies").
 */

import { readIdText } from '../../kit/schema/integer.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { isAccountId, ProfileError } from './errors.ts';
import type { Profile, ProfileCompany } from './profile.ts';

const MAX_NAME_LENGTH = 200;
const MAX_TAG_LENGTH = 40;
const MAX_NOTE_LENGTH = 1000;

export const companiesOfProfile = ({ roster = [] }: Pick<Profile, 'roster'>): readonly ProfileCompany[] =>
  roster;

/**
 * Returns why the company can't be in a roster, or undefined. The text continues a sentence whose subject is the company: `has no name`.
 */
export function profileCompanyProblem({ id, name, tags, note }: ProfileCompany): string | undefined {
  if (!isAccountId(id)) return 'has no id that is a whole number of at least 1';
  if (name.trim() === '') return 'has no name';
  if (name.length > MAX_NAME_LENGTH) return `has a name of more than ${MAX_NAME_LENGTH} characters`;
  const bad = tags.find((tag) => !isTag(tag));
  if (bad !== undefined) {
    const shown = JSON.stringify(bad.slice(0, MAX_TAG_LENGTH));
    return `has the tag ${shown}: a tag has 1 to ${MAX_TAG_LENGTH} characters, no space, comma, colon or quote, and no ! or @ first`;
  }
  if (note !== null && note.length > MAX_NOTE_LENGTH)
    return `has a note of more than ${MAX_NOTE_LENGTH} characters`;
  return undefined;
}

const isTag = (tag: string): boolean =>
  tag.length <= MAX_TAG_LENGTH && /^[^\s,:"!@\p{Cc}][^\s,:"\p{Cc}]*$/u.test(tag);

/** A company replaces the roster's company with the same id. */
export function withProfileCompanies(profile: Profile, companies: readonly ProfileCompany[]): Profile {
  const byId = new Map(companiesOfProfile(profile).map((each) => [each.id, each]));
  for (const each of companies) byId.set(each.id, each);
  return withRoster(profile, [...byId.values()]);
}

export function withoutCompany(profile: Profile, id: AccountId): Profile {
  return withRoster(
    profile,
    companiesOfProfile(profile).filter((each) => each.id !== id),
  );
}

function withRoster({ roster: _, ...profile }: Profile, roster: readonly ProfileCompany[]): Profile {
  return roster.length === 0 ? profile : { ...profile, roster };
}

/** Returns the id if the text consists of digits. Returns undefined for any other text, which may be a name. */
export function parseCompanyId(text: string): AccountId | undefined {
  const id = readIdText(text);
  return isAccountId(id) ? id : undefined;
}

/** Reports whether the text can only be an id and not a name, even if the id is not valid. */
export const looksLikeId = (text: string): boolean => /^[+-]?[0-9.]+$/.test(text);

/**
 * Returns the company of the roster with this id or exact name. For an id outside the roster, it returns the id alone.
 * @param source origin of the text, for the error: `flag --company`
 * @throws ProfileError `usage` if no company has the name, or if several companies have it
 */
export function findProfileCompany(
  profile: Pick<Profile, 'name' | 'roster'>,
  text: string,
  source: string,
): { readonly id: AccountId; readonly company: ProfileCompany | undefined } {
  const roster = companiesOfProfile(profile);
  const id = parseCompanyId(text);
  if (id !== undefined) return { id, company: roster.find((each) => each.id === id) };
  if (looksLikeId(text)) throw invalidIdError(source);
  const [company, ...others] = roster.filter(({ name }) => name === text);
  if (company === undefined) throw noSuchCompany(profile, text, source);
  if (others.length > 0) {
    const ids = [company, ...others].map((each) => each.id);
    throw new ProfileError(
      'usage',
      `${ids.length} companies are named ${JSON.stringify(text)}: ids ${ids.slice(0, 10).join(', ')} (${source})`,
      { hints: ['give the id'] },
    );
  }
  return { id: company.id, company };
}

// The text is not repeated, because a key may have been put into the wrong variable.
export const invalidIdError = (source: string): ProfileError =>
  new ProfileError('usage', `an id is a whole number of at least 1 (${source})`);

function noSuchCompany(
  profile: Pick<Profile, 'name' | 'roster'>,
  text: string,
  source: string,
): ProfileError {
  const alike = companiesOfProfile(profile).filter(
    ({ name }) => name.toLowerCase() === text.trim().toLowerCase(),
  );
  const near = alike.map(({ id, name }) => `did you mean ${JSON.stringify(name)} (company ${id})?`);
  return new ProfileError(
    'usage',
    `no company of profile ${profile.name} is named ${JSON.stringify(text)} (${source})`,
    {
      hints: [
        ...near.slice(0, 1),
        'svc company list shows the names that svc knows; you can give the id of any company',
      ],
    },
  );
}
