/** Shows pages and tables to people. Programs get rows or an object instead. */
import type { Json } from '../../protocol/envelope.ts';
import type { TextPage } from '../../report/text-page.ts';
import { relativeTime } from '../../text/duration.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import { formatTime } from '../../text/timezone.ts';
import type { Outcome } from '../command/command.ts';
import { isColourWanted, loadColourPainter } from '../output/colour.ts';
import { render } from '../output/render.ts';
import type { Rows } from '../output/result.ts';
import type { Invocation, Session } from '../session/session.ts';
import { nextCommandLine, shouldSummarizeWriteInOneLine } from './write-outcome.ts';

/** Maximum width of a page in columns, because longer lines are hard to read. */
const WIDEST = 100;
const NARROWEST = 20;
const WITHOUT_TERMINAL = 80;

/** Returns the page, wrapped and never truncated. */
export async function createTextPageOutcome(
  { context, globals }: Invocation,
  page: TextPage,
): Promise<Outcome> {
  const { formatTextPageLines } = await import('../../report/text-page.ts');
  const { stdout, env } = context;
  const columns = (stdout.isTTY ? stdout.columns : undefined) ?? WITHOUT_TERMINAL;
  const width = Math.max(NARROWEST, Math.min(WIDEST, columns));
  const paint = await loadColourPainter(isColourWanted(env, stdout, !globals.color));
  const lines = formatTextPageLines(page, width).map(({ text, isHeading }) =>
    isHeading ? paint.heading(text) : text,
  );
  return { result: { kind: 'text', text: `${lines.join('\n')}\n` } };
}

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
  const width = Math.max(NARROWEST, Math.min(WIDEST, stdout.columns || WITHOUT_TERMINAL));
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

/** Prints the rows, even with `--quiet`, because the confirmation is about them. */
export async function showBeforeConfirmation(session: Session, rows: Rows): Promise<void> {
  const { globals, context } = session;
  const { stderr, env } = context;
  const { header, csvRaw, plain, wide } = globals;
  const rendering = {
    ...{ header, csvRaw, plain },
    format: 'table' as const,
    colour: isColourWanted(env, stderr, !globals.color),
    zone: session.tableZone,
    now: session.serviceNow,
    width: stderr.isTTY && !wide ? stderr.columns || 80 : undefined,
  };
  await render(rows, rendering, stderr, stderr);
}
