import { DateTime } from 'luxon';

/** When a rule's action is to be done. Times are Unix seconds. */
export interface ActionTiming {
  readonly event: number;
  /** Seconds from the event to the action; negative is before it. */
  readonly offset: number;
  /** Nothing can be done before this. */
  readonly now: number;
  /** The local hour of the action, 0 to 23; null for any. */
  readonly hour: number | null;
  readonly onWeekend: boolean;
  /** The company's zone (rule 5). */
  readonly zone: string;
}

/**
 * The first moment at or after event + offset that the rule allows: with an hour, the first such hour; what then falls
 * on a Saturday or Sunday goes to the Monday, same time (wire, "`actionhour`", "`actiononweekend` false"). A local time
 * that the clock is put forward over is the next one that exists; of one that comes twice, the first that is not past.
 * A moment that is past already counts from now: an hour and a weekend hold for it as for any other.
 */
export function actionTime({ event, offset, now, hour, onWeekend, zone }: ActionTiming): number {
  const earliest = Math.min(Math.max(event + offset, now), LAST_SECOND);
  const time = hour === null ? earliest : nextHour(earliest, hour, zone);
  return onWeekend ? time : offWeekend(time, hour, zone);
}

/** The last second of the year 9999: an offset that leads further leads nowhere. */
const LAST_SECOND = 253_402_300_799;
const DAY = 86_400;

interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

function nextHour(earliest: number, hour: number, zone: string): number {
  const today = localTime(earliest, zone);
  for (let days = 0; ; days += 1) {
    const moments = momentsOf({ ...plusDays(today, days), hour, minute: 0, second: 0 }, zone);
    const moment = moments.find((candidate) => candidate >= earliest);
    if (moment !== undefined) return moment;
  }
}

function offWeekend(time: number, hour: number | null, zone: string): number {
  const { weekday } = DateTime.fromSeconds(time, { zone });
  if (weekday < SATURDAY) return time;
  const monday = plusDays(localTime(time, zone), MONDAY_AFTER - weekday);
  // The hour itself, where the clock was put forward over it on the Sunday.
  return momentsOf(hour === null ? monday : { ...monday, hour, minute: 0, second: 0 }, zone)[0] ?? time;
}

const SATURDAY = 6;
const MONDAY_AFTER = 8;

/** When a clock on the wall in `zone` shows `local`, ascending; for a time that it skips, the end of the gap. */
function momentsOf(local: LocalTime, zone: string): readonly number[] {
  const resolved = DateTime.fromObject(local, { zone });
  if (wallSeconds(resolved.toSeconds(), zone) !== utcSeconds(local)) return [endOfGap(local, zone)];
  const moments = resolved.getPossibleOffsets().map((moment) => moment.toSeconds());
  return moments.sort((a, b) => a - b);
}

/** By bisection: with offsets between -12 and +14 hours it is within a day and a half of the same time in UTC. */
function endOfGap(local: LocalTime, zone: string): number {
  const wanted = utcSeconds(local);
  let before = wanted - 1.5 * DAY;
  let after = wanted + 1.5 * DAY;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallSeconds(middle, zone) < wanted) before = middle;
    else after = middle;
  }
  return after;
}

function localTime(time: number, zone: string): LocalTime {
  const { year, month, day, hour, minute, second } = DateTime.fromSeconds(time, { zone });
  return { year, month, day, hour, minute, second };
}

function plusDays(local: LocalTime, days: number): LocalTime {
  const { year, month, day } = DateTime.utc(local.year, local.month, local.day).plus({ days });
  return { ...local, year, month, day };
}

const wallSeconds = (time: number, zone: string): number =>
  time + DateTime.fromSeconds(time, { zone }).offset * 60;

const utcSeconds = ({ year, month, day, hour, minute, second }: LocalTime): number =>
  DateTime.utc(year, month, day, hour, minute, second).toSeconds();
