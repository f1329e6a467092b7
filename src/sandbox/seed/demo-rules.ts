/** Creates the rules of the demo company: one or two of each of the five kinds. */
import { sql } from '../store/driver/sql.ts';
import { insertRow, type SqlRow, selectRequiredRow } from '../store/rows.ts';
import type { Row } from '../store/schema/tables.ts';
import { DAY_SECONDS, DEMO_RECORD_IDS, type SeedOptions } from './demo-company.ts';

export async function seedDemoRules({ db, now }: SeedOptions): Promise<void> {
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
