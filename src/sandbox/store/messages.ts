/** Reads and changes messages of both channels, and the tracked links of e-mails. */
import type { Channel } from '../../service/resources/task.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { containsText } from './outbox-entry.ts';
import { insertRows } from './rows.ts';
import type { Row } from './schema/tables.ts';

export type MessageRow = Row<'email_message'> | Row<'sms_message'>;

/** Returns the message, even a deleted one: a task keeps the message that it references. */
export async function messageById(
  db: Db,
  channel: Channel,
  accountId: number,
  id: number,
): Promise<MessageRow | undefined> {
  return db.first(
    sql<MessageRow>`select * from ${tableOf(channel)} where account_id = ${accountId} and id = ${id}`,
  );
}

const tableOf = (channel: Channel): Sql => (channel === 'email' ? sql`email_message` : sql`sms_message`);

/** A message of the company, without its parts. */
export interface MessageSummary {
  readonly id: number;
  readonly name: string;
  /** Subject of an e-mail, or text of an SMS. */
  readonly subject: string;
  /** Unix seconds of the last change. */
  readonly mdate: number;
  /** Unix seconds at which the next scheduled task starts, and at which the latest started task did. Null without such a task. */
  readonly next: number | null;
  readonly last: number | null;
  /** Number of messages that tasks have sent. */
  readonly sent: number;
}

/** Returns messages in ascending order of their ids: those after the id `after`, or the last ones before `before`, or the newest. */
export async function listMessages(
  db: Db,
  accountId: number,
  {
    channel,
    unsent,
    search,
    after,
    before,
    limit,
  }: {
    readonly channel: Channel;
    /** True to list only messages that no task has begun to send. */
    readonly unsent?: boolean | undefined;
    /** Text that the name or the subject contains, in any case. */
    readonly search?: string | undefined;
    readonly after?: number | undefined;
    readonly before?: number | undefined;
    readonly limit: number;
  },
): Promise<MessageSummary[]> {
  const subject = channel === 'email' ? sql`m.subject` : sql`m.message`;
  const tasks = sql`from task k where k.account_id = ${accountId} and k.channel = ${channel} and k.message_id = m.id`;
  const conditions = [
    sql`m.account_id = ${accountId} and m.deleted = 0`,
    ...(after === undefined ? [] : [sql`m.id > ${after}`]),
    ...(before === undefined || after !== undefined ? [] : [sql`m.id < ${before}`]),
    ...(search === undefined
      ? []
      : [sql`(${containsText(sql`m.name`, search)} or ${containsText(subject, search)})`]),
    ...(unsent ? [sql`not exists (select 1 ${tasks} and k.started = 1)`] : []),
  ];
  const order = after === undefined ? sql`m.id desc` : sql`m.id`;
  const rows = await db.all(sql<MessageSummary>`select m.id, m.name, ${subject} as subject, m.mdate,
      (select min(k.scheduledtime) ${tasks} and k.started = 0 and k.cancelled = 0) as next,
      (select max(k.scheduledtime) ${tasks} and k.started = 1) as last,
      coalesce((select sum(k.sent) ${tasks}), 0) as sent
    from ${tableOf(channel)} m where ${sql.join(conditions, ' and ')} order by ${order} limit ${limit}`);
  return after === undefined ? rows.reverse() : rows;
}

/** Returns the message that asks to confirm a subscription: the default one, otherwise the newest custom one. */
export async function findOptInMessage(db: Db, accountId: number): Promise<Row<'email_message'> | undefined> {
  return db.first(sql`select * from email_message
    where account_id = ${accountId} and deleted = 0 and (defaultoptin = 1 or customoptin = 1)
    order by defaultoptin desc, id desc limit 1`);
}

/** Marks a message as used by a task, so that it can't be edited any more (interface, "States"). */
export async function markMessageUsed(db: Db, channel: Channel, id: number): Promise<void> {
  await db.run(sql`update ${tableOf(channel)} set used = 1, editable = 0 where id = ${id}`);
}

/** Deletes a message softly: GET hides it, but the tasks that send it can still read it. */
export async function hideMessage(db: Db, channel: Channel, id: number, now: number): Promise<void> {
  await db.run(sql`update ${tableOf(channel)} set deleted = 1, mdate = ${now} where id = ${id}`);
}

export type LinkRow = Row<'email_message_link'>;

export type LinkMessagePart = 'html' | 'text';

export async function linksOf(db: Db, messageId: number): Promise<LinkRow[]> {
  return db.all(sql`select * from email_message_link where message_id = ${messageId} order by id`);
}

/** Returns links of the account, from any of its messages. Ignores unknown ids. */
export async function linksByIds(db: Db, accountId: number, ids: readonly number[]): Promise<LinkRow[]> {
  const found: LinkRow[] = [];
  for (const some of inParts(ids))
    found.push(
      ...(await db.all(sql<LinkRow>`select * from email_message_link
        where account_id = ${accountId} and id in (${sql.join(some)})`)),
    );
  return found;
}

interface NewLink {
  readonly account_id: number;
  readonly message_id: number;
  readonly name: string | null;
  readonly target: string;
  readonly type: LinkMessagePart;
  readonly cdate: number;
}

type ShownLink = Pick<LinkRow, 'id' | 'type' | 'target' | 'name'>;

type Added = NewLink & { readonly id: number };

/** Adds links. Their ids rise in the order of `links`; the rows are returned in any order. */
export async function addLinks(db: Db, links: readonly NewLink[]): Promise<readonly ShownLink[]> {
  if (links.length > MOST_AT_ONCE && db.dialect === 'sqlite') return addWithIds(db, links);
  const added: ShownLink[] = [];
  for (const some of inParts(links)) added.push(...(await addSome(db, some)));
  return added;
}

function addSome(db: Db, links: readonly NewLink[]): Promise<ShownLink[]> {
  const rows = links.map(
    ({ account_id, message_id, name, target, type, cdate }) =>
      sql`(${account_id}, ${message_id}, ${name}, ${target}, ${type}, ${cdate})`,
  );
  return db.all(sql`insert into email_message_link (account_id, message_id, name, target, type, cdate)
    values ${sql.join(rows)} returning id, type, target, name`);
}

/** Computes the ids in advance, because SQLite has one writer at a time and reading 50,000 ids back takes a second. */
async function addWithIds(db: Db, links: readonly NewLink[]): Promise<readonly Added[]> {
  const query = sql<{
    readonly last: number;
  }>`select seq as last from sqlite_sequence where name = 'email_message_link'`;
  const last = (await db.first(query))?.last ?? 0;
  const rows = links.map((link, at) => ({ id: last + 1 + at, ...link }));
  await insertRows(db, 'email_message_link', rows);
  return rows;
}

export async function removeLinks(db: Db, ids: readonly number[]): Promise<void> {
  for (const some of inParts(ids))
    await db.run(sql`delete from email_message_link where id in (${sql.join(some)})`);
}

/** Number of links in one statement. SQLite accepts at most 32,766 values in a statement; a link has six. */
const MOST_AT_ONCE = 1_000;

function* inParts<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += MOST_AT_ONCE) yield all.slice(at, at + MOST_AT_ONCE);
}

/** Returns the tracked link with this id. Ids are unique across all accounts, so the id is enough. */
export async function findTrackedLink(
  db: Db,
  id: number,
): Promise<{ readonly accountId: number; readonly messageId: number; readonly target: string } | undefined> {
  return db.first(
    sql`select account_id as "accountId", message_id as "messageId", target from email_message_link where id = ${id}`,
  );
}
