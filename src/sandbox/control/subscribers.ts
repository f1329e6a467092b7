import type { JsonObject } from '../../protocol/json.ts';
import { invalid, notFound, ServiceError } from '../../protocol/service-errors.ts';
import { listFields } from '../store/control.ts';
import { listById } from '../store/lists.ts';
import {
  type Contact,
  createSubscriber,
  findSubscriber,
  listSubscribers,
  type SubscriberView,
  setProfileValue,
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
  /** Those that are there are subscribed and their fields set; each row that is refused is named with the reason. */
  'subscriber import': async (call, { lists, rows }) => {
    await requireLists(call, lists);
    const fields = new Map((await listFields(call.db, call.account.id)).map(({ id, name }) => [name, id]));
    const rejected: { readonly row: number; readonly reason: string }[] = [];
    const counts = { made: 0, subscribed: 0 };
    for (const [row, values] of rows.entries()) {
      try {
        const imported = await importRow(call, lists, fields, values);
        counts.made += imported.made;
        counts.subscribed += imported.subscribed;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        rejected.push({ row, reason: error.message });
      }
    }
    return { ...counts, rejected };
  },
  'subscriber list': async ({ db, account }, { list: listId, after, before, limit }) =>
    (await listSubscribers(db, account.id, { after, before, limit, listId })).map(asSubscriber),
} satisfies OperationsOf<'subscriber'>;

function contactOf(email: string | undefined, msisdn: string | undefined): Contact {
  if (email === undefined && msisdn === undefined)
    throw invalid([{ attribute: 'email', reason: 'or msisdn is required' }]);
  return { email, msisdn };
}

/** Of a row that is imported. */
function contactIn(row: JsonObject): Contact {
  const read = (name: 'email' | 'msisdn', as: (name: string, text: string) => string) =>
    row[name] === undefined || row[name] === null ? undefined : as(name, readText(name, row[name]));
  return contactOf(read('email', readEmail), read('msisdn', readMsisdn));
}

async function requireLists({ db, account }: ControlCall, wanted: readonly number[]): Promise<void> {
  for (const listId of wanted)
    if (!(await listById(db, account.id, listId))) throw notFound(`List ${listId}`);
}

async function importRow(
  { db, account, now }: ControlCall,
  lists: readonly number[],
  fields: ReadonlyMap<string, number>,
  values: JsonObject,
): Promise<{ readonly made: number; readonly subscribed: number }> {
  const contact = contactIn(values);
  const data = Object.entries(Object(values['fields'])).map(([name, value]) => {
    const fieldId = fields.get(name);
    if (fieldId === undefined) throw notFound(`Profile field ${name}`);
    return { fieldId, value: String(value) };
  });
  const known = await findSubscriber(db, account.id, contact);
  const subscriberId = known?.id ?? (await createSubscriber(db, account.id, contact, now));
  for (const each of data) await setProfileValue(db, account.id, { ...each, subscriberId });
  let subscribed = 0;
  for (const listId of lists) if (await subscribe(db, listId, subscriberId, now, 'import')) subscribed += 1;
  return { made: known ? 0 : 1, subscribed };
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
