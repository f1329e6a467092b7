/** Calendar months as they are written: `2026-11`. When one begins somewhere: `month-span.ts`. */

const MONTH = /^([0-9]{4})-(0[1-9]|1[0-2])$/;

/** True for `2026-11`: a year from 1970 on, and a month with two digits. */
export const isMonth = (text: string): boolean => MONTH.test(text) && Number(text.slice(0, 4)) >= 1970;

/** `2026-10` before `2026-11`; `2025-12` before `2026-01`. @throws RangeError for what is no month */
export function monthBefore(month: string): string {
  const { year, number } = monthIn(month);
  return number === 1 ? `${padded(year - 1, 4)}-12` : `${padded(year, 4)}-${padded(number - 1, 2)}`;
}

/** @param number 1 to 12. @throws RangeError for what is no month */
export function monthIn(month: string): { readonly year: number; readonly number: number } {
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined) throw new RangeError(`${month} is not a month`);
  return { year: Number(year), number: Number(number) };
}

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');
