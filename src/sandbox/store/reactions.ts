/** What recipients will do with the messages of tasks: rows that wait for their time, and the marks that they leave. */
import { sql } from 'kysely';
import { insertRows } from './bulk.ts';
import type { Db } from './open.ts';
import { changedRows } from './prepared.ts';
import type { Mark, Statistic } from './recipients.ts';
import type { Row } from './tables.ts';

export type ReactionRow = Row<'reaction'>;

/** Returns the recipients of a task in the order of their ids, which never changes once the task has ended. */
export async function recipientsOf(
  db: Db,
  taskId: number,
): Promise<readonly { readonly id: number; readonly senttime: number }[]> {
  const query = sql<{ readonly id: number; readonly senttime: number }>`select subscriber_id as id, senttime
    from task_recipient where task_id = ${taskId} order by subscriber_id`;
  return (await query.execute(db)).rows;
}

/** Adds reactions that wait for their time. */
export async function addReactions(db: Db, rows: readonly Omit<ReactionRow, 'id'>[]): Promise<void> {
  if (rows.length > 0) await insertRows(db, 'reaction', rows);
}

/** Returns the reactions of the account that are due by `until`, in order, at most `limit`. */
export async function dueReactions(
  db: Db,
  accountId: number,
  until: number,
  limit: number,
): Promise<ReactionRow[]> {
  return db
    .selectFrom('reaction')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('due', '<=', until)
    .orderBy('due')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Removes the account's reactions up to and including the last one that was done. */
export async function removeReactions(
  db: Db,
  accountId: number,
  { due, id }: Pick<ReactionRow, 'due' | 'id'>,
): Promise<void> {
  await changedRows(db, 'delete from reaction where account_id = ? and (due, id) <= (?, ?)', [
    accountId,
    due,
    id,
  ]);
}

/** Records the first time of a mark for many recipients of a task, and adds those that were new to the statistic. */
export async function markRecipients(
  db: Db,
  taskId: number,
  marks: readonly { readonly subscriberId: number; readonly time: number }[],
  mark: Mark,
  statistic: Statistic | undefined,
): Promise<number> {
  let marked = 0;
  for (let at = 0; at < marks.length; at += MOST_AT_ONCE) {
    const some = marks.slice(at, at + MOST_AT_ONCE);
    const rows = some.map(() => '(cast(? as bigint), cast(? as bigint))').join(', ');
    marked += await changedRows(
      db,
      `with v (subscriber_id, time) as (values ${rows})
        update task_recipient set ${mark} = v.time from v
        where task_recipient.task_id = ? and task_recipient.subscriber_id = v.subscriber_id
        and task_recipient.${mark} is null`,
      [...some.flatMap(({ subscriberId, time }) => [subscriberId, time]), taskId],
    );
  }
  if (marked > 0 && statistic !== undefined)
    await changedRows(db, `update task set ${statistic} = coalesce(${statistic}, 0) + ? where id = ?`, [
      marked,
      taskId,
    ]);
  return marked;
}

const MOST_AT_ONCE = 1_000;
