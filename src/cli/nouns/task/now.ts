/** Confirms `--now` for a task, because an immediate send can't be undone (contract, "Safety"). */

import { titleOf } from '../../../client/record-title.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { resourceNamed } from '../../../resources/catalogue.ts';
import { task } from '../../../resources/task.ts';
import type { Values } from '../../../schema/resource.ts';
import { channelOfRecord } from '../../../sends/cost.ts';
import type { Input } from '../../command/command.ts';
import { formatCreditBalance } from '../../request/credits.ts';
import {
  confirmActionWithAccountShown,
  requireYesFlagOrTerminal,
  willAskUser,
} from '../../request/guards.ts';
import { resolveRecord } from '../../request/references.ts';
import { printSendTime } from '../../request/send-time.ts';
import type { Invocation, Session } from '../../session/session.ts';
import { sendNowFlag } from './schedule.ts';

/**
 * Checks that the user can confirm an immediate send, if the command line contains `--now`. The caller runs this check before the first
 * request. @throws UsageError without a terminal and without `--yes`
 */
export function requireYesFlagOrTerminalForSendNow(session: Invocation, input: Input): void {
  if (input.get(sendNowFlag)) requireYesFlagOrTerminal(session, 'send the task at once');
}

/** Asks to confirm `send email 3 (Spring) to list 1 at once`. */
export async function confirmImmediateTask(session: Session, body: Values): Promise<void> {
  await printSendTime(session, Number(body['scheduledtime']));
  const to = body['list_id'] === null ? `search ${body['search_id']}` : `list ${body['list_id']}`;
  const message = await messageOf(session, body);
  await confirmActionWithAccountShown(
    session,
    `send ${message} to ${to} at once${await balanceOf(session, body)}`,
    ', for',
  );
}

/** Asks to confirm a change that makes a task send at once. @param name the task's id or name as given */
export async function confirmChangeToSendNow(session: Session, body: Values, name: string): Promise<void> {
  await printSendTime(session, Number(body['scheduledtime']));
  const record = willAskUser(session) ? await resolveRecord(session, task, name) : undefined;
  const what = record === undefined ? `task ${name}` : `${titleOf(task, record)}, ${toWhom(record)},`;
  const balance = record === undefined ? '' : await balanceOf(session, record);
  await confirmActionWithAccountShown(session, `send ${what} at once${balance}`, ', for');
}

/** Returns the balance for the confirmation question, or an empty text if svc asks no question. */
const balanceOf = async (session: Session, { channel }: Values | JsonObject): Promise<string> =>
  willAskUser(session) ? formatCreditBalance(session, channelOfRecord({ channel: String(channel) })) : '';

const toWhom = ({ channel, size }: JsonObject): string => `${String(channel)} to ${String(size)}`;

/** Returns the message as text, such as `email message 3`. Adds its name if svc asks for confirmation. */
async function messageOf(session: Session, { channel, message_id: id }: Values): Promise<string> {
  const resource = resourceNamed(channel === 'sms' ? 'smsMessage' : 'emailMessage');
  if (!resource || typeof id !== 'number' || !willAskUser(session)) return `${channel} message ${id}`;
  const record = await (await session.client()).get(resource, id).catch(() => undefined);
  return record === undefined ? `${channel} message ${id}` : titleOf(resource, record);
}
