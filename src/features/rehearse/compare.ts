/** Compares two rehearsals with the same people and seed (contract, "Rehearse", `--against`), and keeps what differs. */

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

export interface RehearsalDifference {
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
 * belongs to the same item of a campaign, or else has the same id: what a rehearsal makes gets another id if more was made before it.
 */
export function compareRehearsals(before: RehearsalResult, after: RehearsalResult): RehearsalDifference {
  const known = (ref: string, side: Side): string => (side === 0 ? before : after).items.get(ref) ?? ref;
  return {
    sends: pairUp(before.sends, after.sends, [
      ({ task }, side) => `${known(`task ${task}`, side)} ${task}`,
      ({ task }, side) => known(`task ${task}`, side),
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
    rules: pairUp(rulesByItem(before), rulesByItem(after), [
      ({ rule }, side) => known(`rule ${rule}`, side),
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
        `${rule} ${severity} ${subjectOf(message, (ref) => known(ref, side))}`,
    ),
    unknown: compareLists(before.unknown, after.unknown, (sentence, side) =>
      subjectOf(sentence, (ref) => known(ref, side)),
    ),
  };
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
function rulesByItem(result: RehearsalResult): readonly RehearsedRuleCounts[] {
  const found = new Map<string, RehearsedRuleCounts>();
  for (const rule of [...result.rules, ...result.idleRules]) {
    const identity = result.items.get(`rule ${rule.rule}`) ?? rule.rule;
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
