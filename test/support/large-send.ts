/** A store with one due e-mail task, to a list of any size. */

import { setClockMode } from '../../src/sandbox/engine/clock.ts';
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import type { Store } from '../../src/sandbox/store/open.ts';
import { insertRow } from '../../src/sandbox/store/rows.ts';

export interface LargeSend {
  /** The subscribers who get the message. */
  readonly recipients: number;
  /** The number of additional subscribers who are suspended, and of those whose domain is on Do Not Contact. */
  readonly leftOut?: number;
  /** The credits left after all messages have been sent. */
  readonly spare?: number;
  /** Unix seconds: the time of the task and of the manual clock. */
  readonly now: number;
}

export async function fillLargeSend(
  store: Store,
  { recipients, leftOut = 0, spare = 0, now }: LargeSend,
): Promise<void> {
  await store.transaction(async (db) => {
    const times = { cdate: now, mdate: now };
    await insertRow(db, 'partner', { name: 'P', api_key: 'k', timezone: 'UTC' });
    const account = {
      partner_id: 1,
      api_key: 'k',
      name: 'C',
      contactemail: 'c@example.com',
      timezone: 'UTC',
    };
    await insertRow(db, 'account', { ...account, emailcreditbalance: recipients + spare, ...times });
    await insertRow(db, 'list', { account_id: 1, name: 'L', cdate: now });
    await insertRow(db, 'do_not_contact', { account_id: 1, contactdata: 'blocked.example', cdate: now });
    // The left-out subscribers are spread among the others.
    await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${recipients})
      insert into subscriber (account_id, email, email_domain, cdate)
      select 1, 's' || i || '@example.com', 'example.com', ${now} from n where i <= ${recipients / 2}`);
    for (const [domain, suspended] of [
      ['blocked.example', 0],
      ['suspended.example', 1],
    ] as const)
      await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${leftOut})
        insert into subscriber (account_id, email, email_domain, emailsuspended, cdate)
        select 1, 's' || i || '@' || ${domain}, ${domain}, ${suspended}, ${now} from n where ${leftOut} > 0`);
    await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${recipients})
      insert into subscriber (account_id, email, email_domain, cdate)
      select 1, 's' || i || '@example.com', 'example.com', ${now} from n where i > ${recipients / 2}`);
    await db.run(
      sql`insert into subscription (list_id, subscriber_id, cdate) select 1, id, ${now} from subscriber`,
    );
    const message = {
      name: 'M',
      fromname: 'C',
      html: '',
      replyemail: 'c@example.com',
      subject: '',
      text: 'x',
    };
    await insertRow(db, 'email_message', { account_id: 1, user_id: 1, ...message, ...times });
    const task = { name: 'T', channel: 'email', message_id: 1, list_id: 1, scheduledtime: now, due: now };
    const size = recipients + 2 * leftOut;
    const counters = {
      emailuniquebounces: 0,
      emailuniqueclicks: 0,
      emailuniqueopens: 0,
      emailuniqueunsubscriptions: 0,
      emailuniquecomplaints: 0,
    };
    await insertRow(db, 'task', { account_id: 1, user_id: 1, ...task, ...counters, size, cdate: now });
    await setClockMode(db, 'manual', now * 1000);
  });
}

/** Returns the counts of a send in the store as one row. */
export async function sentCounts({ db }: Store): Promise<Record<string, number | null> | undefined> {
  const query = sql<
    Record<string, number | null>
  >`select r.*, size, sent, skipped, credits, completed, cancelled,
      endtime, due, emailuniquebounces + emailuniqueclicks + emailuniqueopens + emailuniqueunsubscriptions
      + emailuniquecomplaints as statistics, (select emailcreditbalance from account) as balance,
      (select count(*) from delivery) as deliveries, (select count(*) from log) as logged
    from task, (select count(*) as rows, count(distinct subscriber_id) as people,
      count(distinct address) as addresses, sum(case when address like '%@example.com' then 0 else 1 end) as wrong,
      min(senttime) as first, max(senttime) as last from task_recipient) r`;
  return await db.first(query);
}

/** Returns the expected counts when each recipient has got exactly one message. */
export const countsOfAllSent = ({
  recipients,
  leftOut = 0,
  spare = 0,
  now,
}: LargeSend): Readonly<Record<string, number | null>> => ({
  rows: recipients,
  people: recipients,
  addresses: recipients,
  wrong: 0,
  first: now,
  last: now,
  size: recipients + 2 * leftOut,
  sent: recipients,
  skipped: 2 * leftOut,
  credits: recipients,
  completed: 1,
  cancelled: 0,
  endtime: now,
  due: null,
  statistics: 0,
  balance: spare,
  deliveries: 0,
  logged: 0,
});
