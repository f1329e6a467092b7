/**
 * Series of random campaigns (contract, "Campaigns as files", "Series"). The oracle computes their times itself. They are in December, when
 * London has UTC, and far from midnight, so that the day of a task tells its occurrence.
 */
import type { Step, WantedItem, WantedTask } from '../../../src/features/campaign/model.ts';
import type { Chance } from '../../client/simulation-world.ts';
import { NOW } from '../../support/sandbox.ts';
import { HOUR } from '../support.ts';
import type { File } from './file.ts';
import { isSetAside, type StoredItem } from './stored.ts';

const DAY = 24 * HOUR;

type Repeat = NonNullable<WantedTask['repeat']>;
export type SeriesTask = WantedTask & { readonly repeat: Repeat };

export const isSeries = (item: WantedItem): item is SeriesTask =>
  item.kind === 'task' && item.repeat !== undefined;

/** Tasks of series have names of their own: `Task d1`. */
export const isSeriesKey = (key: string): boolean => /^[de][0-9]$/.test(key);

export const dayOf = (time: unknown): string =>
  new Date(Number(time) * 1000).toISOString().slice(0, 'yyyy-mm-dd'.length);

export function randomRepeat(chance: Chance): Pick<SeriesTask, 'at' | 'repeat'> {
  const every = chance.pick(['day', 'day', 'day', 'weekday', 'week'] as const);
  const isByDay = chance.is(0.4);
  return {
    at: randomFirst(chance),
    repeat: {
      every,
      until: isByDay ? dayOf(NOW + chance.between(3, 14) * DAY) : null,
      times: isByDay ? null : Math.ceil(chance.between(0, 9)),
      ahead: Math.ceil(chance.between(0, 5)),
      records: [],
    },
  };
}

/** Returns a weekday from Tue 2026-12-01 to Thu 2026-12-03. */
export function randomFirst(chance: Chance): string {
  const day = dayOf(NOW + Math.floor(chance.between(0, 3)) * DAY);
  return `${day} ${String(Math.floor(chance.between(6, 19))).padStart(2, '0')}:00`;
}

interface Time {
  readonly key: string;
  readonly time: number;
}

function timesOf({ key, at, repeat }: SeriesTask): readonly Time[] {
  const first = Date.parse(`${at.replace(' ', 'T')}:00Z`) / 1000;
  const times: Time[] = [];
  for (let days = 0; times.length < (repeat.times ?? 99); days += repeat.every === 'week' ? 7 : 1) {
    const time = first + days * DAY;
    if (repeat.until !== null && dayOf(time) > repeat.until) break;
    const isWeekend = [0, 6].includes(new Date(time * 1000).getUTCDay());
    if (repeat.every !== 'weekday' || !isWeekend) times.push({ key: `${key}@${dayOf(time)}`, time });
  }
  return times;
}

/** Replaces each series by a task for each of its times. */
export const withTimes = (items: File): File =>
  items.flatMap((item): readonly WantedItem[] => {
    if (!isSeries(item)) return [item];
    const { repeat: _, ...task } = item;
    return timesOf(item).map(({ key, time }) => ({ ...task, key, at: String(time) }));
  });

/**
 * "A plan has the next `ahead` occurrences": returns the tasks of those times of the file that have a step, and faults of the others.
 * @param now after the run, which may have taken some minutes
 */
export function timesWithSteps(
  item: SeriesTask,
  steps: readonly Step[],
  now: number,
): { readonly tasks: readonly WantedTask[]; readonly faults: readonly string[] } {
  const { repeat, hold } = item;
  const times = timesOf(item);
  const isPlanned = ({ key }: Time): boolean =>
    steps.some((step) => step.kind === 'task' && step.key === key);
  const isAhead = ({ time }: Time): boolean => time - now >= Math.max(300, hold ?? 0);
  const next = times.filter(isAhead).slice(0, repeat.ahead);
  // A time may have passed during the run, which then had one time less at the end.
  const mayHavePassed = times.some(({ time }) => Math.abs(time - now) < 2 * HOUR);
  const sure = mayHavePassed ? next.slice(0, -1) : next;
  const strangers = steps.filter(
    ({ kind, key }) =>
      kind === 'task' && key?.startsWith(`${item.key}@`) && !times.some((each) => each.key === key),
  );
  const tasks = withTimes([item]).filter(
    (each): each is WantedTask => each.kind === 'task' && isPlanned({ key: each.key, time: 0 }),
  );
  return {
    tasks,
    faults: [
      ...sure.filter((each) => !isPlanned(each)).map(({ key }) => `${key} has no step`),
      ...strangers.map(({ key }) => `${key} has a step, and is no time of the series`),
    ],
  };
}

/** A time that was sent, is being sent, or was cancelled by hand stays as it is, whatever the file says. */
export const isSettledTime = (own: readonly StoredItem[]): boolean =>
  own.some(
    ({ row }) =>
      row['completed'] === 1 || row['started'] === 1 || (row['cancelled'] === 1 && !isSetAside(row)),
  );

/** Reports whether a live task of another day of the series is nearer than two of its times. */
export function hasEarlierDayBeside(
  { key }: WantedTask,
  time: number | undefined,
  all: readonly StoredItem[],
): boolean {
  return all.some(
    (each) =>
      each.kind === 'task' &&
      isOfSameSeries(each.key, key) &&
      each.row['cancelled'] === 0 &&
      each.row['completed'] === 0 &&
      isWithinWeek(each.row, time),
  );
}

export const isOfSameSeries = (a: string, b: string): boolean => {
  const [[seriesA], [seriesB, day]] = [a.split('@'), b.split('@')];
  return day !== undefined && seriesA === seriesB;
};

/** No series of these files has a longer distance between two of its times than a week. */
export const isWithinWeek = ({ scheduledtime }: StoredItem['row'], time: number | undefined): boolean =>
  Math.abs(Number(scheduledtime) - (time ?? 0)) < 7 * DAY;
