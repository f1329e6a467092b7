/** Records a task's recipients, a range of subscribers at a time, and their planned and actual reactions. */
import type { Channel } from '../../service/resources/task.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { countBy, findId, hasRow } from './rows.ts';
import type { Row } from './schema/tables.ts';
import { createAudienceQuery, type TaskAudience } from './tasks.ts';

export interface SendingTask {
  readonly taskId: number;
  readonly accountId: number;
  readonly channel: Channel;
  readonly audience: TaskAudience;
}

/** The subscribers after `after`, up to and including `last`. */
export interface SubscriberIdRange {
  readonly after: number;
  readonly last: number;
}

/** Returns the next range of the audience after the id `after`, with at most `rows` subscribers. Returns undefined at the end. */
export async function nextAudienceRange(
  db: Db,
  { channel, audience }: SendingTask,
  after: number,
  rows: number,
): Promise<(SubscriberIdRange & { readonly count: number }) | undefined> {
  const following = createAudienceQuery(
    channel,
    audience,
    sql`and m.subscriber_id > ${after} order by m.subscriber_id limit ${rows}`,
  );
  const query = sql<{ readonly last: number | null; readonly count: number }>`
    select max(subscriber_id) as last, count(*) as count from (${following}) following`;
  const row = await db.first(query);
  return row && row.last !== null ? { after, last: row.last, count: row.count } : undefined;
}

/**
 * Sends the message of a task to the first `limit` subscribers of the range. Leaves out those who are suspended, on Do Not Contact, or who
 * received it under another id. Returns how many got it, and the id of the last one.
 */
export async function sendTaskToRange(
  db: Db,
  sending: SendingTask,
  range: SubscriberIdRange,
  limit: number,
  now: number,
): Promise<{ readonly sent: number; readonly last: number }> {
  const { changes } = await db.run(sql`insert into task_recipient (task_id, subscriber_id, address, senttime)
    select ${sending.taskId}, a.subscriber_id, a.address, ${now} from ${reachable(sending, range)}
    order by a.subscriber_id limit ${limit}`);
  const query = sql<{ readonly last: number | null }>`select max(subscriber_id) as last from task_recipient
    where task_id = ${sending.taskId}`;
  return { sent: changes, last: (await db.first(query))?.last ?? 0 };
}

export async function hasReachableSubscriber(
  db: Db,
  sending: SendingTask,
  range: SubscriberIdRange,
): Promise<boolean> {
  return hasRow(db, sql`select 1 from ${reachable(sending, range)} limit 1`);
}

/** Counts the subscribers of the audience in the range, including those to whom the task does not send. */
export async function countAudienceInRange(
  db: Db,
  { channel, audience }: SendingTask,
  range: SubscriberIdRange,
): Promise<number> {
  return countBy(
    db,
    sql`select count(*) as count from (${createAudienceQuery(channel, audience, within(range))}) a`,
  );
}

const within = ({ after, last }: SubscriberIdRange) =>
  sql`and m.subscriber_id > ${after} and m.subscriber_id <= ${last}`;

const reachable = ({ taskId, accountId, channel, audience }: SendingTask, range: SubscriberIdRange) =>
  sql`(${createAudienceQuery(channel, audience, within(range))}) a where a.suspended = 0 and not exists (
    select 1 from do_not_contact d where d.account_id = ${accountId}
    and d.contactdata in (lower(a.address), ${channel === 'email' ? sql`a.email_domain` : sql`a.address`}))
    and not exists (select 1 from departed_recipient p where p.task_id = ${taskId} and p.address = a.address)`;

export async function findTaskRecipient(
  db: Db,
  taskId: number,
  subscriberId: number,
): Promise<Row<'task_recipient'> | undefined> {
  return db.first(
    sql`select * from task_recipient where task_id = ${taskId} and subscriber_id = ${subscriberId}`,
  );
}

export async function findNewestTaskIdSentTo(
  db: Db,
  messageId: number,
  subscriberId: number,
): Promise<number | undefined> {
  return findId(
    db,
    sql`select k.id from task k join task_recipient r on r.task_id = k.id
      where k.channel = 'email' and k.message_id = ${messageId} and r.subscriber_id = ${subscriberId}
      order by k.id desc limit 1`,
  );
}

/** Kind of a reaction, and name of the column of `task_recipient` with the time of the first reaction of this kind. */
export type ReactionKind = 'opened' | 'clicked' | 'unsubscribed' | 'complained' | 'bounced';

export type TaskStatisticColumn = Extract<keyof Row<'task'>, `${string}unique${string}`>;

export type ReactionRow = Row<'reaction'>;

/**
 * Returns the recipients of a task in the order of their ids, with the time of each delivery in Unix seconds. This order never changes
 * once the task has ended. The arrays take 8 bytes for each number, because there can be millions of recipients.
 */
