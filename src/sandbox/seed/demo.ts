/** Creates a realistic small company, Harbour Coffee Roasters, and two other companies of its agency. */
import { trackLinks } from '../engine/mail/links.ts';
import { sql } from '../store/driver/sql.ts';
import { assignments, insertRow, insertRows, type SqlRow, selectRequiredRow } from '../store/rows.ts';
import type { Row } from '../store/schema/tables.ts';
import {
  DAY_SECONDS,
  DEMO_RECORD_IDS,
  DEMO_TIMEZONE,
  type DemoPerson,
  isLoyaltyMember,
  makeDemoPeople,
  type SeedOptions,
} from './demo-company.ts';
import { seedDemoHistory } from './demo-history.ts';
import { demoEmails, demoSmsMessages } from './demo-messages.ts';

const SUBSCRIBERS = 480;

export async function seedDemo(options: SeedOptions): Promise<void> {
  await seedCompanies(options);
  await seedRecords(options);
  const subscribers = makeDemoPeople(1, SUBSCRIBERS);
  await seedSubscribers(options, subscribers);
  await seedMessages(options);
  await seedDemoRules(options);
  await seedDemoHistory(options, subscribers);
  await seedNeighbours(options);
}

async function seedCompanies({ db, now, key }: SeedOptions): Promise<void> {
  const partner_id = await insertRow(db, 'partner', {
    name: 'Northlight Agency',
    api_key: key(20),
    timezone: DEMO_TIMEZONE,
  });
  const companies = [
    ['Harbour Coffee Roasters', '12 Quayside, Bristol', 'harbourcoffee.example', 25_000, 1_500, 400],
    ['Fernleigh Cycles', '3 Station Road, Bath', 'fernleighcycles.example', 4_000, 200, 250],
    ['Ostra Yoga', '40 Park Street, Cardiff', 'ostrayoga.example', 1_200, 0, 90],
  ] as const;
  for (const [name, address, domain, emailcreditbalance, smscreditbalance, age] of companies) {
    const times = { cdate: now - age * DAY_SECONDS, mdate: now - 30 * DAY_SECONDS };
    await insertRow(db, 'account', {
      partner_id,
      api_key: key(16),
      name,
      address,
      country: 'GB',
      contactemail: `office@${domain}`,
      goaltrackingdomain: `track.${domain}`,
      telephone: '441174960000',
      website: `https://www.${domain}`,
      timezone: DEMO_TIMEZONE,
      user_limit: 10,
      emailcreditbalance,
      smscreditbalance,
      ...times,
    });
  }
  const user = {
    timezone: DEMO_TIMEZONE,
    cdate: now - 400 * DAY_SECONDS,
    mdate: now - 20 * DAY_SECONDS,
    account_id: DEMO_RECORD_IDS.company,
  };
  const staff = [
    ['grace', 'Grace', 'Okafor', 1, 412],
    ['tom', 'Tom', 'Lindqvist', 0, 96],
    ['priya', 'Priya', 'Nair', 0, 31],
  ] as const;
  for (const [username, firstname, lastname, isadmin, logins] of staff) {
    const email = `${username}@harbourcoffee.example`;
    const lastlogon = now - logins * 60;
    await insertRow(db, 'user', {
      ...user,
      username,
      firstname,
      lastname,
      email,
      isadmin,
      logins,
      lastlogon,
    });
  }
}

