/** Reads and changes messages of both channels, and reads the links of e-mails. */
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

export type Channel = 'email' | 'sms';
export type MessageRow = Row<'email_message'> | Row<'sms_message'>;

/** Returns the message, even a deleted one: a task keeps the message that it references. */
export async function messageById(
  db: Db,
  channel: Channel,
  accountId: number,
  id: number,
): Promise<MessageRow | undefined> {
  const found =
    channel === 'email'
      ? db.selectFrom('email_message').selectAll().where('account_id', '=', accountId).where('id', '=', id)
      : db.selectFrom('sms_message').selectAll().where('account_id', '=', accountId).where('id', '=', id);
  return found.executeTakeFirst();
}

/** Returns the message that asks to confirm a subscription: the default one, otherwise the newest custom one. */
export async function optInMessage(db: Db, accountId: number): Promise<Row<'email_message'> | undefined> {
  return db
    .selectFrom('email_message')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted', '=', 0)
    .where((eb) => eb.or([eb('defaultoptin', '=', 1), eb('customoptin', '=', 1)]))
    .orderBy('defaultoptin', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

/** Returns the link if it belongs to a message of this company. */
export async function linkById(
  db: Db,
  accountId: number,
  id: number,
): Promise<Row<'email_message_link'> | undefined> {
  return db
    .selectFrom('email_message_link')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Marks a message as used by a task, so that it can't be edited any more (interface, "States"). */
export async function markUsed(db: Db, channel: Channel, id: number): Promise<void> {
  if (channel === 'email')
    await db.updateTable('email_message').set({ used: 1, editable: 0 }).where('id', '=', id).execute();
  else await db.updateTable('sms_message').set({ used: 1, editable: 0 }).where('id', '=', id).execute();
}

/** Interface, rule 7: associating an e-mail message with a rule makes it non-editable. */
export async function lockEmail(db: Db, id: number): Promise<void> {
  await db.updateTable('email_message').set({ editable: 0 }).where('id', '=', id).execute();
}

/** Deletes a message softly: GET hides it, but the tasks that send it can still read it. */
export async function hideMessage(db: Db, channel: Channel, id: number, now: number): Promise<void> {
  if (channel === 'email')
    await db.updateTable('email_message').set({ deleted: 1, mdate: now }).where('id', '=', id).execute();
  else await db.updateTable('sms_message').set({ deleted: 1, mdate: now }).where('id', '=', id).execute();
}

/** Reports whether this is one of the account's pre-configured sender addresses. */
export async function hasSender(db: Db, accountId: number, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('sender_address')
    .select('email')
    .where('account_id', '=', accountId)
    .where((eb) => eb(eb.fn('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst();
  return row !== undefined;
}
