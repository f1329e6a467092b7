/** Describes an event of a recipient, such as a click, and the rules that the event triggered. */

import { describeAction } from '../../../automations/rule-words.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { formatDuration } from '../../../text/duration.ts';
import { formatTime } from '../../../text/timezone.ts';
import { groupThousands } from '../../../text/words.ts';

interface EventTimes {
  /** Unix seconds by the sandbox's clock. */
  readonly now: number;
  /** Time zone of the company, in which times are shown. */
  readonly zone: string;
}

/** Maximum number of rules that the text lists as not triggered. The text gives only the number of further rules. */
const MAX_UNMATCHED = 10;

/** Returns lines that describe an event and its effects. @param event the arguments of the request, merged with the sandbox's response */
export function eventText(event: JsonObject, when: EventTimes): readonly string[] {
  const rules = rulesOf(event);
  const matched = rules.filter((rule) => rule['matched'] === true);
  const others = rules.filter((rule) => rule['matched'] !== true);
  const { why } = event;
  if (typeof event['recipients'] === 'number') return shareText(event, when);
  const none = typeof why === 'string' ? `No rule was triggered: ${why}.` : 'No rule was triggered.';
  return [
    describeEvent(event, when),
    ...(matched.length === 0 ? [none] : ['Rules that the event triggered:']),
    ...matched.map((rule) => `  ${titleOf(rule)}: ${describeRuleOutcome(rule, when)}`),
    ...(others.length === 0 ? [] : ['Rules of the same kind that the event did not trigger:']),
    ...others.slice(0, MAX_UNMATCHED).map((rule) => `  ${titleOf(rule)}: ${String(rule['why'])}`),
    ...(others.length > MAX_UNMATCHED
      ? [`  and ${others.length - MAX_UNMATCHED} more; to see all, use -o json`]
      : []),
  ];
}

/**
 * Returns a sentence with the command that advances a manual clock until the queued actions are done. Returns undefined if the clock runs,
 * or if no action is queued.
 * @param now Unix seconds by the sandbox's clock
 */
export function formatHintToAdvanceClock(
  event: JsonObject,
  isManualClock: boolean,
  now: number,
): string | undefined {
  if (isManualClock && typeof event['until'] === 'number')
    return `The sandbox's clock is manual: run svc sandbox clock advance ${shortDuration(Math.max(1, event['until'] - now))} to let the recipients react.`;
  const times = rulesOf(event)
    .filter(({ action }) => action !== 'notifyurl')
    .flatMap(({ queued }) => (typeof queued === 'number' ? [queued] : []));
  if (!isManualClock || times.length === 0) return undefined;
  const seconds = Math.max(1, Math.max(...times) - now);
  return `The sandbox's clock is manual: run svc sandbox clock advance ${shortDuration(seconds)} to run the queued actions.`;
}

/** Describes an event that many recipients of a task caused, for example an open by 35 % of them. */
function shareText(event: JsonObject, when: EventTimes): readonly string[] {
  const { task, name, count, recipients, until } = event;
  const people = `${groupThousands(Number(count))} of the ${groupThousands(Number(recipients))} recipients`;
  const [done, toCome] = SHARE_VERBS[String(event['event'])] ?? ['reacted to', 'will react to'];
  const title = `task ${String(task)} (${String(name)})`;
  if (typeof until === 'number')
    return [`${people} ${toCome} ${title} until ${formatTime(until, when.zone, 'table')} (${when.zone}).`];
  const rules = rulesOf(event).map(
    (rule) =>
      `  ${titleOf(rule)}: ${groupThousands(Number(rule['times']))} times, ${describeRuleOutcome(rule, when)}`,
  );
  return [`${people} ${done} ${title}.`, ...(rules.length === 0 ? [] : ['Rules that ran:', ...rules])];
}

const SHARE_VERBS: Readonly<Record<string, readonly [string, string]>> = {
  open: ['opened', 'will open'],
  click: ['clicked a link of', 'will click a link of'],
  unsubscribe: ['unsubscribed from', 'will unsubscribe from'],
  complaint: ['complained about', 'will complain about'],
  bounce: ['bounced in', 'will bounce in'],
};

const rulesOf = ({ automations }: JsonObject): readonly JsonObject[] =>
  (Array.isArray(automations) ? automations : []).map((rule: Json) => Object(rule) as JsonObject);

/** Returns the title of a rule: `click:12 (Name)`. */
const titleOf = ({ rule, name }: JsonObject): string => `${String(rule)} (${String(name)})`;

function describeRuleOutcome(
  { action, target, queued, done, why }: JsonObject,
  { now, zone }: EventTimes,
): string {
  const words = describeAction(String(action), String(target));
  if (typeof queued === 'number') return `${words}, queued for ${dueWords(queued, now, zone)}`;
  return done === true ? `${words}, done` : `${words}, not done: ${String(why)}`;
}

/** Formats the time at which an action is due: `2026-12-01 10:00 (in 1 hour)`, or `now`. */
function dueWords(time: number, now: number, zone: string): string {
  return time <= now ? 'now' : `${formatTime(time, zone, 'table')} (in ${formatDuration(time - now)})`;
}

/** Formats a duration for the command line: `90s`, `10m`. Rounds a long duration up to days: `33d`. */
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

function describeEvent(event: JsonObject, { now, zone }: EventTimes): string {
  const who = `Subscriber ${String(event['subscriber'])}`;
  const at = `at ${formatTime(Number(event['time'] ?? now), zone, 'table')} (${zone})`;
  switch (event['event']) {
    case 'open':
      return `${who} opened e-mail message ${String(event['message'])} ${at}${countedFor(event)}.`;
    case 'click':
      return `${who} clicked link ${String(event['link'])} ${at}${countedFor(event)}.`;
    case 'subscribe':
      return `${who} subscribed to list ${String(event['list'])} ${at}.`;
    case 'unsubscribe':
      return `${who} unsubscribed through a message of task ${String(event['task'])} ${at}, and is now on Do Not Contact.`;
    case 'complaint':
      return `${who} reported the message of task ${String(event['task'])} as unwanted ${at}.`;
    case 'bounce':
      return `The message of task ${String(event['task'])} to subscriber ${String(event['subscriber'])} bounced ${at}.`;
    case 'date': {
      const date = formatTime(Number(event['at']), zone, 'table');
      return `${who} now has the date ${date} (${zone}). Rule date:${String(event['rule'])} acts before, on or after this date.`;
    }
    case 'sms-in':
      return `${String(event['from'])} sent an SMS to ${String(event['to'])} ${at}.`;
    default:
      return failedLogin(event);
  }
}

const countedFor = ({ task }: JsonObject): string =>
  typeof task === 'number'
    ? `, counted for task ${task}`
    : ', not counted for a task, because no task sent the message to this subscriber';

function failedLogin({ username, failed, locked }: JsonObject): string {
  const times = failed === 1 ? 'once' : `${String(failed)} times in a row`;
  return `User ${String(username)} failed to log in ${times}${locked === true ? ', and is locked' : ''}.`;
}
