import { Fault, invalid, notFound } from '../../protocol/faults.ts';
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
import { type Arguments, email, id, ids, msisdn, number, optional } from './arguments.ts';
import { type ControlCall, type Operations, ofCompany } from './operation.ts';

/** Rows that one request imports; more would hold up everything else for too long. */
const MOST_ROWS = 1000;

export const subscriberOperations: Operations = {
  'subscriber create': ofCompany(async (call, args) => {
    const { db, account, now } = call;
    const contact = contactIn(args);
    const lists = await listsIn(call, args);
    const subscriberId = await createSubscriber(db, account.id, contact, now);
    for (const listId of lists) await subscribe(db, listId, subscriberId, now);
    const [made] = await listSubscribers(db, account.id, { after: subscriberId - 1, limit: 1 });
    if (!made) throw notFound(`Subscriber ${subscriberId}`);
    return asSubscriber(made);
  }),
  /** Those that are there are subscribed and their fields set; each row that is refused is named with the reason. */
  'subscriber import': ofCompany(async (call, args) => {
    const lists = await listsIn(call, args);
    const fields = new Map((await listFields(call.db, call.account.id)).map(({ id, name }) => [name, id]));
    const rejected: { readonly row: number; readonly reason: string }[] = [];
    const counts = { made: 0, subscribed: 0 };
    for (const [row, values] of rowsIn(args).entries()) {
      try {
        const imported = await importRow(call, lists, fields, values);
        counts.made += imported.made;
        counts.subscribed += imported.subscribed;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        rejected.push({ row, reason: error.message });
      }
    }
    return { ...counts, rejected };
  }),
  'subscriber list': ofCompany(async ({ db, account }, args) => {
    const listId = optional(args, 'list', id);
    const after = args['after'] === undefined ? 0 : number(args, 'after', { least: 0, most: 1e15 });
    const limit =
      args['limit'] === undefined ? MOST_ROWS : number(args, 'limit', { least: 1, most: MOST_ROWS });
    const page = { after, limit, ...(listId === undefined ? {} : { listId }) };
    return (await listSubscribers(db, account.id, page)).map(asSubscriber);
  }),
};

function contactIn(args: Arguments): Contact {
  const address = optional(args, 'email', email);
  const phone = optional(args, 'msisdn', msisdn);
  if (address === undefined && phone === undefined)
    throw invalid([{ attribute: 'email', reason: 'or msisdn is required' }]);
  return {
    ...(address === undefined ? {} : { email: address }),
    ...(phone === undefined ? {} : { msisdn: phone }),
  };
}

async function listsIn({ db, account }: ControlCall, args: Arguments): Promise<readonly number[]> {
  const wanted = ids(args, 'lists');
  if (wanted.length === 0) throw invalid([{ attribute: 'lists', reason: 'must name at least one list' }]);
  for (const listId of wanted)
    if (!(await listById(db, account.id, listId))) throw notFound(`List ${listId}`);
  return wanted;
}

function rowsIn(args: Arguments): readonly Arguments[] {
  const rows = args['rows'];
  if (!Array.isArray(rows) || rows.length > MOST_ROWS)
    throw invalid([{ attribute: 'rows', reason: `must be an array of at most ${MOST_ROWS} objects` }]);
  return rows.map((row: unknown) => (typeof row === 'object' && row !== null ? { ...row } : {}));
}

async function importRow(
  { db, account, now }: ControlCall,
  lists: readonly number[],
  fields: ReadonlyMap<string, number>,
  values: Arguments,
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
  for (const listId of lists) if (await subscribe(db, listId, subscriberId, now)) subscribed += 1;
  return { made: known ? 0 : 1, subscribed };
}

const asSubscriber = (row: SubscriberView) => ({
  id: row.id,
  email: row.email,
  msisdn: row.msisdn,
  emailsuspended: row.emailsuspended === 1,
  smssuspended: row.smssuspended === 1,
  lists: JSON.parse(row.lists) as number[],
  cdate: row.cdate,
});
