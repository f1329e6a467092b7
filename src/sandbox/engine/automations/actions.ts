/** Runs the queued actions of rules, each at its own time (interface, "Events": actions by actiontype). */
import { happenedWords, type TimedKind } from '../../../resources/rule-kinds.ts';
import { assertNever } from '../../../schema/resource.ts';
import { formatTime } from '../../../text/timezone.ts';
import { smsRuleById, type TimedRow, timedRuleById } from '../../store/automations.ts';
import { firstDue } from '../../store/due-work.ts';
import { accountById } from '../../store/identity.ts';
import type { Db } from '../../store/open.ts';
import { takeAction } from '../../store/queue.ts';
import type { Row } from '../../store/schema/tables.ts';
import { subscriberById } from '../../store/subscribers.ts';
import type { DueWork } from '../due.ts';
import type { Cause } from './cause.ts';
import { changeLists } from './change-lists.ts';
import { send, sendMessage } from './deliver.ts';
import { logSkipped } from './log.ts';
import type { QueuedEvent, TriggerEvent } from './triggers.ts';

/**
 * The source of queued actions. An action does what its rule says at its due time, even if the rule is paused by then. An action that can't
 * be done (no address, no credits, a deleted list) is skipped and logged, and is not retried.
 */
export const queuedActions: DueWork = {
  kind: 'action',
  next: (db, accountId) => firstDue(db, 'queued_action', accountId),
  run: async (db, item, now) => {
    const action = await takeAction(db, item.id);
    if (!action) return;
    const cause: Cause = {
      accountId: action.account_id,
      ruleKind: action.rule_kind as Cause['ruleKind'],
      ruleId: action.rule_id,
      now,
    };
    const subscriber = await subscriberById(db, action.account_id, action.subscriber_id);
    if (!subscriber) {
      await logSkipped(db, cause, `subscriber ${action.subscriber_id} is gone`);
      return;
    }
    const event: QueuedEvent = JSON.parse(action.event);
    if (cause.ruleKind === 'sms') await answer(db, cause, subscriber);
    else await act(db, cause, cause.ruleKind, subscriber, event);
  },
};

/** Sends the auto-responder of an sms rule. Does nothing if the rule no longer has one. */
async function answer(db: Db, cause: Cause, subscriber: Row<'subscriber'>): Promise<void> {
  const rule = await smsRuleById(db, cause.ruleId);
  if (rule && rule.message_id !== null) await sendMessage(db, cause, 'sms', rule.message_id, subscriber);
}

async function act(
  db: Db,
  cause: Cause,
  kind: TimedKind,
  subscriber: Row<'subscriber'>,
  event: QueuedEvent,
): Promise<void> {
  const rule = await timedRuleById(db, kind, cause.ruleId);
  if (!rule) return;
  switch (rule.actiontype) {
    case 'email_autoresponder':
      return sendMessage(db, cause, 'email', Number(rule.actiontarget), subscriber);
    case 'sms_autoresponder':
      return sendMessage(db, cause, 'sms', Number(rule.actiontarget), subscriber);
    case 'notify':
      return sendNotice(db, cause, rule, subscriber, event);
    case 'addtolist':
    case 'copytolist':
    case 'movetolist':
    case 'removefromlist':
      return changeLists(db, cause, { ...rule, actiontype: rule.actiontype }, subscriber, event.chain);
    default:
      return assertNever(rule.actiontype);
  }
}

/** Sends the e-mail of the action notify, with who, what and when (wire, "`notify`"). */
async function sendNotice(
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
