/** Creates the records that only the control plane can create, and finds the records that arguments name. */

import { atLeastOne } from '../../kit/schema/rules.ts';
import { isEmailAddress, normaliseMsisdn } from '../../kit/text/address.ts';
import {
  createConflictError,
  createInvalidRequestError,
  createLimitReachedError,
  createNotFoundError,
  ServiceError,
} from '../../service/protocol/service-errors.ts';
import { showPersonEvents } from '../engine/mail/person-events.ts';
import { addSender, adminOf, listSenderAddresses, userOf } from '../store/accounts.ts';
import { type ImportedRow, importSubscribers } from '../store/import-subscribers.ts';
import {
  findPersonByAddress,
  findPersonById,
  listPersonEvents,
  type PersonEventPosition,
} from '../store/person-history.ts';
import { createField } from '../store/profile-data.ts';
import {
  countRowsOfAccount,
  findRowById,
  findRowOfAccount,
  idsByName,
  insertRow,
  listRowsOfAccount,
  requireRowOfAccount,
} from '../store/rows.ts';
import {
  type Contact,
  createSubscriber,
  findSubscriber,
  listSubscribers,
  type SubscriberWithLists,
  subscribe,
} from '../store/subscribers.ts';
import type { TaskRow } from '../store/tasks.ts';
import {
  type ControlCall,
  type ControlOperationsForNoun,
  readEmailAddressArgument,
  readMsisdnArgument,
} from './operation.ts';

export const accountRecordOperations = {
  'field create': async ({ db, account, now }, { name }) => ({
    id: await createField(db, account, { name, cdate: now }),
    name,
  }),
  'field list': async ({ db, account }) =>
    (await listRowsOfAccount(db, 'profile_field', account.id)).map(({ id, name }) => ({ id, name })),
  'search create': async ({ db, account, now }, { name, field, equals }) => {
    const most = account.search_limit;
    if (most !== null && (await countRowsOfAccount(db, 'search', account.id)) >= most)
      throw createLimitReachedError('search_limit', most);
    await requireRowOfAccount(db, 'profile_field', account.id, field, 'Profile field');
    const search = { name, field_id: field, equals };
    const id = await insertRow(db, 'search', { ...search, account_id: account.id, cdate: now });
    return { id, ...search, cdate: now };
  },
  'search list': async ({ db, account }) =>
    (await listRowsOfAccount(db, 'search', account.id)).map(({ account_id: _, ...search }) => search),
  'destination create': async ({ db, account }, { destination: given, shortcode: isshortcode }) => {
    const destination = isshortcode ? shortcode(given) : readMsisdnArgument('destination', given);
    const id = await insertRow(db, 'sms_destination', {
      account_id: account.id,
      destination,
      isshortcode: isshortcode ? 1 : 0,
    });
    return { id, keyword: null, destination, isshortcode, mdate: null };
  },
  'form create': async ({ db, account, now }, { name, user: wanted }) => {
    const user = wanted === undefined ? await adminOf(db, account.id) : await userOf(db, account.id, wanted);
    if (!user) throw createNotFoundError(`User ${wanted ?? '(admin)'}`);
    const form = { name, user_id: user.id, gacode: '', suppressoptin: 0, cdate: now, mdate: now };
    return { id: await insertRow(db, 'form', { ...form, account_id: account.id }), ...form };
  },
  'sender add': async ({ db, account }, { email }) => {
    if (!(await addSender(db, account.id, email)))
      throw createConflictError(`The sender address ${email} already exists`);
    return { email };
  },
  'sender list': async ({ db, account }) =>
    (await listSenderAddresses(db, account.id)).map((sender) => ({ email: sender.email })),
} satisfies ControlOperationsForNoun<'field' | 'search' | 'destination' | 'form' | 'sender'>;

function shortcode(digits: string): string {
  if (/^[0-9]{3,8}$/.test(digits)) return digits;
  throw createInvalidRequestError([
    { attribute: 'destination', reason: 'is not a shortcode: 3 to 8 digits' },
  ]);
}

export const subscriberOperations = {
  'subscriber create': async (call, { lists, email, msisdn }) => {
    const { db, account, now } = call;
    const contact = contactOf(email, msisdn);
    await requireLists(call, lists);
    const subscriberId = await createSubscriber(db, account.id, contact, now);
    for (const listId of lists) await subscribe(db, listId, subscriberId, now);
    const [made] = await listSubscribers(db, account.id, { after: subscriberId - 1, limit: 1 });
    if (!made) throw createNotFoundError(`Subscriber ${subscriberId}`);
    return asSubscriber(made);
  },
  /** Creates missing subscribers, subscribes all and sets their fields. Reports each refused row with the reason. */
  'subscriber import': async (call, { lists, rows }) => {
    await requireLists(call, lists);
    const fields = new Map(
      (await listRowsOfAccount(call.db, 'profile_field', call.account.id)).map(({ id, name }) => [name, id]),
    );
    const places = new Map<ImportedRow, number>();
    const rejected: { readonly row: number; readonly reason: string }[] = [];
    for (const [row, values] of rows.entries()) {
      try {
        places.set(importedRow(fields, values), row);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        rejected.push({ row, reason: error.message });
      }
    }
    const { db, account, now } = call;
    const { refused, ...counts } = await importSubscribers(db, account.id, lists, [...places.keys()], now);
    for (const { row, error } of refused) rejected.push({ row: places.get(row) ?? 0, reason: error.message });
    return { ...counts, rejected: rejected.sort((a, b) => a.row - b.row) };
  },
  'subscriber list': async ({ db, account }, { list: listId, after, before, limit }) =>
    (await listSubscribers(db, account.id, { after, before, limit, listId })).map(asSubscriber),
  'subscriber history': async ({ db, account }, { subscriber, before, limit }) => {
    const person =
      typeof subscriber === 'number'
        ? await findPersonById(db, account.id, subscriber)
        : await findPersonByAddress(db, account.id, addressOf(subscriber));
    const events = await listPersonEvents(db, account.id, person, { before: placeIn(before), limit });
    return (await showPersonEvents(db, account.id, events)).map((event) => ({ ...event }));
  },
} satisfies ControlOperationsForNoun<'subscriber'>;

