/** Contract, "The everyday screen". Help loads this file, so it loads nothing that renders. */

import { relativeTime } from '../../kit/text/duration.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import type { Json } from '../../service/protocol/envelope.ts';
import type { Outcome } from '../command/command.ts';
import { isColourWanted, loadColourPainter } from '../output/colour.ts';
import type { OutputStream } from '../outside/context.ts';
import type { Clocks, Invocation, Tell } from '../session/ports.ts';
import { nextCommandLine, shouldSummarizeWriteInOneLine } from './write-outcome.ts';

/** Columns. Longer lines are hard to read. */
const WIDEST = 100;
const NARROWEST = 20;
const WITHOUT_TERMINAL = 80;

export const pageWidth = ({ isTTY, columns }: Pick<OutputStream, 'isTTY' | 'columns'>): number =>
  Math.max(NARROWEST, Math.min(WIDEST, (isTTY && columns) || WITHOUT_TERMINAL));

export interface RecordDescription {
  readonly title: string;
  /** Each sentence begins on a new line. */
  readonly sentences: readonly string[];
  /** Suggested command, without `--profile`. */
  readonly next?: string;
}

/** True on a terminal, unless flags ask for attributes. */
export const isRecordDescribed = async (session: Invocation & Tell): Promise<boolean> =>
  !session.globals.wide && (await shouldSummarizeWriteInOneLine(session));

/** The returned function returns `Fri 2026-12-04 09:00 Europe/London, in 3 days`. */
export async function createTimeWords(session: Clocks): Promise<(time: Json | undefined) => string> {
  const [zone, now] = [await session.tableZone(), await session.serviceNow()];
  return (time) =>
    typeof time === 'number'
      ? `${formatTime(time, zone, 'weekday')}, ${relativeTime(time, now)}`
      : 'at an unknown time';
}

/** Wraps between words, and says how to see all attributes. */
export async function createDescriptionOutcome(
  { context, globals }: Invocation,
  { title, sentences, next }: RecordDescription,
): Promise<Outcome> {
  const { wrapLinesBreakingWords } = await import('../../kit/text/display-width.ts');
  const { stdout, env } = context;
  const width = pageWidth(stdout);
  const paint = await loadColourPainter(!globals.plain && isColourWanted(env, stdout, !globals.color));
  const linesOf = (text: string): readonly string[] => wrapLinesBreakingWords(escapeForTerminal(text), width);
  const last = [
    'To see all attributes, add --wide.',
    ...(next === undefined ? [] : [nextCommandLine(globals, next)]),
  ];
  const lines = [
    ...linesOf(title).map((line) => paint.heading(line)),
    ...[...sentences, ...last].flatMap(linesOf),
  ];
  return { result: { kind: 'text', text: lines.map((line) => `${line}\n`).join('') } };
}
