/** Runs the actions addtolist, copytolist, movetolist and removefromlist. */
import type { TriggeringRuleChain } from '../../../automations/chain.ts';
import { computeListChange, type ListAction } from '../../../automations/list-change.ts';
import type { SubscriptionSource } from '../../../resources/companions.ts';
import { findTriggerListId, type TimedRuleRow } from '../../store/automations.ts';
import { findRowOfAccount } from '../../store/rows.ts';
import { isSubscribed, type SubscriberForRules, subscribe, unsubscribe } from '../../store/subscribers.ts';
import type { AccountWorkStep } from '../step.ts';
import { logListChangeByRule, logSkippedAction, type RuleActionCause, type RuleEventContext } from './log.ts';
import { queueTriggeredRuleActions, type RuleOutcome } from './triggers.ts';

/**
 * Changes the subscriber's lists. Copying, moving and removing need the subscription that triggered the rule; if it no longer exists,
 * nothing changes. Adding a subscriber to a list triggers the subscription rules of this list.
 */
export async function changeListsOfSubscriber(
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

/**
 * Adds the subscriber to the list, and triggers the list's rules if the subscription is new.
 * @returns the outcomes of these rules; undefined if the subscriber was already on the list
 */
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
