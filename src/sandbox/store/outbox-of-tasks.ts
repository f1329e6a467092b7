/**
 * What tasks delivered, in the order of the outbox. A task sends to its recipients in order of their ids, never before its
 * `scheduledtime` nor after its `endtime`: so its contact records need no index by time, which each recipient would pay for.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './open.ts';
import { compareEntries, type Delivered, type OutboxFilter, type Place } from './outbox-entry.ts';
import type { Row } from './tables.ts';

interface Page {
  readonly accountId: number;
  readonly filter: OutboxFilter;
  readonly limit: number;
}

type Task = Pick<Row<'task'>, 'id' | 'channel' | 'message_id' | 'scheduledtime' | 'endtime'>;

/** Tasks that are looked for at a time. */
const TASKS_AT_ONCE = 50;

/** The newest entries, at most `limit` of them, oldest first. */
export async function newestOfTasks(db: Db, page: Page): Promise<Delivered[]> {
  const to = await wantedRecipients(db, page);
  let found: Delivered[] = [];
  for await (const some of fromNewest(db, page)) {
    const sent = to && (await entriesTo(db, some, to));
    for (const task of some) {
      const oldest = found.length < page.limit ? undefined : found[0];
      if (oldest && task.endtime !== null && task.endtime < oldest.time) return found;
      const entries = sent ? (sent.get(task.id) ?? []) : await lastEntries(db, task, page.limit);
      if (entries.length > 0) found = [...found, ...entries].sort(compareEntries).slice(-page.limit);
    }
  }
  return found;
}

/** The first entries after the place, at most `limit` of them, oldest first. */
export async function ofTasksAfter(db: Db, page: Page, place: Place): Promise<Delivered[]> {
  const to = await wantedRecipients(db, page);
  let found: Delivered[] = [];
  for await (const some of fromPlace(db, page, place)) {
    const sent = to && (await entriesTo(db, some, to));
    for (const task of some) {
      const newest = found.length < page.limit ? undefined : found.at(-1);
      if (newest && task.scheduledtime > newest.time) return found;
      const entries = sent
        ? (sent.get(task.id) ?? []).filter((entry) => compareEntries(entry, place) > 0)
        : await entriesAfter(db, task, await lastBefore(db, task, place), page.limit);
      if (entries.length > 0) found = [...found, ...entries].sort(compareEntries).slice(0, page.limit);
    }
  }
  return found;
}

/** Tasks that are being sent, then those that ended, the last first. */
async function* fromNewest(db: Db, page: Page): AsyncGenerator<readonly Task[]> {
  yield await runningTasks(db, page);
  let last: Task | undefined;
  do {
    const from = last ? sql`(endtime, id) < (${last.endtime}, ${last.id})` : sql`endtime >= 0`;
    const order = sql`order by endtime desc, id desc limit ${TASKS_AT_ONCE}`;
    const ended = await tasksWhere(db, page, sql`${from} and started = 1 ${order}`);
    yield ended;
    last = ended.length < TASKS_AT_ONCE ? undefined : ended.at(-1);
  } while (last);
}

/** Tasks that had begun at the place and went on, in no order; then those that began later, the first first. */
async function* fromPlace(db: Db, page: Page, { time }: Place): AsyncGenerator<readonly Task[]> {
  yield (await runningTasks(db, page)).filter((task) => task.scheduledtime <= time);
  yield await tasksWhere(db, page, sql`endtime >= ${time} and +scheduledtime <= ${time} and started = 1`);
  let last: Task | undefined;
  do {
    const from = last
      ? sql`(scheduledtime, id) > (${last.scheduledtime}, ${last.id})`
      : sql`scheduledtime > ${time}`;
    const order = sql`order by scheduledtime, id limit ${TASKS_AT_ONCE}`;
    const later = await tasksWhere(db, page, sql`${from} and started = 1 ${order}`);
    yield later;
    last = later.length < TASKS_AT_ONCE ? undefined : later.at(-1);
  } while (last);
}

const runningTasks = (db: Db, page: Page): Promise<Task[]> =>
  tasksWhere(db, page, sql`endtime is null and started = 1`);

