/**
 * Reads the deliveries of tasks in the order of the outbox. A task sends in order of subscriber ids, between its `scheduledtime` and its
 * `endtime`, so its recipients need no index by time, which would slow down every send.
 */
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import {
  compareOutboxPositions,
  containsText,
  createEmailsContainingTextQuery,
  createEmailsWithSubjectQuery,
  createSmsContainingTextQuery,
  lastCleared,
  type OutboxDelivery,
  type OutboxPage,
  type OutboxPosition,
} from './outbox-entry.ts';
import type { Row } from './schema/tables.ts';

type Task = Pick<Row<'task'>, 'id' | 'channel' | 'message_id' | 'scheduledtime' | 'endtime'>;

const TASKS_AT_ONCE = 50;

/** Returns the newest entries, or the last entries before the position `before`: at most `limit`, oldest first. */
export async function newestTaskDeliveries(
  db: Db,
  page: OutboxPage,
  before?: OutboxPosition,
): Promise<OutboxDelivery[]> {
  const isWanted = (entry: OutboxDelivery): boolean =>
    before === undefined || compareOutboxPositions(entry, before) < 0;
  if (page.filter.to !== undefined)
    return (await entriesTo(db, page, page.filter.to)).filter(isWanted).slice(-page.limit);
  let found = (await entriesToFound(db, page)).filter(isWanted).slice(-page.limit);
  for await (const task of fromNewest(db, page)) {
    const oldest = found.length < page.limit ? undefined : found[0];
    if (oldest && task.endtime !== null && task.endtime < oldest.time) break;
    const last = before === undefined ? LAST_ID : await lastIdBefore(db, task, before);
    const entries = last === 0 ? [] : await entriesOfTask(db, page, task, sql`<= ${last}`, sql`desc`);
    if (entries.length > 0) found = inOrder([...found, ...entries]).slice(-page.limit);
  }
  return found;
}

const LAST_ID = Number.MAX_SAFE_INTEGER;

/** Returns the highest subscriber id of the task whose delivery comes before `place`, a position in the outbox; 0 if none does. */
async function lastIdBefore(db: Db, task: Task, place: OutboxPosition): Promise<number> {
  const last = await lastIdUpTo(db, task, place);
  return place.rank === 0 && task.id === place.source_id ? last - 1 : last;
}

/** Sorts the entries and removes duplicates: an entry can match the search by its task and also by its address. */
function inOrder(entries: readonly OutboxDelivery[]): OutboxDelivery[] {
  const sorted = entries.toSorted(compareOutboxPositions);
  return sorted.filter(
    (entry, at) => at === 0 || compareOutboxPositions(entry, sorted[at - 1] ?? entry) !== 0,
  );
}

/** Returns the first entries after the position `place`: at most `limit`, oldest first. */
export async function taskDeliveriesAfter(
  db: Db,
  page: OutboxPage,
  place: OutboxPosition,
): Promise<OutboxDelivery[]> {
  if (page.filter.to !== undefined) {
    const entries = await entriesTo(db, page, page.filter.to);
    return entries.filter((entry) => compareOutboxPositions(entry, place) > 0).slice(0, page.limit);
  }
  let found = (await entriesToFound(db, page))
    .filter((entry) => compareOutboxPositions(entry, place) > 0)
    .slice(0, page.limit);
  for await (const task of fromPlace(db, page, place)) {
    const newest = found.length < page.limit ? undefined : found.at(-1);
    if (newest && task.scheduledtime > newest.time) break;
    const entries = await entriesOfTask(
      ...([db, page, task] as const),
      sql`> ${await lastIdUpTo(db, task, place)}`,
      sql`asc`,
    );
    if (entries.length > 0) found = inOrder([...found, ...entries]).slice(0, page.limit);
  }
  return found;
}

