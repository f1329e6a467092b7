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
import type { DueItem, DueWork, Effects } from '../due.ts';
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
  run: async (db, { due, accountId }, _now, { until = due, reached }) => {
    const reaction = await firstDue(db, 'reaction');
    const horizon = Math.min(until, (await precedingWork(db)) - 1, reaction?.due ?? Number.MAX_SAFE_INTEGER);
    await createActionRun(db, accountId, reached).runUntil(Math.max(due, horizon));
  },
};

/** Returns the time of the first task or SMS, which precedes actions and reactions of the same second. */
export async function precedingWork(db: Db): Promise<number> {
  const first = [await firstDue(db, 'task'), await firstDue(db, 'sms')];
  return Math.min(...first.map((each) => each?.due ?? Number.MAX_SAFE_INTEGER));
}

export interface ActionRun {
  /** Does all actions that are due until then. Returns false if one is left: of another account, or beyond the limit of a step. */
  readonly runUntil: (time: number) => Promise<boolean>;
  /** Call it after something was queued. */
  readonly lookAgain: () => void;
}

/** Actions that one step does. Each step is one transaction. */
const BATCH = 2_000;

/** Does actions of one account in order. @param reached receives the time of each before it is done */
export function createActionRun(db: Db, accountId: number, reached: Effects['reached']): ActionRun {
  let next: DueItem | undefined;
  let isKnown = false;
  let done = 0;
  return {
    runUntil: async (time) => {
      for (;;) {
        if (!isKnown) next = await firstDue(db, 'queued_action');
        isKnown = true;
        if (!next || next.due > time) return true;
        if (next.accountId !== accountId || done === BATCH) return false;
        await reached?.(next.due);
        await runAction(db, next);
        isKnown = false;
        done += 1;
      }
    },
    lookAgain: () => {
      isKnown = false;
    },
  };
}

async function runAction(db: Db, { id, due: now }: DueItem): Promise<void> {
  const action = await takeAction(db, id);
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
}

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
    `What: ${eventText(event.happening)}`,
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

function eventText(event: TriggerEvent): string {
  if (event.kind === 'sms') return `sent an SMS to ${event.to}: ${event.text}`;
  return happenedWords(event);
}