async function tasksWhere(
  db: Db,
  { accountId, filter: { channel, taskId } }: Page,
  condition: RawBuilder<unknown>,
): Promise<Task[]> {
  const wanted = [
    ...(channel === undefined ? [] : [sql`+channel = ${channel}`]),
    ...(taskId === undefined ? [] : [sql`id = ${taskId}`]),
    condition,
  ];
  const query = sql<Task>`select id, channel, message_id, scheduledtime, endtime from task
    where account_id = ${accountId} and ${sql.join(wanted, sql` and `)}`;
  return (await query.execute(db)).rows;
}

interface WantedRecipients {
  readonly address: string;
  readonly subscriberIds: readonly number[];
}

/** Those that the filter's address is, or was, the address of; undefined where everybody is wanted. */
async function wantedRecipients(db: Db, { accountId, filter }: Page): Promise<WantedRecipients | undefined> {
  if (filter.to === undefined) return undefined;
  // As those of subscribers are kept.
  const address = filter.to.toLowerCase();
  const query = sql<{ readonly id: number }>`
    select id from subscriber where account_id = ${accountId} and email = ${address}
    union all select id from subscriber where account_id = ${accountId} and msisdn = ${address}
    union all select subscriber_id from former_recipient where account_id = ${accountId} and address = ${address}`;
  const ids = (await query.execute(db)).rows.map(({ id }) => id);
  return { address, subscriberIds: [...new Set(ids)] };
}

/** By the tasks that sent them. */
async function entriesTo(
  db: Db,
  some: readonly Task[],
  { address, subscriberIds }: WantedRecipients,
): Promise<ReadonlyMap<number, readonly Delivered[]>> {
  if (some.length === 0 || subscriberIds.length === 0) return new Map();
  const query = sql<Recipient>`${RECIPIENTS} where task_id in (${sql.join(some.map(({ id }) => id))})
    and subscriber_id in (${sql.join(subscriberIds)}) and address = ${address}`;
  const { rows } = await query.execute(db);
  return new Map(
    some.map((task) => [task.id, rows.filter(({ a }) => a === task.id).map((row) => entryOf(task, row))]),
  );
}

type Recipient = Pick<Delivered, 'time' | 'a' | 'b' | 'recipient' | 'bounced'>;

const RECIPIENTS = sql`select senttime as time, task_id as a, subscriber_id as b, address as recipient, bounced
  from task_recipient`;

async function lastEntries(db: Db, task: Task, limit: number): Promise<Delivered[]> {
  const query = sql<Recipient>`${RECIPIENTS} where task_id = ${task.id}
    order by subscriber_id desc limit ${limit}`;
  return (await query.execute(db)).rows.map((row) => entryOf(task, row));
}

async function entriesAfter(db: Db, task: Task, subscriberId: number, limit: number): Promise<Delivered[]> {
  const query = sql<Recipient>`${RECIPIENTS} where task_id = ${task.id} and subscriber_id > ${subscriberId}
    order by subscriber_id limit ${limit}`;
  return (await query.execute(db)).rows.map((row) => entryOf(task, row));
}

const entryOf = (task: Task, row: Recipient): Delivered => ({
  ...row,
  rank: 0,
  channel: task.channel,
  sender: null,
  subject: null,
  body: null,
  message_id: task.message_id,
  subscriber_id: row.b,
  cause: 'task',
  cause_id: task.id,
  rule_kind: null,
});

/** A subscriber's id: those up to it were sent to no later than the place, those after it later. Found by halving. */
async function lastBefore(db: Db, task: Task, place: Place): Promise<number> {
  if (task.scheduledtime > place.time) return 0;
  if (place.rank === 0 && task.id === place.a) return place.b;
  const isLater = ({ time }: { readonly time: number }): boolean =>
    compareEntries({ time, rank: 0, a: task.id, b: 0 }, place) > 0;
  let low = 0;
  let high = await lastUpTo(db, task, Number.MAX_SAFE_INTEGER);
  if (!high || !isLater(high)) return high?.id ?? 0;
  while (high.id - low > 1) {
    const middle = Math.floor((low + high.id) / 2);
    const found = await lastUpTo(db, task, middle);
    if (found && found.id > low && isLater(found)) high = found;
    else low = middle;
  }
  return low;
}

interface Sent {
  readonly id: number;
  readonly time: number;
}

async function lastUpTo(db: Db, task: Task, subscriberId: number): Promise<Sent | undefined> {
  const query = sql<Sent>`select subscriber_id as id, senttime as time from task_recipient
    where task_id = ${task.id} and subscriber_id <= ${subscriberId} order by subscriber_id desc limit 1`;
  return (await query.execute(db)).rows[0];
}
