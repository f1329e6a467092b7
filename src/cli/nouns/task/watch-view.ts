/** Redraws a task each second, and requests it at a longer interval. */

import { displayWidth, truncateToWidth } from '../../../kit/text/display-width.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { groupThousands } from '../../../kit/text/words.ts';
import { replaceMarksBySigns } from '../../../service/resources/campaign-mark.ts';
import type { TaskRecord } from '../../../service/resources/task.ts';
import {
  appendProgressBar,
  chooseProgressBarGlyphs,
  drawProgressBar,
  type ProgressBarGlyphs,
  percentOf,
} from '../../output/bar.ts';
import { type ColourPainter, isColourWanted, loadColourPainter } from '../../output/colour.ts';
import { createRedrawnLines, usableTerminalColumns } from '../../output/redraw.ts';
import { describeStoppedClock } from '../../request/send-time.ts';
import type { Clocks, Invocation } from '../../session/ports.ts';
import { computeTaskFigures, PAST_TENSES, sortStatisticRows } from './report-figures.ts';
import { channelWord, describeTaskProgress } from './task-words.ts';

/** Draws on stderr. The last frame stays. @throws the error of a request, or of `sleep`, which Ctrl-C interrupts */
export async function drawTaskUntilItEnds(
  session: Invocation & Clocks,
  poll: (sleep: (milliseconds: number) => Promise<void>) => AsyncIterable<TaskRecord>,
): Promise<void> {
  const { stderr, env, platform, clock, signal } = session.context;
  const paint = await loadColourPainter(isColourWanted(env, stderr, !session.globals.color));
  const glyphs = chooseProgressBarGlyphs(env, platform);
  const drawing = createRedrawnLines(stderr);
  let record: TaskRecord | undefined;
  const draw = async (): Promise<void> => {
    if (record === undefined) return;
    const now = await session.serviceNow();
    const clockLines = hasEnded(record) ? undefined : await describeStoppedClock(session);
    await drawing.draw(
      formatLiveTaskLines(record, { now, width: usableTerminalColumns(stderr), paint, glyphs, clockLines }),
    );
  };
  const sleepDrawing = async (milliseconds: number): Promise<void> => {
    for (let left = milliseconds; left > 0; left -= SECOND) {
      await clock.sleep(Math.min(SECOND, left), signal);
      await draw();
    }
  };
  try {
    for await (const found of poll(sleepDrawing)) {
      record = found;
      await draw();
      if (hasEnded(record)) return;
    }
  } finally {
    await drawing.end();
  }
}

const hasEnded = (record: TaskRecord): boolean => record.completed || record.cancelled;

const SECOND = 1000;

interface FrameOptions {
  /** Unix seconds, by the service. */
  readonly now: number;
  readonly width: number;
  readonly paint: ColourPainter;
  readonly glyphs: ProgressBarGlyphs;
  /** Set if the clock of the sandbox is stopped. */
  readonly clockLines?: readonly string[] | undefined;
}

export function formatLiveTaskLines(record: TaskRecord, framing: FrameOptions): readonly string[] {
  const { width, clockLines = [] } = framing;
  return [
    titleLine(record, framing),
    stateLine(record, framing),
    ...countLines(record, framing),
    ...clockLines.map((line) => truncateToWidth(line, width)),
  ];
}

function titleLine(record: TaskRecord, { width, paint }: FrameOptions): string {
  const head = `task ${String(record.id)}`;
  const tail = `${channelWord(record)} to ${groupThousands(Number(record.size))}`;
  const room = width - displayWidth(head) - displayWidth(tail) - 4;
  const name = truncateToWidth(
    escapeForTerminal(replaceMarksBySigns(String(record.name ?? ''))),
    Math.max(4, room),
  );
  const title = `${head}  ${name}`;
  const rest = truncateToWidth(tail, width - displayWidth(title) - 2);
  return `${paint.heading(title)}  ${paint.faint(rest)}`;
}

/** The length of the bar depends on `width` alone, so that it does not move when the text changes. */
function stateLine(record: TaskRecord, { width, paint, glyphs, now }: FrameOptions): string {
  const { words, share } = describeTaskProgress(record, now);
  if (share === undefined || width < NARROWEST_WITH_BAR) return truncateToWidth(words, width);
  const length = Math.min(WIDEST_BAR, Math.floor(width * 0.3));
  const { full, rest } = drawProgressBar(share, length, glyphs);
  return `${full}${paint.faint(rest)}  ${truncateToWidth(words, width - length - 2)}`;
}

function countLines(record: TaskRecord, framing: FrameOptions): readonly string[] {
  const size = Number(record.size);
  return sortStatisticRows(computeTaskFigures(record)).flatMap(({ statistic, count }) => {
    if (statistic === 'size') return [];
    const text = `${PAST_TENSES[statistic].padEnd(13)}${groupThousands(count).padStart(11)}${percentOf(count, size).padStart(8)}`;
    return appendProgressBar(text, size > 0 ? count / size : 0, framing);
  });
}

const WIDEST_BAR = 60;
const NARROWEST_WITH_BAR = 60;
