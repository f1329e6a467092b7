/** Reads the statements of campaign tests by the tables of grammar.ts. Every fault names the word at which it shows. */

import { parseSendingHours, parseSendingWeekdays } from '../../../client/profiles/profile.ts';
import { explainInvalidDuration, parseDuration } from '../../../kit/text/duration.ts';
import { compileTimePhrase } from '../../../kit/text/time-phrase.ts';
import { similarWords } from '../../../kit/text/words.ts';
import { readRuleReference } from '../../../service/resources/rule-kinds.ts';
import type { FilePosition } from '../file/document.ts';
import type { Campaign, ItemKind, WantedItem } from '../model.ts';
import {
  type LimitKind,
  MEASURES,
  type MeasureForm,
  type MeasureName,
  SENTENCES,
  type SentenceName,
  SLOTS,
  type SlotName,
} from './grammar.ts';

/** An item of the campaign, or a record of the account. */
export type Reference = {
  readonly text: string;
} & (
  | { readonly item: { readonly kind: Exclude<ItemKind, 'folder'>; readonly key: string } }
  | { readonly record: { readonly kind: string; readonly id: number } }
);

export interface Count {
  readonly text: string;
  readonly least: number;
  readonly most: number;
}

export type Time = { readonly text: string } & (
  | { readonly after: Reference | 'start'; readonly seconds: number }
  | { readonly at: number }
);

export interface Slots {
  readonly person?: string;
  readonly list?: number;
  readonly message?: Reference;
  readonly times?: Count;
  readonly count?: Count;
  readonly text?: string;
  readonly number?: string;
  readonly when?: Time;
  /** Seconds. */
  readonly within?: number;
}

export type Limit =
  | { readonly kind: 'count'; readonly count: Count }
  | { readonly kind: 'share'; readonly count: Count; readonly of: Reference }
  | { readonly kind: 'hours'; readonly text: string; readonly from: number; readonly to: number }
  | { readonly kind: 'days'; readonly text: string; readonly days: ReadonlySet<string> }
  | { readonly kind: 'least-time'; readonly text: string; readonly seconds: number };

export interface MemberLimit {
  /** Empty if the limit is the value of the statement itself. */
  readonly member: string;
  readonly place: FilePosition;
  readonly reference?: Reference;
  /** Seconds of a member such as `7d`. */
  readonly span?: number;
  readonly limit: Limit;
}

export type Statement = { readonly place: FilePosition; readonly text: string } & (
  | { readonly kind: 'sentence'; readonly name: SentenceName; readonly slots: Slots }
  | { readonly kind: 'measure'; readonly name: MeasureName; readonly limits: readonly MemberLimit[] }
);

export interface StatementContext {
  readonly people: readonly string[];
  /** Undefined if the campaign file has faults. Keys are then not checked. */
  readonly campaign: Campaign | undefined;
  /** Unix seconds at which the test begins, or undefined if that is not known. */
  readonly start: number | undefined;
  readonly zone: string;
  /** Length of the test in seconds. */
  readonly length: number;
}

export interface StatementFault {
  /** Place in the text, counted from 0. */
  readonly at: number;
  readonly message: string;
}

interface Word {
  readonly text: string;
  readonly at: number;
}

/** The value of a slot and its number of words, or a fault of the form. Faults of names do not end the reading. */
type SlotResult =
  | { readonly words: number; readonly value: unknown; readonly fault?: string }
  | { readonly expected: string };

interface Attempt {
  readonly name: SentenceName;
  readonly slots: Slots;
  readonly isComplete: boolean;
  /** Number of literal words that agree. */
  readonly literals: number;
  /** The word at which it ends begins with the word of the slot, such as `within`. */
  readonly isNear: boolean;
  readonly faults: readonly StatementFault[];
}

export function readSentence(
  text: string,
  context: StatementContext,
): { readonly name: SentenceName; readonly slots: Slots } | { readonly faults: readonly StatementFault[] } {
  const words = wordsOf(text);
  const attempts = sentenceNames.map((name) => attempt(name, words, text, context));
  const complete = attempts.find(({ isComplete }) => isComplete);
  if (complete) {
    const { slots, faults } = complete;
    return faults.length === 0 ? { name: complete.name, slots } : { faults };
  }
  const [best] = attempts.toSorted(
    (a, b) =>
      b.literals - a.literals ||
      (b.faults[0]?.at ?? 0) - (a.faults[0]?.at ?? 0) ||
      Number(b.isNear) - Number(a.isNear),
  );
  if (best && best.literals > 0) return { faults: best.faults };
  return { faults: [{ at: 0, message: unknownSentence(text, words) }] };
}

