/** What falls due first, of each table that has a `due`. */
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

export interface Due {
  readonly due: number;
  readonly id: number;
}

/** The task or the single SMS that falls due first, by time and then id; undefined where none waits. */
export async function firstDue(db: Db, table: 'task' | 'sms'): Promise<Due | undefined> {
  const row = await db
    .selectFrom(table)
    .select(['due', 'id'])
    // Every time is; a range of the index, which holds nothing that is not due.
    .where('due', '>=', 0)
    .orderBy('due')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row && row.due !== null ? { due: row.due, id: row.id } : undefined;
}

/** The single SMS, whosever it is. */
export async function smsById(db: Db, id: number): Promise<Row<'sms'> | undefined> {
  return db.selectFrom('sms').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Single SMS, whosever they are, in no order. */
export async function smsByIds(db: Db, ids: readonly number[]): Promise<Row<'sms'>[]> {
  return ids.length === 0 ? [] : db.selectFrom('sms').selectAll().where('id', 'in', ids).execute();
}

/** Tasks, whosever they are, in no order. */
export async function tasksByIds(db: Db, ids: readonly number[]): Promise<Row<'task'>[]> {
  return ids.length === 0 ? [] : db.selectFrom('task').selectAll().where('id', 'in', ids).execute();
}
