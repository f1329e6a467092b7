/** Compares two rehearsals with the same people and seed (contract, "Rehearse", `--against`), and keeps what differs. */

import type { Campaign, ItemKind } from '../campaign/model.ts';
import { createSameItemTexts, markedItem } from '../campaign/renames.ts';
import { parseStepItemKey } from '../campaign/sequences.ts';
import { keyInFile } from '../campaign/series.ts';
import type {
  RehearsalFinding,
  RehearsalResult,
  RehearsedRuleCounts,
  RehearsedSend,
  Sentence,
} from './rehearsal-result.ts';

export interface Both<T> {
  readonly before: T;
  readonly after: T;
}

export interface Change<T> {
  readonly change: 'added' | 'removed' | 'changed';
  /** Members that differ. Empty unless the record is in both rehearsals. */
  readonly differs: readonly (keyof T)[];
  readonly before: T | null;
  readonly after: T | null;
}

export interface AddedAndRemoved<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** Numbers of people who get at least this many messages in only one of the two rehearsals. */
export interface ChangedPeople {
  readonly messages: number;
  readonly more: number;
  readonly fewer: number;
}

/** Name of a campaign, or key of an item, where the two versions differ. */
export interface Renamed {
  readonly kind: 'campaign' | 'sequence' | ItemKind;
  readonly before: string;
  readonly after: string;
}

export interface RehearsalDifference {
  /** Ignored by `isWithoutDifference`, because a rename has no effect on people. */
  readonly renamed: readonly Renamed[];
  readonly sends: readonly Change<RehearsedSend>[];
  readonly people: {
    readonly mostInADay: Both<number>;
    readonly mostInAWeek: Both<number>;
    readonly messages: readonly ChangedPeople[];
  };
  readonly rules: readonly Change<RehearsedRuleCounts>[];
  /** Credits of tasks and rules together. */
  readonly credits: { readonly email: Both<number>; readonly sms: Both<number> };
  readonly findings: AddedAndRemoved<RehearsalFinding>;
  readonly unknown: AddedAndRemoved<Sentence>;
}

/**
 * Both rehearsals must be of the same copy of the account, and have counted the messages of each person. A record is the same in both if it
 * belongs to the same item of a campaign, also under an earlier key that one of the files names. Otherwise the id decides. What a rehearsal
 * makes gets another id if more was made before it.
 */
export function compareRehearsals(before: RehearsalResult, after: RehearsalResult): RehearsalDifference {
  const [ofBefore, ofAfter] = [itemTextsOf(before), itemTextsOf(after)];
  const known = (ref: string, side: Side): string => (side === 0 ? ofBefore : ofAfter)(ref);
  const textOfBoth = createSameItemTexts([...before.campaigns, ...after.campaigns]);
  const knownInBoth = (ref: string, side: Side): string => {
    const item = (side === 0 ? before : after).items.get(ref);
    return item === undefined ? ref : textOfBoth(item);
  };
  return {
    renamed: listRenamed(before.campaigns, after.campaigns, textOfBoth),
    sends: pairUp(before.sends, after.sends, [
      ({ task }, side) => `${known(`task ${task}`, side)} ${task}`,
      ({ task }, side) => known(`task ${task}`, side),
      ({ task }, side) => knownInBoth(`task ${task}`, side),
      // The same item in a campaign that has another name.
      ({ key }) => key ?? undefined,
    ])
      .flatMap(([old, now]) => changeOf(old, now, SEND_MEMBERS))
      .toSorted((one, two) => timeOf(one) - timeOf(two)),
    people: {
      mostInADay: { before: before.people.mostInADay, after: after.people.mostInADay },
      mostInAWeek: { before: before.people.mostInAWeek, after: after.people.mostInAWeek },
      messages: comparePeople(before.messagesPerPerson, after.messagesPerPerson),
    },
    rules: pairUp(rulesByItem(before, ofBefore), rulesByItem(after, ofAfter), [
      ({ rule }, side) => known(`rule ${rule}`, side),
      ({ rule }, side) => knownInBoth(`rule ${rule}`, side),
      ({ key }) => key ?? undefined,
    ]).flatMap(([old, now]) => changeOf(old, now, RULE_MEMBERS)),
    credits: {
      email: { before: before.spent.email, after: after.spent.email },
      sms: { before: before.spent.sms, after: after.spent.sms },
    },
    findings: compareLists(
      before.findings,
      after.findings,
      ({ rule, severity, message }, side) =>
        `${rule} ${severity} ${subjectOf(message, (ref) => knownInBoth(ref, side))}`,
    ),
    unknown: compareLists(before.unknown, after.unknown, (sentence, side) =>
      subjectOf(sentence, (ref) => knownInBoth(ref, side)),
    ),
  };
}

