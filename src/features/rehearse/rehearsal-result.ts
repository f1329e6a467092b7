/** Defines the result of a rehearsal, as `svc rehearse -o json` prints it (contract, "Rehearse"). Finds sends that are probably unwanted. */

import { isNight } from '../../client/sends/send-time.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import type { UtcOffsetSpan } from '../../sandbox/store/rehearsal.ts';
import { type AutomationRule, ruleActionHour } from '../../service/automations/rules.ts';
import type { Channel, MessageRecord } from '../../service/resources/task.ts';
import type { Campaign } from '../campaign/model.ts';
import type { MarkedItem } from '../campaign/renames.ts';
import type { SequenceStepTiming } from '../campaign/sequences.ts';
import type { Repeat } from '../campaign/series.ts';

export interface RehearsedSend {
  readonly time: number;
  /** Null if the send has not ended in the rehearsal. */
  readonly until: number | null;
  /** Time in the company's zone, such as `2026-12-01 09:00`. */
  readonly local: string;
  readonly task: number;
  readonly name: string;
  /** Null for a task that no campaign file names. */
  readonly key: string | null;
  readonly channel: Channel;
  readonly list: number | null;
  readonly search: number | null;
  /** Number of subscriptions that the service found when the task was made. Null if no task and no flag shows the number, as are `sent` and `credits`. */
  readonly size: number | null;
  readonly sent: number | null;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly credits: number | null;
  readonly balance: number | null;
}

/** A sentence about records. A page puts in their names, and a comparison knows them by more than their ids. */
export type Sentence = readonly SentencePart[];

/** `title` names a message, whose text the rest of the sentence is about. */
export type SentencePart =
  | string
  | { readonly rule: string }
  | Pick<RehearsedSend, 'task' | 'name'>
  | { readonly title: string };

const taskIn = ({ task, name }: RehearsedSend): SentencePart => ({ task, name });

export interface RehearsedRuleCounts {
  /** Kind and id: `click:3`. */
  readonly rule: string;
  readonly name: string;
  /** Null for a rule that no campaign file names. */
  readonly key: string | null;
  readonly ran: number;
  readonly sent: number;
  /** For example, a message is not sent when no credits are left. */
  readonly skipped: number;
  /** Due after the end of the rehearsal. */
  readonly queued: number;
}

/** A sequence of a campaign file, with how many people got each step. */
export interface RehearsedSequence {
  readonly key: string;
  readonly name: string;
  readonly list: number;
  readonly steps: readonly RehearsedStep[];
}

export interface RehearsedStep extends SequenceStepTiming {
  readonly key: string;
  /** Null if the rehearsal made no rule of the step, for example because its message is missing. */
  readonly rule: string | null;
  readonly sent: number;
  /** Due after the end of the rehearsal. */
  readonly queued: number;
  /** Local days on which people got the step. Times are Unix seconds. */
  readonly days: readonly {
    readonly day: string;
    readonly first: number;
    readonly last: number;
    readonly sent: number;
  }[];
}

/** A series of a campaign file, with those of its times that are in the rehearsal. */
export interface RehearsedSeries extends Pick<Repeat, 'every' | 'until' | 'times'> {
  readonly key: string;
  readonly name: string;
  readonly list: number | null;
  readonly search: number | null;
  readonly sends: readonly (Pick<RehearsedSend, 'time' | 'task' | 'size' | 'sent'> & {
    readonly day: string;
  })[];
}

export interface RehearsalFinding {
  readonly rule:
    | 'blocked'
    | 'clock-change'
    | 'credits-short'
    | 'lint'
    | 'locked'
    | 'loop'
    | 'night'
    | 'too-close';
  readonly severity: 'error' | 'warning';
  readonly message: Sentence;
  /** Position in the campaign file, or local time: `spring.yaml:12:3`, `2026-12-01 22:00`. */
  readonly at: string | null;
}

/** A message that is sent in the rehearsal, as the account or the campaign has it. */
export interface RehearsedMessage {
  readonly channel: Channel;
  readonly record: MessageRecord;
  /** Names of the tasks and rules that send it. */
  readonly sentBy: readonly string[];
}

export interface RehearsalResult {
  readonly company: { readonly id: number; readonly name: string };
  readonly from: number;
  readonly until: number;
  readonly sends: readonly RehearsedSend[];
  readonly rules: readonly RehearsedRuleCounts[];
  readonly sequences: readonly RehearsedSequence[];
  readonly series: readonly RehearsedSeries[];
  readonly people: { readonly mostInADay: number; readonly mostInAWeek: number };
  readonly findings: readonly RehearsalFinding[];
  /** Some facts about people are unknown. */
  readonly estimated: boolean;
  readonly unknown: readonly Sentence[];
  /** For pages with previews. Neither this member nor those below are in the JSON. */
  readonly messages: readonly RehearsedMessage[];
  /** The other rules of the account. They neither act in the rehearsal nor have queued actions. */
  readonly idleRules: readonly RehearsedRuleCounts[];
  /** The campaign files. Each time of a series is a task. */
  readonly campaigns: readonly Campaign[];
  /** Item of a campaign to which a record belongs, by `task 5` and `rule click:3`. Other records are missing. */
  readonly items: ReadonlyMap<string, MarkedItem>;
  readonly spent: Readonly<Record<Channel, number>>;
  /** Number of messages by subscriber id. Empty unless `countsMessagesPerPerson` is set. */
  readonly messagesPerPerson: ReadonlyMap<number, number>;
}

