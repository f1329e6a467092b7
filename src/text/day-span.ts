import { DateTime } from 'luxon';
import { type CalendarDay, dayText } from './day.ts';

/**
 * The first moment of a day there, in Unix seconds. Where clocks are put forward over midnight it is the moment of the change;
 * where they are put back over it, and midnight comes twice, the first.
 * @throws RangeError for an unknown zone, or a day that no calendar has
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
