/** Two tasks clash if they use the same list or saved search, and their send times are less than an hour apart. */

import type { Campaign } from '../../../features/campaign/model.ts';
import type { CalendarEvent } from '../../../kit/report/icalendar.ts';
import { addDays, type CalendarDay, dayText, readDay } from '../../../kit/text/calendar.ts';
import { beginningOfDay } from '../../../kit/text/day-span.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun, groupThousands } from '../../../kit/text/words.ts';
import { formatTaskName, type TaskRecord, task } from '../../../service/resources/task.ts';
import { findTaskClashes, TASK_CLASH_WINDOW_SECONDS } from '../../../service/resources/task-clashes.ts';
import { type NewFile, writeNewFile } from '../../request/new-file.ts';
import type { Clocks, Invocation, Profiles, ServiceAccess, Tell } from '../../session/ports.ts';
import type { UncreatedTask } from './calendar-series.ts';
import { channelWord, formatTaskTarget } from './task-words.ts';

export type Calendar = Awaited<ReturnType<typeof readCalendar>>;

export interface CalendarTask {
  readonly record: TaskRecord;
  /** Start in the company's time zone: `2026-12-01 09:00`. */
  readonly local: string;
  /** Set if the local time occurs twice on its day. */
  readonly repeated?: 'first' | 'second';
  /** Ordered by time. They may be outside the shown weeks. */
  readonly clashes: readonly TaskRecord[];
}

const HOUR = 3600;

/** Also requests the hours around the weeks, because their tasks may clash. `from` defaults to today. */
export async function readCalendar(
  session: ServiceAccess & Clocks,
  {
    from,
    weeks,
    campaigns = [],
  }: {
    readonly from: string | undefined;
    readonly weeks: number;
    readonly campaigns?: readonly Campaign[];
  },
) {
  const zone = await session.displayZone();
  const now = await session.serviceNow();
  const today = formatTime(now, zone, 'table').slice(0, 10);
  const day = readDay(from ?? today);
  if (day === undefined) throw new RangeError(`${from ?? today} is not a date`);
  const days = Array.from({ length: weeks * 7 }, (_, at) => addDays(day, at));
  const starts = [...days, addDays(day, days.length)].map((each) => beginningOfDay(each, zone));
  const [start = 0, end = 0] = [starts[0], starts.at(-1)];
  const first = Math.max(0, start - TASK_CLASH_WINDOW_SECONDS);
  const records: TaskRecord[] = [];
  const client = await session.client();
  for await (const record of client.list(task, { filters: {}, sort: 'scheduledtime', from: first })) {
    if (Number(record.scheduledtime) >= end + TASK_CLASH_WINDOW_SECONDS) break;
    if (Number(record.scheduledtime) >= first) records.push(record);
  }
  const clashes = findTaskClashes(records);
  const tasks = records
    .filter(({ scheduledtime }) => Number(scheduledtime) >= start && Number(scheduledtime) < end)
    .map((record) => plannedTask(record, zone, clashes.get(record) ?? []));
  const uncreated: UncreatedTask[] = [];
  if (campaigns.length > 0) {
    const { listUncreatedTasks } = await import('./calendar-series.ts');
    const all: TaskRecord[] = [];
    for await (const record of client.list(task, {})) all.push(record);
    const isShown = ({ scheduledtime }: UncreatedTask): boolean =>
      scheduledtime >= start && scheduledtime < end;
    uncreated.push(...listUncreatedTasks(campaigns, all, { zone, now }).filter(isShown));
  }
  const hasZone = (await session.companyZone()) !== undefined;
  const zoneNotes = hasZone ? [] : [`${(await session.unknownZone()).reason}. Times are in ${zone}.`];
  return {
    ...{ tasks, uncreated, days, today, zone, now },
    firstDay: dayText(day),
    lastDay: dayText(addDays(day, days.length - 1)),
    /** Days on which the clocks change, for example. */
    notes: [...zoneNotes, ...changeNotes(days, starts, zone)],
  };
}

