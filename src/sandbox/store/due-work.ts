/** Finds the item that is due first in each table that has a column `due`. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

export interface DueWorkItem {
  /** Time at which the item is due, in Unix seconds. */
  readonly due: number;
  readonly id: number;
  readonly accountId: number;
}

/** Returns the item that is due first, by time and then id; undefined if none waits. `accountId` restricts the search to one account. */
export async function findFirstDueItem(
  db: Db,
  table: 'task' | 'sms' | 'queued_action' | 'reaction',
  accountId?: number,
): Promise<DueWorkItem | undefined> {
  const ofAccount = accountId === undefined ? sql`` : sql`account_id = ${accountId} and`;
  // Every time is 0 or more. The condition selects a range of the index, which contains only due items.
  const query = sql<DueWorkItem>`select due, id, account_id as "accountId" from ${sql.ref(table)}
    where ${ofAccount} due >= 0 order by due, id limit 1`;
  return await db.first(query);
}

/** Returns the single SMS with this id, whichever account owns the SMS. A single SMS is an SMS that no task or rule sends. */
export async function smsById(db: Db, id: number): Promise<Row<'sms'> | undefined> {
  return db.first(sql<Row<'sms'>>`select * from sms where id = ${id}`);
}

/**
 * Returns the rows of the single SMS with these ids, from all accounts, in any order. A single SMS is an SMS that no task or rule sends.
 */
export async function smsByIds(db: Db, ids: readonly number[]): Promise<Row<'sms'>[]> {
  return ids.length === 0 ? [] : db.all(sql<Row<'sms'>>`select * from sms where id in (${sql.join(ids)})`);
}

/** Returns the rows of the tasks with these ids, from all accounts, in any order. */
export async function tasksByIds(db: Db, ids: readonly number[]): Promise<Row<'task'>[]> {
  return ids.length === 0 ? [] : db.all(sql<Row<'task'>>`select * from task where id in (${sql.join(ids)})`);
}
