/** Reads what happened to people in a sandbox since a time: their messages, lists and queued actions. Also makes a list shorter. */
import type { RuleKind } from '../../service/resources/rule-kinds.ts';
import { RULE_KINDS } from '../../service/resources/rule-kinds.ts';
import type { Channel } from '../../service/resources/task.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

/** A message that a person got from a task or a rule. */
export interface ReceivedMessage {
  /** Unix seconds. */
  readonly time: number;
  readonly subscriber: number;
  readonly address: string;
  readonly channel: Channel;
  readonly message: number;
  /** Null for the message of a rule. */
  readonly task: number | null;
  readonly ruleKind: RuleKind | null;
  readonly rule: number | null;
}

/** Returns the messages since `since` in order of time: those of one subscriber, or of all. */
export function listReceivedMessages(
  db: Db,
  accountId: number,
  since: number,
  subscriber?: number,
): Promise<readonly ReceivedMessage[]> {
  const only = (column: Sql): Sql => (subscriber === undefined ? sql`` : sql`and ${column} = ${subscriber}`);
  return db.all(sql<ReceivedMessage>`select r.senttime as time, r.subscriber_id as subscriber, r.address, k.channel,
        k.message_id as message, k.id as task, null as "ruleKind", null as rule
      from task k join task_recipient r on r.task_id = k.id
      where k.account_id = ${accountId} and r.senttime >= ${since} ${only(sql`r.subscriber_id`)}
    union all
    select time, subscriber_id, recipient, channel, message_id, null, rule_kind, cause_id from delivery
      where account_id = ${accountId} and cause = 'rule' and time >= ${since}
        and subscriber_id is not null and message_id is not null ${only(sql`subscriber_id`)}
    order by 1, 2`);
}

/** Returns the time of the earliest queued action of the subscribers, if any. */
export async function nextActionTimeOf(db: Db, subscribers: readonly number[]): Promise<number | undefined> {
  if (subscribers.length === 0) return undefined;
  const row = await db.first(
    sql<{
      readonly due: number | null;
    }>`select min(due) as due from queued_action where subscriber_id in ${sql.ids(subscribers)}`,
  );
  return row?.due ?? undefined;
}

/** Returns the earliest time at which one of the tasks sends, if any. */
export async function nextSendTimeOf(db: Db, tasks: readonly number[]): Promise<number | undefined> {
  if (tasks.length === 0) return undefined;
  const row = await db.first(
    sql<{ readonly due: number | null }>`select min(due) as due from task where id in ${sql.ids(tasks)}`,
  );
  return row?.due ?? undefined;
}

export function listQueuedActionsOf(db: Db, subscriber: number): Promise<readonly Row<'queued_action'>[]> {
  return db.all(
    sql<
      Row<'queued_action'>
    >`select * from queued_action where subscriber_id = ${subscriber} order by due, id`,
  );
}

/** Returns the subscriptions of the subscribers, in order of both ids. */
export async function listSubscriptionsOf(
  db: Db,
  subscribers: readonly number[],
): Promise<readonly Pick<Row<'subscription'>, 'subscriber_id' | 'list_id'>[]> {
  if (subscribers.length === 0) return [];
  return db.all(
    sql<
      Pick<Row<'subscription'>, 'subscriber_id' | 'list_id'>
    >`select subscriber_id, list_id from subscription where subscriber_id in ${sql.ids(subscribers)} order by 1, 2`,
  );
}

export async function listSubscriberIdsOn(db: Db, list: number): Promise<readonly number[]> {
  const rows = await db.all(
    sql<{
      readonly id: number;
    }>`select subscriber_id as id from subscription where list_id = ${list} order by 1`,
  );
  return rows.map(({ id }) => id);
}

/** A task, message or rule, whose name may have the mark of a campaign. */
export interface NamedRow {
  readonly kind: 'task' | 'email' | 'sms' | `rule ${RuleKind}`;
  readonly id: number;
  readonly name: string;
}

export function listNamedRows(db: Db, accountId: number): Promise<readonly NamedRow[]> {
  const sources: readonly (readonly [NamedRow['kind'], string])[] = [
    ['task', 'task'],
    ['email', 'email_message'],
    ['sms', 'sms_message'],
    ...RULE_KINDS.map((kind) => [`rule ${kind}`, `${kind}_automation`] as const),
  ];
  const selects = sources.map(
    ([kind, table]) =>
      sql`select ${kind} as kind, id, name from ${sql.ref(table)} where account_id = ${accountId}`,
  );
  return db.all(sql<NamedRow>`${sql.join(selects, ' union all ')}`);
}

/** Removes all subscriptions to the list but the first `most`, and those of the subscribers in `kept`. */
export async function shortenList(
  db: Db,
  list: number,
  most: number,
  kept: readonly number[],
): Promise<void> {
  await db.run(sql`delete from subscription where list_id = ${list} and subscriber_id not in ${sql.ids(kept)}
    and subscriber_id not in (select subscriber_id from subscription where list_id = ${list}
      and subscriber_id not in ${sql.ids(kept)} order by subscriber_id limit ${most})`);
}
