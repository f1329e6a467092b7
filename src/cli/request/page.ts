/** Prints a page of text for people. Programs get rows or an object instead. */
import type { TextPage } from '../../report/text-page.ts';
import type { Outcome } from '../command/command.ts';
import { isColourWanted, loadColourPainter } from '../output/colour.ts';
import type { Invocation } from '../session/session.ts';

/** Maximum width of a page in columns, because longer lines are hard to read. */
const WIDEST = 100;
const NARROWEST = 20;
const WITHOUT_TERMINAL = 80;

/** Returns the page, wrapped and never truncated. Terminal control sequences are escaped first. */
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
