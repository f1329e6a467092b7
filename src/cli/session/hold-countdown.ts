/** Shows the countdown of a held task: on a terminal, a line that updates; otherwise, one line at the start. */

import { truncateToWidth } from '../../kit/text/display-width.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { formatTimeLeft } from '../output/bar.ts';
import { canRedrawLines, createRedrawnLines, usableTerminalColumns } from '../output/redraw.ts';
import type { Clocks, Invocation, Tell } from './ports.ts';

/** @throws the error of `clock.sleep` at Ctrl-C. The cursor is then below the countdown. */
export async function showCountdownUntil(
  session: Invocation & Tell & Clocks,
  title: string,
  until: number,
): Promise<void> {
  const { context, globals, warn } = session;
  const { clock, signal, stderr, env } = context;
  const left = async (): Promise<number> => until - (await session.latestNow());
  if (!canRedrawLines(stderr, env, globals.plain)) {
    await warn(
      `Countdown for ${title}: ${formatDuration(Math.ceil(await left()))}. Ctrl-C cancels the task.`,
    );
    for (let rest = await left(); rest > 0; rest = await left()) await clock.sleep(rest * 1000, signal);
    return;
  }
  const drawing = createRedrawnLines(stderr);
  try {
    for (let rest = await left(); rest > 0; rest = await left()) {
      const line = `${formatTimeLeft(rest)} left to cancel with Ctrl-C: ${escapeForTerminal(title)}`;
      await drawing.draw([truncateToWidth(line, usableTerminalColumns(stderr))]);
      // Sleep until the next full second, so that each second is shown.
      await clock.sleep(Math.max(50, (rest - Math.ceil(rest) + 1) * 1000), signal);
    }
    await drawing.draw([
      truncateToWidth(`0:00, hold over: ${escapeForTerminal(title)}`, usableTerminalColumns(stderr)),
    ]);
  } finally {
    await drawing.end();
  }
}
