/** Looks up candidates for completion: ids of records in cached lists, and names in the profiles. */

import { looksLikeId } from '../../client/profiles/roster.ts';
import { UNSAFE_CHARACTER_CLASS } from '../../kit/text/terminal.ts';
import { truncateText } from '../../kit/text/words.ts';
import { flagValue } from '../command/tokens.ts';
import {
  type CompletionRequestContext,
  type Configuration,
  findCompletionRequestContext,
  findSelectedProfile,
  objectOrEmpty,
  readProfileConfiguration,
  type UncheckedConfigObject,
  type UserEnvironment,
} from './configuration.ts';
import { type CompletionItem, openCompletionListCache } from './list-cache.ts';
import { CANDIDATE_LIST_COMMANDS } from './sources.ts';

export interface CompletionQuery {
  /** The value of `completes` that an operand or a flag declares, such as `task`. */
  readonly source: string;
  /** Text at the cursor, without quotes. */
  readonly word: string;
  /** Typed words, without `svc`. */
  readonly words: readonly string[];
}

export interface CompletionEnvironment extends UserEnvironment {
  /** Undefined if there is no safe folder; completion then offers no ids. */
  readonly folder: string | undefined;
  readonly now: number;
}

interface CandidateLookupResult {
  readonly items: readonly CompletionItem[];
  /** No other process is refreshing these lists. */
  readonly listsToRefresh: readonly string[];
  /** The caller may then wait briefly for a refresh. */
  readonly isCold: boolean;
}

/** Completion still offers the old list, so that an active user never waits. */
const RENEWED_AFTER_MS = 20_000;

export function lookUpCompletionCandidates(
  question: CompletionQuery,
  place: CompletionEnvironment,
): CandidateLookupResult {
  const configuration = readProfileConfiguration(place);
  const local = Object.hasOwn(LOCAL, question.source) ? LOCAL[question.source] : undefined;
  if (local)
    return {
      items: shownOf(local(question, configuration, place), question),
      listsToRefresh: [],
      isCold: false,
    };
  const live = liveAnswer(question, configuration, place);
  if (question.source !== 'list') return live;
  const named = shownOf(namesOfLists(question, configuration, place), question);
  return { ...live, items: [...named, ...live.items] };
}

const namesOfLists: LocalLookUp = ({ words }, configuration, outside) =>
  Object.entries(objectOrEmpty(findSelectedProfile(words, configuration, outside)?.lists)).map(
    ([name, id]) => ({ id: name, name: `list ${String(id)}` }),
  );

type LocalLookUp = (
  question: CompletionQuery,
  configuration: Configuration,
  outside: UserEnvironment,
) => readonly CompletionItem[];

const LOCAL: Readonly<Record<string, LocalLookUp>> = {
  profile: (_question, { profiles, defaultName }) =>
    Object.entries(profiles).map(([name, profile]) => ({
      id: name,
      name: `${ofWhom(profile)}${name === defaultName ? ', default' : ''}`,
    })),
  company: (question, ...known) => {
    const companies = rosterFor(question, ...known);
    return [...idsOf(companies), ...namesOf(companies, question.word)];
  },
  companies: (question, ...known) =>
    listCompanySelectorCandidates(rosterFor(question, ...known), question.word),
  'company-tag': (question, ...known) => tagsOf(rosterFor(question, ...known)),
};

function ofWhom({ kind, companyId, partnerId, baseUrl }: UncheckedConfigObject): string {
  return `${kind === 'partner' ? `partner ${String(partnerId)}` : `company ${String(companyId)}`} at ${String(baseUrl)}`;
}

function liveAnswer(
  question: CompletionQuery,
  configuration: Configuration,
  outside: CompletionEnvironment,
): CandidateLookupResult {
  const nothing: CandidateLookupResult = { items: [], listsToRefresh: [], isCold: false };
  const { env, folder, now } = outside;
  if (folder === undefined || ['0', 'false', 'no', 'off'].includes(env.SVC_COMPLETE_LIVE ?? ''))
    return nothing;
  const sources = sourcesOf(question);
  const who = findCompletionRequestContext(question.words, configuration, outside);
  if (who === undefined || sources.length === 0) return nothing;
  const kept = openCompletionListCache(folder);
  const lists = sources.map((source) => ({
    source,
    list: kept.read(formatCandidateListCacheName(source, who), now),
  }));
  const isRefused = kept.areRequestsBlocked(who.cacheKey, now);
  const old = lists.filter(({ list }) => list === undefined || list.ageMs > RENEWED_AFTER_MS);
  const listsToRefresh = isRefused
    ? []
    : old.filter(({ source }) => kept.startRefresh(formatCandidateListCacheName(source, who), now));
  const items = lists.flatMap(({ source, list }) =>
    (list?.items ?? []).map(({ id, name }) => ({
      id,
      name: sources.length > 1 ? `${KINDS[source] ?? source}: ${name}` : name,
    })),
  );
  return {
    items: shownOf(items, question),
    listsToRefresh: listsToRefresh.map(({ source }) => source),
    isCold: !isRefused && lists.some(({ list }) => list === undefined),
  };
}