/** Yields the tasks that are being sent, and then the tasks that have ended, latest end first. */
async function* fromNewest(db: Db, page: OutboxPage): AsyncGenerator<Task> {
  yield* await runningTasks(db, page);
  let last: Task | undefined;
  do {
    const from = last ? sql`(endtime, id) < (${last.endtime}, ${last.id})` : sql`endtime >= 0`;
    const order = sql`order by endtime desc, id desc limit ${TASKS_AT_ONCE}`;
    const ended = await tasksWhere(db, page, sql`${from} and started = 1 ${order}`);
    yield* ended;
    last = ended.length < TASKS_AT_ONCE ? undefined : ended.at(-1);
  } while (last);
}

/** Yields the tasks that can have deliveries after a position: those being sent at its time, then later ones, earliest start first. */
async function* fromPlace(db: Db, page: OutboxPage, { time }: OutboxPosition): AsyncGenerator<Task> {
  yield* (await runningTasks(db, page)).filter((task) => task.scheduledtime <= time);
  yield* await tasksWhere(
    db,
    page,
    sql`endtime >= ${time} and ${sql.noIndex('scheduledtime')} <= ${time} and started = 1`,
  );
  let last: Task | undefined;
  do {
    const from = last
      ? sql`(scheduledtime, id) > (${last.scheduledtime}, ${last.id})`
      : sql`scheduledtime > ${time}`;
    const order = sql`order by scheduledtime, id limit ${TASKS_AT_ONCE}`;
    const later = await tasksWhere(db, page, sql`${from} and started = 1 ${order}`);
    yield* later;
    last = later.length < TASKS_AT_ONCE ? undefined : later.at(-1);
  } while (last);
}

const runningTasks = (db: Db, page: OutboxPage): Promise<Task[]> =>
  tasksWhere(db, page, sql`endtime is null and started = 1`);

async function tasksWhere(db: Db, page: OutboxPage, condition: Sql): Promise<Task[]> {
  const query = sql<Task>`select id, channel, message_id, scheduledtime, endtime from task
    where ${wanted(page)} and ${found(page)} and ${condition}`;
  return await db.all(query);
}

const wanted = ({ accountId, filter: { channel, taskId, state, subject } }: OutboxPage): Sql =>
  sql.join(
    [
      sql`task.account_id = ${accountId}`,
      ...(channel === undefined ? [] : [sql`${sql.noIndex('channel')} = ${channel}`]),
      ...(taskId === undefined ? [] : [sql`task.id = ${taskId}`]),
      ...(state !== 'bounced'
        ? []
        : [sql`exists (select 1 from task_recipient r where r.task_id = task.id and r.bounced is not null)`]),
      ...(subject === undefined
        ? []
        : [
            sql`${sql.noIndex('channel')} = 'email'
              and ${sql.noIndex('message_id')} in (${createEmailsWithSubjectQuery(accountId, subject)})`,
          ]),
    ],
    ' and ',
  );

/** Returns the condition that a recipient of a task has the state that is wanted. */
const hasState = ({ filter: { state } }: OutboxPage): Sql =>
  state === undefined ? sql`1 = 1` : state === 'bounced' ? sql`bounced is not null` : sql`bounced is null`;

/** Returns the condition that the name or the message of a task contains the search text: all its recipients then match. */
function found({ accountId, filter: { search } }: OutboxPage): Sql {
  if (search === undefined) return sql`1 = 1`;
  return sql`(${containsText(sql`name`, search)}
    or (${sql.noIndex('channel')} = 'email' and message_id in (${createEmailsContainingTextQuery(accountId, search)}))
    or (${sql.noIndex('channel')} = 'sms' and message_id in (${createSmsContainingTextQuery(accountId, search)})))`;
}

/** Maximum number of subscribers that a search finds by the beginning of an address: those with the lowest ids. */
const MOST_SUBSCRIBERS = 200;

async function entriesToFound(db: Db, page: OutboxPage): Promise<OutboxDelivery[]> {
  const { accountId, filter } = page;
  if (filter.search === undefined) return [];
  const first = filter.search.trim().toLowerCase().replace(/^\+/, '');
  if (first === '') return [];
  // Sorts after every character that an address can contain.
  const last = `${first}\u{10ffff}`;
  const query = sql<{ readonly id: number }>`
    select id from subscriber where account_id = ${accountId} and email >= ${first} and email < ${last}
    union select id from subscriber where account_id = ${accountId} and msisdn >= ${first} and msisdn < ${last}
    union select subscriber_id from former_recipient
      where account_id = ${accountId} and address >= ${first} and address < ${last}
    order by 1 limit ${MOST_SUBSCRIBERS}`;
  const ids = (await db.all(query)).map(({ id }) => id);
  return ids.length === 0 ? [] : entriesOf(db, page, ids, sql`address >= ${first} and address < ${last}`);
}