async function seedRecords({ db, now }: SeedOptions): Promise<void> {
  const account_id = DEMO_RECORD_IDS.company;
  const times = { cdate: now - 380 * DAY_SECONDS, mdate: now - 60 * DAY_SECONDS };
  for (const name of ['Customers', 'Events']) await insertRow(db, 'folder', { account_id, name, ...times });
  const { customers, events } = DEMO_RECORD_IDS.folders;
  const lists = [
    ['Newsletter', customers, 0],
    ['Loyalty club', customers, 1],
    ['Tastings and events', events, 0],
  ] as const;
  for (const [name, folder_id, permanent] of lists)
    await insertRow(db, 'list', { account_id, folder_id, name, permanent, cdate: times.cdate });
  for (const name of ['Firstname', 'City', 'Drink', 'Birthday'])
    await insertRow(db, 'profile_field', { account_id, name, cdate: now });
  const search = { name: 'Espresso drinkers', field_id: DEMO_RECORD_IDS.fields.drink, equals: 'espresso' };
  await insertRow(db, 'search', { account_id, ...search, cdate: now - 90 * DAY_SECONDS });
  for (const email of ['hello@harbourcoffee.example', 'news@harbourcoffee.example'])
    await insertRow(db, 'sender_address', { account_id, email });
  await insertRow(db, 'sms_destination', {
    account_id,
    destination: '447700900990',
    keyword: 'harbour',
    mdate: now - 200 * DAY_SECONDS,
  });
  await insertRow(db, 'sms_destination', { account_id, destination: '60990', isshortcode: 1 });
  const form = { account_id, ...times, suppressoptin: 1 };
  await insertRow(db, 'form', {
    ...form,
    name: 'Website footer',
    user_id: DEMO_RECORD_IDS.users.admin,
    gacode: 'UA-0000-1',
  });
  await insertRow(db, 'form', { ...form, name: 'Tasting sign-up', user_id: DEMO_RECORD_IDS.users.marketing });
  const blocked = ['former.customer@example.com', 'no.thanks@example.org', 'rivals.example', '447700900999'];
  for (const [index, contactdata] of blocked.entries())
    await insertRow(db, 'do_not_contact', {
      account_id,
      contactdata,
      cdate: now - (120 - index * 20) * DAY_SECONDS,
    });
}

async function seedSubscribers({ db, now }: SeedOptions, all: readonly DemoPerson[]): Promise<void> {
  const account_id = DEMO_RECORD_IDS.company;
  const cdate = (person: DemoPerson): number => now - (360 - (person.id % 340)) * DAY_SECONDS;
  await insertRows(
    db,
    'subscriber',
    all.map((person) => ({
      id: person.id,
      account_id,
      email: person.email,
      email_domain: person.email?.split('@')[1] ?? null,
      msisdn: person.msisdn,
      emailsuspended: person.email !== null && person.id % 97 === 0 ? 1 : 0,
      smssuspended: person.msisdn !== null && person.id % 89 === 0 ? 1 : 0,
      cdate: cdate(person),
    })),
  );
  const { newsletter, loyalty, tastings } = DEMO_RECORD_IDS.lists;
  const listsOf = (person: DemoPerson): number[] => [
    ...(person.email !== null ? [newsletter] : []),
    ...(isLoyaltyMember(person.id) ? [loyalty] : []),
    ...(person.msisdn !== null ? [tastings] : []),
  ];
  await insertRows(
    db,
    'subscription',
    all.flatMap((person) =>
      listsOf(person).map((list_id) => ({ list_id, subscriber_id: person.id, cdate: cdate(person) })),
    ),
  );
  const { firstname, city, drink, birthday } = DEMO_RECORD_IDS.fields;
  const dataOf = (person: DemoPerson): (readonly [number, string])[] => [
    [firstname, person.firstname],
    [city, person.city],
    ...(person.id % 3 === 0 ? [] : [[drink, person.drink] as const]),
    ...(person.id % 2 === 0 ? [] : [[birthday, person.birthday] as const]),
  ];
  await insertRows(
    db,
    'profile_data',
    all.flatMap((person) =>
      dataOf(person).map(([field_id, value]) => ({ field_id, subscriber_id: person.id, account_id, value })),
    ),
  );
}

async function seedMessages({ db, now, naming }: SeedOptions): Promise<void> {
  const account_id = DEMO_RECORD_IDS.company;
  for (const [index, copy] of demoEmails(naming).entries()) {
    const written = now - (70 - index * 8) * DAY_SECONDS;
    const times = { cdate: written, mdate: written };
    const id = await insertRow(db, 'email_message', {
      account_id,
      user_id: index % 2 === 0 ? DEMO_RECORD_IDS.users.admin : DEMO_RECORD_IDS.users.marketing,
      name: copy.name,
      subject: copy.subject,
      html: '',
      text: '',
      customoptin: copy.customoptin ? 1 : 0,
      fromemail: 'news@harbourcoffee.example',
      fromname: 'Harbour Coffee',
      replyemail: 'hello@harbourcoffee.example',
      ...times,
    });
    const message = { accountId: account_id, messageId: id, now: written, trackingBaseUrl: '' };
    const parts = await trackLinks(db, message, copy, { trackText: false });
    await db.run(sql`update email_message set ${assignments({ ...parts })} where id = ${id}`);
  }
  for (const [index, { name, message, subinfo }] of demoSmsMessages.entries()) {
    const written = now - (50 - index * 10) * DAY_SECONDS;
    const sms = { name, message, subinfo, fromname: 'HarbourCafe', user_id: DEMO_RECORD_IDS.users.marketing };
    await insertRow(db, 'sms_message', { account_id, ...sms, cdate: written, mdate: written });
  }
}

