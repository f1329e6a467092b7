/** Runs the actions addtolist, copytolist, movetolist and removefromlist. */
import type { Chain } from '../../../automations/chain.ts';
import { type ListAction, listChange } from '../../../automations/list-change.ts';
import type { SubscriptionSource } from '../../../resources/companions/subscription.ts';
import { isSubscribed, type TimedRow, unsubscribe, watchedList } from '../../store/automations.ts';
import { isBlocked } from '../../store/do-not-contact.ts';
import { listById } from '../../store/lists.ts';
import type { Db } from '../../store/open.ts';
import { noteRuleAction } from '../../store/rule-actions.ts';
import type { Row } from '../../store/schema/tables.ts';
import { subscribe } from '../../store/subscribers.ts';
import type { Cause, EngineContext } from './cause.ts';
import { logSkipped } from './log.ts';
import type { RuleOutcome } from './rule-outcome.ts';
import { fireTrigger } from './triggers.ts';

/**
 * Changes the subscriber's lists. Copying, moving and removing need the subscription that triggered the rule; if it no longer exists,
 * nothing changes. A list to which a subscriber is added triggers its own subscription rules.
 */
export async function changeLists(
  db: Db,
  cause: Cause,
  rule: TimedRow & { readonly actiontype: ListAction },
  subscriber: Row<'subscriber'>,
  chain: Chain,
): Promise<void> {
  const { actiontype, actiontarget } = rule;
  const watched = actiontype === 'addtolist' ? undefined : await watchedList(db, rule.id);
  const { from, leaves, to } = listChange(actiontype, watched, Number(actiontarget));
  const obstacle = await obstacleTo(db, cause, { from, to }, subscriber);
  if (obstacle !== undefined) return logSkipped(db, cause, obstacle);
  const target = String(to ?? from ?? actiontarget);
  await noteRuleAction(db, cause, { action: actiontype, target, subscriberId: subscriber.id });
  if (from !== undefined && leaves) await unsubscribe(db, from, subscriber.id);
  if (to !== undefined) await addToList({ db, ...cause }, to, subscriber.id, chain);
}

/**
 * Subscribes, and triggers the list's rules if the subscription is new.
 * @returns the outcomes of those rules; undefined if the subscriber is already on the list
 */
export async function addToList(
  place: EngineContext,
  listId: number,
  subscriberId: number,
  chain: Chain,
  source: SubscriptionSource | null = null,
): Promise<readonly RuleOutcome[] | undefined> {
  if (!(await subscribe(place.db, listId, subscriberId, place.now, source))) return undefined;
  return fireTrigger(place, { kind: 'subscription', listId }, subscriberId, chain);
}

async function obstacleTo(
  db: Db,
  { accountId }: Cause,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
  subscriber: Row<'subscriber'>,
): Promise<string | undefined> {
  if (from !== undefined && !(await isSubscribed(db, from, subscriber.id)))
    return `subscriber ${subscriber.id} is no longer on list ${from}`;
  if (to === undefined) return undefined;
  if (!(await listById(db, accountId, to))) return `list ${to} is gone`;
  // Interface, doNotContact: the list is checked whenever a subscriber is added.
  return (await isBlocked(db, accountId, subscriber))
    ? `subscriber ${subscriber.id} is on Do Not Contact`
    : undefined;
}
