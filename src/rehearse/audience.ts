/** Computes the shares of people who open, click, unsubscribe, complain and bounce, from the account's completed tasks. */

import {
  RECIPIENT_REACTIONS,
  type RecipientReaction,
  type RecipientReactionShares,
  type SimulatedRecipientSettings,
} from '../protocol/control/audience.ts';
import type { JsonObject } from '../protocol/envelope.ts';

/**
 * Settings for the simulated recipients in a rehearsal, and the source of the settings. The settings contain the share of recipients who
 * open, click, unsubscribe, complain or bounce.
 */
export interface RehearsedRecipients extends SimulatedRecipientSettings {
  readonly source: 'account' | 'flag' | 'none';
}

const COUNTERS: Readonly<Record<RecipientReaction, string>> = {
  open: 'emailuniqueopens',
  click: 'emailuniqueclicks',
  unsubscribe: 'emailuniqueunsubscriptions',
  complaint: 'emailuniquecomplaints',
  bounce: 'emailuniquebounces',
};

/**
 * Returns, for each reaction such as open or click, the share (0 to 1) of recipients with this reaction in all completed e-mail tasks.
 * Returns undefined if there are no such tasks. Counters that are null count as 0.
 */
export function computeReactionSharesOfTasks(
  tasks: readonly JsonObject[],
): RecipientReactionShares | undefined {
  const done = tasks.filter(
    ({ channel, completed, cancelled, size }) =>
      channel === 'email' && completed === true && cancelled !== true && Number(size) > 0,
  );
  const people = sum(done, 'size');
  if (people === 0) return undefined;
  const share = (reaction: RecipientReaction): number => Math.min(1, sum(done, COUNTERS[reaction]) / people);
  const shares = Object.fromEntries(RECIPIENT_REACTIONS.map((each) => [each, share(each)])) as Record<
    RecipientReaction,
    number
  >;
  // A message that bounced can't be opened.
  const most = Math.max(
    ...RECIPIENT_REACTIONS.filter((each) => each !== 'bounce').map((each) => shares[each]),
  );
  return { ...shares, bounce: Math.min(shares.bounce, 1 - most) };
}

const sum = (tasks: readonly JsonObject[], attribute: string): number =>
  tasks.reduce((total, task) => total + Number(task[attribute] ?? 0), 0);
