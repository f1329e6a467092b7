/** Resolves the ids in the links of delivered messages. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

export interface DeliveryRecipient {
  readonly accountId: number;
  readonly channel: string;
  /** Address to which the message was delivered. */
  readonly address: string;
  readonly messageId: number | null;
  readonly subscriberId: number | null;
  /** Id of the task that sent the message. Undefined if no task sent it. */
  readonly taskId: number | undefined;
  /** Id of the subscription that the message asks to confirm. */
  readonly subscriptionId?: number | undefined;
}

/**
 * Returns the recipient of the delivery with this id in the outbox: `t<task>-<subscriber>` or `d<delivery>`. Returns undefined if no
 * delivery has this id.
 */
export async function findDeliveryRecipient(db: Db, id: string): Promise<DeliveryRecipient | undefined> {
  const [, task, subscriber, delivery] = /^(?:t([0-9]{1,15})-([0-9]{1,15})|d([0-9]{1,15}))$/.exec(id) ?? [];
  if (delivery !== undefined) return ofDelivery(db, Number(delivery));
  return task === undefined ? undefined : ofTask(db, Number(task), Number(subscriber));
}

async function ofTask(db: Db, taskId: number, subscriberId: number): Promise<DeliveryRecipient | undefined> {
  const row = await db.first(sql<
    Pick<DeliveryRecipient, 'accountId' | 'channel' | 'messageId' | 'address'>
  >`select k.account_id as "accountId", k.channel, k.message_id as "messageId", r.address
    from task_recipient r join task k on k.id = r.task_id
    where r.task_id = ${taskId} and r.subscriber_id = ${subscriberId}`);
  return row && { ...row, subscriberId, taskId };
}

async function ofDelivery(db: Db, id: number): Promise<DeliveryRecipient | undefined> {
  const row = await db.first(sql<Row<'delivery'>>`select * from delivery where id = ${id}`);
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

/** Returns the tracked link with this id. Ids are unique across all accounts, so the id is enough. */
export async function findTrackedLink(
  db: Db,
  id: number,
): Promise<{ readonly accountId: number; readonly messageId: number; readonly target: string } | undefined> {
  return db.first(
    sql`select account_id as "accountId", message_id as "messageId", target from email_message_link where id = ${id}`,
  );
}
