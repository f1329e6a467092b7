/**
 * Finds the names of the companies in the journal, the log of changes. The names come from rosters, the lists of companies that partner
 * profiles store, so svc sends no request.
 */
import type { AccountId } from '../../../auth/credentials.ts';
import type { Entry } from '../../../journal/entry.ts';
import type { Profile } from '../../../profiles/profile.ts';
import { companiesOfProfile, findProfileCompany, parseCompanyId } from '../../../profiles/roster.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Session } from '../../session/session.ts';

export interface JournalCompanyLookup {
  /**
   * Returns the name of the company in a journal entry. Searches the roster, the list of companies in the entry's profile. Returns null if
   * the entry has no company, or if the name is not found.
   */
  readonly nameOf: (entry: Pick<Entry, 'profile' | 'company'>) => string | null;
  /** Returns the id of the company that `--company` names, or undefined without the flag. @throws UsageError for an unknown company */
  readonly wantedCompany: () => AccountId | undefined;
}

/**
 * Returns a lookup for the names of companies. If svc can't read the profiles, the lookup returns no names, so that `svc log` can still
 * show the journal.
 */
export async function createJournalCompanyLookup({ store, globals }: Session): Promise<JournalCompanyLookup> {
  const stored = await store()
    .then((opened) => opened.list())
    .catch(() => undefined);
  const profiles: readonly Profile[] = stored?.profiles ?? [];
  const nameIn = (profile: Profile, company: AccountId): string | undefined =>
    companiesOfProfile(profile).find(({ id }) => id === company)?.name;
  return {
    nameOf: ({ profile: name, company }) => {
      if (company === null) return null;
      const own = profiles.find((each) => each.name === name);
      return (own && nameIn(own, company)) ?? null;
    },
    wantedCompany: () => {
      const { company, profile } = globals;
      if (company === undefined) return undefined;
      const id = parseCompanyId(company);
      if (id !== undefined) return id;
      const searched = profiles.filter(({ name }) => profile === undefined || name === profile);
      const owner = searched.find((each) => companiesOfProfile(each).some(({ name }) => name === company));
      if (owner !== undefined) return findProfileCompany(owner, company, 'flag --company').id;
      throw new UsageError(`no profile has a company called ${JSON.stringify(company)} (flag --company)`, {
        hint: 'give the id of the company; svc company list shows the companies of a profile',
      });
    },
  };
}
