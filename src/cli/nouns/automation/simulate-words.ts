/** Describes the forecast of `automation simulate`. */
import { actionWords } from '../../../automations/action-words.ts';
import type { Chain } from '../../../automations/chain.ts';
import { type AutomationRule, actionHourOf } from '../../../automations/rules.ts';
import type { Foretold, NotDone } from '../../../automations/simulate.ts';
import { RULES } from '../../../resources/rule-kinds.ts';
import { formatDuration } from '../../../text/duration.ts';
import type { Page } from '../../../text/page.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import { formatTime } from '../../../text/timezone.ts';
import { bounded } from '../../../text/words.ts';

/** Returns the reason of a row for people: `2 days after the click, at the first 09:00; …`. */
export function whyOf({ rule, due, needsEmail, isFollowUp, rounds }: Foretold): string {
  const parts = due === undefined ? ['at once'] : dueWords(rule, due);
  return [
    `${isFollowUp && rule.kind === 'subscription' ? `${titleOf(rule)} of list ${rule.list ?? ''}: ` : ''}${parts.join('; ')}`,
    ...(needsEmail ? ['only if the text of the SMS contains an e-mail address'] : []),
    ...rounds.map((round) => `a loop, where the simulation stops: ${roundWords(round)}`),
  ].join('; ');
}

export const roundWords = (round: Chain): string => round.join(' → ');

export const notDoneWords = ({ rule, list }: NotDone): string =>
  `${rule.ref} (${bounded(rule.name, LONGEST_NAME)}) would be triggered but do nothing: the subscriber has left list ${list} by then`;

/** Returns the forecast as a page. @param when the event, Unix seconds, and the company's zone */
export function pageOf(
  rule: AutomationRule,
  rows: readonly Foretold[],
  { event, zone }: { readonly event: number; readonly zone: string },
): Page {
  const entries = rows.map((row) => ({
    kind: 'entry' as const,
    head: `${formatTime(row.time, zone, 'table')}  ${safe(actionWords(row.action, targetOf(row)))}`,
    text: safe(whyOf(row)),
  }));
  return {
    title: safe(`${titleOf(rule)}, ${RULES[rule.kind].forecast} ${formatTime(event, zone, 'long')}`),
    sections: [{ title: 'What would happen', blocks: entries }],
  };
}

const LONGEST_NAME = 40;
const titleOf = ({ ref, name }: AutomationRule): string => `${ref} (${bounded(name, LONGEST_NAME)})`;

/** Returns the target. For a removal it is the rule's own list: its actiontarget is 0 (interface, "Automation rules" 10). */
const targetOf = ({ action, target }: Foretold): string => (action === 'removefromlist' ? '' : target);

function dueWords(rule: AutomationRule, { timing, plan }: NonNullable<Foretold['due']>): string[] {
  const { zone, offset } = timing;
  const hour = (actionHourOf(rule) ?? '').slice(0, 5);
  const { isPast, without, ofTwo, weekend } = plan;
  const at =
    offset === 0
      ? ''
      : `${formatDuration(Math.abs(offset))} ${offset < 0 ? 'before' : 'after'} the ${RULES[rule.kind].event}`;
  const first = hour === '' ? '' : `at the first ${hour}`;
  const when = [
    at || (rule.kind === 'date' ? 'on the date' : first ? `after the ${RULES[rule.kind].event}` : 'at once'),
  ];
  return [
    [...when, ...(first ? [first] : [])].join(', '),
    ...(isPast ? ['that time has passed, so the delay starts now'] : []),
    ...without.map((date) => `${hour} does not exist on ${date}: the clocks go forward`),
    ...(ofTwo === undefined ? [] : [`${hour} occurs twice on that day; this is the ${ofTwo}`]),
    ...(weekend === undefined ? [] : [`that is ${weekdayOf(weekend, zone)}, so it waits until Monday`]),
  ];
}

/** Returns the time as `Sat 2026-12-05 10:00`. */
const weekdayOf = (time: number, zone: string): string => formatTime(time, zone, 'long').slice(0, 20);

const safe = (text: string): string => escapeForTerminal(text);
