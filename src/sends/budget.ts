/** Compares a send with the budget of a profile (contract, "Budgets"). Times and days are in the company's time zone. */
import {
  type Budget,
  DAILY_BUDGET_SETTINGS,
  type DailyBudgetSetting,
  parseSendingHours,
  parseSendingWeekdays,
} from '../profiles/budget.ts';
import { formatTime } from '../text/timezone.ts';
import { groupThousands } from '../text/words.ts';

/** Time of a send, and the amounts that the send takes from a budget. An amount is null if svc does not know the amount. */
export interface PlannedSend {
  /** Unix seconds at which the send starts. */
  readonly due: number;
  readonly recipients: number | null;
  readonly credits: number | null;
  /** Number of tasks: 1 for a task, 0 for a single SMS. */
  readonly tasks: number;
}

/**
 * Reports whether the budget limits recipients or credits. For such a budget, svc needs the number of recipients, which the service counts
 * when it creates the task.
 */
export const hasRecipientOrCreditLimit = (budget: Budget): boolean =>
  budget['recipients-per-day'] !== undefined || budget['credits-per-day'] !== undefined;

/** Returns the local day on which the send is due, in the time zone: `2026-11-24`. */
export const localSendDay = ({ due }: Pick<PlannedSend, 'due'>, zone: string): string =>
  formatTime(due, zone, 'table').slice(0, 10);

/**
 * Returns why the send exceeds the budget, or undefined if it does not. An unknown number exceeds every limit.
 * @param used earlier sends that already use the budget
 */
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
