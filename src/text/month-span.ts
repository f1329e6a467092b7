import { DateTime } from 'luxon';
import { monthIn } from './month.ts';

/** A calendar month somewhere: Unix seconds, `end` is the first moment after it. */
export interface MonthSpan {
  /** `2026-11` */
  readonly month: string;
  readonly start: number;
  readonly end: number;
}

/**
 * When the month begins and ends on the clocks of the zone, whatever they change meanwhile.
 * @throws RangeError for what is no month, or an unknown zone
 */
export function monthSpan(month: string, zone: string): MonthSpan {
  const { year, number } = monthIn(month);
  const first = DateTime.utc(year, number, 1);
  return { month, start: beginningOf(first, zone), end: beginningOf(first.plus({ months: 1 }), zone) };
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
