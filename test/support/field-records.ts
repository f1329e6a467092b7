/**
 * Records of every resource that differ in each field, so that types, nulls, defaults, filters and orders can be seen on the wire. Made by
 * requests; a row is put into the store only where the interface has no request that makes it.
 */
import type { JsonObject } from '../../src/service/protocol/envelope.ts';
import { settle } from './engine.ts';
import { EMAIL, putList, putSubscriber } from './messages.ts';
import { type Answer, type As, IDS, KEYS, NOW, readAnswer, type TestSandbox } from './sandbox.ts';
import { signing } from './signing.ts';

export interface FieldRecords {
  /** Records as GET returns them. */
  readonly records: readonly JsonObject[];
  /** The record of a POST that has only the required attributes, for the defaults of the others. */
  readonly plain?: JsonObject;
  /** Path of the collection with the records, to which filters and orders are added. */
  readonly collection: string;
}

export const PLAIN_TEXT = 'See http://e.example/ for more';

export async function makeFieldRecords(sandbox: TestSandbox): Promise<ReadonlyMap<string, FieldRecords>> {
  const found = new Map<string, FieldRecords>();
  let seconds = 0;
  /** Sends a request a minute later than the one before. */
  const send = async (as: As, method: 'POST' | 'PUT', target: string, body: object): Promise<JsonObject> => {
    seconds += 60;
    await sandbox.at(seconds);
    const { status, data, text } = await sandbox.send(as, method, `/v1/${target}`, body);
    if (status !== 200 && status !== 202) throw new Error(`${method} ${target}: ${status} ${text}`);
    return data;
  };
  const post = (target: string, body: object, as: As = 'admin') => send(as, 'POST', target, body);
  const idOf = async (made: Promise<JsonObject>): Promise<number> => Number((await made)['id']);
  const collect = async (name: string, plain?: JsonObject): Promise<void> => {
    const collection = `/v1/${name}`;
    const { list } = await sandbox.send('admin', 'GET', collection);
    const again = list.find((each) => each['id'] === plain?.['id']);
    found.set(name, { collection, records: list, ...(again && { plain: again }) });
  };

  found.set('account', await accountRecords(sandbox));
  found.set('accountFeatures', await featureRecords(sandbox));

  const person = { email: 'new@example.com', firstname: 'New', lastname: 'Person', password: null };
  const plainUser = await post('user', { ...person, username: 'plain' });
  const full = { username: 'full', password: 'harbour7', active: false, msisdn: '447700900100' };
  await post('user', { ...person, ...full });
  await sandbox.put('user', {
    ...{ account_id: IDS.company, username: 'known', email: 'k@example.com', firstname: 'K', lastname: 'N' },
    ...{ timezone: 'UTC', locked: 1, logins: 7, lastlogon: NOW - 60, cdate: NOW - 50, mdate: NOW - 40 },
  });
  await collect('user', plainUser);

  const sms = { msisdn: '447700900001', fromaddress: 'Shop', message: 'Doors open' };
  const plainSms = await post('sms', sms);
  const later = { msisdn: '447700900002', fromaddress: '447700900999', message: 'Hi', senddate: NOW + 9000 };
  await post('sms', later, 'sub');
  await settle(sandbox);
  await collect('sms', plainSms);

  const [folder, list, otherList] = [
    await idOf(post('folder', { name: 'News' })),
    await putList(sandbox),
    await putList(sandbox, { name: 'Other' }),
  ];
  await sandbox.put('folder', { account_id: 1, name: 'Archive', cdate: NOW - 99, mdate: NOW - 98 });
  await putList(sandbox, { folder_id: folder });
  await collect('folder');
  const subscribers = [
    await putSubscriber(sandbox, [list], { email: 'a@example.com', msisdn: '447700900003' }),
    await putSubscriber(sandbox, [list], { email: 'b@example.com' }),
  ];

  const fields: number[] = [];
  for (const name of ['Colour', 'Size'])
    fields.push(await sandbox.put('profile_field', { account_id: 1, name }));
  for (const subscriberprofilefield_id of fields)
    for (const subscriber_id of subscribers)
      await post('subscriberProfileData', { subscriber_id, subscriberprofilefield_id, value: 'blue' });
  const [field = 0] = fields;
  const ofField = async (id = 0) =>
    (await sandbox.send('admin', 'GET', `/v1/subscriberProfileData?subscriberprofilefield_id=${id}`)).list;
  found.set('subscriberProfileData', {
    collection: '/v1/subscriberProfileData',
    records: [...(await ofField(field)), ...(await ofField(fields[1]))],
  });
  const search = await sandbox.put('search', {
    ...{ account_id: 1, name: 'Blue', field_id: field, equals: 'blue', cdate: NOW },
  });

  const plainText = await post('smsMessage', { fromname: 'Shop', message: 'Hi', name: 'Plain' });
  const fullText = { fromname: '447700900999', message: 'Sale', name: 'Full', subinfo: true };
  const usedText = await idOf(post('smsMessage', fullText));

  await sandbox.put('sender_address', { account_id: 1, email: 'news@example.com' });
  const plainEmail = await post('emailMessage', { ...EMAIL, name: 'Plain', text: PLAIN_TEXT });
  const flags = { customoptin: true, editor: 4, galinkdata: true, friendlink: true, tracktextlinks: true };
  const optIn = '<svc_link value="%svc_optin%" name="opt-in">Yes</svc_link>';
  await post('emailMessage', {
    ...{ ...EMAIL, ...flags, name: 'Full', fromemail: 'news@example.com' },
    html: `${optIn}<a href="https://a.example">A</a>`,
    text: `<svc_name value="optin" alt=""> ${PLAIN_TEXT}`,
  });
  const personalised = '<a href="https://a.example/?c={{ field.Colour }}" name="colour">A</a>';
  const usedEmail = await idOf(post('emailMessage', { ...EMAIL, name: 'Used', html: personalised }));

  const mail = { channel: 'email', message_id: usedEmail, list_id: list, search_id: null };
  const plainTask = await post('task', { ...mail, name: 'Plain', scheduledtime: NOW + 7200 });
  const text = { channel: 'sms', message_id: usedText, list_id: null, search_id: search, rate: 60 };
  await post('task', { ...text, name: 'Full', scheduledtime: NOW + 9000 });
  const stopped = await idOf(post('task', { ...mail, name: 'Stopped', scheduledtime: NOW + 8000 }));
  await send('admin', 'PUT', `task/${stopped}`, { cancelled: true });
  await post('task', { ...mail, name: 'Sent', scheduledtime: NOW });
  await settle(sandbox);
  await collect('task', plainTask);
  await collect('emailMessageLink');

  for (const contactdata of ['one@example.net', '447700900555']) await post('doNotContact', { contactdata });
  await collect('doNotContact');

  const form = { account_id: 1, gacode: 'G-1', mdate: NOW };
  await sandbox.put('form', { ...form, user_id: 1, name: 'Footer', suppressoptin: 1, cdate: NOW });
  await sandbox.put('form', { ...form, user_id: 2, name: 'Banner', suppressoptin: 0, cdate: NOW + 5 });
  await collect('form');

  await sandbox.put('sms_destination', { account_id: 1, destination: '447700900990', isshortcode: 0 });
  const short = await sandbox.put('sms_destination', { account_id: 1, destination: '60777', isshortcode: 1 });
  await send('admin', 'PUT', `smsDestination/${short}`, { keyword: 'SHOP' });
  await collect('smsDestination');

  const notify = { actiontype: 'notify', actiontarget: 'office@example.com', name: 'Plain', summary: null };
  const time = { actionhour: '09:00:00', actiontimediff: 1440, actiononweekend: false };
  const add = { ...time, actiontarget: String(otherList), name: 'Full', paused: true, summary: 'Why' };
  const link = Number(found.get('emailMessageLink')?.records[0]?.['id']);
  const kinds: Readonly<Record<string, readonly [plain: object, full: object]>> = {
    clickAutomation: [
      { link_id: null, message_id: usedEmail },
      { actiontype: 'addtolist', link_id: link, message_id: null },
    ],
    openAutomation: [{ message_id: usedEmail }, { actiontype: 'addtolist', message_id: usedEmail }],
    subscriptionAutomation: [{ list_id: list }, { actiontype: 'copytolist', list_id: list }],
    dateAutomation: [{}, { actiontype: 'addtolist' }],
  };
  for (const [name, [plain, more]] of Object.entries(kinds)) {
    const made = await post(name, { ...notify, ...plain });
    await post(name, { ...add, ...more }, 'sub');
    await collect(name, made);
  }
  const ruleOfSms = { list_id: list, summary: null };
  const plainRule = await post('smsAutomation', { ...ruleOfSms, keyword: null, name: 'Plain' });
  const answer = { message_id: usedText, message_actionhour: '09:00:00', message_actiontimediff: 1440 };
  await post(
    'smsAutomation',
    {
      ...{
        ...answer,
        keyword: 'JOIN',
        list_id: list,
        email_list_id: otherList,
        name: 'Full',
        summary: 'Why',
      },
      ...{ message_actiononweekend: false, notifyemail: 'office@example.com', notifymsisdn: '447700900100' },
      ...{ notifyurl: 'https://example.com/in', paused: true },
    },
    'sub',
  );
  await collect('smsAutomation', plainRule);
  // Tasks and rules change messages, so these come last.
  await collect('smsMessage', plainText);
  await collect('emailMessage', plainEmail);
  return found;
}

