/** The start of every run: the same few records in the model and in the sandbox. */

import { domainOf } from '../../../src/kit/text/address.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import type { Store } from '../../../src/sandbox/store/open.ts';
import { assignments, insertRow, type SqlRow, updateRow } from '../../../src/sandbox/store/rows.ts';
import type { Tables } from '../../../src/sandbox/store/schema/tables.ts';
import { IDS, NOW } from '../../support/sandbox.ts';
import type { Model } from './state.ts';
import { CITIES, EMAILS, NUMBERS } from './steps.ts';

const CREDITS = 40;
/** The folder of each list. */
const LISTS = [1, 1, 2, null];
/** The e-mail address, number and lists of each subscriber. */
const PEOPLE: readonly (readonly [string | null, string | null, readonly number[]])[] = [
  [EMAILS[0] ?? null, NUMBERS[0] ?? null, [1, 2]],
  [EMAILS[1] ?? null, null, [1]],
  [EMAILS[2] ?? null, NUMBERS[1] ?? null, [1, 3]],
  [null, NUMBERS[2] ?? null, [1, 4]],
  ['e@two.example', '447700900005', [1, 2]],
  ['f@one.example', null, [1, 2]],
  ['g@three.example', '447700900006', [1]],
];
/** A subscriber whose e-mails are suspended. The domain of another one is on Do Not Contact. */
const SUSPENDED = 6;
const BLOCKED = 'three.example';
/** The lists from which and to which two subscription rules move a subscriber, a minute later. */
const RING = [
  [3, 4],
  [4, 3],
] as const;
const SMS_TEXTS = ['x'.repeat(160), 'x'.repeat(161)];

const cityOf = (id: number): string | null => CITIES[id % 3] ?? null;

export function createModel(): Model {
  return {
    now: NOW,
    credits: { email: CREDITS, sms: CREDITS },
    spent: { email: 0, sms: 0 },
    folders: new Set([1, 2]),
    lists: new Map(LISTS.map((folder, index) => [index + 1, folder])),
    subscribers: new Map(
      PEOPLE.map(([email, msisdn, lists], index) => {
        const id = index + 1;
        const suspended = { email: id === SUSPENDED, sms: false };
        return [id, { id, email, msisdn, suspended, city: cityOf(id), lists: new Set(lists) }];
      }),
    ),
    blocked: new Set([BLOCKED]),
    messages: [
      { channel: 'email', id: 1, cost: 1, deleted: false, used: false },
      { channel: 'email', id: 2, cost: 1, deleted: false, used: false },
      // Interface, smsMessage: "2 parts is about 306 characters for 2 credits".
      ...SMS_TEXTS.map((_, index) => ({
        channel: 'sms' as const,
        id: index + 1,
        cost: index + 1,
        deleted: false,
        used: false,
      })),
    ],
    searches: new Map(CITIES.map((city, index) => [index + 1, city])),
    tasks: new Map(),
    sms: new Map(),
    // A ring, for chains that would never end.
    rules: RING.map(([from, to], index) => ({
      kind: 'subscription',
      id: index + 1,
      watches: from,
      action: { type: 'movetolist', list: to },
      offset: 60,
      paused: false,
    })),
    queue: [],
    queuedSoFar: 0,
    outbox: [],
    loops: 0,
    made: { list: LISTS.length, folder: 2, subscriber: PEOPLE.length },
  };
}

/** Adds the same records to the store of a new test sandbox. */
export async function fillStore({ transaction }: Store): Promise<void> {
  await transaction(async (db) => {
    const times = { cdate: NOW, mdate: NOW };
    const put = (table: keyof Tables, row: SqlRow) => insertRow(db, table, row);
    const own = { account_id: IDS.company };
    const made = { ...own, user_id: IDS.admin, name: 'M', fromname: 'Company', ...times };
    for (const name of ['News', 'Offers']) await put('folder', { ...own, name, ...times });
    for (const folder_id of LISTS) await put('list', { ...own, folder_id, name: 'List', cdate: NOW });
    await put('profile_field', { ...own, name: 'City' });
    await put('do_not_contact', { ...own, contactdata: BLOCKED, cdate: NOW });
    for (const [email, msisdn, lists] of PEOPLE) {
      const email_domain = email === null ? null : domainOf(email);
      const id = await put('subscriber', { ...own, email, email_domain, msisdn, cdate: NOW });
      const value = cityOf(id);
      if (value !== null) await put('profile_data', { ...own, field_id: 1, subscriber_id: id, value });
      for (const list_id of lists) await put('subscription', { list_id, subscriber_id: id, cdate: NOW });
    }
    await updateRow(db, 'subscriber', SUSPENDED, { emailsuspended: 1 });
    const email = { html: '<p>Hi</p>', text: 'Hi', subject: 'Hi', replyemail: 'office@example.com' };
    for (let count = 0; count < 2; count += 1) await put('email_message', { ...made, ...email });
    const link = { message_id: 1, target: 'https://example.com/', type: 'html', cdate: NOW };
    await put('email_message_link', { ...own, ...link });
    for (const message of SMS_TEXTS) await put('sms_message', { ...made, message });
    for (const [list_id, target] of RING)
      await put('subscription_automation', {
        ...own,
        user_id: IDS.admin,
        name: 'Rule',
        list_id,
        actiontype: 'movetolist',
        actiontarget: String(target),
        actiontimediff: 1,
        actiononweekend: 1,
        ...times,
      });
    for (const equals of CITIES)
      await put('search', { ...own, name: equals, field_id: 1, equals, cdate: NOW });
    const credits = { emailcreditbalance: CREDITS, smscreditbalance: CREDITS };
    await db.run(sql`update account set ${assignments(credits)} where id = ${IDS.company}`);
  });
}
