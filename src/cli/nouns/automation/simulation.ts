/** Uses the same calculation as the sandbox's engine. */

import { findTasksWithMessage } from '../../../features/insight/why-message.ts';
import { findTriggeringMessage, hasBegun } from '../../../features/insight/why-rule-activity.ts';
import type { Report } from '../../../kit/report/report.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { describeAction, shortNameOf } from '../../../service/automations/rule-words.ts';
import {
  type AutomationRule,
  findRuleTimingFault,
  readRuleOfResource,
  ruleActionHour,
  type TimedRule,
} from '../../../service/automations/rules.ts';
import { type PredictedAction, predictRuleActions } from '../../../service/automations/simulate.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { RULE_DEFINITIONS } from '../../../service/resources/rule-kinds.ts';
import { subscriptionAutomation } from '../../../service/resources/timed-automations.ts';
import type { Outcome } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { type Column, columnsNamed } from '../../output/result.ts';
import { createTextPageOutcome } from '../../request/page.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Clocks, Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import { type RuleWithResource, readRuleRecords } from './resolve.ts';

export async function simulateRule(
  session: Invocation & Tell & ServiceAccess & Clocks,
  found: RuleWithResource,
  eventTime: number,
): Promise<Outcome> {
  const rule = readRuleOfResource(found);
  await printIfYounger(session, found, rule, eventTime);
  if (rule.paused) {
    const why = `${rule.ref} is paused and would do nothing; run svc automation resume ${rule.ref} to resume it`;
    // An empty table prints this text anyway.
    if ((await session.format()) !== 'table') await session.warn(why);
    return rowsOutcome([], why);
  }
  await printIfNotSent(session, found, eventTime);
  const zone = await session.requiredZone();
  // A date may be past or near. For other kinds, the time of the event is now.
  const now = rule.kind === 'date' ? Math.floor(await session.serviceNow()) : eventTime;
  const followUps = await subscriptionRules(session, rule);
  const [fault] = [rule, ...followUps].flatMap((each) => findRuleTimingFault(each) ?? []);
  if (fault !== undefined) throw new CliError('not-ours', `cannot simulate: ${fault}`, { exit: EXIT.failed });
  const simulation = predictRuleActions(rule, { event: eventTime, now, zone }, followUps);
  for (const { rule: skipped, list } of simulation.skippedActions)
    await session.info(
      `${titleOf(skipped)} would be triggered, but would do nothing: at that time, the subscriber is no longer on list ${list}`,
    );
  if (simulation.hasMoreActions)
    await session.warn(`showing only the first ${simulation.rows.length} actions; there are more`);
  // Each company of a run over many has rows in every format.
  if ((await isResultPrintedForPeople(session)) && session.actsFor === undefined)
    return createTextPageOutcome(session, pageOf(rule, simulation.rows, { event: eventTime, zone }));
  return rowsOutcome(
    simulation.rows.map((row) => rowOf(row, zone, reasonOf(row))),
    `${rule.ref} would do nothing.`,
  );
}

/** Says that the rule did not exist at the time of the event. A date rule acts on dates of any age. */
async function printIfYounger(
  session: Tell & Clocks,
  { record }: RuleWithResource,
  { kind, ref }: AutomationRule,
  eventTime: number,
): Promise<void> {
  const made = Math.floor(Number(record.cdate ?? 0));
  if (kind === 'date' || !(made > eventTime)) return;
  const time = formatTime(made, await session.requiredZone(), 'long');
  await session.warn(`${ref} was created on ${time}, after this event, so it did nothing for this event`);
}

/** Says that no task had sent the message of a click or open rule at the time of the event. */
async function printIfNotSent(
  session: Tell & ServiceAccess,
  { resource, record }: RuleWithResource,
  eventTime: number,
): Promise<void> {
  if (resource.variant !== 'click' && resource.variant !== 'open') return;
  const client = await session.client();
  const message = await findTriggeringMessage(client, record);
  if (message === undefined) return;
  const tasks = await findTasksWithMessage(client, emailMessage, message);
  if (tasks.some((task) => hasBegun(task, eventTime))) return;
  await session.info(`no task has sent e-mail message ${String(message)} by the time of this event`);
}

