/** Resources such as lists and subscribers, which only a sandbox with `--companions` serves (docs/wire.md, "Companions, in full"). */
import { hash } from 'node:crypto';
import type { Values } from '../../kit/schema/resource.ts';
import {
  createConflictError,
  createForbiddenError,
  createInvalidRequestError,
} from '../../service/protocol/service-errors.ts';
import { recordRecipientEvent } from '../engine/events.ts';
import { trackingUri } from '../engine/mail/render.ts';
import { type Call, requireFeature } from '../request/call.ts';
import { toSqlRow, toSqlValue } from '../request/present.ts';
import { takeCredits } from '../store/accounts.ts';
import { isBlocked } from '../store/do-not-contact.ts';
import { createList, deleteListIfAllowed, isOnListHiddenFromUser, mayUseFolder } from '../store/lists.ts';
import { findOptInMessage } from '../store/messages.ts';
import { createField, requireFreeFieldName } from '../store/profile-data.ts';
import {
  deleteRow,
  findRowOfAccount,
  insertRow,
  listRowsOfAccount,
  type SqlValue,
  selectRows,
  updateRow,
} from '../store/rows.ts';
import { rowsQuery } from '../store/sources.ts';
import {
  changeSubscriber,
  changeSubscription,
  createSubscriber,
  removeSubscriber,
  subscriptionIdOf,
  unsubscribe,
} from '../store/subscribers.ts';
import type { BehaviourOf, ResourceBehaviour } from './behaviour.ts';
import { checkListReference, checkSubscriberReference } from './references.ts';

export const list: BehaviourOf<'list', 'list'> = {
  create: async (call, { folder_id = null, ...values }) => {
    await requireFolder(call, folder_id);
    const row = { ...toSqlRow(values), name: String(values.name), cdate: call.now };
    return createList(call.db, call.caller.account, { ...row, ...toSqlRow({ folder_id }) });
  },
  update: async (call, current, values) => {
    if (values.folder_id !== undefined) await requireFolder(call, values.folder_id);
    await updateListOrField(call, 'list', current.id, values);
  },
  remove: (call, current) => deleteListIfAllowed(call.db, current, call.now),
};

/** Writes the values that the client sent, and the time of the change. */
async function updateListOrField(
  call: Call,
  table: 'list' | 'profile_field',
  id: number,
  values: Values,
): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await updateRow(call.db, table, id, { ...toSqlRow(values), changed: call.now });
}

/** Checks the folder of a list. A user who sees only some folders must still see the list after the change. */
async function requireFolder({ db, caller }: Call, folderId: unknown): Promise<void> {
  if (folderId === null) {
    if (caller.restricted)
      throw createInvalidRequestError([
        { attribute: 'folder_id', reason: 'is required: this user can see only some folders' },
      ]);
    return;
  }
  const id = Number(folderId);
  if (!(await findRowOfAccount(db, 'folder', caller.accountId, id)))
    throw createInvalidRequestError([
      { attribute: 'folder_id', value: folderId, reason: `is not a folder: ${String(folderId)}` },
    ]);
  if (caller.restricted && !(await mayUseFolder(db, caller.userId ?? 0, id)))
    throw createForbiddenError(`Folder ${id} is not accessible`);
}

export const subscriberProfileField: BehaviourOf<'subscriberProfileField', 'profile_field'> = {
  create: (call, values) =>
    createField(call.db, call.caller.account, {
      ...toSqlRow(values),
      name: String(values.name),
      cdate: call.now,
    }),
  update: async (call, current, values) => {
    const { id, name, columnheader } = { ...current, ...toSqlRow(values) };
    await requireFreeFieldName(
      call.db,
      call.caller.accountId,
      { name: String(name), columnheader: columnheader ?? null },
      id,
    );
    await updateListOrField(call, 'profile_field', id, values);
  },
  remove: async (call, { id }) => {
    const search = (await listRowsOfAccount(call.db, 'search', call.caller.accountId)).find(
      ({ field_id }) => field_id === id,
    );
    if (search) throw createConflictError(`Saved search ${search.id} uses this profile field`);
    await deleteRow(call.db, 'profile_field', id);
  },
};

/** Serves subscribers. A new subscriber triggers the rules of the lists that the subscriber is on. */
export const subscriber: BehaviourOf<'subscriber', 'subscriber'> = {
  create: async (call, { email, msisdn, list_id, confirmed: sent, ...columns }, several) => {
    const { db, now } = call;
    const { accountId } = call.caller;
    const lists = several.list_id ?? (list_id === undefined || list_id === null ? [] : [list_id]);
    for (const listId of lists) {
      const lacking = await checkListReference(call, 'list_id', listId);
      if (lacking) throw createInvalidRequestError([lacking]);
    }
    const contact = { email: textOf(email), msisdn: textOf(msisdn) };
    const subscriberId = await createSubscriber(db, accountId, contact, now);
    // Wire, "Companions, in full": null and an omitted `confirmed` are true.
    const confirmed = sent === false ? 0 : 1;
    await updateRow(db, 'subscriber', subscriberId, { ...toSqlRow(columns), confirmed });
    for (const listId of lists.map(Number)) {
      await recordRecipientEvent(db, accountId, { kind: 'subscription', listId, subscriberId }, now);
      await changeSubscription(db, listId, subscriberId, { source: 'api', confirmed });
    }
    return subscriberId;
  },
  // Clients compute the same hash to compare addresses. It protects nothing.
  present: (_, values) => ({
    ...values,
    emailmd5: values.email === null ? null : hash('md5', values.email.toLowerCase()),
  }),
  update: async (call, current, values) => {
    if (Object.keys(values).length === 0) return;
    const { email, msisdn, ...columns } = values;
    const changed = { ...toSqlRow(columns), ...addressesIn({ email, msisdn }), changed: call.now };
    await changeSubscriber(call.db, current, changed);
  },
  remove: async (call, { id }) => {
    const { accountId, userId, restricted } = call.caller;
    if (restricted && (await isOnListHiddenFromUser(call.db, userId ?? 0, id)))
      throw createForbiddenError(`Subscriber ${id} is on lists that are not accessible`);
    await removeSubscriber(call.db, accountId, id);
  },
};

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);

