/** Programs get rows or an object instead. */
import type { Report } from '../../kit/report/report.ts';
import type { Outcome } from '../command/command.ts';
import { isColourWanted, loadColourPainter } from '../output/colour.ts';
import { render } from '../output/render.ts';
import type { Rows } from '../output/result.ts';
import type { Clocks, Invocation } from '../session/ports.ts';
import { pageWidth } from './description.ts';

/** Wraps the page and never truncates it. */
export async function createTextPageOutcome(
  { context, globals }: Invocation,
  page: Report,
): Promise<Outcome> {
  const { formatTextPageLines } = await import('../../kit/report/text-page.ts');
  const { stdout, env } = context;
  const paint = await loadColourPainter(isColourWanted(env, stdout, !globals.color));
  const lines = formatTextPageLines(page, pageWidth(stdout)).map(({ text, isHeading }) =>
    isHeading ? paint.heading(text) : text,
  );
  return { result: { kind: 'text', text: `${lines.join('\n')}\n` } };
}

/** Prints even with `--quiet`, because the confirmation is about the rows. */
export async function showBeforeConfirmation(session: Invocation & Clocks, rows: Rows): Promise<void> {
  const { globals, context } = session;
  const { stderr, env } = context;
  const { header, csvRaw, plain, wide } = globals;
  const rendering = {
    ...{ header, csvRaw, plain },
    format: 'table' as const,
    colour: isColourWanted(env, stderr, !globals.color),
    zone: session.tableZone,
    now: session.serviceNow,
    hasWholeNames: wide,
    width: stderr.isTTY && !wide ? stderr.columns || 80 : undefined,
  };
  await render(rows, rendering, stderr, stderr);
}
