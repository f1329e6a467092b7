import { hash } from 'node:crypto';
import { createForbiddenError, createInvalidRequestError } from '../../protocol/service-errors.ts';
import type { Values } from '../../schema/resource.ts';
import { recordRecipientEvent } from '../engine/events.ts';
import { toSqlRow } from '../request/present.ts';
import { isOnListHiddenFromUser } from '../store/lists.ts';
import { findRowOfAccount, updateRow } from '../store/rows.ts';
import {
  changeSubscriber,
  changeSubscription,
  createSubscriber,
  removeSubscriber,
} from '../store/subscribers.ts';
import type { ResourceBehaviour } from './behaviour.ts';
import { checkListReference } from './references.ts';

/**
 * Serves subscribers under /v1. A new subscriber triggers the rules of the lists that the subscriber is on. Only a sandbox started with
 * `--companions` (an option that adds resources to those of the interface) has this resource.
 */
export const subscriber: ResourceBehaviour = {
  create: async (call, { email, msisdn, list_id, ...columns }, several) => {
    const { db, now } = call;
    const { accountId } = call.caller;
    const lists = several['list_id'] ?? (list_id === undefined || list_id === null ? [] : [list_id]);
    for (const listId of lists) {
      const lacking = await checkListReference(call, 'list_id', listId);
      if (lacking) throw createInvalidRequestError([lacking]);
    }
    const contact = { email: textOf(email), msisdn: textOf(msisdn) };
    const subscriberId = await createSubscriber(db, accountId, contact, now);
    await updateRow(db, 'subscriber', subscriberId, toSqlRow(columns));
    for (const listId of lists.map(Number)) {
      await recordRecipientEvent(db, accountId, { kind: 'subscription', listId, subscriberId }, now);
      await changeSubscription(db, listId, subscriberId, { source: 'api' });
    }
    return subscriberId;
  },
  // Clients compute the same hash to compare addresses. It protects nothing.
  present: (_, values) => ({
    ...values,
    emailmd5: typeof values['email'] === 'string' ? hash('md5', values['email'].toLowerCase()) : null,
  }),
  update: async (call, current, values) => {
    if (Object.keys(values).length === 0) return;
    const row = await findRowOfAccount(call.db, 'subscriber', call.caller.accountId, Number(current['id']));
    const { email, msisdn, ...columns } = values;
    const changed = { ...toSqlRow(columns), ...addressesIn({ email, msisdn }), changed: call.now };
    if (row) await changeSubscriber(call.db, row, changed);
  },
  remove: async (call, current) => {
    const { accountId, userId, restricted } = call.caller;
    const id = Number(current['id']);
    if (restricted && (await isOnListHiddenFromUser(call.db, userId ?? 0, id)))
      throw createForbiddenError(`Subscriber ${id} is on lists that are not accessible`);
    await removeSubscriber(call.db, accountId, id);
  },
};

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);

/**
 * Returns the e-mail address and the phone number (`msisdn`) that the client sent, as texts. Omits a value that the client did not send. A
 * value is null if the client sent null.
 */
function addressesIn(values: Readonly<Record<'email' | 'msisdn', Values[string] | undefined>>): {
  readonly email?: string | null;
  readonly msisdn?: string | null;
} {
  const sent = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, textOf(value) ?? null]));
}
