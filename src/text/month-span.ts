import { beginningOfDay } from './day-span.ts';
import { monthIn } from './month.ts';

/** A calendar month in a zone, in Unix seconds. `end` is the first moment of the next month. */
export interface MonthSpan {
  /** The month: `2026-11`. */
  readonly month: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the moments at which the month begins and ends on the clocks of the zone, clock changes included.
 * @throws RangeError for an invalid month, or an unknown zone
 */
export function monthSpan(month: string, zone: string): MonthSpan {
  const { year, number } = monthIn(month);
  const after = number === 12 ? { year: year + 1, month: 1 } : { year, month: number + 1 };
  return {
    month,
    start: beginningOfDay({ year, month: number, day: 1 }, zone),
    end: beginningOfDay({ ...after, day: 1 }, zone),
  };
}
