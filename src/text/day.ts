/** Calendar days in written form: `2026-12-01`. For the moment at which a day begins in a zone, see `day-span.ts`. */

import { MONTHS } from './month.ts';

/** Day as the calendar counts it: `month` 1 to 12. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DAY = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

/** Reads `2026-12-01`, from 1970 on. Returns undefined for anything else, and for a day that does not exist. */
export function readDay(text: string): CalendarDay | undefined {
  const [, year, month, day] = (DAY.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year < 1970) return undefined;
  const read = { year, month, day };
  return dayText(dayAfter(read, 0)) === text ? read : undefined;
}

/** Returns the day as `2026-12-01`. */
export const dayText = ({ year, month, day }: CalendarDay): string =>
  `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** Returns the day that comes `days` later in the calendar. */
export function dayAfter({ year, month, day }: CalendarDay, days: number): CalendarDay {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Returns the day and month: `1 Dec`. */
export const shortDay = ({ month, day }: Pick<CalendarDay, 'month' | 'day'>): string =>
  `${day} ${MONTHS[month - 1]?.slice(0, 3)}`;

/** Names of the weekdays in English and lower case, Monday first. */
export const DAY_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** Returns the weekday: `Tue`. */
export const weekdayOf = ({ year, month, day }: CalendarDay): string =>
  WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? '';
