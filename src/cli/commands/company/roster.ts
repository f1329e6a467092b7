/** Finds the selected partner profile and companies in its roster, and builds the results for these companies. */

import type { Profile, ProfileCompany } from '../../../client/profiles/profile.ts';
import { companiesOfProfile, findProfileCompany } from '../../../client/profiles/roster.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import type { Outcome, Positional } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Column } from '../../output/result.ts';
import { createTextLinesOutcome, shouldSummarizeWriteInOneLine } from '../../request/write-outcome.ts';
import type { Invocation, Profiles, Tell } from '../../session/ports.ts';

const ROSTER_COLUMNS: readonly Column[] = [
  { name: 'id' },
  { name: 'name', role: 'name' },
  { name: 'tags' },
  { name: 'note' },
];

export const companyIdOrNamePositional: Positional = {
  name: 'company',
  describe: 'Id or exact name of a company',
  completes: 'company',
};

/** Returns the partner profile. A company profile has no roster (contract, "Partners and many companies"). */
export async function requirePartnerProfile(session: Profiles): Promise<Profile> {
  const profile = await session.profileInUse();
  if (profile === undefined)
    throw new UsageError('cannot find a company list: no partner profile is selected', {
      hint: 'choose a partner profile with --profile NAME, or create one with svc profile add NAME --partner ID …',
    });
  if (profile.kind === 'partner') return profile;
  throw new UsageError(`profile ${profile.name} belongs to a company and has no company list`, {
    hint: 'choose a partner profile: svc profile list',
  });
}

export function requireCompanyInProfile(profile: Profile, text: string): ProfileCompany {
  const { id, company } = findProfileCompany(profile, text, 'the argument');
  if (company !== undefined) return company;
  throw new UsageError(`company ${id} is not in the company list of profile ${profile.name}`, {
    hint: `to see the company list, run svc company list; to add the company, run svc company add ${id}`,
  });
}

/** `company import` can read tags that are one text. */
async function writesTagsAsText(session: Invocation & Tell): Promise<boolean> {
  return !['json', 'ndjson', 'yaml'].includes(await session.format()) && session.globals.jq === undefined;
}

const rowOf = ({ id, name, tags, note }: ProfileCompany, tagsAsText: boolean) => ({
  id,
  name,
  tags: tagsAsText ? tags.join(' ') : [...tags],
  note,
});

export async function createOutcomeFromProfileCompanies(
  session: Invocation & Tell,
  companies: readonly ProfileCompany[],
): Promise<Outcome> {
  const tagsAsText = await writesTagsAsText(session);
  return {
    result: {
      kind: 'rows',
      rows: companies.map((each) => rowOf(each, tagsAsText)),
      columns: ROSTER_COLUMNS,
      empty: 'The company list is empty. Run svc company add ID, or svc company import FILE.',
    },
  };
}

export async function createOutcomeFromProfileCompany(
  session: Invocation & Tell,
  company: ProfileCompany,
): Promise<Outcome> {
  const value = rowOf(company, await writesTagsAsText(session));
  return { result: { kind: 'object', value, columns: ROSTER_COLUMNS } };
}

export const createOutcomeOfRosterChange = async (
  session: Invocation & Tell,
  line: string,
  company: ProfileCompany,
): Promise<Outcome> =>
  (await shouldSummarizeWriteInOneLine(session))
    ? createTextLinesOutcome(session, line)
    : createOutcomeFromProfileCompany(session, company);

export const findCompanyById = (profile: Profile, id: AccountId): ProfileCompany | undefined =>
  companiesOfProfile(profile).find((each) => each.id === id);
