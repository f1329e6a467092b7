/** What was delivered: the contact records of tasks and the single deliveries, as one sequence. */
import { type RawBuilder, sql } from 'kysely';
import type { RuleKind } from '../../resources/automation.ts';
import type { Db } from './open.ts';

/** One delivered message. Of a task's, the content stands in the message; of the others in `subject` and `body`. */
export interface Delivered {
  readonly time: number;
  /** 0 of a task, 1 a single delivery. */
  readonly rank: 0 | 1;
  /** The task, or the delivery. */
  readonly a: number;
  /** The subscriber of a task's. */
  readonly b: number;
  readonly channel: string;
  readonly recipient: string;
  readonly sender: string | null;
  readonly subject: string | null;
  readonly body: string | null;
  readonly message_id: number | null;
  readonly subscriber_id: number | null;
  readonly cause: string;
  readonly cause_id: number | null;
  readonly rule_kind: string | null;
  /** Of a task's: when it bounced, Unix seconds. */
  readonly bounced: number | null;
}

/** What an entry must be; what is left out may be anything. */
export interface OutboxFilter {
  /** The recipient's address, number or URL, in any case. */
  readonly to?: string | undefined;
  readonly channel?: string | undefined;
  readonly taskId?: number | undefined;
  readonly rule?: { readonly kind: RuleKind; readonly id: number } | undefined;
}

export type Position = Pick<Delivered, 'rank' | 'a' | 'b'>;

/** Those after `after`, or the newest where there is none given; oldest first. */
export async function deliveredAfter(
  db: Db,
  accountId: number,
  {
    after,
    limit,
    filter = {},
  }: {
    readonly after?: (Position & { readonly time: number }) | undefined;
    readonly limit: number;
    readonly filter?: OutboxFilter;
  },
): Promise<Delivered[]> {
  const source = delivered(accountId, after?.time ?? 0, filter);
  if (source === undefined) return [];
  const order = (direction: RawBuilder<unknown>) =>
    sql`order by time ${direction}, rank ${direction}, a ${direction}, b ${direction} limit ${limit}`;
  if (!after) {
    const newest = sql<Delivered>`select * from (${source}) ${order(sql`desc`)}`;
    return (await newest.execute(db)).rows.reverse();
  }
  const { time, rank, a, b } = after;
  const following = sql<Delivered>`select * from (${source})
    where (time, rank, a, b) > (${time}, ${rank}, ${a}, ${b}) ${order(sql`asc`)}`;
  return (await following.execute(db)).rows;
}

/** The delivery in that place of the outbox; undefined where the company has none there. */
export async function deliveredAt(
  db: Db,
  accountId: number,
  { rank, a, b }: Position,
): Promise<Delivered | undefined> {
  const source =
    rank === 0
      ? sql<Delivered>`${ofTasks(accountId)} and r.task_id = ${a} and r.subscriber_id = ${b}`
      : sql<Delivered>`${single(accountId)} and d.id = ${a}`;
  return (await source.execute(db)).rows[0];
}

/** Tasks that ended before `since` are left out as a whole. Undefined where nothing can be as the filter asks. */
function delivered(accountId: number, since: number, filter: OutboxFilter): RawBuilder<unknown> | undefined {
  const parts = [
    ...(filter.rule === undefined
      ? [
          sql`${ofTasks(accountId)} and (k.endtime is null or k.endtime >= ${since}) ${taskCondition(accountId, filter)}`,
        ]
      : []),
    ...(filter.taskId === undefined
      ? [sql`${single(accountId)} and d.time >= ${since} ${singleCondition(filter)}`]
      : []),
  ];
  return parts.length === 0 ? undefined : sql.join(parts, sql` union all `);
}

const taskCondition = (accountId: number, { to, channel, taskId }: OutboxFilter) =>
  sql.join(
    [
      ...(to === undefined ? [] : [wentTo(accountId, to.toLowerCase())]),
      ...(channel === undefined ? [] : [sql`and k.channel = ${channel}`]),
      ...(taskId === undefined ? [] : [sql`and k.id = ${taskId}`]),
    ],
    sql` `,
  );

/** @param address in lower case, as those of subscribers are kept */
const wentTo = (accountId: number, address: string) => sql`and r.address = ${address} and r.subscriber_id in (
    select id from subscriber where account_id = ${accountId} and email = ${address}
    union all select id from subscriber where account_id = ${accountId} and msisdn = ${address}
    union all select subscriber_id from former_recipient where account_id = ${accountId} and address = ${address})`;

const singleCondition = ({ to, channel, rule }: OutboxFilter) =>
  sql.join(
    [
      ...(to === undefined ? [] : [sql`and lower(d.recipient) = lower(${to})`]),
      ...(channel === undefined ? [] : [sql`and d.channel = ${channel}`]),
      ...(rule === undefined ? [] : [sql`and d.rule_kind = ${rule.kind} and d.cause_id = ${rule.id}`]),
    ],
    sql` `,
  );

const ofTasks = (
  accountId: number,
) => sql`select r.senttime as time, 0 as rank, r.task_id as a, r.subscriber_id as b,
    k.channel, r.address as recipient, null as sender, null as subject, null as body, k.message_id,
    r.subscriber_id, 'task' as cause, k.id as cause_id, null as rule_kind, r.bounced
  from task k join task_recipient r on r.task_id = k.id where k.account_id = ${accountId} and k.started = 1`;

const single = (accountId: number) => sql`select d.time, 1 as rank, d.id as a, 0 as b,
    d.channel, d.recipient, d.sender, d.subject, d.body, d.message_id,
    d.subscriber_id, d.cause, d.cause_id, d.rule_kind, null as bounced
  from delivery d where d.account_id = ${accountId}`;

/** What a subscriber has in profile fields, by the fields' names. */
export async function profileOf(db: Db, subscriberId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('profile_data')
    .innerJoin('profile_field', 'profile_field.id', 'profile_data.field_id')
    .select(['profile_field.name', 'profile_data.value'])
    .where('profile_data.subscriber_id', '=', subscriberId)
    .execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}
