/** Lists the subscribers to whom a task does not send although they are in its list or search, with the reasons as of now. */

import type { LeftOutRecipientReason } from '../../protocol/control/records.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { TaskRow } from './tasks.ts';

export interface LeftOutSubscriberRow {
  /** Id of the subscriber that the task does not send to. */
  readonly subscriber: number;
  readonly email: string | null;
  readonly msisdn: string | null;
  readonly reason: LeftOutRecipientReason;
  /** Entry of Do Not Contact that matches the subscriber: an address, a domain or a phone number. */
  readonly entry: string | null;
}

/** Returns left-out subscribers in order of their ids. Reads only as far as the page needs. */
export async function listLeftOutSubscribers(
  db: Db,
  task: TaskRow,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<LeftOutSubscriberRow[]> {
  const isEmail = task.channel === 'email';
  const address = isEmail ? sql`s.email` : sql`s.msisdn`;
  const suspended = isEmail ? sql`s.emailsuspended` : sql`s.smssuspended`;
  const from =
    task.search_id === null
      ? sql`subscription m join subscriber s on s.id = m.subscriber_id where m.list_id = ${task.list_id}`
      : sql`search q join profile_data m on m.field_id = q.field_id and m.value = q.equals
          join subscriber s on s.id = m.subscriber_id where q.id = ${task.search_id}`;
  const entry = sql`(select d.contactdata from do_not_contact d where d.account_id = ${task.account_id}
    and d.contactdata in (lower(${address}), ${isEmail ? sql`s.email_domain` : address}) limit 1)`;
  // For a completed task, a subscriber with a higher id joined later. For a task in progress, such a subscriber is still to come.
  const isEnded = task.cancelled === 1 || task.completed === 1;
  const isCut = isEnded && (task.cancelled === 1 || task.stopped !== null);
  const last = isEnded && !isCut ? task.cursor : Number.MAX_SAFE_INTEGER;
  const others = sql`case when m.subscriber_id > ${task.cursor} then ${isCut ? 'stopped' : null} else 'later' end`;
  const reason = sql`case when ${address} is null then 'no-address'
    when ${suspended} = 1 then 'suspended'
    when ${entry} is not null then 'do-not-contact'
    when exists (select 1 from departed_recipient p where p.task_id = ${task.id} and p.address = ${address})
      then 'sent-before'
    else ${others} end`;
  const query = sql<LeftOutSubscriberRow>`select m.subscriber_id as subscriber, s.email, s.msisdn, ${reason} as reason, ${entry} as entry
    from ${from} and m.subscriber_id > ${after} and m.subscriber_id <= ${last}
      and not exists (select 1 from task_recipient r where r.task_id = ${task.id} and r.subscriber_id = m.subscriber_id)
      and ${reason} is not null
    order by m.subscriber_id limit ${limit}`;
  return await db.all(query);
}
