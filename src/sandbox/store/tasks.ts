/** Reads and changes tasks, and selects their audiences. */
import type { Channel } from '../../resources/task.ts';
import { type Sql, sql } from './driver/sql.ts';

import type { Db } from './open.ts';
import { insertRow, type SqlRow, updateRow } from './rows.ts';
import type { Row } from './schema/tables.ts';

export type TaskRow = Row<'task'>;

/** Recipients of a task. Either the list or the search is set, and the other is null. */
export interface TaskAudience {
  readonly list_id: number | null;
  readonly search_id: number | null;
}

/** Returns the task, regardless of account. */
export async function taskById(db: Db, id: number): Promise<TaskRow | undefined> {
  return db.first(sql<Row<'task'>>`select * from task where id = ${id}`);
}

/** Returns the last `limit` tasks that were completed after `from` and up to `to`, oldest first. */
export async function listCompletedTasks(
  db: Db,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<TaskRow[]> {
  const rows = await db.all(
    sql<
      Row<'task'>
    >`select * from task where completed = 1 and endtime > ${from} and endtime <= ${to} order by endtime desc, id desc limit ${limit}`,
  );
  return rows.reverse();
}

/** Adds a task and returns its id. */
export async function addTask(db: Db, row: SqlRow): Promise<number> {
  return insertRow(db, 'task', row);
}

/** Sets columns of the task; times are Unix seconds. */
export async function changeTask(db: Db, id: number, set: Partial<TaskRow>): Promise<void> {
  await updateRow(db, 'task', id, set as SqlRow);
}

/** Returns the saved search if it belongs to this company. */
export async function findSavedSearch(
  db: Db,
  accountId: number,
  id: number,
): Promise<Row<'search'> | undefined> {
  return db.first(sql<Row<'search'>>`select * from search where account_id = ${accountId} and id = ${id}`);
}

/** Counts the subscribers of the audience that now have an address of that channel (interface, task `size`). */
export async function countAudience(db: Db, channel: Channel, audience: TaskAudience): Promise<number> {
  const query = sql<{
    readonly size: number;
  }>`select count(*) as size from (${createAudienceQuery(channel, audience)}) a`;
  return (await db.first(query))?.size ?? 0;
}

/**
 * Returns an SQL query for the subscribers of a list or a search who have an address of the channel. The columns are `subscriber_id`,
 * `address`, `email_domain` and `suspended`. The database finds the rows by a primary key that is in order of subscriber ids. A query for a
 * range of ids therefore reads only the rows of that range.
 * @param range SQL that restricts the ids and begins with `and`; all subscribers if omitted
 */
export function createAudienceQuery(
  channel: Channel,
  { list_id, search_id }: TaskAudience,
  range: Sql = sql``,
): Sql {
  const address = channel === 'email' ? sql`s.email` : sql`s.msisdn`;
  const suspended = channel === 'email' ? sql`s.emailsuspended` : sql`s.smssuspended`;
  const from =
    search_id === null
      ? sql`subscription m join subscriber s on s.id = m.subscriber_id where m.list_id = ${list_id}`
      : sql`search q join profile_data m on m.field_id = q.field_id and m.value = q.equals
          join subscriber s on s.id = m.subscriber_id where q.id = ${search_id}`;
  return sql`select m.subscriber_id, ${address} as address, s.email_domain, ${suspended} as suspended
    from ${from} and ${address} is not null ${range}`;
}
