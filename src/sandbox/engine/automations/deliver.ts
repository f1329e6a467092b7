/** Sends the messages of rules: answers to subscribers, notices, and forwarded texts to the company. */
import { SUBINFO_OCTETS } from '../../../resources/sms-message.ts';
import { measureSms } from '../../../text/gsm.ts';
import { takeCredits } from '../../store/credits.ts';
import { isBlocked } from '../../store/do-not-contact.ts';
import { accountById } from '../../store/identity.ts';
import { type Channel, messageById } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import { insertRow } from '../../store/rows.ts';
import type { Row } from '../../store/schema/tables.ts';
import { SUBINFO } from '../mail/render.ts';
import type { Cause } from './cause.ts';
import { logSkipped } from './log.ts';

/** A message to send, without its recipient. */
export interface OutgoingMessage {
  readonly channel: Channel | 'notification';
  readonly sender: string;
  readonly subject: string | null;
  readonly body: string;
  readonly credits: number;
  readonly messageId?: number;
}

export interface Recipient {
  readonly address: string;
  readonly subscriberId?: number;
}

/** Sends a message to the subscriber at its channel's address, or logs why it could not be sent. */
export async function sendMessage(
  db: Db,
  cause: Cause,
  channel: Channel,
  messageId: number,
  subscriber: Row<'subscriber'>,
): Promise<void> {
  const address = channel === 'email' ? subscriber.email : subscriber.msisdn;
  const suspended = channel === 'email' ? subscriber.emailsuspended : subscriber.smssuspended;
  const outgoing = await outgoingMessage(db, cause.accountId, channel, messageId);
  const what = `${channel} message ${messageId} not sent to subscriber ${subscriber.id}`;
  const skip = (why: string) => logSkipped(db, cause, `${what}: ${why}`);
  if (outgoing === undefined) return skip('the message is gone');
  if (address === null) return skip(`no ${channel === 'email' ? 'e-mail address' : 'number'}`);
  if (suspended === 1) return skip('suspended');
  const obstacle = await send(db, cause, outgoing, { address, subscriberId: subscriber.id });
  if (obstacle !== undefined) await skip(obstacle);
}

/**
 * Delivers now, and takes the credits (wire, "credits": taken when sent). Contacts on Do Not Contact receive nothing, not even notices.
 * Returns the reason if the message was not sent.
 */
export async function send(
  db: Db,
  cause: Cause,
  outgoing: OutgoingMessage,
  { address, subscriberId }: Recipient,
): Promise<string | undefined> {
  const { channel, credits } = outgoing;
  const account = await accountById(db, cause.accountId);
  if (channel === 'email' && account?.enableemail !== 1) return 'the feature enableemail is off';
  if (channel === 'sms' && account?.enablesms !== 1) return 'the feature enablesms is off';
  if (await isBlocked(db, cause.accountId, channel === 'sms' ? { msisdn: address } : { email: address }))
    return 'on Do Not Contact';
  if (channel !== 'notification' && !(await takeCredits(db, cause.accountId, channel, credits)))
    return `too few ${channel} credits`;
  await insertRow(db, 'delivery', {
    account_id: cause.accountId,
    channel,
    recipient: address,
    sender: outgoing.sender,
    subject: outgoing.subject,
    body: outgoing.body,
    message_id: outgoing.messageId ?? null,
    subscriber_id: subscriberId ?? null,
    time: cause.now,
    cause: 'rule',
    cause_id: cause.ruleId,
    rule_kind: cause.ruleKind,
  });
  return undefined;
}

/** Returns the message in its final form; undefined once it is deleted. */
async function outgoingMessage(
  db: Db,
  accountId: number,
  channel: Channel,
  messageId: number,
): Promise<OutgoingMessage | undefined> {
  const message = await messageById(db, channel, accountId, messageId);
  if (!message || message.deleted === 1) return undefined;
  if ('message' in message) {
    const hasInfo = message.subinfo === 1;
    const { credits } = measureSms(message.message, hasInfo ? SUBINFO_OCTETS : 0);
    const body = hasInfo ? message.message + SUBINFO : message.message;
    return { channel, sender: message.fromname, subject: null, body, credits, messageId };
  }
  // The outbox renders an e-mail from its message. That message can no longer be edited (rule 7).
  const sender = message.fromemail ?? message.replyemail;
  return { channel, sender, subject: message.subject, body: '', credits: 1, messageId };
}