/** Sends no request if the rule adds no subscribers to a list. */
async function subscriptionRules(
  session: ServiceAccess,
  rule: AutomationRule,
): Promise<readonly TimedRule[]> {
  const adds = rule.kind === 'sms' || ['addtolist', 'copytolist', 'movetolist'].includes(rule.actiontype);
  if (!adds) return [];
  const rules = await readRuleRecords(session, [subscriptionAutomation], { paused: false });
  return rules.map(readRuleOfResource).filter((each) => each.kind !== 'sms');
}

const rowOf = ({ time, action, target }: PredictedAction, zone: string, why: string) => ({
  time,
  local: formatTime(time, zone, 'table'),
  action,
  target,
  why,
});

function rowsOutcome(rows: readonly ReturnType<typeof rowOf>[], empty: string): Outcome {
  const columns = columnsNamed(['local', 'action', 'target', 'why']);
  const attributes: readonly Column[] = [{ name: 'time', kind: 'number' }, ...columns];
  return { result: { kind: 'rows', rows, columns, attributes, empty } };
}

/** Returns `2 days after the click, at the first 09:00; …`. */
function reasonOf({ rule, due, needsEmail, isFollowUp, stoppedCycles }: PredictedAction): string {
  const parts = due === undefined ? ['at once'] : dueWords(rule, due);
  return [
    `${isFollowUp && rule.kind === 'subscription' ? `${titleOf(rule)} of list ${rule.list ?? ''}: ` : ''}${parts.join('; ')}`,
    ...(needsEmail ? ['happens only if the text of the SMS contains an e-mail address'] : []),
    ...stoppedCycles.map((round) => `a loop, where the simulation stops: ${round.join(' → ')}`),
  ].join('; ');
}

/** `event` is in Unix seconds, and `zone` is the company's time zone. */
function pageOf(
  rule: AutomationRule,
  rows: readonly PredictedAction[],
  { event, zone }: { readonly event: number; readonly zone: string },
): Report {
  const entries = rows.map((row) => ({
    kind: 'entry' as const,
    head: `${formatTime(row.time, zone, 'table')}  ${describeAction(row.action, targetOf(row))}`,
    text: reasonOf(row),
  }));
  return {
    title: `${titleOf(rule)}, ${RULE_DEFINITIONS[rule.kind].forecast} ${formatTime(event, zone, 'long')}`,
    sections: [{ title: 'What would happen', blocks: entries }],
  };
}

const titleOf = ({ ref, name }: AutomationRule): string => `${ref} (${shortNameOf(name)})`;

/** A removal has actiontarget 0: it concerns the rule's own list (interface, "Automation rules" 10). */
const targetOf = ({ action, target }: PredictedAction): string => (action === 'removefromlist' ? '' : target);

function dueWords(rule: AutomationRule, { timing, plan }: NonNullable<PredictedAction['due']>): string[] {
  const { zone, offset } = timing;
  const hour = (ruleActionHour(rule) ?? '').slice(0, 5);
  const { isPast, skippedDays, occurrence, postponedFrom } = plan;
  const { event } = RULE_DEFINITIONS[rule.kind];
  const direction = offset < 0 ? 'before' : 'after';
  const at = offset === 0 ? '' : `${formatDuration(Math.abs(offset))} ${direction} the ${event}`;
  const first = hour === '' ? '' : `at the first ${hour}`;
  const unshifted = first ? `after the ${event}` : 'at once';
  const when = at || (rule.kind === 'date' ? 'on the date' : unshifted);
  return [
    first ? `${when}, ${first}` : when,
    ...(isPast ? ['that time has passed, so the delay starts now'] : []),
    ...skippedDays.map((date) => `${hour} does not exist on ${date}: the clocks go forward`),
    ...(occurrence === undefined ? [] : [`${hour} occurs twice on that day; this is the ${occurrence}`]),
    ...(postponedFrom === undefined
      ? []
      : // The time without its zone, such as `Sat 2026-12-05 10:00`.
        [`that is ${formatTime(postponedFrom, zone, 'long').slice(0, 20)}, so it waits until Monday`]),
  ];
}