function plannedTask(record: TaskRecord, zone: string, clashes: readonly TaskRecord[]): CalendarTask {
  const time = Number(record.scheduledtime);
  const localAt = (seconds: number): string => formatTime(seconds, zone, 'table');
  const local = localAt(time);
  const planned = { record, local, clashes };
  if (CLOCK_SETBACKS.some((by) => localAt(time + by) === local)) return { ...planned, repeated: 'first' };
  if (CLOCK_SETBACKS.some((by) => localAt(time - by) === local)) return { ...planned, repeated: 'second' };
  return planned;
}

/** Seconds by which time zones put their clocks back: half an hour in one zone, and one or two hours in the others. */
const CLOCK_SETBACKS = [HOUR / 2, HOUR, 2 * HOUR];

/** Notes each day without 24 hours. `starts` are Unix seconds, also of the day after the last. */
function changeNotes(
  days: readonly CalendarDay[],
  starts: readonly number[],
  zone: string,
): readonly string[] {
  return days.flatMap((day, at) => {
    const hours = ((starts[at + 1] ?? 0) - (starts[at] ?? 0)) / HOUR;
    if (hours === 24) return [];
    if (hours === 0) return [`${dayText(day)} does not exist in ${zone}; the calendar skips it.`];
    const direction = hours < 24 ? 'forward' : 'back';
    return [`The clocks of ${zone} go ${direction} on ${dayText(day)}, which has ${hours} hours.`];
  });
}

/** Writes atomically, and reports on stderr what the file contains and what it omits. */
export async function writeTaskCalendarFile(
  session: Invocation & Tell & Profiles,
  file: NewFile,
  planned: Calendar,
): Promise<void> {
  const { formatCalendarFile } = await import('../../../kit/report/icalendar.ts');
  const { tasks, uncreated, firstDay, today, now } = planned;
  const records = tasks.map(({ record }) => record);
  const cancelled = records.filter((record) => record.cancelled === true);
  const completed = records.filter(
    (record) => record.completed === true && record.cancelled !== true && firstDay >= today,
  );
  const left = new Set([...cancelled, ...completed]);
  const written = records.filter((record) => !left.has(record));
  const { hostname } = new URL((await session.resolved()).baseUrl);
  const events = written.map((record) => eventOf(record, hostname));
  await writeNewFile(session, file, formatCalendarFile(events, now, 'svc//task calendar'));
  const leftOut = Object.entries({ cancelled, completed, 'not created yet': uncreated }).flatMap(
    ([state, left]) => (left.length > 0 ? [`${groupThousands(left.length)} ${state}`] : []),
  );
  const count = formatCountWithNoun(written.length, 'task', groupThousands(written.length));
  const without = leftOut.length === 0 ? '' : `; left out: ${leftOut.join(' and ')}`;
  await session.info(`wrote ${file.name} with ${count}${without}`);
}

/** The id of the event has no port, because a sandbox may start again on another one. Two sandboxes differ by the time of creation. */
function eventOf(record: TaskRecord, hostname: string): CalendarEvent {
  const id = String(record.id);
  const { size, rate } = record;
  const created = typeof record.cdate === 'number' ? record.cdate : undefined;
  const channel = channelWord(record);
  const facts = [
    `Task ${id}, ${channel} to ${formatTaskTarget(record)}`,
    ...(typeof size === 'number' ? [`${groupThousands(size)} subscriptions at creation`] : []),
    ...(typeof rate === 'number' ? [`at most ${groupThousands(rate)} an hour`] : []),
    `svc task get ${id}`,
  ];
  return {
    uid: `task-${id}${created === undefined ? '' : `-${created}`}@${hostname}`,
    start: Number(record.scheduledtime),
    end: endOf(record),
    created,
    summary: formatTaskName(record),
    description: facts.join('\n'),
    categories: [channel],
  };
}

/** Estimates the end by size and rate (messages per hour), unless the service knows it. */
function endOf({ endtime, rate, size, scheduledtime }: TaskRecord): number | undefined {
  if (typeof endtime === 'number') return endtime;
  if (typeof rate !== 'number' || typeof size !== 'number' || rate <= 0) return undefined;
  return Number(scheduledtime) + Math.ceil((size / rate) * 3600);
}
