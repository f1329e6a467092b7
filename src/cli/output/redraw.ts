/** Redraws lines at the bottom of a terminal. */
import { displayWidth } from '../../text/display-width.ts';
import type { Environment, OutputStream } from '../outside/context.ts';

/**
 * Returns functions that redraw lines on a terminal. The cursor stays below them, where `^C` overwrites nothing, and is never hidden, so
 * that it is still visible if the process is killed.
 */
export function createRedrawnLines(stream: OutputStream) {
  let drawn: readonly string[] = [];
  return {
    /** Draws over the previous lines. The caller must sanitize and color the lines, and make them no wider than the terminal. */
    draw: async (lines: readonly string[]): Promise<void> => {
      // A terminal that became narrower has wrapped the longer lines.
      const up = countScreenRows(drawn, stream.columns || 80);
      drawn = lines;
      const text = lines.map((line) => `${line}${TO_LINE_END}\n`).join('');
      await stream.write(`${up > 0 ? `\x1b[${up}A` : ''}\r${text}${TO_SCREEN_END}`);
    },
    /** Keeps the last lines and moves to an empty line below them. Does nothing if nothing was drawn. */
    end: async (): Promise<void> => {
      if (drawn.length === 0) return;
      drawn = [];
      await stream.write(`\r${TO_LINE_END}`);
    },
  };
}

/** Reports whether lines on this stream can be redrawn. @param plain whether the output is for a screen reader */
export function canRedrawLines(
  stream: Pick<OutputStream, 'isTTY'>,
  env: Environment,
  plain: boolean,
): boolean {
  return stream.isTTY && env.TERM !== 'dumb' && !plain;
}

/** Returns the columns that a line may fill, at least 20. Leaves the last column empty, because some terminals wrap there. */
export const usableTerminalColumns = (stream: Pick<OutputStream, 'columns'>): number =>
  Math.max(20, (stream.columns || 80) - 1);

export const TO_LINE_END = '\x1b[K';
const TO_SCREEN_END = '\x1b[J';

/** Returns the number of rows that the lines take on a terminal of this width, without their colors. */
export const countScreenRows = (lines: readonly string[], columns: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(withoutColours(line)) / columns)), 0);

export const withoutColours = (line: string): string => line.replaceAll(/\x1b\[[0-9;]*m/g, '');
