/** Reads the budget of a profile: limits for all sends of a day together, and the times at which a send may start (contract, "Budgets"). */
import { isObject } from '../text/json-object.ts';
import { ProfileError } from './errors.ts';

/** Limits of a profile's sends. `svc profile set NAME budget.KEY VALUE` sets one limit. */
export interface Budget {
  readonly 'recipients-per-day'?: number;
  readonly 'credits-per-day'?: number;
  readonly 'tasks-per-day'?: number;
  /** Times of day, in the company's time zone, at which a send may start: `08:00-20:00`. The second time is exclusive. */
  readonly hours?: string;
  /** Weekdays, in the company's time zone, on which a send may start: `mon-fri`, or `mon,wed,fri`. */
  readonly days?: string;
}

/** Settings that limit the total of all sends of a day. */
export const DAILY_BUDGET_SETTINGS = ['recipients-per-day', 'credits-per-day', 'tasks-per-day'] as const;
export type DailyBudgetSetting = (typeof DAILY_BUDGET_SETTINGS)[number];
export const BUDGET_SETTINGS = [...DAILY_BUDGET_SETTINGS, 'hours', 'days'] as const;

const MAX_LIMIT = 1_000_000_000;

/** Returns the budget with one setting changed. Returns undefined if no setting is left. @throws ProfileError `usage` */
export function withBudgetSetting(
  budget: Budget | undefined,
  setting: string,
  value: string,
): Budget | undefined {
  const key = BUDGET_SETTINGS.find((each) => each === setting);
  if (key === undefined)
    throw new ProfileError('usage', `a budget has no setting ${JSON.stringify(setting)}`, {
      hints: [`settings: ${BUDGET_SETTINGS.map((each) => `budget.${each}`).join(', ')}`],
    });
  const { [key]: _, ...rest } = budget ?? {};
  // A count that is not written as digits stays text, which the check of the profile rejects.
  const read = isDaily(key) && /^[0-9]{1,10}$/.test(value) ? Number(value) : value;
  const changed = value === '' ? rest : { ...rest, [key]: read };
  return Object.keys(changed).length === 0 ? undefined : (changed as Budget);
}

/** Returns why the value is not a valid budget, or undefined if it is. The text starts with the name of the setting. */
export function budgetProblem(budget: unknown): string | undefined {
  if (!isObject(budget)) return 'budget must be an object';
  for (const [key, value] of Object.entries(budget)) {
    if (DAILY_BUDGET_SETTINGS.some((each) => each === key)) {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_LIMIT)
        return `budget.${key} must be a whole number of 0 to ${MAX_LIMIT}`;
    } else if (key === 'hours') {
      if (parseSendingHours(value) === undefined)
        return 'budget.hours must be two times of day, such as 08:00-20:00';
    } else if (key === 'days') {
      if (parseSendingWeekdays(value) === undefined)
        return 'budget.days must be weekdays, such as mon-fri or mon,wed,fri';
    } else return `budget.${key} is not a setting of a budget`;
  }
  return undefined;
}

/** Times of day in minutes after midnight. If `from` is later than `to`, the period includes midnight. */
interface MinuteOfDayPeriod {
  readonly from: number;
  /** Minutes after midnight at which the period ends. This minute is no longer in the period. */
  readonly to: number;
}

/** Reads a period such as `08:00-20:00`. Returns undefined for any other text, and if both times are equal. */
export function parseSendingHours(text: unknown): MinuteOfDayPeriod | undefined {
  const [, ...parts] = /^([0-9]{2}):([0-9]{2})-([0-9]{2}):([0-9]{2})$/.exec(String(text)) ?? [];
  const [fromHour = 24, fromMinute = 60, toHour = 25, toMinute = 60] = parts.map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const isValid = fromHour < 24 && fromMinute < 60 && toMinute < 60 && to <= 24 * 60 && from !== to;
  return isValid ? { from, to } : undefined;
}

const WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Reads weekdays such as `mon-fri`, `sat-mon` or `mon,wed`. Returns undefined for any other text. */
export function parseSendingWeekdays(text: unknown): ReadonlySet<string> | undefined {
  const days = new Set<string>();
  for (const part of String(text).split(',')) {
    const [first = '', last = first, ...more] = part.split('-');
    const [from, to] = [WEEK.indexOf(first), WEEK.indexOf(last)];
    if (from < 0 || to < 0 || more.length > 0) return undefined;
    for (let at = from; ; at = (at + 1) % WEEK.length) {
      days.add(WEEK[at] ?? '');
      if (at === to) break;
    }
  }
  return days;
}

const isDaily = (key: string): boolean => DAILY_BUDGET_SETTINGS.some((each) => each === key);
