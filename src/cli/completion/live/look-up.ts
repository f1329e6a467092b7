/** Looks up values for completion: records of the service from cached lists, and names from the profiles. */
import { UNSAFE_CLASS } from '../../../text/terminal.ts';
import { flagValue } from '../../command/tokens.ts';
import { companyItems, selectorItems, tagItems } from './companies.ts';
import {
  type Configuration,
  readAliases,
  readConfiguration,
  type Stored,
  type UserPlace,
} from './configuration.ts';
import { type Item, openListCache } from './kept.ts';
import { LIVE_SOURCES } from './sources.ts';
import { profileOf, type WhoAsks, whoAsks } from './who-asks.ts';

export interface Question {
  /** Value of `completes` of an operand or a flag. */
  readonly source: string;
  /** Text at the cursor, as far as it is typed, without quotes. */
  readonly word: string;
  /** Words before the cursor as they were typed, without `svc`. */
  readonly words: readonly string[];
}

export interface CompletionOutside extends UserPlace {
  /** Folder of the cached lists. If undefined, there is no safe folder, and no ids are offered. */
  readonly folder: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface LookedUp {
  /** Candidates, with names that are safe to show. */
  readonly items: readonly Item[];
  /** Names of the cached lists that the caller should refresh in the background. No other process is refreshing them. */
  readonly toList: readonly string[];
  /** True if no list is cached yet, so that the caller may wait briefly for a refresh. */
  readonly isCold: boolean;
}

/** Age in milliseconds after which a list is refreshed. The old list is still shown, so that an active user never waits. */
const RENEWED_AFTER_MS = 20_000;

export function lookUp(question: Question, outside: CompletionOutside): LookedUp {
  const configuration = readConfiguration(outside);
  const local = Object.hasOwn(LOCAL, question.source) ? LOCAL[question.source] : undefined;
  if (local)
    return { items: shownOf(local(configuration, question, outside), question), toList: [], isCold: false };
  return liveAnswer(question, configuration, outside);
}

/** Functions that return candidates from the profiles and aliases, without a request. */
const LOCAL: Readonly<
  Record<string, (configuration: Configuration, question: Question, outside: UserPlace) => readonly Item[]>
> = {
  profile: ({ profiles, defaultName }) =>
    Object.entries(profiles).map(([name, profile]) => ({
      id: name,
      name: `${ofWhom(profile)}${name === defaultName ? ', default' : ''}`,
    })),
  alias: (_configuration, _question, outside) =>
    [...readAliases(outside)].map(([name, expansion]) => ({ id: name, name: `svc ${expansion}` })),
  company: (configuration, question, outside) =>
    companyItems(profileOf(question.words, configuration, outside), question.word),
  companies: (configuration, question, outside) =>
    selectorItems(profileOf(question.words, configuration, outside), question.word),
  'company-tag': (configuration, { words }, outside) => tagItems(profileOf(words, configuration, outside)),
};

function ofWhom({ kind, companyId, partnerId, baseUrl }: Stored): string {
  return `${kind === 'partner' ? `partner ${String(partnerId)}` : `company ${String(companyId)}`} at ${String(baseUrl)}`;
}

function liveAnswer(question: Question, configuration: Configuration, outside: CompletionOutside): LookedUp {
  const nothing: LookedUp = { items: [], toList: [], isCold: false };
  const { env, folder, now } = outside;
  if (folder === undefined || ['0', 'false', 'no', 'off'].includes(env['SVC_COMPLETE_LIVE'] ?? ''))
    return nothing;
  const sources = sourcesOf(question);
  const who = whoAsks(question.words, configuration, outside);
  if (who === undefined || sources.length === 0) return nothing;
  const kept = openListCache(folder);
  const lists = sources.map((source) => ({ source, list: kept.read(listName(source, who), now) }));
  const isRefused = kept.isRefused(who.key, now);
  const old = lists.filter(({ list }) => list === undefined || list.age > RENEWED_AFTER_MS);
  const toList = isRefused ? [] : old.filter(({ source }) => kept.begin(listName(source, who), now));
  const items = lists.flatMap(({ source, list }) =>
    (list?.items ?? []).map(({ id, name }) => ({
      id,
      name: sources.length > 1 ? `${KINDS[source] ?? source}: ${name}` : name,
    })),
  );
  return {
    items: shownOf(items, question),
    toList: toList.map(({ source }) => source),
    isCold: !isRefused && lists.some(({ list }) => list === undefined),
  };
}

export const listName = (source: string, { key }: WhoAsks): string => `${source} ${key}`;

const KINDS: Readonly<Record<string, string>> = { email: 'e-mail', 'sms-message': 'SMS' };

/**
 * Returns the lists to search. For a message, the channel on the command line selects the list. Without a channel, both lists are searched.
 */
function sourcesOf({ source, words }: Question): readonly string[] {
  if (source !== 'message') return Object.hasOwn(LIVE_SOURCES, source) ? [source] : [];
  switch (flagValue(words, '--channel')) {
    case 'email':
      return ['email'];
    case 'sms':
      return ['sms-message'];
    default:
      return ['email', 'sms-message'];
  }
}

/**
 * Returns the candidates that start with the typed text, in order. If two kinds of message share an id, it is listed once with both names.
 */
function shownOf(items: readonly Item[], { words, source, word }: Question): readonly Item[] {
  const kind = source === 'automation' ? flagValue(words, '--kind') : undefined;
  const isOffered = OF_A_ROSTER.has(source) ? isShownWhole : isSafeWord;
  const names = new Map<string, string[]>();
  for (const { id, name } of items) {
    if (!isOffered(id) || !id.startsWith(word)) continue;
    if (kind !== undefined && !id.startsWith(`${kind}:`)) continue;
    names.set(id, [...(names.get(id) ?? []), name]);
  }
  return [...names].map(([id, each]) => ({ id, name: onOneLine(each.join(', ')) }));
}

/** Reports whether the text has no meaning to a shell, whatever the service or a file contains. */
const isSafeWord = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_:.@-]*$/.test(text);

/** Sources whose candidates are free text, such as names of companies. Each shell's script quotes them. */
const OF_A_ROSTER: ReadonlySet<string> = new Set(['company', 'companies', 'company-tag']);

/** Reports whether the text is not a flag and contains no control or invisible characters. */
const isShownWhole = (text: string): boolean => !text.startsWith('-') && text.search(UNSAFE) === -1;

const UNSAFE = new RegExp(`[\\0-\\x1f${UNSAFE_CLASS}\\p{Cs}]+`, 'gv');
const MOST_CHARACTERS = 60;

/** Returns a name for a menu. Shells display it and never interpret it. */
export function onOneLine(name: string): string {
  const line = name.replace(UNSAFE, ' ').replace(/ +/g, ' ').trim();
  const characters = [...line];
  return characters.length <= MOST_CHARACTERS
    ? line
    : `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`;
}