/** Returns a function that returns the item of a record as text, or the reference to a record of no item. */
function itemTextsOf({ items, campaigns }: RehearsalResult): (ref: string) => string {
  const textOfItem = createSameItemTexts(campaigns);
  return (ref) => {
    const item = items.get(ref);
    return item === undefined ? ref : textOfItem(item);
  };
}

/** A series is one item, and so is a sequence whose steps keep their keys. */
function listRenamed(
  before: readonly Campaign[],
  after: readonly Campaign[],
  textOfItem: ReturnType<typeof createSameItemTexts>,
): readonly Renamed[] {
  const campaigns = pairUp(before, after, [
    ({ campaign }) => campaign,
    ({ campaign }) => textOfItem(markedItem(campaign, 'task', '')),
  ]);
  const found = new Map<string, Renamed>();
  const add = (kind: Renamed['kind'], old = '', now = ''): void => {
    if (old !== now) found.set(`${kind} ${old} ${now}`, { kind, before: old, after: now });
  };
  for (const [old, now] of campaigns) {
    if (old === null || now === null) continue;
    add('campaign', old.campaign, now.campaign);
    const items = pairUp(old.items, now.items, [
      ({ kind, key }) => `${kind} ${key}`,
      ({ kind, key }, side) => textOfItem(markedItem((side === 0 ? old : now).campaign, kind, key)),
    ]);
    for (const [one, other] of items) {
      if (one === null || other === null) continue;
      const [step, otherStep] = [parseStepItemKey(one.key), parseStepItemKey(other.key)];
      if (step && otherStep) add('sequence', step.sequence, otherStep.sequence);
      if (step?.step !== otherStep?.step || !step) add(one.kind, keyInFile(one.key), keyInFile(other.key));
    }
  }
  return [...found.values()];
}

/** Ignores `unknown`, because limits of a rehearsal are not effects of a campaign. */
export const isWithoutDifference = ({
  sends,
  people,
  rules,
  credits,
  findings,
}: RehearsalDifference): boolean =>
  [sends, rules, people.messages, findings.added, findings.removed].every(({ length }) => length === 0) &&
  [people.mostInADay, people.mostInAWeek, credits.email, credits.sms].every(isSameInBoth);

const isSameInBoth = ({ before, after }: Both<number>): boolean => before === after;

/** Without the ids and the balance, which follow from everything that was made and sent before. */
const SEND_MEMBERS = [
  ...(['name', 'time', 'until', 'channel', 'list', 'search'] as const),
  ...(['size', 'sent', 'leftOut', 'credits'] as const),
] as const;
const RULE_MEMBERS = ['name', 'ran', 'sent', 'skipped', 'queued'] as const;

function changeOf<T extends object>(
  before: T | null,
  after: T | null,
  members: readonly (keyof T)[],
): readonly Change<T>[] {
  if (before === null || after === null)
    return [{ change: before === null ? 'added' : 'removed', differs: [], before, after }];
  const differs = members.filter((member) => textOf(before[member]) !== textOf(after[member]));
  return differs.length === 0 ? [] : [{ change: 'changed', differs, before, after }];
}

const textOf = (value: unknown): string =>
  JSON.stringify(typeof value === 'object' && value !== null ? Object.entries(value).sort() : value);

const timeOf = ({ before, after }: Change<RehearsedSend>): number => (after ?? before)?.time ?? 0;

