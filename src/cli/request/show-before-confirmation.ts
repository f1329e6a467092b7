/** Shows rows before a confirmation: a table on stderr, whatever the format of the result. */
import { isColourWanted } from '../output/colour.ts';
import { render } from '../output/render.ts';
import type { Rows } from '../output/result.ts';
import type { Session } from '../session/session.ts';

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
