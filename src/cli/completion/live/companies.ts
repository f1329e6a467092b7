/**
 * Lists the companies of a roster for `--company` and `--companies` (contract, "Partners and many companies"). The roster is in the
 * profile, so no request is needed.
 */
import { looksLikeId } from '../../../profiles/roster.ts';
import { recordOf, type Stored } from './configuration.ts';
import type { Item } from './kept.ts';

interface Company {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
}

/** Returns the companies' ids with their names. If a text was typed, also returns the names that start with it, with their ids. */
export function companyItems(profile: Stored | undefined, word: string): readonly Item[] {
  const companies = rosterIn(profile);
  return [...idsOf(companies), ...namesOf(companies, word)];
}

/** Returns candidates for `--companies`. Completes the element after the last comma, and does not offer earlier elements again. */
export function selectorItems(profile: Stored | undefined, word: string): readonly Item[] {
  const companies = rosterIn(profile);
  if (companies.length === 0) return [];
  const [before, element] = splitAtLastComma(word);
  const named = new Set(before.split(',').map((each) => each.trim().replace(/^!/, '')));
  const words = [
    ...(before.endsWith('!') ? [] : [{ id: 'all', name: `all ${companies.length} of the roster` }]),
    ...tagsOf(companies).map(({ id, name }) => ({ id: `tag:${id}`, name })),
    ...idsOf(companies),
    ...namesOf(companies, element)
      .filter(({ id }) => !MEANS_ANOTHER_THING.test(id))
      .map(({ id, name }) => ({ id: inSelector(id, element), name })),
  ];
  return words.filter(({ id }) => !named.has(id)).map(({ id, name }) => ({ id: before + id, name }));
}

/** Returns the tags by name, each with its number of companies. */
export const tagItems = (profile: Stored | undefined): readonly Item[] => tagsOf(rosterIn(profile));

/**
 * Splits a selector into the part to keep and the element to complete. The element starts after the last comma outside double quotes, and
 * after a `!`.
 */
function splitAtLastComma(word: string): readonly [before: string, element: string] {
  const { length } = /^(?:(?:"(?:[^"]|"")*"|[^",])*,)*\s*!?/.exec(word)?.[0] ?? '';
  return [word.slice(0, length), word.slice(length)];
}

/** Matches names that a selector does not read as a name, even in quotes. Completion offers the id instead. */
const MEANS_ANOTHER_THING = /^(?:[!@]|tag:|all$)/;

/** Returns the name for a selector. Adds double quotes if the name needs them or if a quote was typed. */
const inSelector = (name: string, typed: string): string =>
  /[,"]/.test(name) || typed.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name;

const idsOf = (companies: readonly Company[]): readonly Item[] =>
  companies.map(({ id, name }) => ({ id, name }));

/** Returns the unique names that start with the typed text. Returns none for an empty text, because the ids are listed with their names. */
function namesOf(companies: readonly Company[], typed: string): readonly Item[] {
  if (typed === '') return [];
  const count = new Map<string, number>();
  for (const { name } of companies) count.set(name, (count.get(name) ?? 0) + 1);
  return companies
    .filter(({ name }) => count.get(name) === 1 && name.trim() === name && !looksLikeId(name))
    .map(({ id, name }) => ({ id: name, name: `company ${id}` }));
}

function tagsOf(companies: readonly Company[]): readonly Item[] {
  const count = new Map<string, number>();
  for (const tag of companies.flatMap(({ tags }) => tags)) count.set(tag, (count.get(tag) ?? 0) + 1);
  return [...count]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([tag, of]) => ({ id: tag, name: of === 1 ? '1 company' : `${of} companies` }));
}

function rosterIn(profile: Stored | undefined): readonly Company[] {
  const roster = profile?.['roster'];
  if (!Array.isArray(roster)) return [];
  return roster.map(recordOf).flatMap(({ id, name, tags }) => {
    if (typeof id !== 'number' || typeof name !== 'string') return [];
    const words: readonly unknown[] = Array.isArray(tags) ? tags : [];
    return [{ id: String(id), name, tags: words.filter((tag) => typeof tag === 'string') }];
  });
}
