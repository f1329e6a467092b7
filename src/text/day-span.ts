import { DateTime } from 'luxon';
import { type CalendarDay, dayText } from './day.ts';

/**
 * Returns the first moment of a day in a zone, in Unix seconds. If clocks go forward over midnight, it is the moment of the change. If
 * clocks go back and show midnight twice, it is the first midnight.
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