/** A rule that another one replaced still performs its queued actions, so both count as one. */
function rulesByItem(
  result: RehearsalResult,
  itemText: ReturnType<typeof itemTextsOf>,
): readonly RehearsedRuleCounts[] {
  const found = new Map<string, RehearsedRuleCounts>();
  for (const rule of [...result.rules, ...result.idleRules]) {
    const identity = itemText(`rule ${rule.rule}`);
    const other = found.get(identity);
    const sum = (member: 'ran' | 'sent' | 'skipped' | 'queued'): number =>
      rule[member] + (other?.[member] ?? 0);
    const newest = other !== undefined && idIn(other.rule) > idIn(rule.rule) ? other : rule;
    found.set(identity, {
      ...newest,
      ...{ ran: sum('ran'), sent: sum('sent'), skipped: sum('skipped'), queued: sum('queued') },
    });
  }
  return [...found.values()];
}

const idIn = (rule: string): number => Number(rule.split(':').at(-1));

type Side = 0 | 1;

/** @param identities from the most to the least certain; each pairs what those before it have left */
function pairUp<T>(
  before: readonly T[],
  after: readonly T[],
  identities: readonly ((each: T, side: Side) => string | undefined)[],
): readonly (readonly [before: T | null, after: T | null])[] {
  const partners = new Map<T, T>();
  const left = new Set(before);
  for (const identity of identities) {
    const waiting = new Map<string, T[]>();
    for (const each of left) {
      const name = identity(each, 0);
      if (name !== undefined) waiting.set(name, [...(waiting.get(name) ?? []), each]);
    }
    for (const each of after) {
      const name = partners.has(each) ? undefined : identity(each, 1);
      const partner = name === undefined ? undefined : waiting.get(name)?.shift();
      if (partner === undefined) continue;
      partners.set(each, partner);
      left.delete(partner);
    }
  }
  return [
    ...after.map((each) => [partners.get(each) ?? null, each] as const),
    ...[...left].map((each) => [each, null] as const),
  ];
}

type MessagesPerPerson = RehearsalResult['messagesPerPerson'];

function comparePeople(before: MessagesPerPerson, after: MessagesPerPerson): readonly ChangedPeople[] {
  const found = new Map<number, { more: number; fewer: number }>();
  for (const person of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(person) ?? 0, after.get(person) ?? 0];
    for (let messages = Math.min(old, now) + 1; messages <= Math.max(old, now); messages += 1) {
      const counts = found.get(messages) ?? { more: 0, fewer: 0 };
      counts[now > old ? 'more' : 'fewer'] += 1;
      found.set(messages, counts);
    }
  }
  return [...found].map(([messages, counts]) => ({ messages, ...counts })).sort(byMessages);
}

const byMessages = (one: ChangedPeople, two: ChangedPeople): number => one.messages - two.messages;

/** Something that is twice in one list needs two partners in the other. */
function compareLists<T>(
  before: readonly T[],
  after: readonly T[],
  identity: (each: T, side: Side) => string,
): AddedAndRemoved<T> {
  const pairs = pairUp(
    before.map((value) => ({ value })),
    after.map((value) => ({ value })),
    [({ value }, side) => identity(value, side)],
  );
  return {
    added: pairs.flatMap(([old, now]) => (old === null && now !== null ? [now.value] : [])),
    removed: pairs.flatMap(([old, now]) => (old !== null && now === null ? [old.value] : [])),
  };
}

/**
 * Returns the records of a sentence, or its words if it names none. So a task that runs out of credits after 290 recipients, not 300, is
 * the same finding. The title of a message does not count, because the message may have moved from the account to a file.
 */
function subjectOf(sentence: Sentence, known: (ref: string) => string): string {
  const records = sentence.flatMap((part) => {
    if (typeof part === 'string' || 'title' in part) return [];
    return [known('rule' in part ? `rule ${part.rule}` : `task ${part.task}`)];
  });
  return records.length > 0 ? records.join() : sentence.filter((part) => typeof part === 'string').join('');
}
