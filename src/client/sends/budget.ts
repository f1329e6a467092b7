/**
 * Compares a send with the budget of a profile (contract, "Budgets"), in the company's time zone. Stores the ledger of budgets: a file that
 * all svc processes of a user share, with the amounts that every send has used.
 */

import { join } from 'node:path';
import { createAtomicFile, fillFile } from '../../kit/files/atomic-file.ts';
import { checkDirectoryAccess, thisUser } from '../../kit/files/directories.ts';
import { withLock } from '../../kit/files/lock.ts';
import { makeFolders } from '../../kit/files/make-folders.ts';
import { readPrivateFile } from '../../kit/files/private-file.ts';
import {
  checked,
  createShape,
  listOf,
  matching,
  nonNegativeInteger,
  object,
  oneOfValues,
  orNull,
  type Shaped,
  text,
} from '../../kit/schema/shape.ts';
import { explainNewerFile, UPDATE_SVC_HINT } from '../../kit/text/svc-error.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { groupThousands } from '../../kit/text/words.ts';
import {
  type Budget,
  DAILY_BUDGET_SETTINGS,
  type DailyBudgetSetting,
  parseSendingHours,
  parseSendingWeekdays,
} from '../profiles/profile.ts';
import { SendError } from './errors.ts';

const sharesOfLedger = listOf(
  object({
    id: text,
    /** Profile, company and origin of the service. Sends with the same text share one budget. */
    account: text,
    /** Unix seconds at which the send starts. */
    due: createShape<number>((value) => Number.isFinite(value), 'a number'),
    recipients: orNull(nonNegativeInteger),
    credits: orNull(nonNegativeInteger),
    /** Number of tasks: 1 for a task, 0 for a single SMS. */
    tasks: nonNegativeInteger,
    /** Id of the task. Null until the task exists, and for single SMS. */
    task: orNull(matching(/^[0-9]+$/, 'an id')),
    /** `reserved`: the outcome of the send is unknown, so the amounts count as used. `counted`: the send really used them. */
    state: oneOfValues('reserved', 'counted'),
  }),
);
const ledgerShape = object({ version: oneOfValues(1), shares: sharesOfLedger });

/** Part of a budget that one send uses, or that all single SMS of a day have used. */
export type BudgetLedgerEntry = Shaped<typeof sharesOfLedger>[number];

/** Time of a send, and what it takes from a budget. Amounts are null if svc does not know them. */
export type PlannedSend = Pick<BudgetLedgerEntry, 'due' | 'recipients' | 'credits' | 'tasks'>;

/** Reports whether svc needs the number of recipients, which the service counts when it creates the task. */
export const hasRecipientOrCreditLimit = (budget: Budget): boolean =>
  budget['recipients-per-day'] !== undefined || budget['credits-per-day'] !== undefined;

export const localSendDay = ({ due }: Pick<PlannedSend, 'due'>, zone: string): string =>
  formatTime(due, zone, 'table').slice(0, 10);

/** Returns why the send exceeds the budget, or undefined. An unknown number exceeds every limit. */
export function overBudgetReason(
  budget: Budget,
  zone: string,
  used: readonly PlannedSend[],
  send: PlannedSend,
): string | undefined {
  return (
    timeFault(budget, zone, send) ??
    DAILY_BUDGET_SETTINGS.map((each) => dailyFault(each, budget, zone, used, send)).find(Boolean)
  );
}

function timeFault({ days, hours }: Budget, zone: string, { due }: PlannedSend): string | undefined {
  const local = formatTime(due, zone, 'weekday');
  const isDue = `but this send is due ${local}`;
  if (days !== undefined && !parseSendingWeekdays(days)?.has(local.slice(0, 3).toLowerCase()))
    return `budget: the profile allows sends to start only on ${days}, ${isDue}`;
  const [hour = 0, minute = 0] = formatTime(due, zone, 'clock').split(':').map(Number);
  const at = hour * 60 + minute;
  const span = hours === undefined ? undefined : parseSendingHours(hours);
  if (span === undefined)
    return hours === undefined
      ? undefined
      : `budget: the value of the setting budget.hours is invalid: ${hours}`;
  const { from, to } = span;
  const isWithin = from < to ? from <= at && at < to : from <= at || at < to;
  return isWithin ? undefined : `budget: the profile allows sends to start only at ${hours}, ${isDue}`;
}

