/** Sends the e-mail of the action notify, with who, what and when (wire, "`notify`"). */
import { happenedWords } from '../../../resources/rule-kinds.ts';
import { formatTime } from '../../../text/timezone.ts';
import type { TimedRow } from '../../store/automations.ts';
import { accountById } from '../../store/identity.ts';
import type { Db } from '../../store/open.ts';
import type { Row } from '../../store/schema/tables.ts';
import type { Cause } from './cause.ts';
import { send } from './deliver.ts';
import { logSkipped } from './log.ts';
import type { QueuedEvent, TriggerEvent } from './triggers.ts';

export async function sendNotice(
  db: Db,
  cause: Cause,
  rule: TimedRow,
  subscriber: Row<'subscriber'>,
  event: QueuedEvent,
): Promise<void> {
  const account = await accountById(db, cause.accountId);
  const who = [subscriber.email, subscriber.msisdn].filter((address) => address !== null).join(', ');
  const body = [
    `Who: subscriber ${subscriber.id} (${who})`,
    `What: ${wordsOf(event.happening)}`,
    `When: ${formatTime(event.time, account?.timezone ?? 'UTC', 'long')}`,
  ].join('\n');
  const outgoing = {
    channel: 'notification',
    sender: account?.contactemail ?? '',
    credits: 0,
    body,
  } as const;
  const obstacle = await send(db, cause, { ...outgoing, subject: rule.name }, { address: rule.actiontarget });
  if (obstacle !== undefined) await logSkipped(db, cause, `${rule.actiontarget} not notified: ${obstacle}`);
}

function wordsOf(event: TriggerEvent): string {
  if (event.kind === 'sms') return `sent an SMS to ${event.to}: ${event.text}`;
  return happenedWords(event);
}
