/** Runs the queued actions of rules, each at its own time (interface, "Events": actions by actiontype). */

import { assertNever } from '../../../kit/schema/resource.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import {
  computeListChange,
  type ListAction,
  type TriggeringRuleChain,
} from '../../../service/automations/rules.ts';
import type { SubscriptionSource } from '../../../service/resources/companions.ts';
import { describeTriggerEvent, type TimedKind } from '../../../service/resources/rule-kinds.ts';
import { accountById } from '../../store/accounts.ts';
import { findTriggerListId, type TimedRuleRow, timedRuleById } from '../../store/automations.ts';
import { findFirstDueItem, type NewQueuedAction } from '../../store/due-work.ts';
import type { Db } from '../../store/open.ts';
import { findRowById, findRowOfAccount } from '../../store/rows.ts';
import { isSubscribed, type SubscriberForRules, subscribe, unsubscribe } from '../../store/subscribers.ts';
import type { DueWorkHandler, EngineStepOptions } from '../due.ts';
import {
  AccountWorkStep,
  logListChangeByRule,
  logSkippedAction,
  type RuleActionCause,
  type RuleEventContext,
} from '../step.ts';
import { deliverRuleMessage, sendRuleMessageToSubscriber } from './deliver.ts';
import {
  type QueuedTriggerEvent,
  queueTriggeredRuleActions,
  type RuleOutcome,
  type TriggerEvent,
} from './triggers.ts';

/**
 * Creates the handler of due actions. It does what the rule says at that time, even if the rule is paused, and never retries: an action that
 * can't be done (no address, no credits, a deleted list) is logged. `batch` changes neither what the actions do nor when.
 */
export const createDueActionHandler = (batch: number): DueWorkHandler => ({
  table: 'queued_action',
  runItem: async (db, { due, accountId }, _now, { until = due, reached }) => {
    const reaction = await findFirstDueItem(db, 'reaction');
    const horizon = Math.min(
      until,
      (await nextTaskOrSmsTime(db)) - 1,
      reaction?.due ?? Number.MAX_SAFE_INTEGER,
    );
    const step = new AccountWorkStep(db, accountId, Math.max(due, horizon));
    await createRuleActionRunner(step, reached, batch)(Math.max(due, horizon));
    await step.write();
  },
});

/** Returns the due time of the next task or single SMS. Tasks and single SMS run before actions and reactions of the same second. */
export async function nextTaskOrSmsTime(db: Db): Promise<number> {
  const first = [await findFirstDueItem(db, 'task'), await findFirstDueItem(db, 'sms')];
  return Math.min(...first.map((each) => each?.due ?? Number.MAX_SAFE_INTEGER));
}

export const MAX_RULE_ACTIONS_PER_STEP = 2_000;

/** Performs the actions that are due by `time` (Unix seconds). Returns false if it stops earlier: at another account, or at the maximum. */
export type RuleActionRunner = (time: number) => Promise<boolean>;

/** Returns a function that performs queued actions in order of time, at most `batch` in all calls. `reached` gets each due time. */
export function createRuleActionRunner(
  step: AccountWorkStep,
  reached: EngineStepOptions['reached'],
  batch: number,
): RuleActionRunner {
  let done = 0;
  return async (time) => {
    for (;;) {
      const next = await step.queue.first();
      if (!next || next.due > time) return true;
      if (next.account_id !== step.accountId || done === batch) return false;
      step.queue.take(next);
      reached?.(next.due);
      await runAction(step, next);
      done += 1;
    }
  };
}

async function runAction(step: AccountWorkStep, action: NewQueuedAction): Promise<void> {
  const cause: RuleActionCause = {
    accountId: action.account_id,
    ruleKind: action.rule_kind,
    ruleId: action.rule_id,
    now: action.due,
    subscriberId: action.subscriber_id,
  };
  const subscriber = await step.person(action.subscriber_id);
  if (!subscriber) return logSkippedAction(step, cause, `subscriber ${action.subscriber_id} is gone`);
  const event: QueuedTriggerEvent = JSON.parse(action.event);
  if (cause.ruleKind === 'sms') await sendAutoResponder(step, cause, subscriber);
  else await act(step, cause, cause.ruleKind, subscriber, event);
}

async function sendAutoResponder(
  step: AccountWorkStep,
  cause: RuleActionCause,
  subscriber: SubscriberForRules,
): Promise<void> {
  const rule = await step.once(`sms rule ${cause.ruleId}`, () =>
    findRowById(step.db, 'sms_automation', cause.ruleId),
  );
  if (rule && rule.message_id !== null)
    await sendRuleMessageToSubscriber(step, cause, 'sms', rule.message_id, subscriber);
}

