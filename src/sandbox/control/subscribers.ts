import type { JsonObject } from '../../protocol/json.ts';
import { invalid, notFound, ServiceError } from '../../protocol/service-errors.ts';
import { listFields } from '../store/control.ts';
import { type ImportedRow, importSubscribers } from '../store/import-subscribers.ts';
import { listById } from '../store/lists.ts';
import {
  type Contact,
  createSubscriber,
  listSubscribers,
  type SubscriberView,
  subscribe,
} from '../store/subscribers.ts';
import { readEmail, readMsisdn, readText } from './arguments.ts';
import type { ControlCall, OperationsOf } from './operation.ts';

export const subscriberOperations = {
  'subscriber create': async (call, { lists, email, msisdn }) => {
    const { db, account, now } = call;
    const contact = contactOf(email, msisdn);
    await requireLists(call, lists);
    const subscriberId = await createSubscriber(db, account.id, contact, now);
    for (const listId of lists) await subscribe(db, listId, subscriberId, now);
    const [made] = await listSubscribers(db, account.id, { after: subscriberId - 1, limit: 1 });
    if (!made) throw notFound(`Subscriber ${subscriberId}`);
    return asSubscriber(made);
  },
  /** Subscribes existing subscribers and sets their fields. Reports each refused row with the reason. */
  'subscriber import': async (call, { lists, rows }) => {
    await requireLists(call, lists);
    const fields = new Map((await listFields(call.db, call.account.id)).map(({ id, name }) => [name, id]));
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
    const wanted = { lists, rows: [...places.keys()], now };
    const { refused, ...counts } = await importSubscribers(db, account.id, wanted);
    for (const { row, error } of refused) rejected.push({ row: places.get(row) ?? 0, reason: error.message });
    return { ...counts, rejected: rejected.sort((a, b) => a.row - b.row) };
  },
  'subscriber list': async ({ db, account }, { list: listId, after, before, limit }) =>
    (await listSubscribers(db, account.id, { after, before, limit, listId })).map(asSubscriber),
} satisfies OperationsOf<'subscriber'>;

function contactOf(email: string | undefined, msisdn: string | undefined): Contact {
  if (email === undefined && msisdn === undefined)
    throw invalid([{ attribute: 'email', reason: 'or msisdn is required' }]);
  return { email, msisdn };
}

/** Returns the contact of an imported row. */
function contactIn(row: JsonObject): Contact {
  const read = (name: 'email' | 'msisdn', as: (name: string, text: string) => string) =>
    row[name] === undefined || row[name] === null ? undefined : as(name, readText(name, row[name]));
  return contactOf(read('email', readEmail), read('msisdn', readMsisdn));
}

async function requireLists({ db, account }: ControlCall, wanted: readonly number[]): Promise<void> {
  for (const listId of wanted)
    if (!(await listById(db, account.id, listId))) throw notFound(`List ${listId}`);
}

/** Parses a row without looking at stored subscribers. @throws ServiceError for a row that can't be imported */
function importedRow(fields: ReadonlyMap<string, number>, values: JsonObject): ImportedRow {
  const contact = contactIn(values);
  const data = Object.entries(Object(values['fields'])).map(([name, value]) => {
    const fieldId = fields.get(name);
    if (fieldId === undefined) throw notFound(`Profile field ${name}`);
    return { fieldId, value: String(value) };
  });
  return { contact, fields: data };
}

const asSubscriber = (row: SubscriberView) => ({
  id: row.id,
  email: row.email,
  msisdn: row.msisdn,
  emailsuspended: row.emailsuspended === 1,
  smssuspended: row.smssuspended === 1,
  lists: [...row.lists],
  cdate: row.cdate,
});
