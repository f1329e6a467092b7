/** The interface does not report the number of sent messages, but no statistic can exceed it. */

import { titleOf } from '../../../client/requests/record-title.ts';
import {
  channelOfRecord,
  creditsInWords,
  creditsPerRecipient,
  readCreditBalance,
} from '../../../client/sends/cost.ts';
import { account } from '../../../service/resources/account.ts';
import { STATISTIC_ATTRIBUTES, type TaskRecord, task, taskPhase } from '../../../service/resources/task.ts';
import { CliError } from '../../errors/errors.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { areEmailsFreeOfCharge } from '../../request/credits.ts';
import type { Clocks, ServiceAccess, Tell } from '../../session/ports.ts';

interface OutOfCreditsReason {
  readonly words: string;
  /** 8 if the balance shows that the credits ran out, 10 if it is unknown whether they ran out. */
  readonly exit: ExitCode;
}

export type CreditBalanceWatch = ReturnType<typeof watchCreditBalance>;

/** The difference between the balances before and after shows how many messages were paid for. */
export function watchCreditBalance(session: ServiceAccess & Clocks) {
  let last: TaskRecord | undefined;
  let before: number | undefined;
  return {
    /** The first call reads the credit balance if the task has not started. */
    observe: async (record: TaskRecord): Promise<void> => {
      const isFirst = last === undefined;
      last = record;
      if (isFirst && taskPhase(record, await session.serviceNow()) === 'scheduled')
        before = await balanceNow(session, record);
    },
    detectOutOfCredits: async (): Promise<OutOfCreditsReason | undefined> =>
      last && findOutOfCredits(session, last, before),
  };
}

/** Undefined without evidence, or if the data can't be read. `before` is the balance before the start, if known. */
async function findOutOfCredits(
  session: ServiceAccess,
  record: TaskRecord,
  before?: number,
): Promise<OutOfCreditsReason | undefined> {
  const size = Number(record.size);
  const least = minSent(record);
  if (record.completed !== true || record.cancelled === true || !(size > least)) return undefined;
  const channel = channelOfRecord(record);
  const balance = await balanceNow(session, record);
  // A balance below 0 means that something else pays, such as an overage.
  if (balance === undefined || balance < 0) return undefined;
  const each = (await creditsPerRecipient(await session.client(), record)) ?? 1;
  if (balance >= each) return undefined;
  const paid = before === undefined ? 0 : Math.floor((before - balance) / each);
  if (paid >= size || (paid > 0 && least > paid)) return undefined;
  if (channel === 'email' && (await areEmailsFreeOfCharge(session))) return undefined;
  const title = titleOf(task, record);
  if (paid > 0)
    return {
      words: `${title} ran out of credits after at most ${paid} of ${size} messages: the balance went from ${before} to ${balance}`,
      exit: EXIT.partial,
    };
  return {
    words: `${title} may have stopped early: ${creditsInWords(balance, channel)} are left, and the service doesn't report how many of ${size} messages were sent`,
    exit: EXIT.unknown,
  };
}

export async function warnIfCreditsRanOut(
  session: Tell & ServiceAccess,
  record: TaskRecord,
): Promise<OutOfCreditsReason | undefined> {
  const stopped = await findOutOfCredits(session, record);
  if (stopped) await session.warn(stopped.words);
  return stopped;
}

export function outOfCreditsError({ words, exit }: OutOfCreditsReason): CliError {
  return new CliError('out-of-credits', words, {
    exit,
    hint: 'Run svc account get to see the balances. Before you send again, find out who was left out.',
  });
}

/** The highest statistic is a lower bound, because each counts only recipients of the message. */
function minSent(record: TaskRecord): number {
  const counts = Object.values(STATISTIC_ATTRIBUTES)
    .flat()
    .map((attribute) => Number(record[attribute] ?? 0));
  return Math.max(0, ...counts.filter(Number.isFinite));
}

async function balanceNow(session: ServiceAccess, record: TaskRecord): Promise<number | undefined> {
  try {
    return readCreditBalance(await (await session.client()).single(account), channelOfRecord(record));
  } catch {
    return undefined;
  }
}
