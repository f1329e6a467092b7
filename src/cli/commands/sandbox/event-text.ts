/** Describes an event of a recipient, such as a click, and the rules that the event triggered. */

import { formatDuration } from '../../../kit/text/duration.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import type { Answer } from '../../../sandbox/control/all.ts';
import { describeAction } from '../../../service/automations/rule-words.ts';
import type { ControlOperationName, ControlRequest } from '../../../service/protocol/control.ts';

type SimulatedEvent = Answer<Extract<ControlOperationName, `event ${string}`>>;
type TriggeredRule = SimulatedEvent['automations'][number];
type ShareEvent = Extract<SimulatedEvent, { readonly recipients: number }>;
type SingleEvent = Exclude<SimulatedEvent, ShareEvent>;
/** Arguments of the request, from which an inbound SMS takes its addresses. */
type Given = Partial<ControlRequest<'event sms-in'>>;

interface EventTimes {
  /** Unix seconds by the sandbox's clock. */
  readonly now: number;
  readonly zone: string;
}

const MAX_UNMATCHED = 10;

export function eventText(event: SimulatedEvent, given: Given, when: EventTimes): readonly string[] {
  if ('recipients' in event) return shareText(event, when);
  const { why, automations } = event;
  const matched = automations.filter((rule) => rule.matched);
  const others = automations.filter((rule) => !rule.matched);
  const none = why === null ? 'No rule was triggered.' : `No rule was triggered: ${why}.`;
  return [
    describeEvent(event, given, when),
    ...(matched.length === 0 ? [none] : ['Rules that the event triggered:']),
    ...matched.map((rule) => `  ${titleOf(rule)}: ${describeRuleOutcome(rule, when)}`),
    ...(others.length === 0 ? [] : ['Rules of the same kind that the event did not trigger:']),
    ...others.slice(0, MAX_UNMATCHED).map((rule) => `  ${titleOf(rule)}: ${rule.why}`),
    ...(others.length > MAX_UNMATCHED
      ? [`  and ${others.length - MAX_UNMATCHED} more; to see all, use -o json`]
      : []),
  ];
}

/** Returns undefined if the clock runs, or if no action is queued. @param now Unix seconds by the sandbox's clock */
export function formatHintToAdvanceClock(
  event: SimulatedEvent,
  isManualClock: boolean,
  now: number,
): string | undefined {
  if (!isManualClock) return undefined;
  if ('until' in event && event.until !== null)
    return `The sandbox's clock is manual: run svc sandbox clock advance ${shortDuration(Math.max(1, event.until - now))} to let the recipients react.`;
  const rules: readonly TriggeredRule[] = event.automations;
  const times = rules.flatMap(({ action, queued }) =>
    queued === null || action === 'notifyurl' ? [] : [queued],
  );
  if (times.length === 0) return undefined;
  const seconds = Math.max(1, Math.max(...times) - now);
  return `The sandbox's clock is manual: run svc sandbox clock advance ${shortDuration(seconds)} to run the queued actions.`;
}

function shareText(event: ShareEvent, when: EventTimes): readonly string[] {
  const { task, name, count, recipients, until, automations } = event;
  const people = `${groupThousands(count)} of the ${groupThousands(recipients)} recipients`;
  const [done, toCome] = SHARE_VERBS[event.event];
  const title = `task ${task} (${name})`;
  if (until !== null)
    return [`${people} ${toCome} ${title} until ${formatTime(until, when.zone, 'table')} (${when.zone}).`];
  const rules = automations.map(
    (rule) => `  ${titleOf(rule)}: ${groupThousands(rule.times)} times, ${describeRuleOutcome(rule, when)}`,
  );
  return [`${people} ${done} ${title}.`, ...(rules.length === 0 ? [] : ['Rules that ran:', ...rules])];
}

const SHARE_VERBS: Readonly<Record<ShareEvent['event'], readonly [string, string]>> = {
  open: ['opened', 'will open'],
  click: ['clicked a link of', 'will click a link of'],
  unsubscribe: ['unsubscribed from', 'will unsubscribe from'],
  complaint: ['complained about', 'will complain about'],
  bounce: ['bounced in', 'will bounce in'],
};

const titleOf = ({ rule, name }: TriggeredRule): string => `${rule} (${name})`;

function describeRuleOutcome(
  { action, target, queued, done, why }: TriggeredRule,
  { now, zone }: EventTimes,
): string {
  const words = describeAction(String(action), String(target));
  if (queued !== null) return `${words}, queued for ${dueWords(queued, now, zone)}`;
  return done ? `${words}, done` : `${words}, not done: ${why}`;
}

/** Returns `2026-12-01 10:00 (in 1 hour)`, or `now`. */
function dueWords(time: number, now: number, zone: string): string {
  return time <= now ? 'now' : `${formatTime(time, zone, 'table')} (in ${formatDuration(time - now)})`;
}

/** Returns `90s` or `10m`. Rounds a long duration up to days: `33d`. */
function shortDuration(seconds: number): string {
  const exact = UNITS.find(([unit]) => seconds % unit === 0);
  const [unit, letter] = exact ?? UNITS.find(([each]) => seconds >= 2 * each) ?? [1, 's'];
  return `${Math.ceil(seconds / unit)}${letter}`;
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
] as const;

function describeEvent(event: SingleEvent, given: Given, { now, zone }: EventTimes): string {
  if ('failed' in event) {
    const times = event.failed === 1 ? 'once' : `${event.failed} times in a row`;
    return `User ${event.username} failed to log in ${times}${event.locked ? ', and is locked' : ''}.`;
  }
  const at = `at ${formatTime('time' in event ? event.time : now, zone, 'table')} (${zone})`;
  if (event.event === 'sms-in') return `${given.from} sent an SMS to ${given.to} ${at}.`;
  const who = `Subscriber ${event.subscriber}`;
  if ('at' in event)
    return `${who} now has the date ${formatTime(event.at, zone, 'table')} (${zone}). Rule date:${event.rule} acts before, on or after this date.`;
  switch (event.event) {
    case 'open':
      return `${who} opened e-mail message ${event.message} ${at}${countedFor(event)}.`;
    case 'click':
      return `${who} clicked link ${event.link} ${at}${countedFor(event)}.`;
    case 'subscribe':
      return `${who} subscribed to list ${event.list} ${at}.`;
    case 'unsubscribe':
      return `${who} unsubscribed through a message of task ${event.task} ${at}, and is now on Do Not Contact.`;
    case 'complaint':
      return `${who} reported the message of task ${event.task} as unwanted ${at}.`;
    default:
      return `The message of task ${event.task} to subscriber ${event.subscriber} bounced ${at}.`;
  }
}

const countedFor = ({ task }: { readonly task?: number | null }): string =>
  typeof task === 'number'
    ? `, counted for task ${task}`
    : ', not counted for a task, because no task sent the message to this subscriber';
