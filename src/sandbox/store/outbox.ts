/** Reads all deliveries in one order: the deliveries that tasks made, and the single deliveries, which no task made. */
import { RULE_KINDS } from '../../resources/rule-kinds.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import {
  compareOutboxPositions,
  containsText,
  createEmailsContainingTextQuery,
  createSmsContainingTextQuery,
  lowerAscii,
  type OutboxDelivery,
  type OutboxEntryKey,
  type OutboxFilter,
  type OutboxPosition,
} from './outbox-entry.ts';
import { newestTaskDeliveries, taskDeliveriesAfter } from './outbox-of-tasks.ts';

/**
 * Returns at most `limit` deliveries, oldest first. With `after`, returns the first deliveries after this position. With only `before`,
 * returns the last deliveries before this position. Without both, returns the newest deliveries.
 */
export async function listDeliveries(
  db: Db,
  accountId: number,
  {
    after,
    before,
    limit,
    filter = {},
  }: {
    readonly after?: OutboxPosition | undefined;
    readonly before?: OutboxPosition | undefined;
    readonly limit: number;
    readonly filter?: OutboxFilter;
  },
): Promise<OutboxDelivery[]> {
  const page = { accountId, limit, filter };
  // Each source is read in its own order, no further than the page.
  const ofTasks =
    filter.rule !== undefined
      ? []
      : after
        ? await taskDeliveriesAfter(db, page, after)
        : await newestTaskDeliveries(db, page, before);
  const single = filter.taskId !== undefined ? [] : await singleDeliveries(db, page, { after, before });
  const found = [...ofTasks, ...single].sort(compareOutboxPositions);
  return after ? found.slice(0, limit) : found.slice(-limit);
}

async function singleDeliveries(
  db: Db,
  {
    accountId,
    limit,
    filter,
  }: { readonly accountId: number; readonly limit: number; readonly filter: OutboxFilter },
  {
    after,
    before,
  }: { readonly after: OutboxPosition | undefined; readonly before: OutboxPosition | undefined },
): Promise<OutboxDelivery[]> {
  const conditions = singleConditions(accountId, filter);
  if (!after && before?.rank === 0) conditions.push(sql`d.time < ${before.time}`);
  if (!after && before?.rank === 1)
    conditions.push(sql`(d.time, d.id) < (${before.time}, ${before.source_id})`);
  if (after?.rank === 0) conditions.push(sql`d.time >= ${after.time}`);
  if (after?.rank === 1) conditions.push(sql`(d.time, d.id) > (${after.time}, ${after.source_id})`);
  const order = after ? sql`order by d.time, d.id` : sql`order by d.time desc, d.id desc`;
  const query = sql<OutboxDelivery>`${sql.join([single(accountId), ...conditions], ' and ')} ${order} limit ${limit}`;
  return await db.all(query);
}

/**
 * Returns the SQL conditions that select the single deliveries (deliveries that no task made) which match a filter. If the filter has a
 * recipient or a rule, the condition on the channel is written so that SQLite can't use the index by channel. A recipient or a rule has
 * fewer deliveries than a channel, so that index would be slow.
 */
const singleConditions = (accountId: number, { to, channel, rule, search }: OutboxFilter) => [
  ...(to === undefined ? [] : [sql`lower(d.recipient) = ${lowerAscii(to)}`]),
  ...(channel === undefined
    ? []
    : [
        sql`${to === undefined && rule === undefined ? sql`d.channel` : sql.noIndex('d.channel')} = ${channel}`,
      ]),
  ...(rule === undefined ? [] : [sql`d.rule_kind = ${rule.kind} and d.cause_id = ${rule.id}`]),
  ...(search === undefined ? [] : [isFound(accountId, search)]),
];

/**
 * Returns an SQL condition. The condition is true for a single delivery (a delivery that no task made) whose recipient, subject or body
 * contains `search`. The condition is also true if the stored message of the delivery, or the name of the rule, contains `search`.
 */
const isFound = (accountId: number, search: string): Sql =>
  sql`(${containsText(sql`d.recipient`, search)} or ${containsText(sql`d.subject`, search)} or ${containsText(sql`d.body`, search)}
    or (d.channel = 'email' and d.message_id in (${createEmailsContainingTextQuery(accountId, search)}))
    or (d.channel = 'sms' and d.message_id in (${createSmsContainingTextQuery(accountId, search)}))
    or ${sql.join(
      RULE_KINDS.map(
        (
          kind,
        ) => sql`(d.rule_kind = ${kind} and d.cause_id in (select id from ${sql.ref(`${kind}_automation`)}
          where account_id = ${accountId} and ${containsText(sql`name`, search)}))`,
      ),
      ' or ',
    )})`;

/** Returns the delivery at that position of the outbox; undefined if the company has none there. */
export async function findDeliveryAtPosition(
  db: Db,
  accountId: number,
  { rank, source_id, recipient_id }: OutboxEntryKey,
): Promise<OutboxDelivery | undefined> {
  const source =
    rank === 0
      ? sql<OutboxDelivery>`${ofTask(accountId)} and r.task_id = ${source_id} and r.subscriber_id = ${recipient_id}`
      : sql<OutboxDelivery>`${single(accountId)} and d.id = ${source_id}`;
  return await db.first(source);
}

const ofTask = (
  accountId: number,
) => sql`select r.senttime as time, 0 as rank, r.task_id as source_id, r.subscriber_id as recipient_id,
    k.channel, r.address as recipient, null as sender, null as subject, null as body, k.message_id,
    r.subscriber_id, 'task' as cause, k.id as cause_id, null as rule_kind, r.bounced
  from task k join task_recipient r on r.task_id = k.id where k.account_id = ${accountId} and k.started = 1`;

const single = (accountId: number) => sql`select d.time, 1 as rank, d.id as source_id, 0 as recipient_id,
    d.channel, d.recipient, d.sender, d.subject, d.body, d.message_id,
    d.subscriber_id, d.cause, d.cause_id, d.rule_kind, null as bounced
  from delivery d where d.account_id = ${accountId}`;

/** Returns the subscriber's profile values by the names of their fields. */
export async function readProfileValues(db: Db, subscriberId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all(sql<{ readonly name: string; readonly value: string }>`select f.name, d.value
    from profile_data d join profile_field f on f.id = d.field_id where d.subscriber_id = ${subscriberId}`);
  return new Map(rows.map(({ name, value }) => [name, value]));
}
