/** When the action of a rule is done: what the sandbox's engine goes by, and what `automation simulate` foretells. */
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

/** The time of an action, Unix seconds, and what moved it from event + offset. */
export interface ActionPlan {
  readonly time: number;
  /** Event + offset lies before `now`, so that `now` counted in its place. */
  readonly isPast: boolean;
  /** Days, as `2027-03-28`, whose clocks are put forward over the hour. */
  readonly without: readonly string[];
  /** The hour comes twice on the day of the action: which of the two it is. */
  readonly ofTwo: 'first' | 'second' | undefined;
  /** The time on a Saturday or Sunday that was put off to the Monday. */
  readonly weekend: number | undefined;
}

/**
 * The first moment at or after event + offset that the rule allows: with an hour, the first such hour; what then falls
 * on a Saturday or Sunday goes to the Monday, same time (wire, "`actionhour`", "`actiononweekend` false"). A day whose
 * clocks are put forward over the hour is passed over; of an hour that comes twice, the first that is not past (contract,
 * "Insight"). A moment that is past already counts from now: an hour and a weekend hold for it as for any other.
 */
export const actionTime = (timing: ActionTiming): number => actionPlan(timing).time;

/** `actionTime`, and how it came about. */
export function actionPlan({ event, offset, now, hour, onWeekend, zone }: ActionTiming): ActionPlan {
  const wanted = event + offset;
  const earliest = Math.min(Math.max(wanted, now), LAST_SECOND);
  const first = hour === null ? atAnyHour(earliest) : nextHour(earliest, hour, zone);
  const monday = onWeekend ? undefined : mondayAfter(first.time, hour, zone);
  const { time, without, ofTwo } = monday ?? first;
  return {
    time,
    isPast: wanted < now,
    without: monday ? [...first.without, ...without] : without,
    ofTwo,
    weekend: monday ? first.time : undefined,
  };
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

type Found = Pick<ActionPlan, 'time' | 'without' | 'ofTwo'>;

const atAnyHour = (time: number): Found => ({ time, without: [], ofTwo: undefined });

function nextHour(earliest: number, hour: number, zone: string): Found {
  const today = localTime(earliest, zone);
  const without: string[] = [];
  for (let days = 0; ; days += 1) {
    const local = { ...plusDays(today, days), hour, minute: 0, second: 0 };
    const moments = momentsOf(local, zone);
    const [first, second] = moments;
    const time = moments.find((moment) => moment >= earliest);
    if (time !== undefined)
      return { time, without, ofTwo: second === undefined ? undefined : time === first ? 'first' : 'second' };
    // Today's may be past as well as missing.
    if (first === undefined && endOfGap(local, zone) > earliest) without.push(dateOf(local));
  }
}

/** Undefined for what falls on no weekend. */
function mondayAfter(time: number, hour: number | null, zone: string): Found | undefined {
  const { weekday } = DateTime.fromSeconds(time, { zone });
  if (weekday < SATURDAY) return undefined;
  const monday = plusDays(localTime(time, zone), MONDAY_AFTER - weekday);
  // Not the same clock time: the hour may be the second of two on the Sunday.
  if (hour !== null) return nextHour(firstMoment({ ...monday, ...MIDNIGHT }, zone), hour, zone);
  return atAnyHour(firstMoment(monday, zone));
}

const SATURDAY = 6;
const MONDAY_AFTER = 8;
const MIDNIGHT = { hour: 0, minute: 0, second: 0 };

/** The first time that a clock on the wall shows `local`; where the clock is put forward over it, the end of the gap. */
const firstMoment = (local: LocalTime, zone: string): number =>
  momentsOf(local, zone)[0] ?? endOfGap(local, zone);

/** When a clock on the wall in `zone` shows `local`, ascending; none for a time that it is put forward over. */
function momentsOf(local: LocalTime, zone: string): readonly number[] {
  const resolved = DateTime.fromObject(local, { zone });
  if (wallSeconds(resolved.toSeconds(), zone) !== utcSeconds(local)) return [];
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

const dateOf = ({ year, month, day }: LocalTime): string => DateTime.utc(year, month, day).toISODate() ?? '';

const wallSeconds = (time: number, zone: string): number =>
  time + DateTime.fromSeconds(time, { zone }).offset * 60;

const utcSeconds = ({ year, month, day, hour, minute, second }: LocalTime): number =>
  DateTime.utc(year, month, day, hour, minute, second).toSeconds();