/** Returns the addresses that the client sent, as texts or null. Omits an address that the client did not send. */
function addressesIn(values: Readonly<Record<'email' | 'msisdn', Values[string] | undefined>>): {
  readonly email?: string | null;
  readonly msisdn?: string | null;
} {
  const sent = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, textOf(value) ?? null]));
}

/** Serves subscriptions. A new subscription triggers the rules of its list. */
export const subscription: BehaviourOf<'subscription', 'subscription'> = {
  create: async (call, { subscriber_id, list_id, ...columns }) => {
    const { db, caller, now } = call;
    const [lackingList, lackingSubscriber] = [
      await checkListReference(call, 'list_id', list_id),
      await checkSubscriberReference(call, 'subscriber_id', subscriber_id),
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
  update: async (call, { list_id, subscriber_id }, values) => {
    if (Object.keys(values).length === 0) return;
    await changeSubscription(call.db, list_id, subscriber_id, { ...toSqlRow(values), changed: call.now });
  },
  remove: async (call, { list_id, subscriber_id }) => {
    await unsubscribe(call.db, list_id, subscriber_id);
  },
};

/** Handles POST /v1/emailOptIn, which sends a subscriber the e-mail that asks to confirm a subscription. */
export const emailOptIn: ResourceBehaviour = {
  perform: async (call, { subscription_id, redirectionurl }) => {
    requireFeature(call.caller.account, 'enableemail');
    const subscription = await findSubscription(call, subscription_id);
    const [listId, subscriberId] = [Number(subscription.list_id), Number(subscription.subscriber_id)];
    const id = await sendOptInEmail(call, Number(subscription.id), subscriberId);
    if (redirectionurl !== undefined)
      await changeSubscription(call.db, listId, subscriberId, {
        confirmationredirect: redirectionurl === null ? null : String(redirectionurl),
      });
    return { id };
  },
};

interface Subscription {
  readonly id?: SqlValue;
  readonly list_id?: SqlValue;
  readonly subscriber_id?: SqlValue;
}

async function findSubscription({ db, caller }: Call, value: unknown): Promise<Subscription> {
  const filters = { id: toSqlValue(typeof value === 'bigint' ? value : Number(value)) };
  const [row] = await selectRows(db, rowsQuery('subscription', caller), { filters, limit: 1 });
  if (row) return row;
  throw createInvalidRequestError([
    { attribute: 'subscription_id', value, reason: `is not a subscription: ${String(value)}` },
  ]);
}

/**
 * Sends the account's opt-in message, or the sandbox's own text, for one credit. Returns the id of the delivery.
 * @throws ServiceError 400 for a subscriber without an e-mail address, 409 if the subscriber gets no e-mail or the credits are too few
 */
async function sendOptInEmail(
  { db, caller: { account }, now, trackingBaseUrl }: Call,
  subscriptionId: number,
  subscriberId: number,
): Promise<number> {
  const subscriber = await findRowOfAccount(db, 'subscriber', account.id, subscriberId);
  if (!subscriber || subscriber.email === null)
    throw createInvalidRequestError([
      { attribute: 'subscription_id', reason: 'belongs to a subscriber without an e-mail address' },
    ]);
  if (subscriber.emailsuspended === 1)
    throw createConflictError(`Subscriber ${subscriberId} gets no e-mail: emailsuspended is true`);
  if (await isBlocked(db, account.id, { email: subscriber.email }))
    throw createConflictError(`Subscriber ${subscriberId} is on Do Not Contact`);
  if (!(await takeCredits(db, account.id, 'email', 1)))
    throw createConflictError('The account has too few email credits');
  const message = await findOptInMessage(db, account.id);
  const deliveryId = await insertRow(db, 'delivery', {
    account_id: account.id,
    channel: 'email',
    recipient: subscriber.email,
    sender: message ? (message.fromemail ?? message.replyemail) : account.contactemail,
    subject: message?.subject ?? 'Please confirm',
    body: '',
    message_id: message?.id ?? null,
    subscriber_id: subscriberId,
    time: now,
    cause: 'opt-in',
    cause_id: subscriptionId,
  });
  if (!message) {
    const link = trackingUri({ trackingBaseUrl, recipient: `d${deliveryId}` }, 'opt-in');
    const body = `Please confirm that you want to get messages from ${account.name}:\n${link}\n`;
    await updateRow(db, 'delivery', deliveryId, { body });
  }
  return deliveryId;
}
