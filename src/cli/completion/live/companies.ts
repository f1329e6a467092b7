/**
 * Returns the companies of a roster as candidates for `--company` and `--companies` (contract, "Partners and many companies"). The profile
 * contains the roster, so no request is needed.
 */
import { looksLikeId } from '../../../profiles/roster.ts';
import { objectOrEmpty, type UncheckedConfigObject } from './configuration.ts';
import type { CompletionItem } from './list-cache.ts';

interface Company {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
}

/**
 * Returns the ids of all companies in the roster, the list of companies in a profile, as candidates. If the user has typed the beginning of
 * a name, also returns the names that start with the typed text.
 */
export function listCompanyCandidates(
  profile: UncheckedConfigObject | undefined,
  word: string,
): readonly CompletionItem[] {
  const companies = rosterIn(profile);
  return [...idsOf(companies), ...namesOf(companies, word)];
}

/** Returns candidates for `--companies`. Completes the element after the last comma, and does not offer earlier elements again. */
export function listCompanySelectorCandidates(
  profile: UncheckedConfigObject | undefined,
  word: string,
): readonly CompletionItem[] {
  const companies = rosterIn(profile);
  if (companies.length === 0) return [];
  const [before, element] = splitAtLastComma(word);
  const named = new Set(before.split(',').map((each) => each.trim().replace(/^!/, '')));
  const words = [
    ...(before.endsWith('!')
      ? []
      : [{ id: 'all', name: `all ${companies.length} companies in the company list` }]),
    ...tagsOf(companies).map(({ id, name }) => ({ id: `tag:${id}`, name })),
    ...idsOf(companies),
    ...namesOf(companies, element)
      .filter(({ id }) => !MEANS_ANOTHER_THING.test(id))
      .map(({ id, name }) => ({ id: inSelector(id, element), name })),
  ];
  return words.filter(({ id }) => !named.has(id)).map(({ id, name }) => ({ id: before + id, name }));
}

/**
 * Returns the tags of the companies in the roster, the list of companies in a profile. Each tag is a candidate with its number of
 * companies.
 */
export const listCompanyTagCandidates = (
  profile: UncheckedConfigObject | undefined,
): readonly CompletionItem[] => tagsOf(rosterIn(profile));

/**
 * Splits the value of `--companies` into the part to keep and the element to complete. The element starts after the last comma outside
 * double quotes. A `!` at its start also belongs to the part to keep.
 */
function splitAtLastComma(word: string): readonly [before: string, element: string] {
  const { length } = /^(?:(?:"(?:[^"]|"")*"(?!")|[^",])*,)*\s*!?/.exec(word)?.[0] ?? '';
  return [word.slice(0, length), word.slice(length)];
}

/**
 * Matches company names that `--companies` would read as something else, even in quotes. For example, `tag:north` selects companies with a
 * tag. Completion offers the id of such a company instead of the name.
 */
const MEANS_ANOTHER_THING = /^(?:[!@]|tag:|all$)/;

/** Returns a company's name as `--companies` accepts it, in double quotes if necessary or if the user has typed a quote. */
const inSelector = (name: string, typed: string): string =>
  /[,"]/.test(name) || typed.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name;

const idsOf = (companies: readonly Company[]): readonly CompletionItem[] =>
  companies.map(({ id, name }) => ({ id, name }));

/**
 * Returns the unique names that start with the typed text. Returns none for an empty text, because completion then lists each id together
 * with its name.
 */
function namesOf(companies: readonly Company[], typed: string): readonly CompletionItem[] {
  if (typed === '') return [];
  const count = new Map<string, number>();
  for (const { name } of companies) count.set(name, (count.get(name) ?? 0) + 1);
  return companies
    .filter(({ name }) => count.get(name) === 1 && name.trim() === name && !looksLikeId(name))
    .map(({ id, name }) => ({ id: name, name: `company ${id}` }));
}

function tagsOf(companies: readonly Company[]): readonly CompletionItem[] {
  const count = new Map<string, number>();
  for (const tag of companies.flatMap(({ tags }) => tags)) count.set(tag, (count.get(tag) ?? 0) + 1);
  return [...count]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, of]) => ({ id: tag, name: of === 1 ? '1 company' : `${of} companies` }));
}

function rosterIn(profile: UncheckedConfigObject | undefined): readonly Company[] {
  const roster = profile?.['roster'];
  if (!Array.isArray(roster)) return [];
  return roster.map(objectOrEmpty).flatMap(({ id, name, tags }) => {
    if (typeof id !== 'number' || typeof name !== 'string') return [];
    const words: readonly unknown[] = Array.isArray(tags) ? tags : [];
    return [{ id: String(id), name, tags: words.filter((tag) => typeof tag === 'string') }];
  });
}
