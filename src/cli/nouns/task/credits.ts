/** An e-mail costs one credit per recipient, an SMS one per recipient and part. Only a created task shows its size. */

import { titleOf } from '../../../client/requests/record-title.ts';
import { channelOfRecord, creditsInWords, readSms } from '../../../client/sends/cost.ts';
import type { TaskCheck } from '../../../client/sends/errors.ts';
import { isId } from '../../../kit/schema/integer.ts';
import { measureSms } from '../../../kit/text/gsm.ts';
import { type TaskBody, type TaskRecord, task } from '../../../service/resources/task.ts';
import type { Input } from '../../command/command.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import {
  type CreditShortage,
  checkCreditsFlag,
  findCreditShortage,
  formatCreditShortage,
  printSmsCostLine,
  tooFewCreditsError,
} from '../../request/credits.ts';
import type { ServiceAccess, Tell } from '../../session/ports.ts';

/** The cost is unknown before the task is created. */
export async function warnIfBalanceIsEmpty(
  session: Tell & ServiceAccess,
  { channel }: TaskBody,
): Promise<void> {
  const which = channelOfRecord({ channel: channel ?? null });
  const shortage = await findCreditShortage(session, which, 1);
  if (shortage) await session.warn(`Warning: you have only ${creditsInWords(shortage.balance, which)}.`);
}

/** The number of recipients is unknown. */
export async function printSmsCostPerRecipient(session: Tell & ServiceAccess, body: TaskBody): Promise<void> {
  if (body.channel === 'sms') await printSmsCostLine(session, await smsOf(session, body));
}

/** Cancels the created task with `--check-credits`, and otherwise warns. */
export const createTaskCreditsCheck =
  (session: Tell & ServiceAccess, input: Input): TaskCheck =>
  async (record) => {
    if (!input.get(checkCreditsFlag)) {
      await warnIfBalanceIsTooLow(session, record);
      return undefined;
    }
    const why = await reasonToCancel(session, record);
    const hint = 'Buy credits, or send to fewer recipients. Run svc account get to see the balances.';
    return why === undefined ? undefined : { kind: 'too-few-credits', why, hint };
  };

/** Warns even with `--quiet`. */
export async function warnIfBalanceIsTooLow(
  session: Tell & ServiceAccess,
  record: TaskRecord,
): Promise<void> {
  if (record.completed === true || record.cancelled === true) return;
  try {
    const shortage = await shortageFor(session, record);
    if (shortage) await session.warn(warningOf(record, shortage));
  } catch (error) {
    const { message } = session.explain(error);
    await session.warn(`cannot check whether the balance covers ${titleOf(task, record)}: ${message}`);
  }
}

/** The change keeps the recipients, so the present size counts. @throws CliError before the change is sent */
export async function refuseIfBalanceIsTooLow(
  session: Tell & ServiceAccess,
  record: TaskRecord,
): Promise<void> {
  const shortage = await shortageFor(session, record);
  if (!shortage) return;
  throw tooFewCreditsError(
    `${titleOf(task, record)} ${formatCreditShortage(shortage, channelOfRecord(record))}`,
  );
}

/** Returns too few credits or an unknown cost as the reason. */
async function reasonToCancel(
  session: Tell & ServiceAccess,
  record: TaskRecord,
): Promise<string | undefined> {
  const title = titleOf(task, record);
  try {
    const shortage = await shortageFor(session, record);
    return shortage && `${title} ${formatCreditShortage(shortage, channelOfRecord(record))}`;
  } catch (error) {
    return `cannot check whether the balance covers ${title} (${session.explain(error).message})`;
  }
}

/** Undefined if the balance covers the task. For an SMS, also prints the cost. */
async function shortageFor(
  session: Tell & ServiceAccess,
  record: TaskRecord,
): Promise<CreditShortage | undefined> {
  const { size } = record;
  const each = channelOfRecord(record) === 'sms' ? await printCost(session, record) : 1;
  const unknown = (why: string): CliError => new CliError('unknown', why, { exit: EXIT.failed });
  if (each === undefined) throw unknown('the message of the task cannot be read');
  if (typeof size !== 'number') throw unknown('the task has no size');
  return findCreditShortage(session, channelOfRecord(record), size * each);
}

/** Returns the credits per recipient; undefined if the text cannot be read. */
async function printCost(session: Tell & ServiceAccess, record: TaskRecord): Promise<number | undefined> {
  const { size } = record;
  const sms = await smsOf(session, record);
  await printSmsCostLine(session, sms, typeof size === 'number' ? size : undefined);
  return sms && measureSms(sms.text, sms.extraOctets).credits;
}

function warningOf(record: TaskRecord, shortage: CreditShortage): readonly string[] {
  const words = `Too few credits: ${titleOf(task, record)} ${formatCreditShortage(shortage, channelOfRecord(record))}.`;
  return [
    words,
    `Unless a quota or an overdraft (overage) pays for the missing credits, the send stops when the credits run out. To cancel the task, run svc task cancel ${String(record.id)}.`,
  ];
}

const smsOf = async (session: ServiceAccess, { message_id: id }: TaskBody | TaskRecord) =>
  isId(id) ? readSms(await session.client(), id) : undefined;
