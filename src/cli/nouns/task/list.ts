import { addDays, readDay } from '../../../kit/text/calendar.ts';
import { parseDuration } from '../../../kit/text/duration.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { task } from '../../../service/resources/task.ts';
import type { Input } from '../../command/command.ts';
import { switchFlag, textFlag } from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import type { Clocks } from '../../session/ports.ts';
import { createVerbToListRecords, type TimeSpan } from '../generic/list.ts';

const timeFlag = (name: string, describe: string) =>
  textFlag(name, { describe, group: 'Filters', value: 'time' });
const sinceFlag = timeFlag('since', 'Send time from then on: yesterday, 2d (2 days ago)');
const untilFlag = timeFlag('until', 'Send time before then, or on this day: +7d, tomorrow');
const todayFlag = switchFlag('today', { describe: 'Send time on this day of the company', group: 'Filters' });

export const taskList = createVerbToListRecords(task, {
  attribute: 'scheduledtime',
  flags: [sinceFlag, untilFlag, todayFlag],
  read: readSpan,
});

async function readSpan(session: Clocks, input: Input): Promise<TimeSpan | undefined> {
  const since = input.get(sinceFlag);
  const until = input.get(untilFlag);
  const isToday = input.get(todayFlag);
  if (isToday && (since ?? until) !== undefined)
    throw new UsageError('cannot combine --today with --since or --until');
  if (!isToday && since === undefined && until === undefined) return undefined;
  const zone = (await session.inputZone()) ?? (await session.displayZone());
  const context = { now: await session.serviceNow(), zone };
  const today = isToday ? 'today' : undefined;
  const from = await readBound('since', since ?? today, context, 'start');
  const end = await readBound('until', until ?? today, context, 'end');
  if (from !== undefined && end !== undefined && from >= end)
    throw new UsageError(`--since ${since} is not before --until ${until}`);
  return { from: from ?? 0, end: end ?? Number.POSITIVE_INFINITY };
}

/** Unix seconds. A day begins at its `start`, and is complete at its `end`. @throws UsageError for another text */
async function readBound(
  flag: string,
  text: string | undefined,
  context: { readonly now: number; readonly zone: string },
  edge: 'start' | 'end',
): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const { now, zone } = context;
  const today = readDay(formatTime(now, zone, 'table').slice(0, 10));
  const days = { yesterday: -1, today: 0, tomorrow: 1 }[text.trim().toLowerCase()];
  const day = days === undefined || today === undefined ? readDay(text) : addDays(today, days);
  if (day !== undefined) {
    const { beginningOfDay } = await import('../../../kit/text/day-span.ts');
    return beginningOfDay(addDays(day, edge === 'start' ? 0 : 1), zone);
  }
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  const { parseTimePhrase } = await import('../../../kit/text/time-phrase.ts');
  const read = parseTimePhrase(text, context);
  if (read.ok) return read.time;
  throw new UsageError(`--${flag} ${text}: is not a day or a time`, {
    hint: 'write yesterday, today, tomorrow, 2026-12-01, 2d (2 days ago), +2d (in 2 days) or "2026-12-01 09:00"',
  });
}
