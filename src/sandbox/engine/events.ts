/** Records recipients' events, updates statistics and Do Not Contact, and triggers rules (interface, "Events"). */
import type { RecipientReaction } from '../../service/protocol/control/audience.ts';
import { createConflictError, createNotFoundError } from '../../service/protocol/service-errors.ts';
import type { TimedKind } from '../../service/resources/rule-kinds.ts';
import { addDoNotContact, isBlocked } from '../store/do-not-contact.ts';
import { messageById } from '../store/messages.ts';
import type { Db } from '../store/open.ts';
import {
  findNewestTaskIdSentTo,
  findTaskRecipient,
  type ReactionKind,
  recordRecipientReactions,
  recordTaskClicks,
  type TaskStatisticColumn,
} from '../store/recipients.ts';
import { findRowById, requireRowOfAccount } from '../store/rows.ts';
import { addSubscriberToList } from './automations/actions.ts';
import { queueTriggeredRuleActions, type RuleOutcome, type TimedRuleEvent } from './automations/triggers.ts';
import { type RuleEventContext, runAccountWorkStep } from './step.ts';

interface Reader {
  readonly subscriberId: number;
  /** Task for which the event counts. Default: the newest task that sent the message to the subscriber, if any. */
  readonly taskId?: number | undefined;
}

interface RuleEvents {
  readonly click: Reader & { readonly linkId: number };
  readonly open: Reader & { readonly messageId: number };
  readonly subscription: { readonly listId: number; readonly subscriberId: number };
  /** `time` is the date that the rule waits for, in Unix seconds. */
  readonly date: { readonly ruleId: number; readonly time: number; readonly subscriberId: number };
}

type RuleEvent = { readonly [K in TimedKind]: { readonly kind: K } & RuleEvents[K] }[TimedKind];

export type RecipientEvent =
  | RuleEvent
  | { readonly kind: TaskEventKind; readonly taskId: number; readonly subscriberId: number };

type TaskEventKind = 'unsubscribe' | 'complaint' | 'bounce';

interface EventOutcome {
  /** Undefined if no kind of rule reacts to the event, or if the event changed nothing. */
  readonly trigger?: TimedRuleEvent;
  readonly outcomes: readonly RuleOutcome[];
  /** Reason why the sandbox did not look for matching rules. Null if the sandbox looked for matching rules. */
  readonly why: string | null;
  readonly taskId?: number;
}

/**
 * Records one event in the transaction of `db`. Statistics count it once per recipient; rules trigger each time, and their actions are
 * queued. `now`: Unix seconds.
 * @throws ServiceError 404 for an unknown record, or a task that has not sent to the subscriber; 409 for a contact on Do Not Contact
 */
export async function recordRecipientEvent(
  db: Db,
  accountId: number,
  event: RecipientEvent,
  now: number,
): Promise<EventOutcome> {
  return runAccountWorkStep(db, accountId, (step) => {
    const at: EventContext = { step, db, accountId, now };
    switch (event.kind) {
      case 'unsubscribe':
      case 'complaint':
      case 'bounce':
        return reportOnTask(at, event.kind, event.taskId, event.subscriberId);
      default:
        return recordRuleEvent(at, event);
    }
  });
}

interface EventContext extends RuleEventContext {
  readonly db: Db;
  readonly accountId: number;
}

function recordRuleEvent<K extends TimedKind>(
  at: EventContext,
  event: { readonly kind: K } & RuleEvents[K],
): Promise<EventOutcome> {
  return RECORD_EVENT[event.kind](at, event);
}

/** The functions that record the event of each kind of rule. The compiler reports a missing kind. */
const RECORD_EVENT: {
  readonly [K in TimedKind]: (at: EventContext, event: RuleEvents[K]) => Promise<EventOutcome>;
} = { click, open, subscription: subscribeTo, date: reachDate };

async function open(at: EventContext, { messageId, ...reader }: RuleEvents['open']): Promise<EventOutcome> {
  if (!(await messageById(at.db, 'email', at.accountId, messageId)))
    throw createNotFoundError(`emailMessage ${messageId}`);
  const taskId = await markReader(at, messageId, reader, 'opened', 'emailuniqueopens');
  return triggerRules(at, { kind: 'open', messageId }, reader.subscriberId, taskId);
}

async function click(at: EventContext, { linkId, ...reader }: RuleEvents['click']): Promise<EventOutcome> {
  const link = await requireRowOfAccount(
    at.db,
    'email_message_link',
    at.accountId,
    linkId,
    'emailMessageLink',
  );
  const { message_id: messageId } = link;
  const taskId = await markReader(at, messageId, reader, 'clicked', 'emailuniqueclicks');
  if (taskId !== undefined)
    await recordTaskClicks(at.db, taskId, [{ subscriberId: reader.subscriberId, linkId, time: at.now }]);
  return triggerRules(at, { kind: 'click', linkId, messageId }, reader.subscriberId, taskId);
}