/** Finds sends at night, at a local time that occurs twice, and to one list within `apart` seconds. */
export function findSendProblems(
  sends: readonly RehearsedSend[],
  { zone, apart: minimumGap }: { readonly zone: string; readonly apart: number },
): readonly RehearsalFinding[] {
  return [
    ...sends.flatMap((send) => [...nightOf(send, zone), ...clockChangeOf(send, zone)]),
    ...closeTogether(sends, minimumGap),
  ];
}

const warning = (rule: RehearsalFinding['rule'], message: Sentence, at: string): RehearsalFinding => ({
  ...{ rule, severity: 'warning', message, at },
});

function nightOf(send: RehearsedSend, zone: string): readonly RehearsalFinding[] {
  const titled = taskIn(send);
  if (isNight(send.time, zone))
    return [
      warning('night', [titled, ` is sent at night, at ${send.local.slice(-5)} in ${zone}`], send.local),
    ];
  const { time, until } = send;
  if (until === null || !hasNightBetween(time, until, zone)) return [];
  const end = formatTime(until, zone, 'table');
  return [
    warning('night', [titled, ` is still being sent at night: it ends at ${end} in ${zone}`], send.local),
  ];
}

/** A night is longer than an hour, so no night is missed. */
function hasNightBetween(from: number, until: number, zone: string): boolean {
  for (let time = from; time < until; time += HOUR) if (isNight(time, zone)) return true;
  return isNight(until, zone);
}

function clockChangeOf(send: RehearsedSend, zone: string): readonly RehearsalFinding[] {
  if (!isRepeatedLocalTime(send.time, zone)) return [];
  const long = formatTime(send.time, zone, 'long');
  return [
    warning(
      'clock-change',
      [
        taskIn(send),
        `: ${send.local} exists twice, because the clocks go back; the message is sent at ${long}`,
      ],
      send.local,
    ),
  ];
}

/** Finds the hours of rules that a clock change skips. */
export const findSkippedHours = (
  rules: readonly AutomationRule[],
  periods: readonly UtcOffsetSpan[],
): readonly RehearsalFinding[] =>
  periods.slice(1).flatMap(({ offset }, at) => {
    const { until, offset: before } = periods[at] ?? { until: 0, offset };
    // Local times in seconds, as if they were UTC. Clocks skip those from `gap` on.
    const gap = until + before;
    return rules.flatMap((rule) => {
      const hour = Number.parseInt(ruleActionHour(rule) ?? '', 10);
      const time = gap - (gap % DAY) + hour * HOUR;
      if (!(time >= gap && time < until + offset)) return [];
      const local = formatTime(time, 'UTC', 'table');
      const late = `: ${local} does not exist, because the clocks go forward; the rule acts a day later`;
      return [warning('clock-change', ['rule ', { rule: rule.ref }, late], local)];
    });
  });

function closeTogether(sends: readonly RehearsedSend[], apart: number): readonly RehearsalFinding[] {
  const findings: RehearsalFinding[] = [];
  const last = new Map<string, RehearsedSend>();
  for (const send of [...sends].sort((a, b) => a.time - b.time)) {
    if (send.list === null && send.search === null) continue;
    const audience = send.list === null ? `search ${send.search ?? ''}` : `list ${send.list}`;
    const before = last.get(audience);
    last.set(audience, send);
    if (!before || send.time - before.time >= apart) continue;
    const gap =
      send.time === before.time ? 'at the same time as' : `${formatDuration(send.time - before.time)} after`;
    findings.push(
      warning('too-close', [taskIn(send), ` goes to ${audience} ${gap} `, taskIn(before)], send.local),
    );
  }
  return findings;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Seconds, positive east of Greenwich. */
function utcOffsetAt(time: number, zone: string): number {
  const found = / ([+-])([0-9]{2}):([0-9]{2}) \(/.exec(formatTime(time, zone, 'long'));
  if (!found) return 0;
  const [, sign, hours, minutes] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60);
}

/** The offset from UTC stays the same in each period. The last period has no end. */
export function listUtcOffsetPeriods(from: number, until: number, zone: string): readonly UtcOffsetSpan[] {
  const spans: UtcOffsetSpan[] = [];
  let offset = utcOffsetAt(from, zone);
  for (let time = from; time < until; time += HOUR) {
    const next = utcOffsetAt(time + HOUR, zone);
    if (next === offset) continue;
    spans.push({ until: changeBetween(time, time + HOUR, zone), offset });
    offset = next;
  }
  return [...spans, { until: Number.MAX_SAFE_INTEGER, offset }];
}

/** Unix seconds. */
function changeBetween(before: number, after: number, zone: string): number {
  const first = utcOffsetAt(before, zone);
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (utcOffsetAt(middle, zone) === first) low = middle;
    else high = middle;
  }
  return high;
}

/** The clocks go back within three hours of this moment. */
function isRepeatedLocalTime(time: number, zone: string): boolean {
  const offset = utcOffsetAt(time, zone);
  return [-1, 1].some((direction) => {
    const change = offset - utcOffsetAt(time + direction * 3 * HOUR, zone);
    if (change === 0) return false;
    const twin = time + change;
    return twin !== time && formatTime(twin, zone, 'table') === formatTime(time, zone, 'table');
  });
}
