/**
 * Stores the planned reactions of recipients to messages of tasks until they are due. Records each reaction in the row of its recipient.
 */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { ReactionKind, TaskStatisticColumn } from './recipients.ts';
import { insertRows, selectRequiredRow } from './rows.ts';
import type { Row } from './schema/tables.ts';

export type ReactionRow = Row<'reaction'>;

/**
 * Recipients of a task. `ids` and `times` are arrays with a fixed 8 bytes for each number. Such arrays save memory, because a task can have
 * millions of recipients.
 */
export interface TaskRecipients {
  readonly ids: Float64Array;
  /** Time of each delivery in Unix seconds. */
  readonly times: Float64Array;
}

/** Returns the recipients of a task in the order of their ids. This order never changes once the task has ended. */
export async function listTaskRecipients(db: Db, taskId: number): Promise<TaskRecipients> {
  const { count } = await selectRequiredRow(
    db,
    sql<{ readonly count: number }>`select count(*) as count from task_recipient where task_id = ${taskId}`,
  );
  const ids = new Float64Array(count);
  const times = new Float64Array(count);
  for (let from = 0; from < count; from += RECIPIENTS_READ) {
    const query = sql<{ readonly id: number; readonly senttime: number }>`select subscriber_id as id, senttime
      from task_recipient where task_id = ${taskId} and subscriber_id > ${ids[from - 1] ?? 0}
      order by subscriber_id limit ${RECIPIENTS_READ}`;
    for (const [at, { id, senttime }] of (await db.all(query)).entries()) {
      ids[from + at] = id;
      times[from + at] = senttime;
    }
  }
  return { ids, times };
}

const RECIPIENTS_READ = 10_000;

/** Stores planned reactions of recipients, such as opens and clicks. The engine applies each reaction at the due time. */
export async function addReactions(db: Db, rows: readonly Omit<ReactionRow, 'id'>[]): Promise<void> {
  if (rows.length > 0) await insertRows(db, 'reaction', rows);
}

/** Returns the reactions of the account that are due by `until`, in order, at most `limit`. */
export async function listDueRecipientReactions(
  db: Db,
  accountId: number,
  until: number,
  limit: number,
): Promise<ReactionRow[]> {
  return db.all(
    sql<
      Row<'reaction'>
    >`select * from reaction where account_id = ${accountId} and due <= ${until} order by due, id limit ${limit}`,
  );
}

/**
 * Deletes the account's first planned reactions, in order of due time and id. The last reaction to delete is the one with the given `due`
 * and `id`. The caller has applied all of these reactions.
 */
export async function removeReactionsUpTo(
  db: Db,
  accountId: number,
  { due, id }: Pick<ReactionRow, 'due' | 'id'>,
): Promise<void> {
  await db.run(sql`delete from reaction where account_id = ${accountId} and (due, id) <= (${due}, ${id})`);
}

/**
 * Records the time of the first reaction of one kind for recipients of a task. Skips recipients who already have such a time. Adds the
 * number of newly recorded recipients to a statistic of the task, and returns this number.
 * @param recipients the recipients, each with the time of the reaction in Unix seconds
 * @param reaction the kind of reaction, such as `opened`
 * @param statistic the column of the task to which the number is added; none if undefined
 */
export async function recordRecipientReactions(
  db: Db,
  taskId: number,
  recipients: readonly { readonly subscriberId: number; readonly time: number }[],
  reaction: ReactionKind,
  statistic: TaskStatisticColumn | undefined,
): Promise<number> {
  const people = recipients.map(({ subscriberId }) => subscriberId);
  const times = recipients.map(({ time }) => time);
  const rows = sql.either({
    sqlite: sql`select value ->> 0, value ->> 1, value ->> 2
      from json_each(${JSON.stringify(people.map((id, at) => [taskId, id, times[at]]))})`,
    postgres: sql`select ${taskId}::bigint, * from unnest(${people}::bigint[], ${times}::bigint[])`,
  });
  const column = sql.ref(reaction);
  // The task's id is a value of each row, so that SQLite looks up one recipient after the other. It would read all of the task otherwise.
  const update = sql`with v (task_id, subscriber_id, time) as (${rows})
    update task_recipient set ${column} = v.time from v where task_recipient.task_id = v.task_id
    and task_recipient.subscriber_id = v.subscriber_id and task_recipient.${column} is null`;
  const { changes: marked } = await db.run(update, { keepsCache: true });
  if (marked > 0 && statistic !== undefined) {
    const column = sql.ref(statistic);
    await db.run(sql`update task set ${column} = coalesce(${column}, 0) + ${marked} where id = ${taskId}`, {
      keepsCache: true,
    });
  }
  return marked;
}
