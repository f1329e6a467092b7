/**
 * Defines the result of a rehearsal, as `svc rehearse -o json` prints it (contract, "Rehearse"). Finds sends that are allowed but probably
 * unwanted. All times are Unix seconds.
 */
import { type AutomationRule, ruleActionHour } from '../automations/rules.ts';
import type { Channel } from '../resources/task.ts';
import type { UtcOffsetSpan } from '../sandbox/store/rehearsal.ts';
import { isNight } from '../sends/send-time.ts';
import { formatDuration } from '../text/duration.ts';
import { formatTime } from '../text/timezone.ts';

/** Result of one task that was sent in the rehearsal: the time, the recipients and the credits. */
export interface RehearsedSend {
  /** Time of the send in Unix seconds. */
  readonly time: number;
  /** Time of the last message in Unix seconds. Null if the send has not ended in the rehearsal. */
  readonly until: number | null;
  /** Time of the send in the company's zone. @example `2026-12-01 09:00` */
  readonly local: string;
  readonly task: number;
  readonly name: string;
  /** Key of the task in the campaign file. Null for a task that no file names. */
  readonly key: string | null;
  readonly channel: Channel;
  readonly list: number | null;
  readonly search: number | null;
  /** Number of subscriptions that the service found when the task was made. Null if no task and no flag shows the number, as are `sent` and `credits`. */
  readonly size: number | null;
  readonly sent: number | null;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly credits: number | null;
  /** Credits that are left after the send; null if they are not known. */
  readonly balance: number | null;
}

/** Returns the title of a task. @example `task 5 (Spring)` */
export const titleOf = ({ task, name }: Pick<RehearsedSend, 'task' | 'name'>): string =>
  `task ${task} (${name})`;

/** Numbers of actions that an automation rule performed in the rehearsal. */
export interface RehearsedRuleCounts {
  /** Kind and id of the rule. @example `click:3` */
  readonly rule: string;
  readonly name: string;
  /** Key of the rule in the campaign file. Null for a rule that no file names. */
  readonly key: string | null;
  /** Number of actions that were performed. */
  readonly ran: number;
  readonly sent: number;
  /** Number of actions that were not possible, such as the send of a message when no credits were left. */
  readonly skipped: number;
  /** Number of actions that are due after the end of the rehearsal. */
  readonly queued: number;
}

/** Problem that a rehearsal has found. */
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
  readonly message: string;
  /** Position in the campaign file, or local time at which the problem occurs. @example `spring.yaml:12:3`, `2026-12-01 22:00` */
  readonly at: string | null;
}

export interface RehearsalResult {
  readonly company: { readonly id: number; readonly name: string };
  /** Time at which the rehearsal begins, in Unix seconds. */
  readonly from: number;
  readonly until: number;
  readonly sends: readonly RehearsedSend[];
  readonly rules: readonly RehearsedRuleCounts[];
  readonly people: { readonly mostInADay: number; readonly mostInAWeek: number };
  readonly findings: readonly RehearsalFinding[];
  /** True if numbers of recipients are estimates, because some facts about people are unknown. */
  readonly estimated: boolean;
  readonly unknown: readonly string[];
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

const warning = (rule: RehearsalFinding['rule'], message: string, at: string): RehearsalFinding => ({
  ...{ rule, severity: 'warning', message, at },
});

function nightOf(send: RehearsedSend, zone: string): readonly RehearsalFinding[] {
  const titled = titleOf(send);
  if (isNight(send.time, zone))
    return [
      warning('night', `${titled} is sent at night, at ${send.local.slice(-5)} in ${zone}`, send.local),
    ];
  const { time, until } = send;
  if (until === null || !hasNightBetween(time, until, zone)) return [];
  const end = formatTime(until, zone, 'table');
  return [
    warning('night', `${titled} is still being sent at night: it ends at ${end} in ${zone}`, send.local),
  ];
}

/** Reports whether the night begins between two times. A night is longer than an hour, so no night is missed. */
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
      `${titleOf(send)}: ${send.local} exists twice, because the clocks go back; the message is sent at ${long}`,
      send.local,
    ),
  ];
}

/**
 * Finds the hours of rules that a clock change skips.
 * @param periods the periods of the rehearsal, between clock changes
 */
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
      const late = `rule ${rule.ref}: ${local} does not exist, because the clocks go forward; the rule acts a day later`;
      return [warning('clock-change', late, local)];
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
      warning('too-close', `${titleOf(send)} goes to ${audience} ${gap} ${titleOf(before)}`, send.local),
    );
  }
  return findings;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Returns the offset of the time zone from UTC at this time, in seconds. The offset is positive east of Greenwich. */
function utcOffsetAt(time: number, zone: string): number {
  const found = / ([+-])([0-9]{2}):([0-9]{2}) \(/.exec(formatTime(time, zone, 'long'));
  if (!found) return 0;
  const [, sign, hours, minutes] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60);
}

/** Returns the periods between two times in which the time zone's offset from UTC stays the same. The last period has no end. */
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

/** Returns the time, in Unix seconds, at which the clocks change between two given times. */
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

/** Reports whether the local time at this moment occurs twice, because the clocks go back within three hours of this moment. */
function isRepeatedLocalTime(time: number, zone: string): boolean {
  const offset = utcOffsetAt(time, zone);
  return [-1, 1].some((direction) => {
    const change = offset - utcOffsetAt(time + direction * 3 * HOUR, zone);
    if (change === 0) return false;
    const twin = time + change;
    return twin !== time && formatTime(twin, zone, 'table') === formatTime(time, zone, 'table');
  });
}
