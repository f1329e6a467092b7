/** Shows days side by side if there is room, otherwise a list of days. */

import { type CalendarDay, dayText, formatShortDay, weekdayOf } from '../../../kit/text/calendar.ts';
import { displayWidth, truncateToWidth, wrapLinesBreakingWords } from '../../../kit/text/display-width.ts';
import { formatDuration } from '../../../kit/text/duration.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import { replaceMarksBySigns } from '../../../service/resources/campaign-mark.ts';
import { type TaskRecord, taskStatus } from '../../../service/resources/task.ts';
import { type ColourPainter, isColourWanted, loadColourPainter } from '../../output/colour.ts';
import { COLOR_TONE_BY_TASK_STATE } from '../../output/columns.ts';
import { usableTerminalColumns } from '../../output/redraw.ts';
import type { Invocation } from '../../session/ports.ts';
import type { UncreatedTask } from './calendar-series.ts';
import type { Calendar, CalendarTask } from './calendar-tasks.ts';
import { channelWord, formatTaskTarget } from './task-words.ts';

/** Seven days side by side need a terminal of 80 columns, whose last column stays free. */
const MIN_WEEK_WIDTH = 79;

export async function formatTaskCalendar(session: Invocation, planned: Calendar): Promise<string> {
  const { stdout, env } = session.context;
  const { plain, color } = session.globals;
  const paint = await loadColourPainter(!plain && isColourWanted(env, stdout, !color));
  // Without a terminal nothing is truncated.
  const width = stdout.isTTY ? usableTerminalColumns(stdout) : undefined;
  const room = width ?? Number.POSITIVE_INFINITY;
  const { firstDay, lastDay, zone, notes } = planned;
  const isWeek = !plain && width !== undefined && width >= MIN_WEEK_WIDTH;
  const lines = [
    ...wrapLinesBreakingWords(`${firstDay} to ${lastDay}, ${zone}`, room).map((line) => paint.heading(line)),
    ...(isWeek ? weekLines(planned, width, paint) : dayLines(planned, width, paint)),
    ...(notes.length === 0 ? [] : ['']),
    ...notes.flatMap((note) => wrapLinesBreakingWords(escapeForTerminal(note), room)),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** One line names all cancelled tasks, so that they take little room. */
function tasksOn(planned: Calendar, day: CalendarDay) {
  const tasks = planned.tasks.filter(({ local }) => local.startsWith(dayText(day)));
  return {
    tasks: tasks.filter(({ record }) => record.cancelled !== true),
    cancelled: tasks.filter(({ record }) => record.cancelled === true),
    uncreated: planned.uncreated.filter(({ local }) => local.startsWith(dayText(day))),
  };
}

const nameIn = ({ name, id }: TaskRecord): string =>
  typeof name === 'string' && name.trim() !== ''
    ? escapeForTerminal(replaceMarksBySigns(name))
    : `task ${String(id)}`;

function dayLines(planned: Calendar, width: number | undefined, paint: ColourPainter): readonly string[] {
  return planned.days.flatMap((day) => {
    const { tasks, cancelled, uncreated } = tasksOn(planned, day);
    if (tasks.length + cancelled.length + uncreated.length === 0) return [];
    const today = dayText(day) === planned.today ? ', today' : '';
    return [
      '',
      paint.heading(`${weekdayOf(day)} ${dayText(day)}${today}`),
      ...tasks.flatMap((each) => entryLines(each, planned.now, width)),
      ...uncreated.flatMap((each) => uncreatedLines(each, width)).map((line) => paint.faint(line)),
      ...cancelledLines(cancelled, width).map((line) => paint.faint(line)),
    ];
  });
}

/** Returns `cancelled: task 4, task 7`. */
function cancelledLines(cancelled: readonly CalendarTask[], width: number | undefined): readonly string[] {
  if (cancelled.length === 0) return [];
  const text = `cancelled: ${cancelled.map(({ record }) => `task ${String(record.id)}`).join(', ')}`;
  return wrapLinesBreakingWords(text, roomIn(width)).map((line) => `${' '.repeat(INDENT)}${line}`);
}

/** Columns of the time of day in front of the text. */
const INDENT = 9;

const roomIn = (width: number | undefined): number =>
  width === undefined ? Number.POSITIVE_INFINITY : Math.max(1, width - INDENT);

function entryLines(
  { record, local, repeated, clashes }: CalendarTask,
  now: number,
  width: number | undefined,
): readonly string[] {
  const status = taskStatus(record, now);
  const size = typeof record.size === 'number' ? `, ${groupThousands(record.size)} to ` : ' to ';
  const texts = [
    nameIn(record) + (repeated === undefined ? '' : ` (at the ${repeated} ${local.slice(11)} of the day)`),
    `task ${String(record.id)}, ${channelWord(record)}${size}${formatTaskTarget(record)}, ${status}`,
    ...clashes.map(
      (other) => `clashes with task ${String(other.id)} (${nameIn(other)}), ${timeBetween(record, other)}`,
    ),
  ];
  return texts
    .flatMap((text) => wrapLinesBreakingWords(text, roomIn(width)))
    .map((line, at) => `${at === 0 ? `  ${local.slice(11)}  ` : ' '.repeat(INDENT)}${line}`);
}

function uncreatedLines(each: UncreatedTask, width: number | undefined): readonly string[] {
  const { key, local, name, channel } = each;
  const by = channel === null ? '' : `, ${channelWord({ channel })}`;
  const texts = [escapeForTerminal(name), `${key}${by} to ${formatTaskTarget(each)}, ${NOT_CREATED}`];
  return texts
    .flatMap((text) => wrapLinesBreakingWords(text, roomIn(width)))
    .map((line, at) => `${at === 0 ? `  ${local.slice(11)}  ` : ' '.repeat(INDENT)}${line}`);
}

const NOT_CREATED = 'not created yet';

/** Returns `30 minutes later`. */
function timeBetween(record: TaskRecord, other: TaskRecord): string {
  const seconds = Math.round(Number(other.scheduledtime) - Number(record.scheduledtime));
  if (seconds === 0) return 'at the same time';
  return `${formatDuration(Math.abs(seconds))} ${seconds > 0 ? 'later' : 'earlier'}`;
}

interface CellLine {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const DAYS = 7;
const GAP = 1;
const WIDEST_CELL = 24;

function weekLines(planned: Calendar, width: number, paint: ColourPainter): readonly string[] {
  const cell = Math.min(WIDEST_CELL, Math.floor((width + GAP) / DAYS) - GAP);
  const { days } = planned;
  const weeks = Array.from({ length: days.length / DAYS }, (_, at) => days.slice(at * DAYS, (at + 1) * DAYS));
  return [
    ...weeks.flatMap((week) => [
      '',
      ...sideBySide(
        week.map((day) => dayCell(planned, day, cell, paint)),
        cell,
      ),
    ]),
    ...clashLines(planned, width, paint),
  ];
}

function dayCell(
  planned: Calendar,
  day: CalendarDay,
  width: number,
  paint: ColourPainter,
): readonly CellLine[] {
  const isToday = dayText(day) === planned.today;
  const { tasks, cancelled, uncreated } = tasksOn(planned, day);
  const off =
    cancelled.length === 0
      ? []
      : wrapLinesBreakingWords(cancelled.length === 1 ? 'cancelled' : `${cancelled.length} cancelled`, width);
  const title = `${weekdayOf(day)} ${formatShortDay(day)}`;
  return [
    { text: title, paint: paint.heading },
    { text: (isToday ? 'today ' : '').padEnd(width, '-') },
    ...tasks.flatMap((each, at) => [
      ...(at === 0 ? [] : [{ text: '' }]),
      ...taskLines(each, planned.now, width, paint),
    ]),
    ...uncreated.flatMap((each, at) => [
      ...(at + tasks.length === 0 ? [] : [{ text: '' }]),
      ...[each.local.slice(11), truncateToWidth(escapeForTerminal(each.name), width), NOT_CREATED]
        .flatMap((text) => wrapLinesBreakingWords(text, width))
        .map((text) => ({ text, paint: paint.faint })),
    ]),
    ...(tasks.length + uncreated.length === 0 || off.length === 0 ? [] : [{ text: '' }]),
    ...off.map((text) => ({ text, paint: paint.faint })),
  ];
}

const REPEATED = { first: '1st', second: '2nd' } as const;
const MAX_NAME_LINES = 2;

/** Leaves out the state `scheduled`. */
function taskLines(
  { record, local, repeated, clashes }: CalendarTask,
  now: number,
  width: number,
  paint: ColourPainter,
): readonly CellLine[] {
  const status = taskStatus(record, now);
  const tone = COLOR_TONE_BY_TASK_STATE[status];
  const marks = [
    ...(repeated === undefined ? [] : [REPEATED[repeated]]),
    ...(clashes.length === 0 ? [] : ['!']),
  ];
  const names = wrapLinesBreakingWords(nameIn(record), width);
  const shown = names.slice(0, MAX_NAME_LINES);
  if (names.length > shown.length)
    shown[shown.length - 1] = truncateToWidth(`${shown.at(-1) ?? ''} ${names[MAX_NAME_LINES]}`, width);
  const id = String(record.id);
  const channel = channelWord(record);
  const which = [`task ${id}, ${channel}`, `task ${id}`].find((text) => displayWidth(text) <= width);
  const title =
    which === undefined
      ? [...wrapLinesBreakingWords(id, width), channel]
      : which.includes(',')
        ? [which]
        : [which, channel];
  return [
    { text: [local.slice(11), ...marks].join(' '), ...(clashes.length > 0 ? { paint: paint.warning } : {}) },
    ...[...shown, ...title].map((text) => ({ text })),
    ...(status === 'scheduled'
      ? []
      : [{ text: status, ...(tone === undefined ? {} : { paint: paint[tone] }) }]),
  ];
}

function sideBySide(cells: readonly (readonly CellLine[])[], width: number): readonly string[] {
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) => {
    const last = cells.findLastIndex((lines) => (lines[row]?.text ?? '') !== '');
    return cells
      .slice(0, last + 1)
      .map((lines, at) => {
        const { text = '', paint = (same: string) => same } = lines[row] ?? {};
        const rest = at === last ? 0 : Math.max(0, width - displayWidth(text));
        return `${text === '' ? '' : paint(text)}${' '.repeat(rest)}`;
      })
      .join(' '.repeat(GAP));
  });
}

/** The clashes of three months could fill the screen. */
const MAX_CLASHES = 20;

function clashLines({ tasks }: Calendar, width: number, paint: ColourPainter): readonly string[] {
  const shown = new Set<TaskRecord>();
  const pairs = tasks.flatMap(({ record, clashes }) => {
    shown.add(record);
    return clashes
      .filter((other) => !shown.has(other))
      .map(
        (other) =>
          `! task ${String(record.id)} (${nameIn(record)}) clashes with task ${String(other.id)} (${nameIn(other)}): ` +
          `both to ${formatTaskTarget(record)}, ${timeBetween(record, other)}`,
      );
  });
  if (pairs.length === 0) return [];
  const more = pairs.length - MAX_CLASHES;
  const lines = [
    ...pairs.slice(0, MAX_CLASHES),
    ...(more > 0 ? [`! and ${groupThousands(more)} more clashes`] : []),
  ];
  return [
    '',
    ...lines.flatMap((line) => wrapLinesBreakingWords(line, width)).map((line) => paint.warning(line)),
  ];
}
