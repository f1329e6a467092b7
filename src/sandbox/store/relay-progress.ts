/**
 * Stores how far the SMTP relay has come. A task sends to its recipients in order of their ids, and single deliveries get ascending ids.
 * For each task, the id of the last relayed delivery is therefore enough.
 */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

/** One delivery that the relay has not handled yet. */
export interface UnrelayedDelivery {
  readonly accountId: number;
  /** 0 for a delivery that belongs to no task. */
  readonly taskId: number;
  /**
   * Position of the delivery in the order in which the relay sends. If a task made the delivery, the position is the id of the subscriber.
   * If no task made the delivery, the position is the id of the delivery.
   */
  readonly at: number;
}

/**
 * Prepares the stored progress of the SMTP relay, which passes delivered e-mail to an SMTP server. On the first start, marks all earlier
 * deliveries as handled, so that the relay skips these deliveries. On later starts, changes nothing, so that the relay resumes from the
 * stored progress.
 */
export async function initialiseRelayProgress(db: Db): Promise<void> {
  const begun = await db.first(sql<Pick<Row<'relayed'>, 'last'>>`select last from relayed where task_id = 0`);
  if (begun) return;
  await db.run(sql`insert into relayed (task_id, last)
    select id, last from (select id, (select max(subscriber_id) from task_recipient where task_id = task.id) as last
      from task where started = 1) t where last is not null
    union all select 0, coalesce(max(id), 0) from delivery`);
}

/**
 * Returns up to `limit` deliveries that the SMTP relay has not handled yet. All of these deliveries belong to one task, or all belong to no
 * task. Deliveries that belong to no task may be SMS, so the caller must skip SMS.
 */
export async function listUnrelayedDeliveries(db: Db, limit: number): Promise<readonly UnrelayedDelivery[]> {
  const single = sql<UnrelayedDelivery>`select d.account_id as "accountId", 0 as "taskId", d.id as at
    from delivery d
    where d.id > (select last from relayed where task_id = 0) order by d.id limit ${limit}`;
  const rows = await db.all(single);
  if (rows.length > 0) return rows;
  const query = sql<{ readonly accountId: number; readonly taskId: number; readonly last: number }>`
    select k.account_id as "accountId", k.id as "taskId", coalesce(c.last, 0) as last
    from task k left join relayed c on c.task_id = k.id where k.id > 0 and ${sql.noIndex('k.channel')} = 'email' and k.started = 1
    and exists (select 1 from task_recipient r where r.task_id = k.id and r.subscriber_id > coalesce(c.last, 0))
    order by k.id limit 1`;
  const task = await db.first(query);
  if (!task) return [];
  const { accountId, taskId, last } = task;
  const ofTask = sql<{ readonly at: number }>`select subscriber_id as at from task_recipient
    where task_id = ${taskId} and subscriber_id > ${last} order by subscriber_id limit ${limit}`;
  return (await db.all(ofTask)).map(({ at }) => ({ accountId, taskId, at }));
}

/** Records the progress of the relay. */
export async function markDeliveryRelayed(db: Db, { taskId, at }: UnrelayedDelivery): Promise<void> {
  await db.run(sql`insert into relayed (task_id, last) values (${taskId}, ${at})
    on conflict (task_id) do update set last = excluded.last`);
}
