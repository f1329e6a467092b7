/**
 * Series of a campaign file: tasks with `repeat`, which send the same message at regular times. Each time is an occurrence, which is planned as
 * a task with a key such as `news@2026-12-07`. So plans, marks and approvals treat occurrences as they treat any task.
 */

import { addDays, type CalendarDay, dayText, MONTHS, weekdayOf } from '../../kit/text/calendar.ts';
import { localTimeAt, momentOfLocalTime } from '../../kit/text/day-span.ts';
import { isRelativeTime, parseTimePhrase } from '../../kit/text/time-phrase.ts';
import { computeItemKeyHash } from './marks.ts';
import type { WantedItem, WantedTask } from './model.ts';

/** A day has at most one occurrence of a series, so this is a year of days. */
export const MAX_OCCURRENCES = 366;
export const AHEAD_RANGE = { least: 1, most: 12, default: 4 } as const;

export type Repeat = NonNullable<WantedTask['repeat']>;
export type SeriesTask = WantedTask & { readonly repeat: Repeat };

export interface Occurrence {
  readonly key: string;
  /** Local day in the company's zone: `2026-12-07`. */
  readonly day: string;
  /** Unix seconds. */
  readonly time: number;
}

export interface CampaignSeries {
  readonly task: SeriesTask;
  readonly occurrences: readonly Occurrence[];
}

export const isSeries = (item: WantedItem): item is SeriesTask =>
  item.kind === 'task' && item.repeat !== undefined;

/** The key of an item has no `@`, so no other task of the file has this key. */
export const formatOccurrenceKey = (series: string, day: string): string => `${series}@${day}`;

/** Undefined for a task that is no occurrence of a series. */
export function parseOccurrenceKey(
  key: string | null | undefined,
): { readonly series: string; readonly day: string } | undefined {
  const [, series, day] = /^([^@]+)@([0-9]{4}-[0-9]{2}-[0-9]{2})$/.exec(key ?? '') ?? [];
  return series === undefined || day === undefined ? undefined : { series, day };
}

/** Returns the key under which the file has the item: `news` for the occurrence `news@2026-12-07`. */
export const keyInFile = (key: string): string => parseOccurrenceKey(key)?.series ?? key;

/** Returns none if the first time does not exist in this zone. Returns at most one more than `MAX_OCCURRENCES`. */
export function listOccurrences(task: SeriesTask, zone: string): readonly Occurrence[] {
  const known = listed.get(task);
  if (known?.zone === zone) return known.occurrences;
  const occurrences = computeOccurrences(task, zone);
  listed.set(task, { zone, occurrences });
  return occurrences;
}

/** The plan, its page and its checks list the same series, and each time zone calculation takes 0.1 ms. */
const listed = new WeakMap<
  SeriesTask,
  { readonly zone: string; readonly occurrences: readonly Occurrence[] }
>();

function computeOccurrences({ key, at, repeat }: SeriesTask, zone: string): readonly Occurrence[] {
  const read = parseTimePhrase(at, { now: 0, zone });
  if (!read.ok) return [];
  const { day: first, clock } = localTimeAt(read.time, zone);
  return listDays(first, repeat).map((each, index) => ({
    key: formatOccurrenceKey(key, dayText(each)),
    day: dayText(each),
    // The file may name the second of two equal local times.
    time: index === 0 ? read.time : momentOfLocalTime(each, clock, zone),
  }));
}

function listDays(first: CalendarDay, { every, until, times }: Repeat): readonly CalendarDay[] {
  const days: CalendarDay[] = [];
  const most = Math.min(times ?? Number.POSITIVE_INFINITY, MAX_OCCURRENCES + 1);
  for (let step = 0; days.length < most; step += 1) {
    const day = dayAt(first, every, step);
    if (until !== null && dayText(day) > until) break;
    if (every !== 'weekday' || isWeekday(day)) days.push(day);
  }
  return days;
}

function dayAt(first: CalendarDay, every: Repeat['every'], step: number): CalendarDay {
  if (every !== 'month') return addDays(first, every === 'week' ? 7 * step : step);
  const { year, month } = addMonths(first, step);
  const last = addDays({ ...addMonths({ year, month }, 1), day: 1 }, -1);
  return { year, month, day: Math.min(first.day, last.day) };
}

