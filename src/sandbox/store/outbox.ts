/** Reads the deliveries of tasks and all others in one order. Stores how far the SMTP relay has come. */
import { assertNever } from '../../kit/schema/resource.ts';
import { RULE_KINDS } from '../../service/resources/rule-kinds.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import {
  compareOutboxPositions,
  containsText,
  createEmailsContainingTextQuery,
  createEmailsWithSubjectQuery,
  createSmsContainingTextQuery,
  type DeliveryState,
  lastCleared,
  lowerAscii,
  type OutboxDelivery,
  type OutboxFilter,
  type OutboxPage,
  type OutboxPosition,
  readOutboxEntryId,
} from './outbox-entry.ts';
import { newestTaskDeliveries, taskDeliveriesAfter } from './outbox-of-tasks.ts';
import { countBy, findRowById } from './rows.ts';
import type { Row } from './schema/tables.ts';

/** Returns deliveries, oldest first: those after the position `after`, or the last ones before `before`, or the newest. */
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
  const { rule, taskId, state, until } = filter;
  const last = earlier(before, until);
  // Each source is read in its own order, no further than the page.
  const ofTasks =
    rule !== undefined || state === 'failed' || state === 'pending'
      ? []
      : after
        ? await taskDeliveriesAfter(db, page, after)
        : await newestTaskDeliveries(db, page, last);
  const single =
    taskId !== undefined || state === 'bounced' ? [] : await singleDeliveries(db, page, after, last);
  const found = [...ofTasks, ...single]
    .filter(({ time }) => until === undefined || time < until)
    .sort(compareOutboxPositions);
  return after ? found.slice(0, limit) : found.slice(-limit);
}

/** Returns the position `before`, or the first one at the time `until` (Unix seconds) if that is earlier. */
function earlier(before: OutboxPosition | undefined, until: number | undefined): OutboxPosition | undefined {
  if (until === undefined) return before;
  const end: OutboxPosition = { time: until, rank: 0, source_id: 0, recipient_id: 0 };
  return before && compareOutboxPositions(before, end) < 0 ? before : end;
}

