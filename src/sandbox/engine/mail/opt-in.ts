/** Sends the message that asks to confirm a subscription, and confirms the subscription. */
import { takeCredits } from '../../store/accounts.ts';
import { isBlocked } from '../../store/do-not-contact.ts';
import { findOptInMessage } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import { findRowOfAccount, insertRow, updateRow } from '../../store/rows.ts';
import type { Row } from '../../store/schema/tables.ts';
import { confirmSubscription } from '../../store/subscribers.ts';
import { trackingUri } from './render.ts';

export type OptInProblem = 'no address' | 'suspended' | 'blocked' | 'no credits';

interface OptInRequest {
  readonly account: Row<'account'>;
  readonly subscriptionId: number;
  readonly subscriberId: number;
  readonly now: number;
  readonly trackingBaseUrl: string;
}

/** Cause of a delivery that asks the subscriber to confirm a subscription. Its `cause_id` is the id of the subscription. */
const OPT_IN_CAUSE = 'opt-in';

/**
 * Sends the account's opt-in message to the subscriber, or the sandbox's own short text if the account has none. The message costs a
 * credit, like every e-mail.
 */
export async function sendOptInEmail(
  db: Db,
  optIn: OptInRequest,
): Promise<{ readonly deliveryId: number } | { readonly problem: OptInProblem }> {
  const { account, subscriptionId, subscriberId, now, trackingBaseUrl } = optIn;
  const subscriber = await findRowOfAccount(db, 'subscriber', account.id, subscriberId);
  if (!subscriber || subscriber.email === null) return { problem: 'no address' };
  if (subscriber.emailsuspended === 1) return { problem: 'suspended' };
  if (await isBlocked(db, account.id, { email: subscriber.email })) return { problem: 'blocked' };
  if (!(await takeCredits(db, account.id, 'email', 1))) return { problem: 'no credits' };
  const message = await findOptInMessage(db, account.id);
  const deliveryId = await insertRow(db, 'delivery', {
    account_id: account.id,
    channel: 'email',
    recipient: subscriber.email,
    sender: message ? (message.fromemail ?? message.replyemail) : account.contactemail,
    subject: message?.subject ?? 'Please confirm',
    body: '',
    message_id: message?.id ?? null,
    subscriber_id: subscriberId,
    time: now,
    cause: OPT_IN_CAUSE,
    cause_id: subscriptionId,
  });
  if (!message) {
    const link = trackingUri({ trackingBaseUrl, recipient: `d${deliveryId}` }, 'opt-in');
    const body = `Please confirm that you want to get messages from ${account.name}:\n${link}\n`;
    await updateRow(db, 'delivery', deliveryId, { body });
  }
  return { deliveryId };
}

/**
 * Confirms the subscription, and returns the address to which the subscriber is redirected. Returns null if the subscription has no such
 * address.
 */
export async function confirmOptInAndFindRedirect(
  db: Db,
  subscriptionId: number,
  now: number,
): Promise<string | null> {
  const subscription = await confirmSubscription(db, subscriptionId, now);
  return subscription?.confirmationredirect ?? null;
}
