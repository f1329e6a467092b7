import {
  createConflictError,
  createForbiddenError,
  createInvalidRequestError,
} from '../../protocol/service-errors.ts';
import { recordRecipientEvent } from '../engine/events.ts';
import type { Call } from '../request/call.ts';
import { toSqlRow, toSqlValue } from '../request/present.ts';
import { findRowOfAccount, selectRows } from '../store/rows.ts';
import { createResourceRowsQuery } from '../store/sources.ts';
import { changeSubscription, subscriptionIdOf, unsubscribe } from '../store/subscribers.ts';
import type { ResourceBehaviour } from './behaviour.ts';
import { checkListReference } from './references.ts';

/**
 * Serves subscriptions under /v1. A new subscription triggers the rules of its list. Only a sandbox started with `--companions` (an option
 * that adds resources to those of the interface) has this resource.
 */
export const subscription: ResourceBehaviour = {
  create: async (call, { subscriber_id, list_id, ...columns }) => {
    const { db, caller, now } = call;
    const [lackingList, lackingSubscriber] = [
      await checkListReference(call, 'list_id', list_id),
      await checkSubscriber(call, subscriber_id),
    ];
    const lacking = [lackingSubscriber, lackingList].filter((each) => each !== undefined);
    if (lacking.length > 0) throw createInvalidRequestError(lacking);
    const [listId, subscriberId] = [Number(list_id), Number(subscriber_id)];
    const existing = await subscriptionIdOf(db, listId, subscriberId);
    if (existing !== undefined)
      throw createConflictError(`Subscriber ${subscriberId} is on list ${listId}`, existing);
    await recordRecipientEvent(db, caller.accountId, { kind: 'subscription', listId, subscriberId }, now);
    await changeSubscription(db, listId, subscriberId, { source: 'api', ...toSqlRow(columns) });
    return (await subscriptionIdOf(db, listId, subscriberId)) ?? 0;
  },
  update: async (call, current, values) => {
    if (Object.keys(values).length === 0) return;
    const [listId, subscriberId] = [Number(current['list_id']), Number(current['subscriber_id'])];
    await changeSubscription(call.db, listId, subscriberId, { ...toSqlRow(values), changed: call.now });
  },
  remove: async (call, current) => {
    await unsubscribe(call.db, Number(current['list_id']), Number(current['subscriber_id']));
  },
};

/**
 * Returns a finding if the account has no such subscriber, otherwise undefined. Throws a 403 if the subscriber exists, but the caller may
 * not see it.
 */
async function checkSubscriber({ db, caller }: Call, value: unknown) {
  const id = Number(value);
  const filters = { id: toSqlValue(id) };
  const [row] = await selectRows(db, createResourceRowsQuery('subscriber', caller), { filters, limit: 1 });
  if (row) return undefined;
  if (await findRowOfAccount(db, 'subscriber', caller.accountId, id))
    throw createForbiddenError(`Subscriber ${id} is not accessible`);
  return { attribute: 'subscriber_id', value, reason: `is not a subscriber: ${String(value)}` };
}