async function triggerRules(
  at: EventContext,
  trigger: TimedRuleEvent,
  subscriberId: number,
  taskId: number | undefined,
): Promise<EventOutcome> {
  const outcomes = await queueTriggeredRuleActions(at, trigger, subscriberId);
  return { trigger, outcomes, why: null, ...(taskId === undefined ? {} : { taskId }) };
}

/**
 * Counts an open or a click for the task `taskId`, or else for the newest task that sent the message to the subscriber. Returns the id of
 * this task, or undefined if no task sent it.
 */
async function markReader(
  at: EventContext,
  messageId: number,
  { subscriberId, taskId }: Reader,
  mark: ReactionKind,
  statistic: TaskStatisticColumn,
): Promise<number | undefined> {
  await requireRowOfAccount(at.db, 'subscriber', at.accountId, subscriberId, 'Subscriber');
  if (taskId !== undefined) await requireRecipient(at, taskId, subscriberId, messageId);
  const sentBy = taskId ?? (await findNewestTaskIdSentTo(at.db, messageId, subscriberId));
  if (sentBy !== undefined)
    await recordRecipientReactions(at.db, sentBy, [{ subscriberId, time: at.now }], mark, statistic);
  return sentBy;
}

/** Triggers a date rule (wire, "date rules: which date"). In the sandbox, only an operation of the control plane does this. */
async function reachDate(
  at: EventContext,
  { ruleId, time, subscriberId }: RuleEvents['date'],
): Promise<EventOutcome> {
  await requireRowOfAccount(at.db, 'subscriber', at.accountId, subscriberId, 'Subscriber');
  await requireRowOfAccount(at.db, 'date_automation', at.accountId, ruleId, 'dateAutomation');
  return triggerRules(at, { kind: 'date', ruleId, time }, subscriberId, undefined);
}

async function subscribeTo(
  at: EventContext,
  { listId, subscriberId }: RuleEvents['subscription'],
): Promise<EventOutcome> {
  await requireRowOfAccount(at.db, 'list', at.accountId, listId, 'List');
  const subscriber = await requireRowOfAccount(at.db, 'subscriber', at.accountId, subscriberId, 'Subscriber');
  // Interface, doNotContact: the list is checked whenever a subscriber is added.
  if (await isBlocked(at.db, at.accountId, subscriber))
    throw createConflictError(`Subscriber ${subscriberId} is on Do Not Contact`);
  const outcomes = await addSubscriberToList(at, listId, subscriberId, []);
  if (outcomes === undefined)
    return { outcomes: [], why: `subscriber ${subscriberId} was already on list ${listId}` };
  return { trigger: { kind: 'subscription', listId }, outcomes, why: null };
}

async function reportOnTask(
  at: EventContext,
  kind: TaskEventKind,
  taskId: number,
  subscriberId: number,
): Promise<EventOutcome> {
  const { channel, address } = await requireRecipient(at, taskId, subscriberId);
  const { mark, email, sms } = REACTION_COLUMNS[kind];
  const statistic = channel === 'email' ? email : sms;
  await recordRecipientReactions(at.db, taskId, [{ subscriberId, time: at.now }], mark, statistic);
  // Interface, doNotContact: "Subscribers who unsubscribe are added automatically"; wire: the channel's address.
  if (kind === 'unsubscribe') await addDoNotContact(at.db, at.accountId, address, at.now);
  return { outcomes: [], why: `${NAMES[kind]} never triggers a rule` };
}

const NAMES: Readonly<Record<TaskEventKind, string>> = {
  unsubscribe: 'an unsubscription',
  complaint: 'a complaint',
  bounce: 'a bounce',
};

/**
 * The columns that record each reaction: `mark` of the recipient, `email` and `sms` of the task. For SMS, only bounces count (interface,
 * task).
 */
export const REACTION_COLUMNS: Readonly<
  Record<
    RecipientReaction,
    {
      readonly mark: ReactionKind;
      readonly email: TaskStatisticColumn;
      readonly sms: TaskStatisticColumn | undefined;
    }
  >
> = {
  open: { mark: 'opened', email: 'emailuniqueopens', sms: undefined },
  click: { mark: 'clicked', email: 'emailuniqueclicks', sms: undefined },
  unsubscribe: { mark: 'unsubscribed', email: 'emailuniqueunsubscriptions', sms: undefined },
  complaint: { mark: 'complained', email: 'emailuniquecomplaints', sms: undefined },
  bounce: { mark: 'bounced', email: 'emailuniquebounces', sms: 'smsuniquebounces' },
};

async function requireRecipient(
  at: EventContext,
  taskId: number,
  subscriberId: number,
  messageId?: number,
): Promise<{ readonly channel: string; readonly address: string }> {
  const task = await findRowById(at.db, 'task', taskId);
  if (task?.account_id !== at.accountId) throw createNotFoundError(`Task ${taskId}`);
  if (messageId !== undefined && (task.channel !== 'email' || task.message_id !== messageId))
    throw createNotFoundError(`Message ${messageId} in task ${taskId}`);
  const recipient = await findTaskRecipient(at.db, taskId, subscriberId);
  if (!recipient) throw createNotFoundError(`Recipient ${subscriberId} of task ${taskId}`);
  return { channel: task.channel, address: recipient.address };
}
