/** Creates past tasks of the demo company. Their counters agree with the records of their recipients. */
import type { Channel } from '../../service/resources/task.ts';
import { sql } from '../store/driver/sql.ts';
import { markMessageUsed } from '../store/messages.ts';
import type { Db } from '../store/open.ts';
import { recordTaskClicks } from '../store/recipients.ts';
import { insertRow, insertRows } from '../store/rows.ts';
import type { Row } from '../store/schema/tables.ts';
import { zeroTaskStatistics } from '../store/tasks.ts';
import {
  DAY_SECONDS,
  DEMO_RECORD_IDS,
  type DemoPerson,
  isLoyaltyMember,
  type SeedOptions,
} from './demo-company.ts';

interface Sent {
  readonly name: string;
  readonly channel: Channel;
  readonly message: number;
  readonly list: number | null;
  readonly search: number | null;
  readonly daysAgo: number;
  readonly to: (person: DemoPerson) => boolean;
}

const PAST: readonly Sent[] = [
  {
    name: 'Espresso guide to espresso drinkers',
    channel: 'email',
    message: DEMO_RECORD_IDS.emails.espresso,
    list: null,
    search: DEMO_RECORD_IDS.searches.espresso,
    daysAgo: 33,
    to: (person) => person.drink === 'espresso' && person.id % 3 !== 0,
  },
  {
    name: 'November news',
    channel: 'email',
    message: DEMO_RECORD_IDS.emails.news,
    list: DEMO_RECORD_IDS.lists.newsletter,
    search: null,
    daysAgo: 16,
    to: () => true,
  },
  {
    name: 'Cupping, Thursday',
    channel: 'sms',
    message: DEMO_RECORD_IDS.sms.cupping,
    list: DEMO_RECORD_IDS.lists.tastings,
    search: null,
    daysAgo: 9,
    to: () => true,
  },
];

export async function seedDemoHistory(options: SeedOptions, everyone: readonly DemoPerson[]): Promise<void> {
  for (const sent of PAST) await seedSent(options, sent, everyone);
  const { db, now } = options;
  const size = everyone.filter(({ id, msisdn }) => isLoyaltyMember(id) && msisdn !== null).length;
  const task = { account_id: DEMO_RECORD_IDS.company, user_id: DEMO_RECORD_IDS.users.marketing, size };
  await insertRow(db, 'task', {
    ...task,
    ...zeroTaskStatistics('sms'),
    name: 'Double points (called off)',
    channel: 'sms',
    message_id: DEMO_RECORD_IDS.sms.points,
    list_id: DEMO_RECORD_IDS.lists.loyalty,
    scheduledtime: now - 5 * DAY_SECONDS,
    cancelled: 1,
    endtime: now - 6 * DAY_SECONDS,
    cdate: now - 7 * DAY_SECONDS,
  });
  await markMessageUsed(db, 'sms', DEMO_RECORD_IDS.sms.points);
}

async function seedSent(
  { db, now }: SeedOptions,
  sent: Sent,
  everyone: readonly DemoPerson[],
): Promise<void> {
  const start = now - sent.daysAgo * DAY_SECONDS;
  const isEmail = sent.channel === 'email';
  const reached = everyone.flatMap((person) => {
    const address = isEmail ? person.email : person.msisdn;
    return address !== null && sent.to(person) ? [{ person, address }] : [];
  });
  const recipients = reached.filter(({ person }) => person.id % (isEmail ? 97 : 89) !== 0);
  const records = recipients.map(({ person, address }, index) => ({
    subscriber_id: person.id,
    address,
    senttime: start + Math.floor(index / 10),
    ...reactions(person.id, start + Math.floor(index / 10), isEmail),
  }));
  const counted = (column: keyof ReturnType<typeof reactions>): number =>
    records.filter((record) => record[column] !== null).length;
  const task_id = await insertRow(db, 'task', {
    account_id: DEMO_RECORD_IDS.company,
    user_id: DEMO_RECORD_IDS.users.marketing,
    name: sent.name,
    channel: sent.channel,
    message_id: sent.message,
    list_id: sent.list,
    search_id: sent.search,
    scheduledtime: start,
    size: records.length,
    ...zeroTaskStatistics(sent.channel),
    ...(isEmail
      ? {
          emailuniquebounces: counted('bounced'),
          emailuniqueclicks: counted('clicked'),
          emailuniqueopens: counted('opened'),
        }
      : { smsuniquebounces: counted('bounced') }),
    completed: 1,
    started: 1,
    sent: records.length,
    // Suspended subscribers.
    skipped: reached.length - records.length,
    cursor: records.at(-1)?.subscriber_id ?? 0,
    credits: records.length,
    endtime: start + Math.ceil(records.length / 10),
    cdate: start - DAY_SECONDS,
  });
  await insertRows(
    db,
    'task_recipient',
    records.map((record) => ({ task_id, ...record })),
  );
  if (isEmail) await seedClicks(db, task_id, sent.message, records);
  await markMessageUsed(db, sent.channel, sent.message);
}

/** Each person who clicked clicked one link. Most clicked the first one. */
async function seedClicks(
  db: Db,
  taskId: number,
  message: number,
  records: readonly { readonly subscriber_id: number; readonly clicked: number | null }[],
): Promise<void> {
  const links = await db.all(
    sql<
      Pick<Row<'email_message_link'>, 'id'>
    >`select id from email_message_link where message_id = ${message} order by id`,
  );
  const clicks = records.flatMap(({ subscriber_id: subscriberId, clicked: time }) => {
    const link = links[subscriberId % 7 < 4 ? 0 : subscriberId % links.length];
    return time === null || link === undefined ? [] : [{ subscriberId, linkId: link.id, time }];
  });
  await recordTaskClicks(db, taskId, clicks);
}

/** Four in ten recipients open, a quarter of these click, one in fifty bounces. An unsubscription would delete the subscriber. */
function reactions(id: number, sent: number, isEmail: boolean) {
  const bounced = id % 50 === 7 ? sent + 30 : null;
  const opened = isEmail && bounced === null && id % 5 < 2 ? sent + 600 + (id % 90) * 60 : null;
  const clicked = opened !== null && id % 8 < 2 ? opened + 45 : null;
  return { opened, clicked, unsubscribed: null, complained: null, bounced };
}