export const formatCandidateListCacheName = (
  candidateSource: string,
  { cacheKey }: CompletionRequestContext,
): string => `${candidateSource} ${cacheKey}`;

const KINDS: Readonly<Record<string, string>> = { email: 'e-mail', 'sms-message': 'SMS' };

/** For a message, `--channel` selects one of two sources. */
function sourcesOf({ source, words }: CompletionQuery): readonly string[] {
  if (source !== 'message') return Object.hasOwn(CANDIDATE_LIST_COMMANDS, source) ? [source] : [];
  switch (flagValue(words, '--channel')) {
    case 'email':
      return ['email'];
    case 'sms':
      return ['sms-message'];
    default:
      return ['email', 'sms-message'];
  }
}

/** An id that an e-mail and an SMS message share is listed once, with both names. */
function shownOf(
  items: readonly CompletionItem[],
  { words, source, word }: CompletionQuery,
): readonly CompletionItem[] {
  const kind = source === 'automation' ? flagValue(words, '--kind') : undefined;
  const isOffered = FREE_TEXT_SOURCES.has(source) ? isShownWhole : isSafeWord;
  const names = new Map<string, string[]>();
  for (const { id, name } of items) {
    if (!isOffered(id) || !id.startsWith(word)) continue;
    if (kind !== undefined && !id.startsWith(`${kind}:`)) continue;
    names.set(id, [...(names.get(id) ?? []), name]);
  }
  return [...names].map(([id, each]) => ({ id, name: formatCandidateName(each.join(', ')) }));
}

const isSafeWord = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_:.@-]*$/.test(text);

/** Names of companies and the like. Each shell's script quotes them. */
const FREE_TEXT_SOURCES: ReadonlySet<string> = new Set(['company', 'companies', 'company-tag', 'list']);

/** Reports whether a shell can offer the text: no control or invisible characters, and no `-` at the start, as of a flag. */
const isShownWhole = (text: string): boolean => !text.startsWith('-') && text.search(UNSAFE) === -1;

const UNSAFE = new RegExp(`[\\0-\\x1f${UNSAFE_CHARACTER_CLASS}\\p{Cs}]+`, 'gv');
const MAX_CHARACTERS = 60;

const formatCandidateName = (name: string): string =>
  truncateText(name.replace(UNSAFE, ' ').replace(/ +/g, ' ').trim(), MAX_CHARACTERS);

interface Company {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
}

/** Completes the element after the last comma, and does not offer earlier elements again. */
function listCompanySelectorCandidates(
  companies: readonly Company[],
  word: string,
): readonly CompletionItem[] {
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

/** Skips commas in double quotes. A `!` after the comma belongs to the part to keep. */
function splitAtLastComma(word: string): readonly [before: string, element: string] {
  const { length } = /^(?:(?:"(?:[^"]|"")*"(?!")|[^",])*,)*\s*!?/.exec(word)?.[0] ?? '';
  return [word.slice(0, length), word.slice(length)];
}

/** `--companies` would misread these names, even in quotes, such as `tag:north`. Completion offers their ids. */
const MEANS_ANOTHER_THING = /^(?:[!@]|tag:|all$)/;

/** Adds double quotes if necessary or if the user has typed one. */
const inSelector = (name: string, typed: string): string =>
  /[,"]/.test(name) || typed.startsWith('"') ? `"${name.replaceAll('"', '""')}"` : name;

const idsOf = (companies: readonly Company[]): readonly CompletionItem[] =>
  companies.map(({ id, name }) => ({ id, name }));

/** For an empty text, completion lists each id together with its name instead. */
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

function rosterFor(...[{ words }, configuration, outside]: Parameters<LocalLookUp>): readonly Company[] {
  const roster = findSelectedProfile(words, configuration, outside)?.roster;
  if (!Array.isArray(roster)) return [];
  return roster.map(objectOrEmpty).flatMap(({ id, name, tags }) => {
    if (typeof id !== 'number' || typeof name !== 'string') return [];
    const words: readonly unknown[] = Array.isArray(tags) ? tags : [];
    return [{ id: String(id), name, tags: words.filter((tag) => typeof tag === 'string') }];
  });
}