const UNITS: Readonly<Record<DailyBudgetSetting, 'recipients' | 'credits' | 'tasks'>> = {
  'recipients-per-day': 'recipients',
  'credits-per-day': 'credits',
  'tasks-per-day': 'tasks',
};

function dailyFault(
  setting: DailyBudgetSetting,
  budget: Budget,
  zone: string,
  used: readonly PlannedSend[],
  send: PlannedSend,
): string | undefined {
  const limit = budget[setting];
  if (limit === undefined || send[UNITS[setting]] === 0) return undefined;
  const unit = UNITS[setting];
  const day = localSendDay(send, zone);
  const counts = used.filter((each) => localSendDay(each, zone) === day).map((each) => each[unit]);
  const known = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const isKnown = !counts.includes(null);
  const usedByEarlierSends = `${groupThousands(known)}${isKnown ? '' : ' and an unknown number'}`;
  const wanted = send[unit];
  if (isKnown && wanted !== null && known + wanted <= limit) return undefined;
  const needed = wanted === null ? `an unknown number` : groupThousands(wanted);
  return `budget: the profile allows at most ${groupThousands(limit)} ${unit} on ${day}, earlier sends use ${usedByEarlierSends}, and this send needs ${needed}`;
}

export const budgetAccount = (profile: string, company: unknown, origin: string): string =>
  `${profile} ${String(company)} ${origin}`;

export interface LedgerLocation {
  /** Folder of the ledger. Undefined if there is no home folder. */
  readonly folder: string | undefined;
  readonly platform: NodeJS.Platform;
}

const MAX_LEDGER_OCTETS = 16 * 1024 * 1024;

export const budgetLedgerPath = (folder: string): string => join(folder, 'ledger.json');

/**
 * Locks the ledger, and replaces its entries, also called shares, with those that `work` returns. They are on disk when the promise
 * resolves. Writes nothing if `work` returns the same array.
 * @throws SendError if the ledger can't be read or written; the caller then sends nothing, because the send would not be counted
 */
export async function updateDailySendBudgetLedger<T>(
  { folder, platform }: LedgerLocation,
  work: (entries: readonly BudgetLedgerEntry[]) => {
    readonly shares: readonly BudgetLedgerEntry[];
    readonly result: T;
  },
): Promise<T> {
  if (folder === undefined)
    throw unusable('there is no home folder for the file that counts sends', 'set SVC_STATE_DIR to a folder');
  const path = budgetLedgerPath(folder);
  try {
    makeFolders(folder);
    checkDirectoryAccess(folder, thisUser(platform));
    return await withLock(`${path}.lock`, () => {
      const before = readPrivateFile(path, thisUser(platform), MAX_LEDGER_OCTETS);
      const shares = before === undefined ? [] : sharesIn(JSON.parse(before), path);
      const changed = work(shares);
      if (changed.shares !== shares)
        fillFile(createAtomicFile(path, { platform }), ({ write }) =>
          write(`${JSON.stringify({ version: 1, shares: changed.shares })}\n`),
        );
      return changed.result;
    });
  } catch (cause) {
    if (cause instanceof SendError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw unusable(
      `${path}: ${reason}`,
      `correct ${path}, or move it away (the budget then no longer counts earlier sends)`,
      cause,
    );
  }
}

/** Adds the tasks that the ledger does not have yet. Returns those that it added. Throws SendError like `updateDailySendBudgetLedger`. */
export const countScheduledTasks = (
  place: LedgerLocation,
  tasks: readonly BudgetLedgerEntry[],
): Promise<readonly BudgetLedgerEntry[]> =>
  updateDailySendBudgetLedger(place, (shares) => {
    const known = new Set(shares.map(({ account, task }) => `${task} ${account}`));
    const added = tasks.filter(({ account, task }) => !known.has(`${task} ${account}`));
    return { shares: added.length === 0 ? shares : [...shares, ...added], result: added };
  });

function sharesIn(value: unknown, path: string): readonly BudgetLedgerEntry[] {
  const newer = explainNewerFile(path, value);
  if (newer === undefined) return checked(ledgerShape, value).shares;
  throw new SendError('no-ledger', `cannot count the send in the budget: ${newer}`, {
    outcome: 'refused',
    hint: UPDATE_SVC_HINT,
  });
}

const unusable = (reason: string, hint: string, cause?: unknown): SendError =>
  new SendError('no-ledger', `cannot count the send in the budget (${reason})`, {
    outcome: 'refused',
    hint,
    cause,
  });
