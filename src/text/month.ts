/** Calendar months in written form: `2026-11`. For the moment at which a month begins in a zone, see `month-span.ts`. */

/** Names of the months in English, January first. Their first three letters are the short names. */
export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

const MONTH = /^([0-9]{4})-(0[1-9]|1[0-2])$/;

/** Reports whether the text is a month like `2026-11`: a year from 1970 on, and a month with two digits. */
export const isMonth = (text: string): boolean => MONTH.test(text) && Number(text.slice(0, 4)) >= 1970;

/**
 * Returns the previous month: `2026-10` before `2026-11`; `2025-12` before `2026-01`.
 * @throws RangeError for an invalid month
 */
export function monthBefore(month: string): string {
  const { year, number } = monthIn(month);
  return number === 1 ? `${padded(year - 1, 4)}-12` : `${padded(year, 4)}-${padded(number - 1, 2)}`;
}

/**
 * Reads a month. Its number is from 1 to 12.
 * @throws RangeError for an invalid month
 */
export function monthIn(month: string): { readonly year: number; readonly number: number } {
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined) throw new RangeError(`${month} is not a month`);
  return { year: Number(year), number: Number(number) };
}

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');
