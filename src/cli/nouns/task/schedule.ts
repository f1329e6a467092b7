/**
 * Reads the send time of a task (contract, "Safety"). Only `--now` sends the task at once. `--hold` begins a
 * countdown, in which Ctrl-C cancels the task. `client/sends/make-task.ts` runs the countdown.
 */

import { titleOf } from '../../../client/requests/record-title.ts';
import { channelOfRecord, findSizeOfNewestTask } from '../../../client/sends/cost.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { smsMessage } from '../../../service/resources/sms-message.ts';
import { type TaskBody, type TaskRecord, task } from '../../../service/resources/task.ts';
import type { Input } from '../../command/command.ts';
import { durationFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { BodyDraft } from '../../request/body.ts';
import { formatCreditBalance } from '../../request/credits.ts';
import {
  confirmActionWithAccountShown,
  requireYesFlagOrTerminal,
  willAskUser,
} from '../../request/guards.ts';
import { resolveRecord } from '../../request/references.ts';
import { missingSendTime, printSendTime, sendNowFlag } from '../../request/send-time.ts';
import type { Clocks, Invocation, ServiceAccess, Tell } from '../../session/ports.ts';

/** Uses the time of the service, because the service decides when to send. */
export function applySendNowFlag(session: Invocation & Clocks, input: Input, draft: BodyDraft): BodyDraft {
  if (!input.get(sendNowFlag)) return draft;
  if (hasTime(draft)) throw new UsageError('cannot combine --at with --now');
  const meanwhile = Math.floor(session.context.clock.now() / 1000);
  const later = new Map(draft.lookUps).set('scheduledtime', async () => ({
    value: Math.floor(await session.serviceNow()),
  }));
  return { ...draft, body: { ...draft.body, scheduledtime: meanwhile }, lookUps: later };
}

export const requireSendTime = (draft: BodyDraft): BodyDraft =>
  hasTime(draft)
    ? draft
    : { ...draft, findings: [...draft.findings, missingSendTime('scheduledtime', { kind: 'required' })] };

const hasTime = ({ body, findings }: BodyDraft): boolean =>
  Object.hasOwn(body, 'scheduledtime') || findings.some(({ attribute }) => attribute === 'scheduledtime');

/** Runs before the first request. @throws UsageError without a terminal and without `--yes` */
export function requireYesFlagOrTerminalForSendNow(session: Invocation, input: Input): void {
  if (input.get(sendNowFlag)) requireYesFlagOrTerminal(session, 'send the task at once');
}

/** Asks to confirm `send email 3 (Spring) to list 1 at once`. */
export async function confirmImmediateTask(
  session: Invocation & Tell & ServiceAccess & Clocks,
  body: TaskBody,
): Promise<void> {
  await printSendTime(session, Number(body.scheduledtime));
  const to = body.list_id === null ? `search ${body.search_id}` : `list ${body.list_id}`;
  const message = await messageOf(session, body);
  await confirmActionWithAccountShown(
    session,
    `send ${message} to ${to}${await peopleIn(session, body)} at once${await balanceOf(session, body)}`,
    ', for',
  );
}

/** Returns ` (newest task: 448 people)`: the service counts recipients only after creation. Empty without a question. */
async function peopleIn(session: Invocation & ServiceAccess, body: TaskBody): Promise<string> {
  if (!willAskUser(session)) return '';
  const client = await session.client();
  const size = await findSizeOfNewestTask(client, body).catch(() => null);
  session.context.signal.throwIfAborted();
  return size === null
    ? ' (an unknown number of people)'
    : ` (newest task: ${groupThousands(size)} ${size === 1 ? 'person' : 'people'})`;
}

/** `name` is the task's id or name as given. */
export async function confirmChangeToSendNow(
  session: Invocation & Tell & ServiceAccess & Clocks,
  body: TaskBody,
  name: string,
): Promise<void> {
  await printSendTime(session, Number(body.scheduledtime));
  const record = willAskUser(session) ? await resolveRecord(session, task, name) : undefined;
  const what = record
    ? `${titleOf(task, record)}, ${String(record.channel)} to ${String(record.size)},`
    : `task ${name}`;
  const balance = record ? await balanceOf(session, record) : '';
  await confirmActionWithAccountShown(session, `send ${what} at once${balance}`, ', for');
}

/** Empty if svc asks no question. */
const balanceOf = async (
  session: Invocation & ServiceAccess,
  { channel }: TaskBody | TaskRecord,
): Promise<string> =>
  willAskUser(session) ? formatCreditBalance(session, channelOfRecord({ channel: String(channel) })) : '';

/** Returns `email message 3`, with its name if svc asks for confirmation. */
async function messageOf(
  session: Invocation & ServiceAccess,
  { channel, message_id: id }: TaskBody,
): Promise<string> {
  const resource = channel === 'sms' ? smsMessage : emailMessage;
  if (typeof id !== 'number' || !willAskUser(session)) return `${channel} message ${id}`;
  const record = await (await session.client()).get(resource, id).catch(() => undefined);
  return record === undefined ? `${channel} message ${id}` : titleOf(resource, record);
}

export const holdBeforeSendFlag = durationFlag('hold', {
  describe: 'Wait before the send; Ctrl-C cancels the task',
  unit: 'seconds',
  // The service's minimum lead time for a send that isn't immediate.
  min: '2m',
  max: '24h',
});

export function readHoldSeconds(input: Input): number | undefined {
  const seconds = input.get(holdBeforeSendFlag);
  if (seconds !== undefined && input.get(sendNowFlag))
    throw new UsageError('cannot combine --hold with --now', {
      hint: 'use --hold without --now: the task is sent when the countdown ends',
    });
  return seconds;
}

/** The task sends no sooner than the end of the countdown. Later checks refuse a past time, which stays unchanged. */
export function moveSendTimeAfterHoldCountdown(
  session: Invocation & Tell & Clocks,
  draft: BodyDraft,
  seconds: number,
): BodyDraft {
  const { scheduledtime: given } = draft.body;
  const ask = draft.lookUps.get('scheduledtime');
  const meanwhile = Math.ceil(session.context.clock.now() / 1000 + seconds);
  const later = new Map(draft.lookUps).set('scheduledtime', async (values) => {
    const read = ask ? await ask(values) : undefined;
    if (read !== undefined && 'finding' in read) return read;
    const time = read?.value ?? given;
    const now = await session.latestNow();
    const soonest = Math.ceil(now + seconds);
    if (typeof time === 'bigint') return { value: time };
    if (typeof time !== 'number') return { value: soonest };
    if (time < now || time >= soonest) return { value: time };
    await session.warn(`--hold delays it by ${soonest - Math.floor(time)} seconds`);
    return { value: soonest };
  });
  return { ...draft, body: { ...draft.body, scheduledtime: given ?? meanwhile }, lookUps: later };
}
