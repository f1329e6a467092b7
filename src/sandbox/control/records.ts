/** Small records that only the control plane makes: profile fields, searches, destinations, forms, senders. */
import { conflict, invalid, limitReached, notFound } from '../../protocol/faults.ts';
import { addSender, countOf, listFields, listSearches, listSenders } from '../store/control.ts';
import { adminOf, userOf } from '../store/identity.ts';
import { hasProfileField } from '../store/profile-data.ts';
import { insertRow } from '../store/rows.ts';
import { email, flag, id, msisdn, optional, text } from './arguments.ts';
import { type Operations, ofCompany } from './operation.ts';

export const recordOperations: Operations = {
  'field create': ofCompany(async ({ db, account }, args) => {
    const name = text(args, 'name');
    const most = account.subscriberprofilefield_limit;
    if (most !== null && (await countOf(db, 'profile_field', account.id)) >= most)
      throw limitReached('subscriberprofilefield_limit', most);
    const same = (await listFields(db, account.id)).find((field) => field.name === name);
    if (same) throw conflict(`There is a profile field ${name} already`, same.id);
    return { id: await insertRow(db, 'profile_field', { account_id: account.id, name }), name };
  }),
  'field list': ofCompany(async ({ db, account }) =>
    (await listFields(db, account.id)).map(({ id: fieldId, name }) => ({ id: fieldId, name })),
  ),
  'search create': ofCompany(async ({ db, account, now }, args) => {
    const search = { name: text(args, 'name'), field_id: id(args, 'field'), equals: text(args, 'equals') };
    const most = account.search_limit;
    if (most !== null && (await countOf(db, 'search', account.id)) >= most)
      throw limitReached('search_limit', most);
    if (!(await hasProfileField(db, account.id, search.field_id)))
      throw notFound(`Profile field ${search.field_id}`);
    const made = await insertRow(db, 'search', { ...search, account_id: account.id, cdate: now });
    return { id: made, ...search, cdate: now };
  }),
  'search list': ofCompany(async ({ db, account }) =>
    (await listSearches(db, account.id)).map(({ account_id: _, ...search }) => search),
  ),
  'destination create': ofCompany(async ({ db, account }, args) => {
    const isshortcode = flag(args, 'shortcode');
    const destination = isshortcode ? shortcode(text(args, 'destination')) : msisdn(args, 'destination');
    const made = await insertRow(db, 'sms_destination', {
      account_id: account.id,
      destination,
      isshortcode: isshortcode ? 1 : 0,
    });
    return { id: made, keyword: null, destination, isshortcode, mdate: null };
  }),
  'form create': ofCompany(async ({ db, account, now }, args) => {
    const name = text(args, 'name');
    const wanted = optional(args, 'user', id);
    const user = wanted === undefined ? await adminOf(db, account.id) : await userOf(db, account.id, wanted);
    if (!user) throw notFound(`User ${wanted ?? '(admin)'}`);
    const form = { name, user_id: user.id, gacode: '', suppressoptin: 0, cdate: now, mdate: now };
    return { id: await insertRow(db, 'form', { ...form, account_id: account.id }), ...form };
  }),
  'sender add': ofCompany(async ({ db, account }, args) => {
    const address = email(args, 'email');
    if (!(await addSender(db, account.id, address))) throw conflict(`${address} is a sender address already`);
    return { email: address };
  }),
  'sender list': ofCompany(async ({ db, account }) =>
    (await listSenders(db, account.id)).map((sender) => ({ email: sender.email })),
  ),
};

function shortcode(digits: string): string {
  if (/^[0-9]{3,8}$/.test(digits)) return digits;
  throw invalid([{ attribute: 'destination', reason: 'is no shortcode: 3 to 8 digits' }]);
}
