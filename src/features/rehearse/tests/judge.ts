/** Decides whether the statements of a played test hold, and says what happened instead. */

import { assertNever } from '../../../kit/schema/resource.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { formatTime, localDayNumber } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import { listTasksUnfinishedAt } from '../../../sandbox/store/rehearsal.ts';
import { listQueuedActionsOf, type ReceivedMessage } from '../../../sandbox/store/timeline.ts';
import type { MeasureName } from '../../campaign/test-file/grammar.ts';
import type {
  Count,
  Limit,
  MemberLimit,
  Reference,
  Slots,
  Statement,
} from '../../campaign/test-file/statement.ts';
import type { CampaignTest } from '../../campaign/test-file/test-file.ts';
import { isOf, isStep, type PlayedTest } from './play.ts';

/** Why a statement does not hold. */
export interface Contradiction {
  /** A sentence about what happened instead. */
  readonly happened: string;
  /** Unix seconds of the line of the timeline that contradicts the statement. Null if something is missing. */
  readonly time: number | null;
  /** Task or rule that caused it, such as `thank-you (click:3)`. */
  readonly cause: string | null;
}

export interface JudgedStatement {
  readonly statement: Statement;
  readonly contradiction: Contradiction | undefined;
}

/** @param only index of the statement to judge; default: all */
export async function judgeTest(
  test: CampaignTest,
  played: PlayedTest,
  only?: number,
): Promise<readonly JudgedStatement[]> {
  const judged: JudgedStatement[] = [];
  let origin = { time: played.account.start, words: 'the start' };
  for (const [index, statement] of test.statements.entries()) {
    const isAction = Boolean(isStep(statement));
    const step = isAction ? played.steps.get(index) : undefined;
    if (step?.time !== undefined) origin = { time: step.time, words: `"${statement.text}"` };
    if (only !== undefined && index !== only) continue;
    const contradiction =
      statement.kind === 'measure'
        ? await measured(statement.name, statement.limits, played)
        : isAction
          ? stepProblem(step, played)
          : await checked(statement.name, statement.slots, played, origin);
    judged.push({ statement, contradiction });
  }
  return judged;
}

interface Origin {
  readonly time: number;
  readonly words: string;
}

const contradiction = (happened: string, message?: ReceivedMessage, played?: PlayedTest): Contradiction => ({
  happened,
  time: message?.time ?? null,
  cause: message && played ? causeOf(message, played) : null,
});

const stepProblem = (
  step: { readonly time: number | undefined; readonly problem?: string } | undefined,
  played: PlayedTest,
): Contradiction | undefined =>
  step?.problem === undefined
    ? undefined
    : {
        happened: `this step was not possible${step.time === undefined ? '' : ` at ${localTime(step.time, played)}`}: ${step.problem}`,
        time: step.time ?? null,
        cause: null,
      };

const localTime = (time: number, { account }: PlayedTest): string => formatTime(time, account.zone, 'table');

/** Returns `newsletter (task 5)` or `thank-you (click:3)`. */
function causeOf({ task, ruleKind, rule }: ReceivedMessage, { campaign }: PlayedTest): string {
  if (task !== null) return campaign.labelOf('task', task);
  return campaign.labelOf(`rule ${ruleKind ?? 'click'}`, rule ?? 0);
}

const lineOf = (message: ReceivedMessage, played: PlayedTest): string => {
  const { channel, message: id } = message;
  return `${localTime(message.time, played)} ${played.campaign.labelOf(channel, id)} by ${causeOf(message, played)}`;
};

const countPeople = (count: number): string => (count === 1 ? '1 person' : `${groupThousands(count)} people`);

const MOST_LINES = 5;