/** Creates the agency's other two companies, each with an admin, a folder, a list and its subscribers. */
async function seedNeighbours({ db, now }: SeedOptions): Promise<void> {
  const times = { cdate: now - 90 * DAY_SECONDS, mdate: now - 9 * DAY_SECONDS };
  const admins = [
    [2, 'Maya', 'Fern', 'fernleighcycles.example'],
    [3, 'Olu', 'Strand', 'ostrayoga.example'],
  ] as const;
  for (const [account_id, firstname, lastname, domain] of admins) {
    const email = `${firstname.toLowerCase()}@${domain}`;
    const name = { username: firstname.toLowerCase(), firstname, lastname, email };
    await insertRow(db, 'user', { account_id, ...name, isadmin: 1, timezone: DEMO_TIMEZONE, ...times });
    await insertRow(db, 'sender_address', { account_id, email });
    const folder_id = await insertRow(db, 'folder', { account_id, name: 'Customers', ...times });
    const list = { account_id, folder_id, name: 'Everyone', cdate: times.cdate };
    const list_id = await insertRow(db, 'list', list);
    const own = makeDemoPeople(account_id * 500, 40).filter((person) => person.email !== null);
    const rows = own.map(({ id, email: address, msisdn }) => ({
      id,
      account_id,
      email: address,
      email_domain: address?.split('@')[1] ?? null,
      msisdn,
      cdate: times.cdate,
    }));
    await insertRows(db, 'subscriber', rows);
    await insertRows(
      db,
      'subscription',
      own.map(({ id }) => ({ list_id, subscriber_id: id, cdate: times.cdate })),
    );
  }
}

async function seedDemoRules({ db, now }: SeedOptions): Promise<void> {
  const { emails, lists, sms, users } = DEMO_RECORD_IDS;
  const rule: SqlRow = {
    account_id: DEMO_RECORD_IDS.company,
    user_id: users.marketing,
    actiononweekend: 1,
    actionhour: null,
    actiontimediff: 0,
    summary: null,
    cdate: now - 60 * DAY_SECONDS,
    mdate: now - 60 * DAY_SECONDS,
  };
  const guide = await selectRequiredRow(
    db,
    sql<
      Pick<Row<'email_message_link'>, 'id'>
    >`select id from email_message_link where message_id = ${emails.espresso} order by id`,
  );
  await insertRow(db, 'click_automation', {
    ...rule,
    name: 'Espresso readers join the club',
    link_id: guide.id,
    message_id: null,
    actiontype: 'addtolist',
    actiontarget: String(lists.loyalty),
    actiontimediff: 3600,
    summary: 'Adds readers of the espresso guide to the loyalty list after an hour',
  });
  await insertRow(db, 'open_automation', {
    ...rule,
    name: 'Notify the shop of opens',
    message_id: emails.welcome,
    actiontype: 'notify',
    actiontarget: 'shop@harbourcoffee.example',
    paused: 1,
  });
  await insertRow(db, 'subscription_automation', {
    ...rule,
    name: 'Welcome newcomers',
    list_id: lists.newsletter,
    actiontype: 'email_autoresponder',
    actiontarget: String(emails.welcome),
    actiontimediff: 10,
    summary: 'The welcome message, ten minutes after someone joins the newsletter',
  });
  await insertRow(db, 'date_automation', {
    ...rule,
    user_id: users.admin,
    name: 'Birthday bag',
    actiontype: 'email_autoresponder',
    actiontarget: String(emails.birthday),
    actionhour: '09:00:00',
    summary: 'At nine in the morning of the day itself',
  });
  await insertRow(db, 'sms_automation', {
    account_id: DEMO_RECORD_IDS.company,
    user_id: users.marketing,
    name: 'Save a seat',
    keyword: 'COFFEE',
    list_id: lists.tastings,
    email_list_id: lists.newsletter,
    message_id: sms.seat,
    message_actiontimediff: 0,
    message_actiononweekend: 1,
    notifyemail: 'shop@harbourcoffee.example',
    summary: null,
    cdate: now - 50 * DAY_SECONDS,
    mdate: now - 50 * DAY_SECONDS,
  });
  // Interface, rule 7: an e-mail message that a rule names can't be edited any more.
  await db.run(
    sql`update email_message set editable = 0 where id in (${sql.join([emails.espresso, emails.welcome, emails.birthday])})`,
  );
}
