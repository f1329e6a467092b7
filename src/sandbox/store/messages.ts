/** Reads and changes messages of both channels, and reads the links of e-mails. */
import type { Channel } from '../../resources/task.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
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

/** Returns the message that asks to confirm a subscription: the default one, otherwise the newest custom one. */
export async function findOptInMessage(db: Db, accountId: number): Promise<Row<'email_message'> | undefined> {
  return db.first(sql`select * from email_message
    where account_id = ${accountId} and deleted = 0 and (defaultoptin = 1 or customoptin = 1)
    order by defaultoptin desc, id desc limit 1`);
}

/** Returns the link if it belongs to a message of this company. */
export async function linkById(
  db: Db,
  accountId: number,
  id: number,
): Promise<Row<'email_message_link'> | undefined> {
  return db.first(
    sql<
      Row<'email_message_link'>
    >`select * from email_message_link where account_id = ${accountId} and id = ${id}`,
  );
}

/** Marks a message as used by a task, so that it can't be edited any more (interface, "States"). */
export async function markMessageUsed(db: Db, channel: Channel, id: number): Promise<void> {
  await db.run(sql`update ${tableOf(channel)} set used = 1, editable = 0 where id = ${id}`);
}

/** Makes an e-mail message non-editable, because a rule uses it (interface, "Automation rules" 7). */
export async function makeEmailNonEditable(db: Db, id: number): Promise<void> {
  await db.run(sql`update email_message set editable = 0 where id = ${id}`);
}

/** Deletes a message softly: GET hides it, but the tasks that send it can still read it. */
export async function hideMessage(db: Db, channel: Channel, id: number, now: number): Promise<void> {
  await db.run(sql`update ${tableOf(channel)} set deleted = 1, mdate = ${now} where id = ${id}`);
}

/** Reports whether this is one of the account's pre-configured sender addresses. */
export async function hasSenderAddress(db: Db, accountId: number, email: string): Promise<boolean> {
  const query = sql`select 1 from sender_address where account_id = ${accountId} and lower(email) = ${email.toLowerCase()}`;
  return (await db.first(query)) !== undefined;
}