export async function listTaskRecipients(db: Db, taskId: number) {
  const count = await countBy(
    db,
    sql`select count(*) as count from task_recipient where task_id = ${taskId}`,
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

/** Returns the reactions of the account that are due by `until`, in order, at most `limit`. */
export async function listDueRecipientReactions(
  db: Db,
  accountId: number,
  until: number,
  limit: number,
): Promise<ReactionRow[]> {
  return db.all(sql`select * from reaction where account_id = ${accountId} and due <= ${until}
    order by due, id limit ${limit}`);
}

/**
 * Records first reactions of one kind, each with its time in Unix seconds, and skips recipients who have one. Adds their number to the
 * `statistic` of the task, and returns it.
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

export interface TaskClick {
  readonly subscriberId: number;
  readonly linkId: number;
  /** Unix seconds. */
  readonly time: number;
}

/** Records the first click of each recipient on each link of the task's message. */
export async function recordTaskClicks(db: Db, taskId: number, clicks: readonly TaskClick[]): Promise<void> {
  if (clicks.length === 0) return;
  const rows = sql.either({
    sqlite: sql`select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(${JSON.stringify(
      clicks.map(({ subscriberId, linkId, time }) => [taskId, subscriberId, linkId, time]),
    )}) where true`,
    postgres: sql`select ${taskId}::bigint, * from unnest(${clicks.map((each) => each.subscriberId)}::bigint[],
      ${clicks.map((each) => each.linkId)}::bigint[], ${clicks.map((each) => each.time)}::bigint[])`,
  });
  await db.run(
    sql`insert into task_click (task_id, subscriber_id, link_id, time) ${rows} on conflict do nothing`,
    { keepsCache: true },
  );
}

/** A clicked link. Name and target are null if the link was deleted. */
export interface ClickedLink {
  readonly time: number;
  readonly link: number;
  readonly name: string | null;
  readonly target: string | null;
}

/** Returns the links of a task's message that a recipient has clicked, each with the time of the first click, by id. */
export async function listClickedLinks(
  db: Db,
  taskId: number,
  subscriberId: number,
): Promise<readonly ClickedLink[]> {
  return db.all(sql<ClickedLink>`select c.time, c.link_id as link, l.name, l.target
    from task_click c left join email_message_link l on l.id = c.link_id
    where c.task_id = ${taskId} and c.subscriber_id = ${subscriberId} order by c.link_id`);
}

/** A link of a task's message, with its clicks. Name and target are null if the link was deleted. */
export interface LinkClicks {
  readonly link: number;
  readonly name: string | null;
  readonly target: string | null;
  /** Number of recipients who have clicked the link. */
  readonly clicks: number;
  /** Unix seconds of the first click of the first and of the last of them. */
  readonly first: number;
  readonly last: number;
}

/** Returns the links that recipients of a task have clicked, the most clicked first. */
export async function listLinkClicks(db: Db, taskId: number, limit: number): Promise<readonly LinkClicks[]> {
  return db.all(sql<LinkClicks>`select c.link, l.name, l.target, c.clicks, c.first, c.last
    from (select link_id as link, count(*) as clicks, min(time) as first, max(time) as last
      from task_click where task_id = ${taskId} group by link_id) c
    left join email_message_link l on l.id = c.link order by c.clicks desc, c.link limit ${limit}`);
}

const COUNTED_REACTIONS: readonly ReactionKind[] = [
  ...(['opened', 'clicked', 'unsubscribed', 'complained', 'bounced'] as const),
];

/** Unix seconds of the latest reaction to a task, if there is one. */
export async function findLatestReaction(db: Db, taskId: number): Promise<number | undefined> {
  const latest = COUNTED_REACTIONS.map(
    (kind) => sql`select max(${sql.ref(kind)}) as time from task_recipient
    where task_id = ${taskId}`,
  );
  const query = sql<{
    readonly time: number | null;
  }>`select max(time) as time from (${sql.join(latest, ' union all ')}) t`;
  return (await db.first(query))?.time ?? undefined;
}

/** Reactions to a task in one period, by the time of the first reaction of each recipient. */
export type PeriodReactions = { readonly time: number } & Readonly<Record<ReactionKind, number>>;

/** Returns the reactions to a task in periods of `seconds` from `start` to `end` (Unix seconds), also the periods without any. */
export async function countReactionsByPeriod(
  db: Db,
  taskId: number,
  { start, end, seconds }: { readonly start: number; readonly end: number; readonly seconds: number },
): Promise<readonly PeriodReactions[]> {
  const counts = COUNTED_REACTIONS.map((kind, at) => {
    const column = sql.ref(kind);
    return sql`select ${sql.raw(String(at))} as kind, (${column} - cast(${start} as bigint)) / cast(${seconds} as bigint) as period,
      count(*) as count from task_recipient
      where task_id = ${taskId} and ${column} >= ${start} group by 1, 2`;
  });
  const query = sql<{
    readonly kind: number;
    readonly period: number;
    readonly count: number;
  }>`${sql.join(counts, ' union all ')}`;
  const nothing = { opened: 0, clicked: 0, unsubscribed: 0, complained: 0, bounced: 0 };
  const periods = Array.from({ length: Math.floor((end - start) / seconds) + 1 }, (_, at) => ({
    time: start + at * seconds,
    ...nothing,
  }));
  for (const { kind, period, count } of await db.all(query)) {
    const [found, name] = [periods[period], COUNTED_REACTIONS[kind]];
    if (found !== undefined && name !== undefined) found[name] = count;
  }
  return periods;
}
