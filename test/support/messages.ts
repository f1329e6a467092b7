/** Messages, lists and subscribers for sends, put directly into a test sandbox. */

import { domainOf } from '../../src/kit/text/address.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import type { SqlRow } from '../../src/sandbox/store/rows.ts';
import { assignments } from '../../src/sandbox/store/rows.ts';
import { IDS, NOW, type TestSandbox } from './sandbox.ts';

const times = { cdate: NOW, mdate: NOW };

export const putList = (sandbox: TestSandbox, more: SqlRow = {}) =>
  sandbox.put('list', { account_id: IDS.company, name: 'List', cdate: NOW, ...more });

/** Adds a subscriber to each of the lists. */
export async function putSubscriber(
  sandbox: TestSandbox,
  lists: readonly number[],
  contact: { readonly email?: string; readonly msisdn?: string },
  more: SqlRow = {},
): Promise<number> {
  const id = await sandbox.put('subscriber', {
    account_id: IDS.company,
    email: contact.email ?? null,
    email_domain: contact.email === undefined ? null : domainOf(contact.email),
    msisdn: contact.msisdn ?? null,
    cdate: NOW,
    ...more,
  });
  for (const list of lists)
    await sandbox.put('subscription', { list_id: list, subscriber_id: id, cdate: NOW });
  return id;
}

export const putEmail = (sandbox: TestSandbox, more: SqlRow = {}) =>
  sandbox.put('email_message', {
    account_id: IDS.company,
    user_id: IDS.admin,
    name: 'Message',
    fromname: 'Company',
    html: '<p>Hello</p>',
    replyemail: 'office@example.com',
    subject: 'Hello',
    text: 'Hello',
    ...times,
    ...more,
  });

export const putSms = (sandbox: TestSandbox, more: SqlRow = {}) =>
  sandbox.put('sms_message', {
    account_id: IDS.company,
    user_id: IDS.admin,
    name: 'Text',
    fromname: 'Company',
    message: 'Hello',
    ...times,
    ...more,
  });

/** The body of a POST /emailMessage that the service accepts. */
export const EMAIL = {
  fromemail: null,
  fromname: 'Company',
  html: '<p>Hello</p>',
  name: 'Message',
  replyemail: 'office@example.com',
  subject: 'Hello',
  text: 'Hello',
} as const;

/** Restricts the sub-user to a new, empty folder. Returns its id. */
export async function restrictSub(sandbox: TestSandbox): Promise<number> {
  const folder = await sandbox.put('folder', { account_id: IDS.company, name: 'Own', ...times });
  await sandbox.put('folder_access', { user_id: IDS.sub, folder_id: folder });
  return folder;
}

export const setAccount = async (sandbox: TestSandbox, set: SqlRow): Promise<void> => {
  await sandbox.service.store.db.run(sql`update account set ${assignments(set)} where id = ${IDS.company}`);
};
