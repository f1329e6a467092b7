/** Describes one record to a person in sentences (contract, "The everyday screen"). Help loads this file, so it loads nothing that renders. */
import type { Json } from '../../protocol/envelope.ts';
import { relativeTime } from '../../text/duration.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import { formatTime } from '../../text/timezone.ts';
import type { Outcome } from '../command/command.ts';
import { isColourWanted, loadColourPainter } from '../output/colour.ts';
import type { OutputStream } from '../outside/context.ts';
import type { Invocation, Session } from '../session/session.ts';
import { nextCommandLine, shouldSummarizeWriteInOneLine } from './write-outcome.ts';

/** Maximum width of a page in columns, because longer lines are hard to read. */
const WIDEST = 100;
const NARROWEST = 20;
const WITHOUT_TERMINAL = 80;

/** Returns the columns of a page or a description on this stream. */
export const pageWidth = ({ isTTY, columns }: Pick<OutputStream, 'isTTY' | 'columns'>): number =>
  Math.max(NARROWEST, Math.min(WIDEST, (isTTY && columns) || WITHOUT_TERMINAL));

/** Description of one record for people. */
export interface RecordDescription {
  readonly title: string;
  /** Sentences, each of which begins on a new line. */
  readonly sentences: readonly string[];
  /** Command to suggest, without `--profile`. */
  readonly next?: string;
}

/** Reports whether `get` describes the record in sentences: on a terminal, unless flags ask for its attributes. */
export const isRecordDescribed = async (session: Session): Promise<boolean> =>
  !session.globals.wide && (await shouldSummarizeWriteInOneLine(session));

/** Returns a function that puts a time into words: `Fri 2026-12-04 09:00 Europe/London, in 3 days`. */
export async function createTimeWords(session: Session): Promise<(time: Json | undefined) => string> {
  const [zone, now] = [await session.tableZone(), await session.serviceNow()];
  return (time) =>
    typeof time === 'number'
      ? `${formatTime(time, zone, 'weekday')}, ${relativeTime(time, now)}`
      : 'at an unknown time';
}

/** Returns the description as an outcome. It wraps between words, and says how to see all attributes. */
export async function createDescriptionOutcome(
  { context, globals }: Invocation,
  { title, sentences, next }: RecordDescription,
): Promise<Outcome> {
  const { wrapLinesBreakingWords } = await import('../../text/display-width.ts');
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