const sentenceNames = Object.keys(SENTENCES) as readonly SentenceName[];

const wordsOf = (text: string): readonly Word[] =>
  [...text.matchAll(/"[^"]*"|\S+/g)].map((found) => ({ text: found[0], at: found.index }));

interface Element {
  readonly slot?: SlotName;
  readonly literal?: string;
  readonly isOptional: boolean;
}

const elementsOf = (form: string): readonly Element[] =>
  form.split(' ').map((part) => {
    const slot = /^\[?<([a-z]+)>\]?$/.exec(part)?.[1] as SlotName | undefined;
    return { isOptional: part.startsWith('['), ...(slot ? { slot } : { literal: part }) };
  });

function attempt(
  name: SentenceName,
  words: readonly Word[],
  text: string,
  context: StatementContext,
): Attempt {
  const { form } = SENTENCES[name];
  const slots: Record<string, unknown> = {};
  const faults: StatementFault[] = [];
  let index = 0;
  let literals = 0;
  const end = (fault?: string, slot?: SlotName): Attempt => {
    const at = words[index]?.at ?? text.length;
    return {
      ...{ name, slots: slots as Slots, literals, isComplete: fault === undefined },
      isNear: slot !== undefined && words[index]?.text === slot,
      faults: fault === undefined ? faults : [{ at, message: `${fault}; the form is: ${form}` }],
    };
  };
  for (const { slot, literal = '', isOptional } of elementsOf(form)) {
    const word = words[index];
    if (word === undefined) return isOptional ? end() : end(`the statement ends too early`);
    if (slot === undefined) {
      if (word.text !== literal && `${word.text}s` !== literal)
        return end(`expected "${literal}", not "${word.text}"`);
      literals += 1;
      index += 1;
      continue;
    }
    const found = READ_SLOT[slot](words.slice(index), { ...context, sentence: name });
    if ('expected' in found)
      return end(`expected ${found.expected.replaceAll('`', '"')}, not "${word.text}"`, slot);
    slots[slot] = found.value;
    if (found.fault !== undefined) faults.push({ at: word.at, message: found.fault });
    index += found.words;
  }
  const rest = words[index];
  return rest === undefined ? end() : end(`unexpected "${rest.text}"`);
}

/** Words that people may write for those of the grammar. */
const OTHER_VERBS: Readonly<Record<string, string>> = {
  gets: 'receives',
  joins: 'subscribes',
  leaves: 'unsubscribes',
  reads: 'opens',
  sends: 'writes',
  texts: 'writes',
  reports: 'complains',
};

function unknownSentence(text: string, words: readonly Word[]): string {
  const verbs = [...new Set(Object.values(SENTENCES).map(({ form }) => form.split(' ')[1] ?? ''))];
  for (const word of words.slice(1)) {
    const near = OTHER_VERBS[word.text] ?? similarWords(word.text, verbs)[0];
    if (near === undefined || near === word.text) continue;
    const fixed = `${text.slice(0, word.at)}${near}${text.slice(word.at + word.text.length)}`;
    return `unknown statement "${text}"; did you mean "${fixed}"?`;
  }
  return `unknown statement "${text}"; a person ${verbs.slice(0, -1).join(', ')} or ${verbs.at(-1)} something, or a list receives nothing (svc explain campaign-test)`;
}

type SlotContext = StatementContext & { readonly sentence: SentenceName };

const first = (words: readonly Word[]): string => words[0]?.text ?? '';
const joined = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ');

const READ_SLOT: Readonly<Record<SlotName, (words: readonly Word[], context: SlotContext) => SlotResult>> = {
  person: (words, { people }) => {
    const name = first(words);
    if (!/^[a-z][a-z0-9-]*$/i.test(name) || name === 'list') return { expected: 'the name of a person' };
    if (people.includes(name)) return { words: 1, value: name };
    const [near] = similarWords(name, people);
    const known = people.length === 0 ? 'add it to people' : `people has ${people.join(', ')}`;
    const fault = `unknown person ${name}; ${near === undefined ? known : `did you mean ${near}?`}`;
    return { words: 1, value: name, fault };
  },
  list: ([list, id]) =>
    list?.text === 'list' && /^[1-9][0-9]{0,14}$/.test(id?.text ?? '')
      ? { words: 2, value: Number(id?.text) }
      : { expected: 'a list such as "list 2"' },
  message: (words, context) => {
    const found = readReference(words, context, context.sentence);
    if (!found) return { expected: 'a key of the campaign file, or a record such as "email 5"' };
    return found;
  },
  times: (words) => {
    const word = first(words);
    const once = { once: 1, twice: 2 }[word];
    if (once !== undefined) return { words: 1, value: { text: word, least: once, most: once } };
    const end = words.findIndex(({ text }) => text === 'times');
    const count = end < 0 ? undefined : readCount(joined(words.slice(0, end)));
    return count ? { words: end + 1, value: count } : { expected: SLOTS.times.means };
  },
  count: (words) => {
    const length = /^(at|exactly)$/.test(first(words)) ? (first(words) === 'at' ? 3 : 2) : 1;
    const value = readCount(joined(words.slice(0, length)));
    return value ? { words: length, value } : { expected: SLOTS.count.means };
  },
  text: (words) => ({ words: 1, value: first(words).replace(/^"|"$/g, '') }),
  number: (words) =>
    /^\+?[0-9]{3,20}$/.test(first(words))
      ? { words: 1, value: first(words) }
      : { expected: 'a phone number or a short code' },
  when: (words, context) => readWhen(words, context),
  within: (words, { length }) => {
    if (first(words) !== 'within') return { expected: '"within"' };
    const text = joined(words.slice(1));
    const seconds = parseDuration(text);
    if (seconds === undefined) return { expected: 'a length of time such as "within 2h"' };
    const fault =
      seconds > length ? `within ${text} is longer than the test; set "for" to a longer time` : undefined;
    return { words: words.length, value: Math.floor(seconds), ...(fault === undefined ? {} : { fault }) };
  },
};

function readWhen(words: readonly Word[], context: SlotContext): SlotResult {
  if (first(words) === 'at') return readMoment(joined(words.slice(1)), words.length, context);
  const after = words.findIndex(({ text }) => text === 'after');
  if (after < 1)
    return { expected: 'a time such as "1h after newsletter", "2d after start" or "at friday 09:00"' };
  const length = joined(words.slice(0, after));
  const seconds = parseDuration(length);
  if (seconds === undefined) return { expected: 'a length of time such as "1h" before "after"' };
  const rest = words.slice(after + 1);
  const isTooLong = seconds > context.length;
  const late = `this time never comes: ${length} is longer than the test`;
  const text = joined(words);
  if (first(rest) === 'start' && rest.length === 1)
    return {
      words: words.length,
      value: { text, after: 'start', seconds: Math.floor(seconds) },
      ...(isTooLong ? { fault: late } : {}),
    };
  const reference = readReference(rest, context, 'after');
  if (!reference) return { expected: 'a task or message after "after"' };
  const fault = isTooLong ? late : reference.fault;
  return {
    words: after + 1 + reference.words,
    value: { text, after: reference.value, seconds: Math.floor(seconds) },
    ...(fault === undefined ? {} : { fault }),
  };
}

function readMoment(text: string, words: number, { start, zone, length }: SlotContext): SlotResult {
  const here = { now: start ?? 0, zone };
  const phrase = compileTimePhrase(text, here);
  const value = (at: number, fault?: string) => ({
    ...{ words, value: { text: `at ${text}`, at } },
    ...(fault === undefined ? {} : { fault }),
  });
  if (!phrase.ok) return value(0, phrase.reason);
  if (start === undefined) return value(0);
  const moment = phrase.at(here);
  if (!moment.ok) return value(0, moment.reason);
  if (moment.time < start)
    return value(moment.time, `this time never comes: ${text} is before the test begins`);
  if (moment.time > start + length)
    return value(moment.time, `this time never comes: ${text} is after the end of the test`);
  return value(moment.time);
}

const RECORD_KINDS = ['email', 'sms', 'task'];

/** @param use `after` prefers tasks to messages of the same key, everything else prefers messages */
function readReference(
  words: readonly Word[],
  { campaign }: StatementContext,
  use: SentenceName | 'after' | 'measure',
): { readonly words: number; readonly value: Reference; readonly fault?: string } | undefined {
  const [word = '', id = '', next] = words.map(({ text }) => text);
  const isReading = use === 'open' || use === 'click';
  const kinds = use === 'click' ? ['email', 'task', 'link'] : isReading ? ['email', 'task'] : RECORD_KINDS;
  // In "receives sms 2 times", sms can only be a key.
  const isCount = use === 'receives-times' && next === 'times';
  if (kinds.includes(word) && /^[1-9][0-9]{0,14}$/.test(id) && !isCount)
    return { words: 2, value: { text: `${word} ${id}`, record: { kind: word, id: Number(id) } } };
  const rule = readRuleReference(word);
  if (rule) return { words: 1, value: { text: word, record: { kind: rule.kind, id: rule.id } } };
  if (!/^[a-z0-9][a-z0-9-]*(?:\/[a-z0-9-]+)?(?:@[0-9-]+)?$/.test(word) || /^[0-9]+$/.test(word))
    return undefined;
  const unchecked = { words: 1, value: { text: word, item: { kind: 'message', key: word } } } as const;
  if (!campaign) return unchecked;
  const order: readonly ItemKind[] =
    use === 'after' ? ['task', 'message', 'automation'] : ['message', 'task', 'automation'];
  const items = campaign.items.filter(({ kind }) => kind !== 'folder');
  const found = order
    .map((each) => items.find(({ kind, key }) => kind === each && key === word))
    .find((item) => item !== undefined);
  if (!found || found.kind === 'folder') return { ...unchecked, fault: unknownKey(word, items) };
  const value = { text: word, item: { kind: found.kind, key: word } };
  if (isReading && isSms(found, items))
    return { words: 1, value, fault: `${word} is an SMS, so people cannot ${use} it` };
  if (found.kind === 'automation' && !/autoresponder$/.test(String(found.values.actiontype)))
    if (found.rule !== 'sms') return { words: 1, value, fault: `${word} is a rule that sends no message` };
  return { words: 1, value };
}

function unknownKey(word: string, items: readonly WantedItem[]): string {
  const keys = [...new Set(items.map(({ key }) => key))];
  const [near] = similarWords(word, keys);
  return `the campaign has no message, task or rule ${word}; ${near === undefined ? `it has ${keys.join(', ')}` : `did you mean ${near}?`}`;
}

function isSms(item: WantedItem, items: readonly WantedItem[]): boolean {
  if (item.kind === 'message') return item.channel === 'sms';
  if (item.kind === 'automation')
    return item.rule === 'sms' || item.values.actiontype === 'sms_autoresponder';
  if (item.kind !== 'task') return false;
  const { message } = item;
  const own = items.find(({ kind, key }) => kind === 'message' && 'key' in message && key === message.key);
  return own?.kind === 'message' ? own.channel === 'sms' : item.channel === 'sms';
}

const COUNT = /^(?:(at most|at least|exactly) +)?([0-9]{1,9})(?:\.\.([0-9]{1,9}))?$/;

function readCount(text: string): Count | undefined {
  const [, bound, number, to] = COUNT.exec(text) ?? [];
  if (number === undefined || (bound !== undefined && to !== undefined)) return undefined;
  const value = Number(number);
  const most = to === undefined ? value : Number(to);
  if (most < value) return undefined;
  return {
    text,
    least: bound === 'at most' ? 0 : value,
    most: bound === 'at least' ? Number.POSITIVE_INFINITY : most,
  };
}

export interface GivenMember {
  readonly member: string;
  readonly place: FilePosition;
  /** Undefined for a list or a mapping. */
  readonly text: string | undefined;
  readonly valuePlace: FilePosition;
}

/** @param members one with an empty name if the statement has a single value */
export function readMeasure(
  name: string,
  { place: namePlace, members }: { readonly place: FilePosition; readonly members: readonly GivenMember[] },
  context: StatementContext,
  fault: (place: FilePosition, message: string) => void,
): { readonly name: MeasureName; readonly limits: readonly MemberLimit[] } | undefined {
  const known = Object.keys(MEASURES) as readonly MeasureName[];
  const measure = known.find((each) => each === name);
  if (measure === undefined) {
    const [near] = similarWords(name, known);
    fault(
      namePlace,
      `unknown statement ${name}; ${near === undefined ? `it can be ${known.join(', ')}` : `did you mean ${near}?`}`,
    );
    return undefined;
  }
  const { takes, others }: MeasureForm = MEASURES[measure];
  const limits = members.flatMap(({ member, place, text, valuePlace }): MemberLimit[] => {
    const own = typeof takes === 'string' ? (member === '' ? takes : undefined) : takes[member];
    const named = own === undefined && member !== '' ? nameOf(member, others?.named, context) : {};
    const kind = own ?? (named.isFound ? others?.takes : undefined);
    if (named.fault !== undefined) fault(place, named.fault);
    else if (kind === undefined) fault(place, wrongMember(measure, member, takes, others));
    else if (text === undefined) fault(valuePlace, `${name}: must be a single value`);
    else {
      const limit = readLimit(kind, text, context);
      if ('fault' in limit) fault(valuePlace, `${[name, member].filter(Boolean).join(': ')}: ${limit.fault}`);
      else return [{ member, place: valuePlace, limit, ...named.value }];
    }
    return [];
  });
  return { name: measure, limits };
}

interface NamedMember {
  readonly isFound?: boolean;
  readonly fault?: string;
  readonly value?: Pick<MemberLimit, 'reference' | 'span'>;
}

function nameOf(
  member: string,
  named: 'message' | 'duration' | undefined,
  context: StatementContext,
): NamedMember {
  if (named === 'duration') {
    const span = /^[0-9]/.test(member) ? parseDuration(member) : undefined;
    return span === undefined ? {} : { isFound: true, value: { span } };
  }
  const found = named === 'message' ? readReference(wordsOf(member), context, 'measure') : undefined;
  if (!found) return {};
  return found.fault === undefined
    ? { isFound: true, value: { reference: found.value } }
    : { fault: found.fault };
}

function wrongMember(
  name: string,
  member: string,
  takes: MeasureForm['takes'],
  others: MeasureForm['others'],
): string {
  if (typeof takes === 'string') return `${name} takes a single value, such as ${name}: at least 4h`;
  const names = [
    ...Object.keys(takes),
    ...(others ? [others.named === 'message' ? 'the key of a message' : 'a length of time such as 7d'] : []),
  ];
  const [near] = similarWords(member, Object.keys(takes));
  if (member === '') return `${name} takes ${names.join(', ')}, in braces: ${name}: {${names[0]}: …}`;
  return `unknown ${name} ${member}; ${near === undefined ? `it takes ${names.join(', ')}` : `did you mean ${near}?`}`;
}

function readLimit(
  kind: LimitKind,
  text: string,
  context: StatementContext,
): Limit | { readonly fault: string } {
  switch (kind) {
    case 'count':
    case 'count-or-share': {
      const count = readCount(text);
      if (count) return { kind: 'count', count };
      const share = kind === 'count-or-share' ? readShare(text, context) : undefined;
      return share ?? { fault: `"${text}" is not a number such as 3, 2..5, at most 3 or at least 3` };
    }
    case 'hours': {
      const hours = parseSendingHours(text);
      return hours
        ? { kind: 'hours', text, from: hours.from, to: hours.to }
        : { fault: `"${text}" must be two times of day, such as 08:00-20:00` };
    }
    case 'days': {
      const days = parseSendingWeekdays(text);
      return days ? { kind: 'days', text, days } : { fault: `"${text}" must be days, such as mon-fri` };
    }
    case 'least-time': {
      const length = /^at least +(\S.*)$/.exec(text)?.[1];
      const seconds = length === undefined ? undefined : parseDuration(length);
      if (seconds !== undefined) return { kind: 'least-time', text, seconds };
      return {
        fault:
          length === undefined
            ? `"${text}" must be a shortest time, such as at least 4h`
            : `"${length}" ${explainInvalidDuration(length)}`,
      };
    }
  }
}

function readShare(text: string, context: StatementContext): Limit | { readonly fault: string } | undefined {
  const [, bound, number, of = ''] =
    /^(at most|at least) +([0-9]+(?:\.[0-9]+)?)% +of +(\S.*)$/.exec(text) ?? [];
  if (bound === undefined) return undefined;
  const share = Number(number);
  if (share > 100) return { fault: `${number}% is more than 100%` };
  const reference = readReference(wordsOf(of), context, 'measure');
  if (!reference) return { fault: `"${of}" is not a key of the campaign file` };
  if (reference.fault !== undefined) return { fault: reference.fault };
  const isMost = bound === 'at most';
  return {
    kind: 'share',
    count: {
      text: `${bound} ${number}%`,
      least: isMost ? 0 : share / 100,
      most: isMost ? share / 100 : Number.POSITIVE_INFINITY,
    },
    of: reference.value,
  };
}
