import { DateTime } from 'luxon';

/** A calendar month somewhere: Unix seconds, `end` is the first moment after it. */
export interface MonthSpan {
  /** `2026-11` */
  readonly month: string;
  readonly start: number;
  readonly end: number;
}

const MONTH = /^([0-9]{4})-(0[1-9]|1[0-2])$/;

/** True for `2026-11`: a year from 1970 on, and a month with two digits. */
export function isMonth(text: string): boolean {
  const [, year] = MONTH.exec(text) ?? [];
  return year !== undefined && Number(year) >= 1970;
}

/**
 * When the month begins and ends on the clocks of the zone, whatever they change meanwhile.
 * @param month as `isMonth` takes it
 * @throws RangeError for another text, or an unknown zone
 */
export function monthSpan(month: string, zone: string): MonthSpan {
  const first = firstDayOf(month);
  return { month, start: beginningOf(first, zone), end: beginningOf(first.plus({ months: 1 }), zone) };
}

/** `2026-10` before `2026-11`; `2025-12` before `2026-01`. */
export const monthBefore = (month: string): string =>
  firstDayOf(month).minus({ months: 1 }).toFormat('yyyy-MM');

/** The month of a moment on the clocks of the zone. */
export function monthAt(unixSeconds: number, zone: string): string {
  return DateTime.fromSeconds(unixSeconds, { zone }).toFormat('yyyy-MM');
}

function firstDayOf(month: string): DateTime {
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined) throw new RangeError(`${month} is not a month`);
  return DateTime.utc(Number(year), Number(number), 1);
}

/**
 * The first moment of a day there. Where clocks are put forward over midnight it is the moment of the change; where they
 * are put back over it, and midnight comes twice, the first.
 */
function beginningOf({ year, month, day }: DateTime, zone: string): number {
  const midnight = DateTime.fromObject({ year, month, day }, { zone });
  if (!midnight.isValid) throw new RangeError(`${zone} is not the name of a time zone`);
  return Math.min(...midnight.getPossibleOffsets().map((each) => each.toSeconds()));
}
