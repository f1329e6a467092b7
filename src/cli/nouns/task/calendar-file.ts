/** Implements `svc task calendar --ics`: writes the tasks to an iCalendar file, for a team's calendar. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { type CalendarEvent, formatCalendarFile } from '../../../report/icalendar.ts';
import { formatCountWithNoun, groupThousands } from '../../../text/words.ts';
import { type NewFile, writeNewFile } from '../../request/new-file.ts';
import type { Session } from '../../session/session.ts';
import type { Calendar } from './calendar-tasks.ts';
import { channelWord, formatTaskTarget } from './task-words.ts';

/** Writes the file atomically, and reports on stderr what it contains and what it omits. */
export async function writeTaskCalendarFile(
  session: Session,
  file: NewFile,
  planned: Calendar,
): Promise<void> {
  const { tasks, firstDay, today, now } = planned;
  const records = tasks.map(({ record }) => record);
  const cancelled = records.filter((record) => record['cancelled'] === true);
  const completed = records.filter(
    (record) => record['completed'] === true && record['cancelled'] !== true && firstDay >= today,
  );
  const left = new Set([...cancelled, ...completed]);
  const written = records.filter((record) => !left.has(record));
  const { host } = new URL((await session.resolved()).baseUrl);
  await writeNewFile(
    file,
    formatCalendarFile(
      written.map((record) => eventOf(record, host)),
      now,
      'svc//task calendar',
    ),
  );
  const leftOut = [
    ...(cancelled.length > 0 ? [`${groupThousands(cancelled.length)} cancelled`] : []),
    ...(completed.length > 0 ? [`${groupThousands(completed.length)} completed`] : []),
  ];
  const count = formatCountWithNoun(written.length, 'task', groupThousands(written.length));
  const without = leftOut.length === 0 ? '' : `; left out: ${leftOut.join(' and ')}`;
  await session.info(`wrote ${file.name} with ${count}${without}`);
}

/** Returns the event of a task. @param host the service's host, which makes the event's id unique among all services */
function eventOf(record: JsonObject, host: string): CalendarEvent {
  const id = String(record['id']);
  const { size, rate, name } = record;
  const channel = channelWord(record);
  const facts = [
    `Task ${id}, ${channel} to ${formatTaskTarget(record)}`,
    ...(typeof size === 'number' ? [`${groupThousands(size)} subscriptions at creation`] : []),
    ...(typeof rate === 'number' ? [`at most ${groupThousands(rate)} an hour`] : []),
    `svc task get ${id}`,
  ];
  return {
    uid: `task-${id}@${host}`,
    start: Number(record['scheduledtime']),
    end: endOf(record),
    created: typeof record['cdate'] === 'number' ? record['cdate'] : undefined,
    summary: typeof name === 'string' && name.trim() !== '' ? name : `Task ${id}`,
    description: facts.join('\n'),
    categories: [channel],
  };
}

/**
 * Returns the end time of a completed task. For any other task, estimates the end time from the rate (messages per hour) and the size.
 * Returns undefined for such a task without a rate or a size.
 */
function endOf({ endtime, rate, size, scheduledtime }: JsonObject): number | undefined {
  if (typeof endtime === 'number') return endtime;
  if (typeof rate !== 'number' || typeof size !== 'number' || rate <= 0) return undefined;
  return Number(scheduledtime) + Math.ceil((size / rate) * 3600);
}