function linesOf(messages: readonly ReceivedMessage[], played: PlayedTest): string {
  const shown = messages.slice(0, MOST_LINES).map((each) => lineOf(each, played));
  const more = messages.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

async function checked(
  name: (Statement & { readonly kind: 'sentence' })['name'],
  slots: Slots,
  played: PlayedTest,
  origin: Origin,
): Promise<Contradiction | undefined> {
  const { person = '', list = 0, message, within } = slots;
  const from = within === undefined ? played.account.start : origin.time;
  const until = within === undefined ? played.end : origin.time + within;
  const inTime = ({ time }: ReceivedMessage): boolean => time >= from && time <= until;
  const span = within === undefined ? '' : ` within ${formatDuration(within)} of ${origin.words}`;
  switch (name) {
    case 'receives-nothing': {
      const received = (await played.messages(person)).filter(inTime);
      const [first] = received;
      return first && contradiction(`${person} received ${linesOf(received, played)}`, first, played);
    }
    case 'receives-count':
    case 'receives-times': {
      const all = (await played.messages(person)).filter(inTime);
      const received = message ? all.filter((each) => isOf(each, played.campaign.targets(message))) : all;
      const count = slots.count ?? slots.times;
      if (!count || fits(received.length, count)) return undefined;
      const last = received.length > count.most ? received[count.most] : undefined;
      const lines = received.length === 0 ? '' : `: ${linesOf(received, played)}`;
      return contradiction(
        `${person} received ${message ? `${message.text} ${formatCountWithNoun(received.length, 'time')}` : formatCountWithNoun(received.length, 'message')}${span}${lines}`,
        last,
        played,
      );
    }
    case 'receives': {
      if (!message) return undefined;
      const received = (await played.messages(person)).filter((each) =>
        isOf(each, played.campaign.targets(message)),
      );
      if (received.some(inTime)) return undefined;
      return notReceived(person, message, { received, span, until, origin }, played);
    }
    case 'receives-not': {
      if (!message) return undefined;
      const received = (await played.messages(person)).filter(
        (each) => inTime(each) && isOf(each, played.campaign.targets(message)),
      );
      const [first] = received;
      return first && contradiction(`${person} received ${linesOf(received, played)}`, first, played);
    }
    case 'on-list':
    case 'off-list':
      return listContradiction(name, { person, list, within, from, until, span }, played);
    case 'list-receives-nothing':
    case 'list-receives-not': {
      const members = new Set(played.listsAtStart.get(list));
      const received = (await played.messages()).filter(
        (each) => members.has(each.subscriber) && (!message || isOf(each, played.campaign.targets(message))),
      );
      const [first] = received;
      const people = new Set(received.map(({ subscriber }) => subscriber)).size;
      return (
        first &&
        contradiction(
          `${groupThousands(people)} of ${countPeople(members.size)} on list ${list} received a message; the first: ${first.address}, ${lineOf(first, played)}`,
          first,
          played,
        )
      );
    }
    default:
      return undefined;
  }
}

const fits = (value: number, { least, most }: Count): boolean => value >= least && value <= most;

async function notReceived(
  person: string,
  message: Reference,
  {
    received,
    span,
    until,
    origin,
  }: {
    readonly received: readonly ReceivedMessage[];
    readonly span: string;
    readonly until: number;
    readonly origin: Origin;
  },
  played: PlayedTest,
): Promise<Contradiction> {
  const late = received.find(({ time }) => time > until) ?? received.at(-1);
  if (late) {
    const apart = late.time - origin.time;
    const when = apart < 0 ? 'before' : 'after';
    return contradiction(
      `${person} received it ${formatDuration(Math.abs(apart))} ${when} ${origin.words}: ${lineOf(late, played)}`,
      late,
      played,
    );
  }
  const others = await played.messages(person);
  const got =
    others.length === 0
      ? `${person} received no message at all`
      : `${person} received only ${linesOf(others, played)}`;
  const why = await reasonsWhyNot(person, message, played);
  return contradiction(`${person} did not receive ${message.text}${span}; ${[got, ...why].join('; ')}`);
}

/** Says what a rule has queued for the person, and to how many others the task was sent. */
async function reasonsWhyNot(
  person: string,
  message: Reference,
  played: PlayedTest,
): Promise<readonly string[]> {
  const { account, campaign, db } = played;
  const id = account.people.get(person) ?? 0;
  const queued = await listQueuedActionsOf(db, id);
  const { tasks, emails, sms } = campaign.targets(message);
  const sent = (await listTasksUnfinishedAt(db, account.companyId, account.start)).filter(
    (task) => tasks.has(task.id) || (task.channel === 'sms' ? sms : emails).has(task.message_id),
  );
  const lists = played.lists.get(person)?.[0]?.lists ?? [];
  return [
    ...sent.map((task) => {
      const label = campaign.labelOf('task', task.id);
      const audience = task.list_id === null ? `search ${task.search_id}` : `list ${task.list_id}`;
      if (task.started === 0)
        return `${label} begins at ${localTime(Number(task.scheduledtime), played)}, after the end of the test`;
      const stopped = task.stopped === null ? '' : `, then stopped (${task.stopped})`;
      return `${label} went to ${countPeople(task.sent)} of ${audience}${stopped}`;
    }),
    ...(sent.length > 0
      ? [
          lists.length === 0
            ? `${person} was on no list at the start`
            : `${person} was on list ${lists.join(', ')} at the start`,
        ]
      : []),
    ...queued
      .slice(0, 3)
      .map(
        ({ rule_kind, rule_id, due }) =>
          `${campaign.labelOf(`rule ${rule_kind}`, rule_id)} is due for ${person} at ${localTime(due, played)}`,
      ),
  ];
}

function listContradiction(
  name: 'on-list' | 'off-list',
  {
    person,
    list,
    within,
    from,
    until,
    span,
  }: {
    readonly person: string;
    readonly list: number;
    readonly within: number | undefined;
    readonly from: number;
    readonly until: number;
    readonly span: string;
  },
  played: PlayedTest,
): Contradiction | undefined {
  const history = played.lists.get(person) ?? [];
  const spans = history.map(({ time, lists }, at) => ({
    time,
    isOn: lists.includes(list),
    end: history[at + 1]?.time ?? Number.POSITIVE_INFINITY,
  }));
  const on = spans.filter(({ isOn }) => isOn);
  const isMet =
    within === undefined
      ? spans.at(-1)?.isOn === true
      : on.some(({ time, end }) => time <= until && end > from);
  if (isMet === (name === 'on-list')) return undefined;
  const joined = on.find(({ time }) => time >= from) ?? on.at(-1);
  const left =
    joined && Number.isFinite(joined.end) ? `, and left it at ${localTime(joined.end, played)}` : '';
  const happened = joined
    ? joined.time === played.account.start
      ? `${person} was on list ${list} from the start${left}`
      : `${person} came on list ${list} at ${localTime(joined.time, played)}${left}`
    : `${person} was never on list ${list}${span}`;
  return { happened, time: joined?.time ?? null, cause: null };
}

async function measured(
  name: MeasureName,
  limits: readonly MemberLimit[],
  played: PlayedTest,
): Promise<Contradiction | undefined> {
  for (const limit of limits) {
    const found = await MEASURE[name](limit, played);
    if (found) return found;
  }
  return undefined;
}

type Measure = (limit: MemberLimit, played: PlayedTest) => Promise<Contradiction | undefined>;

const MEASURE: Readonly<Record<MeasureName, Measure>> = {
  'messages-per-person': messagesPerPerson,
  recipients: async ({ reference, limit }, played) => {
    if (!reference) return undefined;
    const people = await recipientsOf(reference, played);
    if (limit.kind === 'count')
      return fits(people, limit.count)
        ? undefined
        : contradiction(`${countPeople(people)} received ${reference.text}`);
    if (limit.kind !== 'share') return undefined;
    const all = await recipientsOf(limit.of, played);
    const share = all === 0 ? 0 : people / all;
    return fits(share, limit.count)
      ? undefined
      : contradiction(
          `${groupThousands(people)} people received ${reference.text}, which is ${Number((share * 100).toPrecision(3))}% of the ${groupThousands(all)} who received ${limit.of.text}`,
        );
  },
  credits: async ({ member, limit }, played) => {
    const spent = played.credits[member === 'sms' ? 'sms' : 'email'];
    if (limit.kind !== 'count' || fits(spent, limit.count)) return undefined;
    return contradiction(`the messages cost ${groupThousands(spent)} ${member} credits`);
  },
  sends: async ({ limit }, played) => sendsContradiction(limit, played),
  messages: async ({ member, limit }, played) => {
    const all = await played.messages();
    const counted = all.filter(({ channel }) => member === 'count' || channel === member);
    if (limit.kind === 'count')
      return fits(counted.length, limit.count)
        ? undefined
        : contradiction(
            `people received ${groupThousands(counted.length)} messages${member === 'count' ? '' : ` by ${member}`}`,
          );
    const outside = all.filter(({ time }) => isOutside(time, limit, played));
    const [first] = outside;
    return (
      first &&
      contradiction(
        `${formatCountWithNoun(outside.length, 'message')} outside of ${textOf(limit)}; the first: ${first.address}, ${weekdayTime(first.time, played)}, ${causeOf(first, played)}`,
        first,
        played,
      )
    );
  },
  'gap-between-messages': async ({ limit }, played) => {
    if (limit.kind !== 'least-time') return undefined;
    const last = new Map<number, ReceivedMessage>();
    let worst: readonly [ReceivedMessage, ReceivedMessage] | undefined;
    for (const message of await played.messages()) {
      const before = last.get(message.subscriber);
      last.set(message.subscriber, message);
      if (!before || message.time - before.time >= limit.seconds) continue;
      if (!worst || message.time - before.time < worst[1].time - worst[0].time) worst = [before, message];
    }
    return (
      worst &&
      contradiction(
        `${worst[1].address} received two messages ${apart(worst[1].time - worst[0].time)}: ${linesOf(worst, played)}`,
        worst[1],
        played,
      )
    );
  },
  'gap-between-sends': async ({ limit }, played) => {
    if (limit.kind !== 'least-time') return undefined;
    const last = new Map<string, Send>();
    for (const send of await sendsOf(played)) {
      const before = last.get(send.audience);
      last.set(send.audience, send);
      if (!before || send.time - before.time >= limit.seconds) continue;
      return {
        happened: `${before.label} at ${localTime(before.time, played)} and ${send.label} at ${localTime(send.time, played)} go to ${send.audience} ${apart(send.time - before.time)}`,
        time: send.time,
        cause: send.label,
      };
    }
    return undefined;
  },
};

const apart = (seconds: number): string =>
  seconds === 0 ? 'at the same time' : `${formatDuration(seconds)} apart`;

async function recipientsOf(reference: Reference, played: PlayedTest): Promise<number> {
  const targets = played.campaign.targets(reference);
  const people = (await played.messages()).filter((each) => isOf(each, targets));
  return new Set(people.map(({ subscriber }) => subscriber)).size;
}

async function messagesPerPerson({ member, span, limit }: MemberLimit, played: PlayedTest) {
  if (limit.kind !== 'count') return undefined;
  const byPerson = new Map<number, ReceivedMessage[]>();
  for (const message of await played.messages()) {
    const known = byPerson.get(message.subscriber);
    if (known) known.push(message);
    else byPerson.set(message.subscriber, [message]);
  }
  const bucketOf = bucketsOf(played.account.zone);
  let most: readonly ReceivedMessage[] = [];
  let fewest: readonly ReceivedMessage[] | undefined;
  for (const own of byPerson.values()) {
    for (const group of span === undefined ? groupsOf(own, bucketOf(member)) : windowsOf(own, span)) {
      if (group.length > most.length) most = group;
      if (!fewest || group.length < fewest.length) fewest = group;
    }
  }
  const unit = span === undefined ? UNITS[member] : ` within ${formatDuration(span)}`;
  const say = (group: readonly ReceivedMessage[], message: ReceivedMessage | undefined) =>
    contradiction(
      `${message?.address} received ${formatCountWithNoun(group.length, 'message')}${unit}: ${linesOf(group, played)}`,
      message,
      played,
    );
  if (most.length > limit.count.most) return say(most, most[limit.count.most]);
  return fewest && fewest.length < limit.count.least ? say(fewest, fewest.at(-1)) : undefined;
}

const UNITS: Readonly<Record<string, string>> = { day: ' in a day', week: ' in a week', test: '' };

/** Returns the local day or the local week from Monday of a time, as a number. A quarter of an hour is never in two of them. */
function bucketsOf(zone: string): (unit: string) => (time: number) => number {
  const days = new Map<number, number>();
  const dayOf = (time: number): number => {
    const quarter = Math.floor(time / 900);
    const known = days.get(quarter);
    if (known !== undefined) return known;
    const day = localDayNumber(quarter * 900, zone);
    days.set(quarter, day);
    return day;
  };
  return (unit) => (time) =>
    // 1 January 1970 was a Thursday, three days after a Monday.
    unit === 'day' ? dayOf(time) : unit === 'week' ? Math.floor((dayOf(time) + 3) / 7) : 0;
}

function groupsOf(
  messages: readonly ReceivedMessage[],
  bucket: (time: number) => number,
): readonly (readonly ReceivedMessage[])[] {
  if (messages.length === 1) return [messages];
  const groups = new Map<number, ReceivedMessage[]>();
  for (const message of messages) {
    const key = bucket(message.time);
    const known = groups.get(key);
    if (known) known.push(message);
    else groups.set(key, [message]);
  }
  return [...groups.values()];
}

/** Returns the messages that follow each message within less than `span` seconds, with that message. */
const windowsOf = (
  messages: readonly ReceivedMessage[],
  span: number,
): readonly (readonly ReceivedMessage[])[] =>
  messages.map((first, at) => messages.slice(at).filter(({ time }) => time < first.time + span));

interface Send {
  readonly label: string;
  readonly audience: string;
  readonly time: number;
  readonly until: number;
}

/** Returns the tasks that have begun since the start. */
async function sendsOf({ db, account, campaign }: PlayedTest): Promise<readonly Send[]> {
  const tasks = await listTasksUnfinishedAt(db, account.companyId, account.start);
  return tasks
    .filter(({ started }) => started === 1)
    .map((task) => {
      const time = Math.max(account.start, Number(task.scheduledtime));
      return {
        label: campaign.labelOf('task', task.id),
        audience: task.list_id === null ? `search ${task.search_id}` : `list ${task.list_id}`,
        time,
        until: task.endtime === null ? time : Math.max(time, Number(task.endtime)),
      };
    })
    .sort((a, b) => a.time - b.time);
}

async function sendsContradiction(limit: Limit, played: PlayedTest): Promise<Contradiction | undefined> {
  const sends = await sendsOf(played);
  if (limit.kind === 'count')
    return fits(sends.length, limit.count)
      ? undefined
      : contradiction(
          `there were ${formatCountWithNoun(sends.length, 'send')}${sends.length === 0 ? '' : `: ${sends.map(({ label, time }) => `${localTime(time, played)} ${label}`).join('; ')}`}`,
        );
  for (const { label, time, until } of sends)
    for (const each of [time, until])
      if (isOutside(each, limit, played))
        return {
          happened: `${label} ${each === time ? 'was sent' : 'was still being sent'} at ${weekdayTime(each, played)}`,
          time: each,
          cause: label,
        };
  return undefined;
}

export const weekdayTime = (time: number, { account }: Pick<PlayedTest, 'account'>): string =>
  formatTime(time, account.zone, 'weekday').slice(0, 'Tue 2026-12-01 09:00'.length);

function isOutside(time: number, limit: Limit, { account }: PlayedTest): boolean {
  switch (limit.kind) {
    case 'hours': {
      const [hour = 0, minute = 0] = formatTime(time, account.zone, 'clock').split(':').map(Number);
      const at = hour * 60 + minute;
      const { from, to } = limit;
      return !(from < to ? from <= at && at < to : from <= at || at < to);
    }
    case 'days':
      return !limit.days.has(formatTime(time, account.zone, 'weekday').slice(0, 3).toLowerCase());
    case 'count':
    case 'share':
    case 'least-time':
      return false;
    default:
      return assertNever(limit);
  }
}

const textOf = (limit: Limit): string => ('text' in limit ? limit.text : limit.count.text);
