import { createConflictError, createInvalidRequestError } from '../../protocol/service-errors.ts';
import { type OptInProblem, sendOptInEmail } from '../engine/mail/opt-in.ts';
import { type Call, requireFeature } from '../request/call.ts';
import { toSqlValue } from '../request/present.ts';
import { selectRows } from '../store/rows.ts';
import { createResourceRowsQuery } from '../store/sources.ts';
import { changeSubscription } from '../store/subscribers.ts';
import type { ResourceBehaviour } from './behaviour.ts';

/**
 * Handles POST /v1/emailOptIn, which sends a subscriber the e-mail that asks to confirm a subscription. Only a sandbox started with
 * `--companions` (an option that adds resources to those of the interface) has this resource (docs/wire.md, "Companions, in full").
 */
export const emailOptIn: ResourceBehaviour = {
  perform: async (call, { subscription_id, redirectionurl }) => {
    const { db, caller, now, trackingBaseUrl } = call;
    requireFeature(caller.account, 'enableemail');
    const subscription = await findSubscription(call, subscription_id);
    const [listId, subscriberId] = [Number(subscription['list_id']), Number(subscription['subscriber_id'])];
    const sent = await sendOptInEmail(db, {
      account: caller.account,
      subscriptionId: Number(subscription['id']),
      subscriberId,
      now,
      trackingBaseUrl,
    });
    if ('problem' in sent) throw refusalOf(sent.problem, subscriberId);
    if (redirectionurl !== undefined)
      await changeSubscription(db, listId, subscriberId, {
        confirmationredirect: redirectionurl === null ? null : String(redirectionurl),
      });
    return { id: sent.deliveryId };
  },
};

async function findSubscription({ db, caller }: Call, value: unknown) {
  const filters = { id: toSqlValue(typeof value === 'bigint' ? value : Number(value)) };
  const [row] = await selectRows(db, createResourceRowsQuery('subscription', caller), { filters, limit: 1 });
  if (row) return row;
  throw createInvalidRequestError([
    { attribute: 'subscription_id', value, reason: `is not a subscription: ${String(value)}` },
  ]);
}

function refusalOf(problem: OptInProblem, subscriberId: number) {
  switch (problem) {
    case 'no address':
      return createInvalidRequestError([
        { attribute: 'subscription_id', reason: 'belongs to a subscriber without an e-mail address' },
      ]);
    case 'blocked':
      return createConflictError(`Subscriber ${subscriberId} is on Do Not Contact`);
    case 'suspended':
      return createConflictError(`Subscriber ${subscriberId} gets no e-mail: emailsuspended is true`);
    default:
      return createConflictError('The account has too few email credits');
  }
}
