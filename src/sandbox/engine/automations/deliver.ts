/** Sends the messages of rules: auto-responders to subscribers, notices, and forwarded SMS to the company. */

import type { Channel } from '../../../service/resources/task.ts';
import { accountById } from '../../store/accounts.ts';
import { messageById } from '../../store/messages.ts';
import type { SubscriberForRules } from '../../store/subscribers.ts';
import { SMS_UNSUBSCRIBE_TEXT } from '../mail/render.ts';
import { creditsOf } from '../sending.ts';
import { type AccountWorkStep, logSkippedAction, type RuleActionCause } from '../step.ts';

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
  readonly isBlocked: boolean;
}

/** Sends a message to the subscriber's e-mail address or phone number, or logs why it could not be sent. */
export async function sendRuleMessageToSubscriber(
  step: AccountWorkStep,
  cause: RuleActionCause,
  channel: Channel,
  messageId: number,
  subscriber: SubscriberForRules,
): Promise<void> {
  const address = channel === 'email' ? subscriber.email : subscriber.msisdn;
  const suspended = channel === 'email' ? subscriber.emailsuspended : subscriber.smssuspended;
  const isBlocked = (channel === 'email' ? subscriber.emailblocked : subscriber.smsblocked) === 1;
  const outgoing = await step.once(`${channel} ${messageId}`, () =>
    outgoingMessage(step, channel, messageId),
  );
  const skip = (why: string): void =>
    logSkippedAction(
      step,
      cause,
      `${channel} message ${messageId} not sent to subscriber ${subscriber.id}: ${why}`,
    );
  if (outgoing === undefined) return skip('the message is gone');
  if (address === null) return skip(`no ${channel === 'email' ? 'e-mail address' : 'number'}`);
  if (suspended === 1) return skip('suspended');
  const recipient = { address, subscriberId: subscriber.id, isBlocked };
  const obstacle = await deliverRuleMessage(step, cause, outgoing, recipient);
  if (obstacle !== undefined) skip(obstacle);
}

/**
 * Delivers the message and takes the credits (wire, "credits": taken when sent). Returns the reason if it was not sent. Contacts on Do Not
 * Contact receive nothing, not even notices.
 */
export async function deliverRuleMessage(
  step: AccountWorkStep,
  cause: RuleActionCause,
  outgoing: OutgoingMessage,
  { address, subscriberId, isBlocked }: Recipient,
): Promise<string | undefined> {
  const { channel, credits } = outgoing;
  const account = await accountById(step.db, cause.accountId);
  if (channel === 'email' && account?.enableemail !== 1) return 'the feature enableemail is off';
  if (channel === 'sms' && account?.enablesms !== 1) return 'the feature enablesms is off';
  if (isBlocked) return 'on Do Not Contact';
  if (channel !== 'notification' && !(await step.takeCredits(channel, credits)))
    return `too few ${channel} credits`;
  step.add('delivery', {
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

/** Returns the message as it is sent: an SMS with the unsubscribe text of `subinfo`. Returns undefined if the message was deleted. */
async function outgoingMessage(
  { db, accountId }: AccountWorkStep,
  channel: Channel,
  messageId: number,
): Promise<OutgoingMessage | undefined> {
  const message = await messageById(db, channel, accountId, messageId);
  if (!message || message.deleted === 1) return undefined;
  if ('message' in message) {
    const credits = creditsOf(message);
    const body = message.subinfo === 1 ? message.message + SMS_UNSUBSCRIBE_TEXT : message.message;
    return { channel, sender: message.fromname, subject: null, body, credits, messageId };
  }
  // The outbox renders an e-mail from its message. That message can no longer be edited (rule 7).
  const sender = message.fromemail ?? message.replyemail;
  return { channel, sender, subject: message.subject, body: '', credits: 1, messageId };
}