function contactOf(email: string | undefined, msisdn: string | undefined): Contact {
  if (email === undefined && msisdn === undefined)
    throw createInvalidRequestError([atLeastOne('email', 'msisdn')]);
  return { email, msisdn };
}

async function requireLists({ db, account }: ControlCall, wanted: readonly number[]): Promise<void> {
  for (const listId of wanted) await requireRowOfAccount(db, 'list', account.id, listId, 'List');
}

function addressOf(text: string): string {
  const address = isEmailAddress(text) ? text : normaliseMsisdn(text);
  if (address !== undefined) return address;
  throw createInvalidRequestError([
    { attribute: 'subscriber', reason: 'is not an id, an e-mail address or a phone number' },
  ]);
}

/** Parses the position of an event: `<time>-<rank>-<id>-<id>`. */
function placeIn(text: string | undefined): PersonEventPosition | undefined {
  if (text === undefined) return undefined;
  const parts = /^([0-9]{1,12})-([0-9])-([0-9]{1,15})-([0-9]{1,15})$/.exec(text);
  if (parts === null)
    throw createInvalidRequestError([{ attribute: 'before', reason: 'is not the position of an event' }]);
  const [time = 0, rank = 0, a = 0, b = 0] = parts.slice(1).map(Number);
  return { time, rank, a, b };
}

interface SentRow {
  readonly email?: unknown;
  readonly msisdn?: unknown;
  readonly fields?: unknown;
}

/** Parses a row without looking at stored subscribers. Throws `ServiceError` for a row that can't be imported. */
function importedRow(fields: ReadonlyMap<string, number>, { email, msisdn, ...more }: SentRow): ImportedRow {
  const contact = contactOf(
    email == null ? undefined : readEmailAddressArgument('email', email),
    msisdn == null ? undefined : readMsisdnArgument('msisdn', msisdn),
  );
  const data = Object.entries(Object(more.fields)).map(([name, value]) => {
    const fieldId = fields.get(name);
    if (fieldId === undefined) throw createNotFoundError(`Profile field ${name}`);
    return { fieldId, value: String(value) };
  });
  return { contact, fields: data };
}

const asSubscriber = (row: SubscriberWithLists) => ({
  id: row.id,
  email: row.email,
  msisdn: row.msisdn,
  emailsuspended: row.emailsuspended === 1,
  smssuspended: row.smssuspended === 1,
  lists: [...row.lists],
  cdate: row.cdate,
});

/** Reference to a record: its id, or a name that does not consist of digits. */
export type IdOrName = number | string;

/** @throws ServiceError 404 if none exists, 409 if several have the name */
export async function taskOf(call: ControlCall, reference: IdOrName): Promise<TaskRow> {
  const id = await idOf(call, 'task', 'Task', reference);
  const task = await findRowById(call.db, 'task', id);
  if (task?.account_id !== call.account.id) throw createNotFoundError(`Task ${reference}`);
  return task;
}

/** Returns an id unchecked. Throws `ServiceError` 404 if no message has the name, 409 if several have it. */
export const findEmailMessageId = (call: ControlCall, reference: IdOrName): Promise<number> =>
  idOf(call, 'email_message', 'emailMessage', reference);

export async function findListId(call: ControlCall, reference: IdOrName): Promise<number> {
  const id = await idOf(call, 'list', 'List', reference);
  if (!(await findRowOfAccount(call.db, 'list', call.account.id, id)))
    throw createNotFoundError(`List ${reference}`);
  return id;
}

/**
 * Returns the id of the subscriber with this id, address or number. An unknown id is returned unchanged, because a recipient whose
 * subscriber was deleted can still complain.
 */
export async function findSubscriberId({ db, account }: ControlCall, reference: IdOrName): Promise<number> {
  const text = String(reference);
  const byId =
    typeof reference === 'number'
      ? await findRowOfAccount(db, 'subscriber', account.id, reference)
      : undefined;
  const msisdn = normaliseMsisdn(text);
  const contact = text.includes('@') ? { email: text } : msisdn === undefined ? {} : { msisdn };
  const found = byId ?? (await findSubscriber(db, account.id, contact));
  if (found) return found.id;
  if (typeof reference === 'number') return reference;
  throw createNotFoundError(`Subscriber ${text}`);
}

async function idOf(
  { db, account }: ControlCall,
  table: 'task' | 'email_message' | 'list',
  title: string,
  reference: IdOrName,
): Promise<number> {
  if (typeof reference === 'number') return reference;
  const [id, ...others] = await idsByName(db, table, account.id, reference);
  if (id === undefined) throw createNotFoundError(`${title} "${reference}"`);
  if (others.length === 0) return id;
  throw createConflictError(
    `"${reference}" is the name of several records: ${[id, ...others].join(', ')}; give the id`,
  );
}
