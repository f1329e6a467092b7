/** Reads and changes tasks, selects their audiences, and lists the subscribers that a task leaves out. */
import type { LeftOutRecipientReason } from '../../service/protocol/control/records.ts';
import { type Channel, STATISTIC_ATTRIBUTES } from '../../service/resources/task.ts';
import { type Sql, sql } from './driver/sql.ts';
import { visibleToRestrictedUser } from './lists.ts';
import type { Db } from './open.ts';
import { countBy, updateRow } from './rows.ts';
import type { Row } from './schema/tables.ts';

export type TaskRow = Row<'task'>;

/** Recipients of a task. Either the list or the search is set, and the other is null. */
export interface TaskAudience {
  /** User who created the task. If this user sees only some folders, a search finds only people whom the user sees. */
  readonly user_id: number;
  readonly list_id: number | null;
  readonly search_id: number | null;
}

/** Returns the last `limit` tasks that were completed after `from` and up to `to`, oldest first. */
export async function listCompletedTasks(
  db: Db,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<TaskRow[]> {
  const rows = await db.all(sql<TaskRow>`select * from task
    where completed = 1 and endtime > ${from} and endtime <= ${to} order by endtime desc, id desc limit ${limit}`);
  return rows.reverse();
}

/** Sets columns of the task; times are Unix seconds. */
export async function changeTask(db: Db, id: number, set: Partial<TaskRow>): Promise<void> {
  await updateRow(db, 'task', id, set);
}

/** Counts the subscribers of the audience that now have an address of that channel (interface, task `size`). */
export async function countAudience(db: Db, channel: Channel, audience: TaskAudience): Promise<number> {
  return countBy(db, sql`select count(*) as count from (${createAudienceQuery(channel, audience)}) a`);
}

/**
 * Returns a query of the subscribers of a list or a search with an address of the channel. `range` restricts the ids, and begins with
 * `and`; the query then reads only these rows, because the primary key is in order of ids.
 */
export function createAudienceQuery(channel: Channel, audience: TaskAudience, range: Sql = sql``): Sql {
  const { address, suspended } = columnsOf(channel);
  return sql`select m.subscriber_id, ${address} as address, s.email_domain, ${suspended} as suspended
    from ${membersOf(audience)} and ${address} is not null ${range}`;
}

/** Returns the columns of the subscriber `s` that concern the channel. */
const columnsOf = (channel: string): { readonly address: Sql; readonly suspended: Sql } =>
  channel === 'email'
    ? { address: sql`s.email`, suspended: sql`s.emailsuspended` }
    : { address: sql`s.msisdn`, suspended: sql`s.smssuspended` };

/** Returns the members `m` of the list or the search with their subscribers `s`: the SQL after `from`, which ends with a condition. */
const membersOf = ({ user_id, list_id, search_id }: TaskAudience): Sql =>
  search_id === null
    ? sql`subscription m join subscriber s on s.id = m.subscriber_id where m.list_id = ${list_id}`
    : sql`search q join profile_data m on m.field_id = q.field_id and m.value = q.equals
        join subscriber s on s.id = m.subscriber_id where q.id = ${search_id}
          and (not exists (select 1 from folder_access where user_id = ${user_id})
            or ${visibleToRestrictedUser(user_id, sql`m.subscriber_id`)})`;

interface LeftOutSubscriberRow {
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
  const { address, suspended } = columnsOf(task.channel);
  const entry = sql`(select d.contactdata from do_not_contact d where d.account_id = ${task.account_id}
    and d.contactdata in (lower(${address}), ${task.channel === 'email' ? sql`s.email_domain` : address}) limit 1)`;
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
    from ${membersOf(task)} and m.subscriber_id > ${after} and m.subscriber_id <= ${last}
      and not exists (select 1 from task_recipient r where r.task_id = ${task.id} and r.subscriber_id = m.subscriber_id)
      and ${reason} is not null
    order by m.subscriber_id limit ${limit}`;
  return await db.all(query);
}

/** Returns 0 for each statistic of the channel. The others are null (interface, task). */
export const zeroTaskStatistics = (channel: Channel): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.values(STATISTIC_ATTRIBUTES)
      .flat()
      .flatMap((attribute) => (attribute.startsWith(channel) ? [[attribute, 0]] : [])),
  );
