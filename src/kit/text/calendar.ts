/**
 * Calendar days and months in written form: `2026-12-01`, `2026-11`. For the moments at which they begin in a time zone, see `day-span.ts`.
 */

/** A day of the calendar. `month` is from 1 to 12. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const DAY = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;

/** Reads a day in the form `2026-12-01`. Returns undefined for any other text, for a day that does not exist, and for a day before 1970. */
export function readDay(text: string): CalendarDay | undefined {
  const [, year, month, day] = (DAY.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || year < 1970) return undefined;
  const read = { year, month, day };
  return dayText(addDays(read, 0)) === text ? read : undefined;
}

export const dayText = ({ year, month, day }: CalendarDay): string =>
  `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;

const twoDigits = (number: number): string => String(number).padStart(2, '0');

export function addDays({ year, month, day }: CalendarDay, days: number): CalendarDay {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

export const formatShortDay = ({ month, day }: Pick<CalendarDay, 'month' | 'day'>): string =>
  `${day} ${MONTHS[month - 1]?.slice(0, 3)}`;

export const DAY_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

export const weekdayOf = ({ year, month, day }: CalendarDay): string =>
  WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? '';

/** Names of the months in English, January first. Their first three letters are the short names. */
export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

const MONTH = /^([0-9]{4})-(0[1-9]|1[0-2])$/;

export const isMonth = (text: string): boolean => MONTH.test(text) && Number(text.slice(0, 4)) >= 1970;

/**
 * Returns the previous month: `2026-10` before `2026-11`; `2025-12` before `2026-01`.
 * @throws RangeError for an invalid month
 */
export function monthBefore(month: string): string {
  const { year, number } = parseMonth(month);
  return number === 1 ? `${padded(year - 1, 4)}-12` : `${padded(year, 4)}-${padded(number - 1, 2)}`;
}

/**
 * Reads a month. Its number is from 1 to 12.
 * @throws RangeError for an invalid month
 */
export function parseMonth(month: string): { readonly year: number; readonly number: number } {
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined) throw new RangeError(`${month} is not a month`);
  return { year: Number(year), number: Number(number) };
}

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');