const addMonths = ({ year, month }: Pick<CalendarDay, 'year' | 'month'>, months: number) => ({
  year: year + Math.floor((month - 1 + months) / MONTHS.length),
  month: ((month - 1 + months) % MONTHS.length) + 1,
});

const isWeekday = (day: CalendarDay): boolean => !['Sat', 'Sun'].includes(weekdayOf(day));

/** Least seconds between two occurrences. Clocks may change between them. */
export const LEAST_DISTANCE: Readonly<Record<Repeat['every'], number>> = {
  day: 22 * 3600,
  weekday: 22 * 3600,
  week: (7 * 24 - 2) * 3600,
  month: (28 * 24 - 2) * 3600,
};

/** Returns the task of one occurrence, with its time in Unix seconds. */
export function taskOfOccurrence(
  { repeat, ...task }: SeriesTask,
  { key, day, time }: Occurrence,
): WantedTask {
  const record = repeat.records.find((each) => each.day === day);
  const { adopted: _, renamedFrom, ...rest } = task;
  const adopted = record && { id: record.id, hash: record.hash };
  return {
    ...{ ...rest, key, at: String(time) },
    ...(adopted === undefined ? {} : { adopted }),
    ...(renamedFrom && { renamedFrom: renamedFrom.map((each) => formatOccurrenceKey(each, day)) }),
  };
}

/** Replaces each series by the tasks of those of its occurrences that are wanted. */
export const expandSeries = (
  items: readonly WantedItem[],
  zone: string,
  isWanted: (occurrence: Occurrence) => boolean = () => true,
): readonly WantedItem[] =>
  items.flatMap((item): readonly WantedItem[] =>
    isSeries(item)
      ? listOccurrences(item, zone)
          .filter(isWanted)
          .map((each) => taskOfOccurrence(item, each))
      : [item],
  );

export interface SeriesFault {
  readonly attribute: 'scheduledtime' | 'repeat' | 'repeat until';
  readonly reason: string;
}

/** Finds what a series with valid attributes lacks in this zone. */
export function findSeriesFault(task: SeriesTask, zone: string): SeriesFault | undefined {
  const { at, key, repeat } = task;
  // Such words are a fault of their own, and their day is not known.
  if (isRelativeTime(at)) return undefined;
  const read = parseTimePhrase(at, { now: 0, zone });
  if (!read.ok) return undefined;
  const { day: first } = localTimeAt(read.time, zone);
  if (repeat.every === 'weekday' && !isWeekday(first))
    return {
      attribute: 'scheduledtime',
      reason: `at is on a ${weekdayOf(first)}, but the series sends from Monday to Friday (every: weekday)`,
    };
  if (repeat.until !== null && repeat.until < dayText(first))
    return {
      attribute: 'repeat until',
      reason: `until is before the first time, ${dayText(first)}`,
    };
  const occurrences = listOccurrences(task, zone);
  if (occurrences.length > MAX_OCCURRENCES)
    return {
      attribute: repeat.until === null ? 'repeat' : 'repeat until',
      reason: `the series has more than ${MAX_OCCURRENCES} times; end it earlier, and write another series later`,
    };
  const stray = repeat.records.find((each) => !occurrences.some((other) => other.day === each.day));
  if (stray !== undefined)
    return { attribute: 'repeat', reason: `occurrences: ${stray.day} is not a day of this series` };
  const hashes = new Map<string, string>();
  for (const { key: own, day: date } of occurrences) {
    const hash = computeItemKeyHash('task', own);
    const other = hashes.get(hash);
    if (other !== undefined)
      return {
        attribute: 'repeat',
        reason: `svc cannot distinguish ${other} and ${date} of ${key} by their marks; choose another key`,
      };
    hashes.set(hash, date);
  }
  return undefined;
}

/** Returns `every week until 2026-12-31`, or `every month, 12 times`. */
export const describeRepeat = ({ every, until, times }: Pick<Repeat, 'every' | 'until' | 'times'>): string =>
  `every ${every}${until === null ? `, ${times} times` : ` until ${until}`}`;
