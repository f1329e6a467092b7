/** Computes the time of a rule's action, for the sandbox's engine and for `automation simulate`. */
import { DateTime } from 'luxon';
import { MAX_UNIX_SECONDS } from '../../kit/schema/integer.ts';

/** Inputs for the time of a rule's action. Times are Unix seconds. */
export interface ActionTiming {
  readonly event: number;
  /** Seconds from the event to the action. A negative offset means that the action comes before the event. */
  readonly offset: number;
  /** Earliest possible time of an action, usually the present time. */
  readonly now: number;
  /** Local hour of the action, 0 to 23. Null if the action may happen at any hour. */
  readonly hour: number | null;
  readonly onWeekend: boolean;
  /** Time zone of the company (interface, "Automation rules" 5). */
  readonly zone: string;
}

/** The time of an action in Unix seconds, and the reasons why it differs from `event` + `offset`. */
export interface ActionTimeWithReasons {
  readonly time: number;
  /** True if `event` + `offset` is before `now`. In this case, `time` was computed from `now`. */
  readonly isPast: boolean;
  /** Days that were skipped, because the hour of the action does not exist on them (clocks go forward). Written as `2027-03-28`. */
  readonly skippedDays: readonly string[];
  /** Chosen occurrence of the hour, if the hour occurs twice on the day of the action because clocks go back. Otherwise undefined. */
  readonly occurrence: 'first' | 'second' | undefined;
  /** Time on a Saturday or Sunday from which the action was postponed to Monday. Undefined if the action was not postponed. */
  readonly postponedFrom: number | undefined;
}

/**
 * Returns the first time at or after `event` + `offset` at which the rule may act (wire, "`actionhour`", "`actiononweekend` false";
 * contract, "Insight"):
 * - If `event` + `offset` is before `now`, `now` is used instead.
 * - If the rule has an hour, the action waits for the next time at which this hour begins.
 * - If clocks go forward and skip the hour on a day, the action waits for the next day.
 * - If clocks go back and the hour occurs twice, the first occurrence that is not past is used.
 * - If `onWeekend` is false, an action on a Saturday or Sunday moves to the same time on Monday.
 */
export const computeActionTime = (timing: ActionTiming): number => computeActionTimeWithReasons(timing).time;

/** Returns the same time as `computeActionTime`, with the reasons for it. */
export function computeActionTimeWithReasons({
  event,
  offset,
  now,
  hour,
  onWeekend,
  zone,
}: ActionTiming): ActionTimeWithReasons {
  const wanted = event + offset;
  const earliest = Math.min(Math.max(wanted, now), MAX_UNIX_SECONDS);
  const first = hour === null ? atAnyHour(earliest) : nextHour(earliest, hour, zone);
  const monday = onWeekend ? undefined : mondayAfter(first.time, hour, zone);
  const { time, skippedDays, occurrence } = monday ?? first;
  return {
    time,
    isPast: wanted < now,
    skippedDays: monday ? [...first.skippedDays, ...skippedDays] : skippedDays,
    occurrence,
    postponedFrom: monday ? first.time : undefined,
  };
}

const DAY = 86_400;

interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

type Found = Pick<ActionTimeWithReasons, 'time' | 'skippedDays' | 'occurrence'>;

const atAnyHour = (time: number): Found => ({ time, skippedDays: [], occurrence: undefined });

function nextHour(earliest: number, hour: number, zone: string): Found {
  const today = localTime(earliest, zone);
  const skippedDays: string[] = [];
  for (let days = 0; ; days += 1) {
    const local = { ...plusDays(today, days), hour, minute: 0, second: 0 };
    const moments = momentsOf(local, zone);
    const [first, second] = moments;
    const time = moments.find((moment) => moment >= earliest);
    if (time !== undefined)
      return {
        time,
        skippedDays,
        occurrence: second === undefined ? undefined : time === first ? 'first' : 'second',
      };
    // If the hour is only past today, clocks do not skip it.
    if (first === undefined && endOfGap(local, zone) > earliest) skippedDays.push(dateOf(local));
  }
}

/** Returns the action's time on the following Monday, or undefined if `time` is not on a weekend. */
function mondayAfter(time: number, hour: number | null, zone: string): Found | undefined {
  const { weekday } = DateTime.fromSeconds(time, { zone });
  if (weekday < SATURDAY) return undefined;
  const monday = plusDays(localTime(time, zone), MONDAY_AFTER - weekday);
  // The clock time is not copied, because the hour may be the second of two on the Sunday.
  if (hour !== null) return nextHour(firstMoment({ ...monday, ...MIDNIGHT }, zone), hour, zone);
  return atAnyHour(firstMoment(monday, zone));
}

const SATURDAY = 6;
const MONDAY_AFTER = 8;
const MIDNIGHT = { hour: 0, minute: 0, second: 0 };

/** Returns the first time at which a local clock shows `local`. If clocks go forward over `local`, returns the end of the skipped hour. */
const firstMoment = (local: LocalTime, zone: string): number =>
  momentsOf(local, zone)[0] ?? endOfGap(local, zone);

/** Returns the times at which a local clock in `zone` shows `local`, ascending. The result is empty if clocks skip `local`. */
function momentsOf(local: LocalTime, zone: string): readonly number[] {
  const resolved = DateTime.fromObject(local, { zone });
  if (wallSeconds(resolved.toSeconds(), zone) !== utcSeconds(local)) return [];
  const moments = resolved.getPossibleOffsets().map((moment) => moment.toSeconds());
  return moments.sort((a, b) => a - b);
}

/**
 * Returns the time, in Unix seconds, at which clocks are set forward over `local`. Bisects 36 hours around `local` in UTC, from which local
 * times differ by at most 14 hours.
 */
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

const dateOf = ({ year, month, day }: LocalTime): string => DateTime.utc(year, month, day).toISODate() ?? '';

const wallSeconds = (time: number, zone: string): number =>
  time + DateTime.fromSeconds(time, { zone }).offset * 60;

const utcSeconds = ({ year, month, day, hour, minute, second }: LocalTime): number =>
  DateTime.utc(year, month, day, hour, minute, second).toSeconds();