async function singleDeliveries(
  db: Db,
  { accountId, limit, filter }: OutboxPage,
  after: OutboxPosition | undefined,
  before: OutboxPosition | undefined,
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

/** Returns the conditions for single deliveries. The index by channel is not used with a recipient or a rule, which have fewer rows. */
const singleConditions = (accountId: number, { to, channel, rule, search, state, subject }: OutboxFilter) => [
  sql`d.id > ${lastCleared(accountId, sql`0`)}`,
  ...(to === undefined ? [] : [sql`lower(d.recipient) = ${lowerAscii(to)}`]),
  ...(channel === undefined
    ? []
    : [
        sql`${to === undefined && rule === undefined ? sql`d.channel` : sql.noIndex('d.channel')} = ${channel}`,
      ]),
  ...(rule === undefined ? [] : [sql`d.rule_kind = ${rule.kind} and d.cause_id = ${rule.id}`]),
  ...(search === undefined ? [] : [isFound(accountId, search)]),
  ...(state === undefined ? [] : [hasState(state)]),
  ...(subject === undefined
    ? []
    : [
        sql`d.channel = 'email' and (${containsText(sql`d.subject`, subject)}
          or d.message_id in (${createEmailsWithSubjectQuery(accountId, subject)}))`,
      ]),
];

/** Returns the condition that a single delivery has this state, as `stateOf` in engine/mail/outbox.ts reads it from the body. */
function hasState(state: DeliveryState): Sql {
  const isCall = sql`${sql.noIndex('d.channel')} = 'notification' and d.body like 'GET http%'`;
  const isAnswered = sql`d.body like ${'GET http%\n%'}`;
  const isAccepted = sql`d.body like ${'GET http%\n2__'}`;
  switch (state) {
    case 'pending':
      return sql`${isCall} and not ${isAnswered}`;
    case 'failed':
      return sql`${isCall} and ${isAnswered} and not ${isAccepted}`;
    case 'delivered':
      return sql`(not (${isCall}) or ${isAccepted})`;
    case 'bounced':
      return sql`1 = 2`;
    default:
      return assertNever(state);
  }
}

/** Returns the condition that a single delivery, its stored message, or the name of its rule contains `search`. */
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

/** Undefined if `id` is not the id of an entry of the account. Finds cleared entries too, since a client may go on after one. */
export async function findDelivery(
  db: Db,
  accountId: number,
  id: string,
): Promise<OutboxDelivery | undefined> {
  const key = readOutboxEntryId(id);
  if (key === undefined) return undefined;
  const { rank, source_id, recipient_id } = key;
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

/** Removes all messages from the outbox. Their rows stay, because reactions and results of tasks need them. Returns their number. */
export async function clearOutbox(db: Db, accountId: number): Promise<number> {
  const before = await countShown(db, accountId);
  await db.run(sql`insert into cleared (account_id, task_id, last, count)
    select account_id, id, coalesce((select max(subscriber_id) from task_recipient r where r.task_id = task.id), 0), sent
      from task where account_id = ${accountId} and started = 1
    union all select cast(${accountId} as bigint), 0, coalesce((select max(id) from delivery where account_id = ${accountId}), 0),
      (select count(*) from delivery where account_id = ${accountId})
    on conflict (account_id, task_id) do update set last = excluded.last, count = excluded.count`);
  return before;
}

async function countShown(db: Db, accountId: number): Promise<number> {
  return countBy(
    db,
    sql`select coalesce((select sum(sent) from task where account_id = ${accountId} and started = 1), 0)
      + (select count(*) from delivery where account_id = ${accountId})
      - coalesce((select sum(count) from cleared where account_id = ${accountId}), 0) as count`,
  );
}

export interface DeliveryRecipient {
  readonly accountId: number;
  readonly channel: string;
  readonly address: string;
  readonly messageId: number | null;
  readonly subscriberId: number | null;
  readonly taskId: number | undefined;
  /** Id of the subscription that the message asks to confirm. */
  readonly subscriptionId?: number | undefined;
}

/** Returns the recipient of the delivery `t<task>-<subscriber>` or `d<delivery>`, if it exists. */
export async function findDeliveryRecipient(db: Db, id: string): Promise<DeliveryRecipient | undefined> {
  const key = readOutboxEntryId(id);
  if (key === undefined) return undefined;
  return key.rank === 0
    ? findRecipientOfTask(db, key.source_id, key.recipient_id)
    : findRecipientOfSingleDelivery(db, key.source_id);
}

async function findRecipientOfTask(
  db: Db,
  taskId: number,
  subscriberId: number,
): Promise<DeliveryRecipient | undefined> {
  const row = await db.first(sql<
    Pick<DeliveryRecipient, 'accountId' | 'channel' | 'messageId' | 'address'>
  >`select k.account_id as "accountId", k.channel, k.message_id as "messageId", r.address
    from task_recipient r join task k on k.id = r.task_id
    where r.task_id = ${taskId} and r.subscriber_id = ${subscriberId}`);
  return row && { ...row, subscriberId, taskId };
}

async function findRecipientOfSingleDelivery(db: Db, id: number): Promise<DeliveryRecipient | undefined> {
  const row = await findRowById(db, 'delivery', id);
  if (!row) return undefined;
  return {
    accountId: row.account_id,
    channel: row.channel,
    address: row.recipient,
    messageId: row.message_id,
    subscriberId: row.subscriber_id,
    taskId: undefined,
    subscriptionId: row.cause === 'opt-in' ? (row.cause_id ?? undefined) : undefined,
  };
}

/** A delivery that the relay has not handled. A task sends in order of ids, so the last relayed id of each task is enough. */
export interface UnrelayedDelivery {
  readonly accountId: number;
  /** 0 for a delivery that belongs to no task. */
  readonly taskId: number;
  /** Position in the order of the relay: the id of the subscriber for a task, and otherwise the id of the delivery. */
  readonly at: number;
}

/** Prepares the progress of the SMTP relay. The first start marks earlier deliveries as handled; later ones change nothing. */
export async function initialiseRelayProgress(db: Db): Promise<void> {
  const begun = await db.first(sql<Pick<Row<'relayed'>, 'last'>>`select last from relayed where task_id = 0`);
  if (begun) return;
  await db.run(sql`insert into relayed (task_id, last)
    select id, last from (select id, (select max(subscriber_id) from task_recipient where task_id = task.id) as last
      from task where started = 1) t where last is not null
    union all select 0, coalesce(max(id), 0) from delivery`);
}

/** Returns deliveries that the relay has not handled: of one task, or of none. The latter may be SMS, which the caller must skip. */
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

export async function markDeliveryRelayed(db: Db, { taskId, at }: UnrelayedDelivery): Promise<void> {
  await db.run(sql`insert into relayed (task_id, last) values (${taskId}, ${at})
    on conflict (task_id) do update set last = excluded.last`);
}
