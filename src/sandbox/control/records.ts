/** Creates small records that only the control plane can make: profile fields, searches, destinations, forms, senders. */
import { conflict, invalid, limitReached, notFound } from '../../protocol/service-errors.ts';
import { addSender, countOf, listFields, listSearches, listSenders } from '../store/control.ts';
import { adminOf, userOf } from '../store/identity.ts';
import { createField, hasProfileField } from '../store/profile-data.ts';
import { insertRow } from '../store/rows.ts';
import { readMsisdn } from './arguments.ts';
import type { OperationsOf } from './operation.ts';

export const recordOperations = {
  'field create': async ({ db, account, now }, { name }) => ({
    id: await createField(db, account, { name, cdate: now }),
    name,
  }),
  'field list': async ({ db, account }) =>
    (await listFields(db, account.id)).map(({ id, name }) => ({ id, name })),
  'search create': async ({ db, account, now }, { name, field, equals }) => {
    const most = account.search_limit;
    if (most !== null && (await countOf(db, 'search', account.id)) >= most)
      throw limitReached('search_limit', most);
    if (!(await hasProfileField(db, account.id, field))) throw notFound(`Profile field ${field}`);
    const search = { name, field_id: field, equals };
    const id = await insertRow(db, 'search', { ...search, account_id: account.id, cdate: now });
    return { id, ...search, cdate: now };
  },
  'search list': async ({ db, account }) =>
    (await listSearches(db, account.id)).map(({ account_id: _, ...search }) => search),
  'destination create': async ({ db, account }, { destination: given, shortcode: isshortcode }) => {
    const destination = isshortcode ? shortcode(given) : readMsisdn('destination', given);
    const id = await insertRow(db, 'sms_destination', {
      account_id: account.id,
      destination,
      isshortcode: isshortcode ? 1 : 0,
    });
    return { id, keyword: null, destination, isshortcode, mdate: null };
  },
  'form create': async ({ db, account, now }, { name, user: wanted }) => {
    const user = wanted === undefined ? await adminOf(db, account.id) : await userOf(db, account.id, wanted);
    if (!user) throw notFound(`User ${wanted ?? '(admin)'}`);
    const form = { name, user_id: user.id, gacode: '', suppressoptin: 0, cdate: now, mdate: now };
    return { id: await insertRow(db, 'form', { ...form, account_id: account.id }), ...form };
  },
  'sender add': async ({ db, account }, { email }) => {
    if (!(await addSender(db, account.id, email)))
      throw conflict(`The sender address ${email} already exists`);
    return { email };
  },
  'sender list': async ({ db, account }) =>
    (await listSenders(db, account.id)).map((sender) => ({ email: sender.email })),
} satisfies OperationsOf<'field' | 'search' | 'destination' | 'form' | 'sender'>;

function shortcode(digits: string): string {
  if (/^[0-9]{3,8}$/.test(digits)) return digits;
  throw invalid([{ attribute: 'destination', reason: 'is not a shortcode: 3 to 8 digits' }]);
}
