/** Resolves the ids in the links of delivered messages. */
import type { Db } from './open.ts';

export interface Reader {
  readonly accountId: number;
  readonly channel: string;
  /** The address to which the message was delivered. */
  readonly address: string;
  readonly messageId: number | null;
  readonly subscriberId: number | null;
  /** Undefined if a rule or a single SMS sent the message. */
  readonly taskId: number | undefined;
  /** The subscription that the message asks to confirm. */
  readonly subscriptionId?: number | undefined;
}

/** Returns the reader by the id of an outbox entry: `t<task>-<subscriber>` or `d<delivery>`. */
export async function readerBehind(db: Db, id: string): Promise<Reader | undefined> {
  const [, task, subscriber, delivery] = /^(?:t([0-9]{1,15})-([0-9]{1,15})|d([0-9]{1,15}))$/.exec(id) ?? [];
  if (delivery !== undefined) return ofDelivery(db, Number(delivery));
  return task === undefined ? undefined : ofTask(db, Number(task), Number(subscriber));
}

async function ofTask(db: Db, taskId: number, subscriberId: number): Promise<Reader | undefined> {
  const row = await db
    .selectFrom('task_recipient')
    .innerJoin('task', 'task.id', 'task_recipient.task_id')
    .select(['task.account_id', 'task.channel', 'task.message_id', 'task_recipient.address'])
    .where('task_recipient.task_id', '=', taskId)
    .where('task_recipient.subscriber_id', '=', subscriberId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { account_id: accountId, message_id: messageId, channel, address } = row;
  return { accountId, channel, address, messageId, subscriberId, taskId };
}

async function ofDelivery(db: Db, id: number): Promise<Reader | undefined> {
  const row = await db.selectFrom('delivery').selectAll().where('id', '=', id).executeTakeFirst();
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

/** Returns the link, regardless of account: its id identifies the account. */
export async function trackedLink(
  db: Db,
  id: number,
): Promise<{ readonly accountId: number; readonly messageId: number; readonly target: string } | undefined> {
  const row = await db
    .selectFrom('email_message_link')
    .select(['account_id as accountId', 'message_id as messageId', 'target'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row;
}
