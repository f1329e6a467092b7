/** Sends tasks: each step handles one batch of recipients, until the audience is complete or the credits run out (interface, task). */
import type { Audience } from '../../../protocol/control/audience.ts';
import { SUBINFO_OCTETS } from '../../../resources/sms-message.ts';
import { measureSms } from '../../../text/gsm.ts';
import { creditsOf, takeCredits } from '../../store/credits.ts';
import { firstDue } from '../../store/due-work.ts';
import { type Channel, messageById } from '../../store/messages.ts';
import type { Db } from '../../store/open.ts';
import {
  countRange,
  isAnyReachable,
  nextRange,
  type Range,
  sendRange,
  type TaskSending,
} from '../../store/recipients.ts';
import { insertRow } from '../../store/rows.ts';
import { changeTask, type TaskRow, taskById } from '../../store/tasks.ts';
import { planAudience } from '../audience/plan.ts';
import type { DueWork } from '../due.ts';

/** Recipients that one step handles. Each step is one transaction. */
export const RECIPIENTS = 5_000;

/**
 * @param batch recipients that one step handles; it does not change who receives a message, or when
 * @param audience what the recipients of an ended task do by themselves
 */
export function tasksInBatches(batch: number, audience?: Audience): DueWork {
  const end = async (db: Db, task: TaskRow, now: number, stopped: string | null = null): Promise<void> => {
    await complete(db, task, now, stopped);
    if (audience !== undefined) await planAudience(db, task, audience, now);
  };
  return {
    kind: 'task',
    next: (db, accountId) => firstDue(db, 'task', accountId),
    run: async (db, { id }, now) => {
      const task = await taskById(db, id);
      if (!task) return;
      const channel = task.channel as Channel;
      const cost = await creditsEach(db, channel, task);
      if (cost === undefined) return end(db, task, now, `message ${task.message_id} is gone`);
      const sending = { taskId: id, accountId: task.account_id, channel, audience: task };
      const range = await nextRange(db, sending, task.cursor, batch);
      if (!range) return end(db, { ...task, started: 1 }, now);
      const credits = await creditsOf(db, task.account_id, channel);
      const affordable = Math.floor(credits / cost);
      if (affordable === 0 && (await isAnyReachable(db, sending, range)))
        return end(db, { ...task, started: 1 }, now, `too few ${channel} credits: ${credits}`);
      await sendBatch(db, task, sending, range, { affordable, cost, now, end });
    },
  };
}

/** Returns the credits per recipient: one for an e-mail, one per part for an SMS (wire, "credits"). Undefined if the message is gone. */
async function creditsEach(db: Db, channel: Channel, task: TaskRow): Promise<number | undefined> {
  const message = await messageById(db, channel, task.account_id, task.message_id);
  if (!message) return undefined;
  if (!('message' in message)) return 1;
  return measureSms(message.message, message.subinfo === 1 ? SUBINFO_OCTETS : 0).credits;
}

async function sendBatch(
  db: Db,
  task: TaskRow,
  sending: TaskSending,
  range: Range & { readonly count: number },
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
  const allowed = task.rate === null ? range.count : allowedBy(task.rate, start, now) - task.sent;
  if (allowed <= 0) return changeTask(db, task.id, { due: nextSendTime(task.rate ?? 1, start, task.sent) });
  const limit = Math.min(range.count, allowed, affordable);
  const { sent, last } = await sendRange(db, sending, range, limit, now);
  // A limit of 0 means that the range has no reachable recipient: the caller has checked that already.
  const isThrough = limit === 0 || sent < limit || last === range.last;
  const cursor = isThrough ? range.last : last;
  const seen = isThrough ? range.count : await countRange(db, sending, { after: range.after, last });
  await takeCredits(db, task.account_id, sending.channel, sent * cost);
  const after = {
    ...task,
    started: 1,
    cursor,
    sent: task.sent + sent,
    skipped: task.skipped + seen - sent,
    credits: task.credits + sent * cost,
  };
  if (!(await nextRange(db, sending, cursor, 1))) return end(db, after, now);
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
 * Returns the total number of messages that may have been sent by `now`, if the first minute began at `start`. Fractions are rounded up, so
 * that the first message goes at once. Over any 60 consecutive minutes the total is exactly `rate`.
 */
export function allowedBy(rate: number, start: number, now: number): number {
  const minute = Math.floor((now - start) / 60);
  return Math.ceil((rate * (minute + 1)) / 60);
}

/** Returns the start (Unix seconds) of the first minute in which message `sent + 1` is allowed. */
export function nextSendTime(rate: number, start: number, sent: number): number {
  return start + 60 * Math.floor((sent * 60) / rate);
}