async function act(
  step: AccountWorkStep,
  cause: RuleActionCause,
  kind: TimedKind,
  subscriber: SubscriberForRules,
  event: QueuedTriggerEvent,
): Promise<void> {
  const rule = await step.once(`${kind} rule ${cause.ruleId}`, () =>
    timedRuleById(step.db, kind, cause.ruleId),
  );
  if (!rule) return;
  switch (rule.actiontype) {
    case 'email_autoresponder':
      return sendRuleMessageToSubscriber(step, cause, 'email', Number(rule.actiontarget), subscriber);
    case 'sms_autoresponder':
      return sendRuleMessageToSubscriber(step, cause, 'sms', Number(rule.actiontarget), subscriber);
    case 'notify':
      return sendNotice(step, cause, rule, subscriber, event);
    case 'addtolist':
    case 'copytolist':
    case 'movetolist':
    case 'removefromlist':
      return changeListsOfSubscriber(
        step,
        cause,
        { ...rule, actiontype: rule.actiontype },
        subscriber,
        event.chain,
      );
    default:
      return assertNever(rule.actiontype);
  }
}

/** Performs the rule action `notify`: says in an e-mail who did what, and when (wire, "`notify`"). */
async function sendNotice(
  step: AccountWorkStep,
  cause: RuleActionCause,
  rule: TimedRuleRow,
  subscriber: SubscriberForRules,
  event: QueuedTriggerEvent,
): Promise<void> {
  const account = await accountById(step.db, cause.accountId);
  const who = [subscriber.email, subscriber.msisdn].filter((address) => address !== null).join(', ');
  const body = [
    `Who: subscriber ${subscriber.id} (${who})`,
    `What: ${eventText(event.happening)}`,
    `When: ${formatTime(event.time, account?.timezone ?? 'UTC', 'long')}`,
  ].join('\n');
  const outgoing = {
    channel: 'notification',
    sender: account?.contactemail ?? '',
    credits: 0,
    body,
  } as const;
  const address = rule.actiontarget;
  const recipient = { address, isBlocked: await step.isBlocked('email', address) };
  const obstacle = await deliverRuleMessage(step, cause, { ...outgoing, subject: rule.name }, recipient);
  if (obstacle !== undefined) logSkippedAction(step, cause, `${address} not notified: ${obstacle}`);
}

function eventText(event: TriggerEvent): string {
  if (event.kind === 'sms') return `sent an SMS to ${event.to}: ${event.text}`;
  return describeTriggerEvent(event);
}

/**
 * Changes the subscriber's lists. Copying, moving and removing need the subscription that triggered the rule. Adding a subscriber to a list
 * triggers the subscription rules of this list.
 */
async function changeListsOfSubscriber(
  step: AccountWorkStep,
  cause: RuleActionCause,
  rule: TimedRuleRow & { readonly actiontype: ListAction },
  subscriber: SubscriberForRules,
  chain: TriggeringRuleChain,
): Promise<void> {
  const { actiontype, actiontarget } = rule;
  const watched =
    actiontype === 'addtolist'
      ? undefined
      : await step.once(`list of ${rule.id}`, () => findTriggerListId(step.db, rule.id));
  const { from, leavesFrom: leaves, to } = computeListChange(actiontype, watched, Number(actiontarget));
  const obstacle = await obstacleTo(step, { from, to }, subscriber);
  if (obstacle !== undefined) return logSkippedAction(step, cause, obstacle);
  const target = String(to ?? from ?? actiontarget);
  logListChangeByRule(step, cause, { action: actiontype, target, subscriberId: subscriber.id });
  if (from !== undefined && leaves) await unsubscribe(step.db, from, subscriber.id);
  if (to !== undefined) await addSubscriberToList({ step, now: cause.now }, to, subscriber.id, chain);
}

/** Adds the subscriber, and triggers the list's rules. Returns their outcomes, or undefined if the subscriber was on the list. */
export async function addSubscriberToList(
  context: RuleEventContext,
  listId: number,
  subscriberId: number,
  chain: TriggeringRuleChain,
  source: SubscriptionSource | null = null,
): Promise<readonly RuleOutcome[] | undefined> {
  if (!(await subscribe(context.step.db, listId, subscriberId, context.now, source))) return undefined;
  return queueTriggeredRuleActions(context, { kind: 'subscription', listId }, subscriberId, chain);
}

async function obstacleTo(
  step: AccountWorkStep,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
  subscriber: SubscriberForRules,
): Promise<string | undefined> {
  if (from !== undefined && !(await isSubscribed(step.db, from, subscriber.id)))
    return `subscriber ${subscriber.id} is no longer on list ${from}`;
  if (to === undefined) return undefined;
  const list = await step.once(`list ${to}`, () => findRowOfAccount(step.db, 'list', step.accountId, to));
  if (!list) return `list ${to} is gone`;
  // Interface, doNotContact: the list is checked whenever a subscriber is added.
  return subscriber.emailblocked === 1 || subscriber.smsblocked === 1
    ? `subscriber ${subscriber.id} is on Do Not Contact`
    : undefined;
}
