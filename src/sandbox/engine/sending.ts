/**
 * Sends tasks in batches, until the audience is complete or the credits run out (interface, task), and single SMS that are due (interface,
 * sms; src/service/protocol/README.md, "Single SMS").
 */

import { measureSms } from '../../kit/text/gsm.ts';
import type { SimulatedRecipientSettings } from '../../service/protocol/control/audience.ts';
import { OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS } from '../../service/resources/sms-message.ts';
import type { Channel } from '../../service/resources/task.ts';
import { loadCreditBalance, takeCredits } from '../store/accounts.ts';
import { isBlocked } from '../store/do-not-contact.ts';
import { type MessageRow, messageById } from '../store/messages.ts';
import type { Db } from '../store/open.ts';
import {
  countAudienceInRange,
  hasReachableSubscriber,
  nextAudienceRange,
  type SendingTask,
  type SubscriberIdRange,
  sendTaskToRange,
} from '../store/recipients.ts';
import { findRowById, insertRow, updateRow } from '../store/rows.ts';
import type { Row } from '../store/schema/tables.ts';
import { changeTask, type TaskRow } from '../store/tasks.ts';
import { planSimulatedReactions } from './audience/plan.ts';
import type { DueWorkHandler } from './due.ts';

export const MAX_RECIPIENTS_PER_STEP = 5_000;

/** Creates the handler of due tasks. `batch` does not change what they send. Recipients react only with `simulatedRecipients`. */
export function createDueTaskHandler(
  batch: number,
  simulatedRecipients?: SimulatedRecipientSettings,
): DueWorkHandler {
  const end = async (db: Db, task: TaskRow, now: number, stopped: string | null = null): Promise<void> => {
    await complete(db, task, now, stopped);
    if (simulatedRecipients !== undefined) await planSimulatedReactions(db, task, simulatedRecipients, now);
  };
  return {
    table: 'task',
    runItem: async (db, { id }, now) => {
      const task = await findRowById(db, 'task', id);
      if (!task) return;
      const { channel } = task;
      const cost = await creditsEach(db, channel, task);
      if (cost === undefined) return end(db, task, now, `message ${task.message_id} is gone`);
      const sending = { taskId: id, accountId: task.account_id, channel, audience: task };
      const range = await nextAudienceRange(db, sending, task.cursor, batch);
      if (!range) return end(db, { ...task, started: 1 }, now);
      const credits = await loadCreditBalance(db, task.account_id, channel);
      const affordable = Math.floor(credits / cost);
      if (affordable === 0 && (await hasReachableSubscriber(db, sending, range)))
        return end(db, { ...task, started: 1 }, now, `too few ${channel} credits: ${credits}`);
      const charged = Number.isFinite(credits) ? cost : 0;
      await sendBatch(db, task, sending, range, { affordable, cost: charged, now, end });
    },
  };
}

/** Returns the credits per recipient: one for an e-mail, one per part for an SMS (wire, "credits"). Undefined if the message is gone. */
async function creditsEach(db: Db, channel: Channel, task: TaskRow): Promise<number | undefined> {
  const message = await messageById(db, channel, task.account_id, task.message_id);
  return message && creditsOf(message);
}

export const creditsOf = (message: MessageRow): number =>
  'message' in message
    ? measureSms(message.message, message.subinfo === 1 ? OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS : 0).credits
    : 1;

async function sendBatch(
  db: Db,
  task: TaskRow,
  sending: SendingTask,
  range: SubscriberIdRange & { readonly count: number },
  {
    affordable,
    cost,
    now,
    end,
  }: {
    readonly affordable: number;
    readonly cost: number;
    readonly now: number;
    readonly end: (db: Db, task: TaskRow, now: number) => Promise<void>;
  },
): Promise<void> {
  const start = Math.ceil(task.scheduledtime);
  const allowed =
    task.rate === null ? range.count : computeMaxMessagesSentUntil(task.rate, start, now) - task.sent;
  if (allowed <= 0) return changeTask(db, task.id, { due: nextSendTime(task.rate ?? 1, start, task.sent) });
  const limit = Math.min(range.count, allowed, affordable);
  const { sent, last } = await sendTaskToRange(db, sending, range, limit, now);
  // A limit of 0 means that the range has no reachable recipient: the caller has checked that already.
  const isThrough = limit === 0 || sent < limit || last === range.last;
  const cursor = isThrough ? range.last : last;
  const seen = isThrough
    ? range.count
    : await countAudienceInRange(db, sending, { after: range.after, last });
  await takeCredits(db, task.account_id, sending.channel, sent * cost);
  const after = {
    ...task,
    started: 1,
    cursor,
    sent: task.sent + sent,
    skipped: task.skipped + seen - sent,
    credits: task.credits + sent * cost,
  };
  if (!(await nextAudienceRange(db, sending, cursor, 1))) return end(db, after, now);
  const due = task.rate === null ? now : Math.max(now, nextSendTime(task.rate, start, after.sent));
  await changeTask(db, task.id, { ...progressOf(after), due });
}