/**
 * Returns all deliveries to an address, oldest first, by the subscribers that have or had it. An index of deliveries by address would make a
 * large send many times slower.
 */
async function entriesTo(db: Db, page: OutboxPage, to: string): Promise<OutboxDelivery[]> {
  const { accountId } = page;
  // Stored addresses of subscribers are in lower case.
  const address = to.toLowerCase();
  const subscribers = sql<{ readonly id: number }>`
    select id from subscriber where account_id = ${accountId} and email = ${address}
    union all select id from subscriber where account_id = ${accountId} and msisdn = ${address}
    union all select subscriber_id from former_recipient where account_id = ${accountId} and address = ${address}`;
  const ids = new Set((await db.all(subscribers)).map(({ id }) => id));
  return ids.size === 0 ? [] : entriesOf(db, page, [...ids], sql`address = ${address}`);
}

async function entriesOf(
  db: Db,
  page: OutboxPage,
  ids: readonly number[],
  isAddress: Sql,
): Promise<OutboxDelivery[]> {
  const query = sql<Recipient & Pick<Task, 'channel' | 'message_id'>>`
    select channel, message_id, senttime as time, task_id as source_id, subscriber_id as recipient_id,
      address as recipient, bounced from task_recipient cross join task
    where task.id = task_id and ${wanted(page)} and ${sql.noIndex('started')} = 1 and subscriber_id in (${sql.join([...ids])}) and ${isAddress}
      and subscriber_id > ${lastCleared(page.accountId, sql`task.id`)} and ${hasState(page)}`;
  const rows = await db.all(query);
  return rows.map((row) => entryOf({ ...row, id: row.source_id }, row)).sort(compareOutboxPositions);
}

type Recipient = Pick<OutboxDelivery, 'time' | 'source_id' | 'recipient_id' | 'recipient' | 'bounced'>;

async function entriesOfTask(
  db: Db,
  page: OutboxPage,
  task: Task,
  range: Sql,
  direction: Sql,
): Promise<OutboxDelivery[]> {
  const rows = await db.all(sql<Recipient>`select senttime as time, task_id as source_id,
      subscriber_id as recipient_id, address as recipient, bounced
    from task_recipient where task_id = ${task.id} and subscriber_id ${range}
      and subscriber_id > ${lastCleared(page.accountId, sql`${task.id}`)}
      and ${hasState(page)} order by subscriber_id ${direction} limit ${page.limit}`);
  return rows.map((row) => entryOf(task, row));
}

const entryOf = (
  task: Pick<Task, 'id' | 'channel' | 'message_id'>,
  { time, source_id, recipient_id, recipient, bounced }: Recipient,
): OutboxDelivery => ({
  time,
  source_id,
  recipient_id,
  recipient,
  bounced,
  rank: 0,
  channel: task.channel,
  sender: null,
  subject: null,
  body: null,
  message_id: task.message_id,
  subscriber_id: recipient_id,
  cause: 'task',
  cause_id: task.id,
  rule_kind: null,
});

/** Returns the highest subscriber id with a delivery at or before `place`, or 0, by binary search: a task sends in order of ids. */
async function lastIdUpTo(db: Db, task: Task, place: OutboxPosition): Promise<number> {
  if (task.scheduledtime > place.time) return 0;
  if (place.rank === 0 && task.id === place.source_id) return place.recipient_id;
  const isLater = ({ time }: { readonly time: number }): boolean =>
    compareOutboxPositions({ time, rank: 0, source_id: task.id, recipient_id: 0 }, place) > 0;
  let low = 0;
  let high = await lastUpTo(db, task, LAST_ID);
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
  return await db.first(query);
}
