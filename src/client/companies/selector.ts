/** Resolves `--companies` to companies of a roster (contract, "Partners and many companies"). */
import type { AccountId } from '../../service/auth/credentials.ts';
import { ProfileError } from '../profiles/errors.ts';
import type { Profile } from '../profiles/profile.ts';
import { companiesOfProfile, findProfileCompany } from '../profiles/roster.ts';

export interface SelectedCompany {
  readonly id: AccountId;
  readonly name: string | undefined;
}

const SOURCE = 'flag --companies';

/**
 * Returns the companies that a selector names, each once: those of the roster in its order, then others in the selector's order.
 * @param readFile returns the text of `@FILE`
 * @throws ProfileError `usage` for a name or tag that no company has, for a typed exclusion of an unknown id, and if no company is left
 */
export async function selectCompanies(
  selector: string,
  profile: Pick<Profile, 'name' | 'roster'>,
  readFile: (name: string) => Promise<string>,
): Promise<readonly SelectedCompany[]> {
  const named = new Map<AccountId, SelectedCompany>();
  const excluded = new Set<AccountId>();
  const typedExclusions: SelectedCompany[] = [];
  for (const word of wordsIn(selector)) {
    const isExcluded = word.startsWith('!');
    for (const each of await companiesOf(isExcluded ? word.slice(1) : word, profile, readFile)) {
      if (isExcluded) excluded.add(each.id);
      else named.set(each.id, each);
      if (isExcluded && !word.startsWith('!@')) typedExclusions.push(each);
    }
  }
  const order = new Map(companiesOfProfile(profile).map(({ id }, at) => [id, at]));
  const stray = typedExclusions.find(({ id }) => !order.has(id) && !named.has(id));
  if (stray !== undefined)
    throw new ProfileError(
      'usage',
      `!${stray.id} excludes nothing: profile ${profile.name} has no company ${stray.id} (${SOURCE})`,
      { hints: ['svc company list shows the companies'] },
    );
  const last = order.size;
  const selected = [...named.values()]
    .filter(({ id }) => !excluded.has(id))
    .sort((a, b) => (order.get(a.id) ?? last) - (order.get(b.id) ?? last));
  if (selected.length > 0) return selected;
  throw new ProfileError(
    'usage',
    named.size > 0 ? '--companies excludes every company that it names' : '--companies matches no company',
    {
      hints: [
        companiesOfProfile(profile).length === 0
          ? `the company list of profile ${profile.name} is empty; add companies with svc company add ID, or svc company import FILE`
          : 'svc company list shows the companies; all,!12 means all except company 12',
      ],
    },
  );
}

/** A part in double quotes may contain commas. */
function wordsIn(selector: string): readonly string[] {
  const words = [...selector.matchAll(/\s*(!?)(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)].map(
    ([, out = '', quoted, bare = '']) =>
      out + (quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"')),
  );
  return words.filter((word) => word !== '');
}

async function companiesOf(
  word: string,
  profile: Pick<Profile, 'name' | 'roster'>,
  readFile: (name: string) => Promise<string>,
): Promise<readonly SelectedCompany[]> {
  const roster = companiesOfProfile(profile);
  if (word === 'all') return roster;
  if (word.startsWith('tag:')) {
    const tag = word.slice('tag:'.length);
    const tagged = roster.filter(({ tags }) => tags.includes(tag));
    if (tagged.length > 0) return tagged;
    const tags = [...new Set(roster.flatMap((each) => each.tags))].sort();
    throw new ProfileError(
      'usage',
      `no company of profile ${profile.name} has the tag ${JSON.stringify(tag)} (${SOURCE})`,
      {
        hints: [
          tags.length === 0
            ? 'no company has a tag; to add a tag, run svc company update ID --tag …'
            : `tags: ${tags.slice(0, 30).join(', ')}`,
        ],
      },
    );
  }
  if (word.startsWith('@')) {
    const name = word.slice(1);
    const lines = (await readFile(name)).replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
    return lines.flatMap((line, at) =>
      line.trim() === '' ? [] : [selected(line.trim(), profile, `line ${at + 1} of ${name}`)],
    );
  }
  return [selected(word, profile, SOURCE)];
}

function selected(text: string, profile: Pick<Profile, 'name' | 'roster'>, source: string): SelectedCompany {
  const { id, company } = findProfileCompany(profile, text, source);
  return { id, name: company?.name };
}