/** Completes the task, either because every recipient was handled or because the credits ran out. Sent messages stay recorded. */
async function complete(db: Db, task: TaskRow, now: number, stopped: string | null): Promise<void> {
  await changeTask(db, task.id, { ...progressOf(task), completed: 1, endtime: now, due: null, stopped });
  if (stopped !== null)
    await insertRow(db, 'log', { time: now, kind: 'task', text: `Task ${task.id} stopped: ${stopped}` });
}

const progressOf = ({ started, cursor, sent, skipped, credits }: TaskRow) => ({
  started,
  cursor,
  sent,
  skipped,
  credits,
});

/**
 * Returns the messages that a task with this hourly `rate` may have sent by `now`. Grows each minute since `start`, by exactly `rate` within
 * any 60 minutes. A fraction is rounded up, so that the first message is sent at once. Times are Unix seconds.
 */
export function computeMaxMessagesSentUntil(rate: number, start: number, now: number): number {
  const minute = Math.floor((now - start) / 60);
  return Math.ceil((rate * (minute + 1)) / 60);
}

/** Returns the start of the minute, counted from `start`, in which a task may send its next message. Times are Unix seconds. */
export function nextSendTime(rate: number, start: number, sent: number): number {
  return start + 60 * Math.floor((sent * 60) / rate);
}

export const dueSingleSmsHandler: DueWorkHandler = {
  table: 'sms',
  runItem: async (db, { id }, now) => {
    const sms = await findRowById(db, 'sms', id);
    if (!sms) return;
    if (sms.tried !== null) return fail(db, sms, now, 'no network accepted the SMS within two weeks');
    const obstacle = await obstacleTo(db, sms);
    if (obstacle !== undefined) return fail(db, sms, now, obstacle);
    if (isUndeliverable(sms.msisdn))
      return updateRow(db, 'sms', id, { tried: now, due: now + UNDELIVERABLE_SECONDS });
    await updateRow(db, 'sms', id, { dispatched: 1, due: null, mdate: now });
    await deliver(db, sms, now);
  },
};

/** Interface, "States": undeliverable messages with valid destinations time out after two weeks. */
const UNDELIVERABLE_SECONDS = 14 * 86_400;

/** Reports whether the sandbox pretends that no network accepts SMS to this number. Ten numbers for fiction do that. */
const isUndeliverable = (msisdn: string): boolean => /^1202555019[0-9]$/.test(msisdn);

async function fail(db: Db, { id }: Row<'sms'>, now: number, why: string): Promise<void> {
  await updateRow(db, 'sms', id, { failed: 1, due: null, mdate: now });
  await insertRow(db, 'log', { time: now, kind: 'sms', text: `SMS ${id} failed: ${why}` });
}

/** Takes the credits for the SMS. Returns the reason if it can't be sent, and takes no credits then. */
async function obstacleTo(db: Db, sms: Row<'sms'>): Promise<string | undefined> {
  if (await isBlocked(db, sms.account_id, { msisdn: sms.msisdn })) return 'on Do Not Contact';
  const { credits } = measureSms(sms.message);
  if (!(await takeCredits(db, sms.account_id, 'sms', credits))) return 'too few sms credits';
  return undefined;
}

async function deliver(db: Db, sms: Row<'sms'>, now: number): Promise<void> {
  await insertRow(db, 'delivery', {
    account_id: sms.account_id,
    channel: 'sms',
    recipient: sms.msisdn,
    sender: sms.fromaddress,
    body: sms.message,
    time: now,
    cause: 'sms',
    cause_id: sms.id,
  });
}
