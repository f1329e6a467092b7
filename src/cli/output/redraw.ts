/** Lines at the foot of a terminal that are drawn over again and again. */
import { displayWidth } from '../../text/display-width.ts';
import type { OutputStream } from '../outside/context.ts';

export interface Drawing {
  /** Draws these lines in the place of the ones before. They are safe, painted, and no wider than the terminal. */
  readonly draw: (lines: readonly string[]) => Promise<void>;
  /** Leaves the last lines standing, and the line below them empty; nothing where nothing was drawn. */
  readonly end: () => Promise<void>;
}

/**
 * The cursor waits below the lines, where a terminal's own `^C` spoils nothing. It is never hidden, so that no way to
 * end a process can leave a terminal without one.
 * @param stream a terminal
 */
export function drawingOn(stream: OutputStream): Drawing {
  let drawn: readonly string[] = [];
  return {
    draw: async (lines) => {
      const up = rowsOf(drawn, stream.columns);
      drawn = lines;
      const text = lines.map((line) => `${line}${TO_LINE_END}\n`).join('');
      await stream.write(`${up > 0 ? `\x1b[${up}A` : ''}\r${text}${TO_SCREEN_END}`);
    },
    end: async () => {
      if (drawn.length === 0) return;
      drawn = [];
      await stream.write(`\r${TO_LINE_END}`);
    },
  };
}

/** Whether lines can be drawn over here. @param plain somebody has them read aloud */
export function canDraw(
  stream: Pick<OutputStream, 'isTTY'>,
  env: Readonly<Record<string, string | undefined>>,
  plain: boolean,
): boolean {
  return stream.isTTY && env['TERM'] !== 'dumb' && !plain;
}

/** Columns that a line may fill: in the last one some terminals break it already. One without a size says 0. */
export const widthOf = (stream: Pick<OutputStream, 'columns'>): number =>
  Math.max(20, (stream.columns || 80) - 1);

const TO_LINE_END = '\x1b[K';
const TO_SCREEN_END = '\x1b[J';

/** What the lines take now: a terminal that became narrower has broken the longer ones. */
function rowsOf(lines: readonly string[], columns: number | undefined): number {
  const width = columns || 80;
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(unpainted(line)) / width)), 0);
}

const unpainted = (line: string): string => line.replace(/\x1b\[[0-9;]*m/g, '');
