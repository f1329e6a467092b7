/** The moments at which calendar days and months begin and end in a time zone. */
import { DateTime } from 'luxon';
import { type CalendarDay, dayText, parseMonth } from './calendar.ts';

/**
 * Returns the first moment of a day in a time zone, in Unix seconds. If clocks go forward over midnight, the day begins at the clock
 * change. If clocks go back and show midnight twice, the day begins at the first midnight.
 * @throws RangeError for an unknown zone, or for a day that does not exist
 */
export function beginningOfDay(day: CalendarDay, zone: string): number {
  const { year, month, day: number } = day;
  const midnight = DateTime.fromObject({ year, month, day: number }, { zone });
  if (!midnight.isValid)
    throw new RangeError(
      DateTime.utc().setZone(zone).isValid
        ? `there is no day ${dayText(day)}`
        : `${zone} is not the name of a time zone`,
    );
  return Math.min(...midnight.getPossibleOffsets().map((each) => each.toSeconds()));
}

/** A time of day that clocks show. */
export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** @param time Unix seconds */
export function localTimeAt(
  time: number,
  zone: string,
): { readonly day: CalendarDay; readonly clock: ClockTime } {
  const { year, month, day, hour, minute, second } = DateTime.fromSeconds(time, { zone });
  return { day: { year, month, day }, clock: { hour, minute, second } };
}

/**
 * Returns the moment at which clocks show the time on that day, in Unix seconds. If clocks skip the time, counts it by the offset before the
 * change, so it is an hour later (RFC 5545, 3.3.5). If clocks show the time twice, returns the first moment.
 */
export function momentOfLocalTime(day: CalendarDay, clock: ClockTime, zone: string): number {
  const moments = DateTime.fromObject({ ...day, ...clock }, { zone }).getPossibleOffsets();
  return Math.min(...moments.map((each) => each.toSeconds()));
}

/** A calendar month in a time zone. Times are in Unix seconds. `end` is the first moment of the next month. */
export interface MonthSpan {
  readonly month: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the moments at which the month begins and ends in the time zone. Takes clock changes into account.
 * @throws RangeError for an invalid month, or an unknown zone
 */
export function monthSpan(month: string, zone: string): MonthSpan {
  const { year, number } = parseMonth(month);
  const after = number === 12 ? { year: year + 1, month: 1 } : { year, month: number + 1 };
  return {
    month,
    start: beginningOfDay({ year, month: number, day: 1 }, zone),
    end: beginningOfDay({ ...after, day: 1 }, zone),
  };
}