/** Sends a request of the partner for a company. */
async function asPartner(
  { service }: TestSandbox,
  cid: unknown,
  method: 'GET' | 'PUT',
  target: string,
  body?: object,
): Promise<Answer> {
  const parts = { pid: IDS.partner, cid: Number(cid), key: KEYS.partner, method, target };
  const request = signing({ ...parts, ...(body && { body: JSON.stringify(body) }) });
  return readAnswer(await service.handle(request), method);
}

/** Returns the account of the tests as its admin and as an unrestricted sub-user see it, a new one, and one with all attributes. */
async function accountRecords(sandbox: TestSandbox): Promise<FieldRecords> {
  const created = async (more: object): Promise<JsonObject> => {
    const body = { name: 'New', contactemail: 'new@example.com', ...more };
    return (await sandbox.send('partner-alone', 'POST', '/v1/account', body)).data;
  };
  const got = async ({ id }: JsonObject): Promise<JsonObject> =>
    (await asPartner(sandbox, id, 'GET', `/v1/account/${String(id)}`)).data;
  const plain = await got(await created({}));
  const limits = { automation_limit: 5, search_limit: 8, smsautomation_limit: 9, subscriber_limit: 2 };
  const full = await created({
    ...{ ...limits, subscriberprofileattribute_limit: 3, telephone: '+44 20 7946 0000', list_limit: 7 },
    ...{ website: 'https://example.com', address: '1 High Street', country: 'GB', user_limit: 2 },
  });
  const features = `/v1/accountFeatures/${String(full['id'])}`;
  await asPartner(sandbox, full['id'], 'PUT', features, { subscriberprofilefield_limit: 4 });
  const shown = async (as: As) => (await sandbox.send(as, 'GET', '/v1/account/1')).data;
  const own = await shown('admin');
  const folder = await sandbox.put('folder', { account_id: 1, name: 'Own', cdate: NOW - 9, mdate: NOW });
  await sandbox.put('folder_access', { user_id: IDS.sub2, folder_id: folder });
  return { collection: '/v1/account', plain, records: [own, await shown('sub2'), plain, await got(full)] };
}

/** Returns the features of a new account, and the same after each dependent attribute and limit got another value. */
async function featureRecords(sandbox: TestSandbox): Promise<FieldRecords> {
  const body = { name: 'Featured', contactemail: 'new@example.com' };
  const { id } = (await sandbox.send('partner-alone', 'POST', '/v1/account', body)).data;
  const target = `/v1/accountFeatures/${String(id)}`;
  const plain = (await asPartner(sandbox, id, 'GET', target)).data;
  const limits = { automation_limit: 5, search_limit: 8, smsautomation_limit: 9, subscriber_limit: 2 };
  await asPartner(sandbox, id, 'PUT', target, {
    ...{ ...limits, subscriberprofilefield_limit: 3, enablecustommaildomain: true },
    ...{ maildomainprimary: 'a.example', enablesendbulkemail: false, enablesms: false },
  });
  const changed = (await asPartner(sandbox, id, 'GET', target)).data;
  // The default of an attribute that is null while its feature is off.
  const defaults = { ...plain, custommaildomaintype: changed['custommaildomaintype'] ?? null };
  return { collection: '/v1/accountFeatures', plain: defaults, records: [plain, changed] };
}
