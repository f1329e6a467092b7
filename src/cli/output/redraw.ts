import { displayWidth } from '../../kit/text/display-width.ts';
import type { Environment, OutputStream } from '../outside/context.ts';

/** The cursor stays below the lines, where `^C` overwrites nothing, and is never hidden, so that it survives a kill. */
export function createRedrawnLines(stream: OutputStream) {
  let drawn: readonly string[] = [];
  return {
    /** The caller must sanitize and color the lines, and make them no wider than the terminal. */
    draw: async (lines: readonly string[]): Promise<void> => {
      // A terminal that became narrower has wrapped the longer lines.
      const up = countScreenRows(drawn, stream.columns || 80);
      drawn = lines;
      const text = lines.map((line) => `${line}${TO_LINE_END}\n`).join('');
      await stream.write(`${up > 0 ? `\x1b[${up}A` : ''}\r${text}${TO_SCREEN_END}`);
    },
    /** Keeps the last lines and moves to an empty line below them. */
    end: async (): Promise<void> => {
      if (drawn.length === 0) return;
      drawn = [];
      await stream.write(`\r${TO_LINE_END}`);
    },
  };
}

export function canRedrawLines(
  stream: Pick<OutputStream, 'isTTY'>,
  env: Environment,
  plain: boolean,
): boolean {
  return stream.isTTY && env.TERM !== 'dumb' && !plain;
}

/** Leaves the last column empty, because some terminals wrap there. */
export const usableTerminalColumns = (stream: Pick<OutputStream, 'columns'>): number =>
  Math.max(20, (stream.columns || 80) - 1);

export const TO_LINE_END = '\x1b[K';
const TO_SCREEN_END = '\x1b[J';

export const countScreenRows = (lines: readonly string[], columns: number): number =>
  lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(withoutColours(line)) / columns)), 0);

export const withoutColours = (line: string): string => line.replaceAll(/\x1b\[[0-9;]*m/g, '');

/** Reads the size of the terminal at each access, because it may change. */
export const withWrite = (stream: OutputStream, write: OutputStream['write']): OutputStream => ({
  isTTY: stream.isTTY,
  get columns() {
    return stream.columns;
  },
  get rows() {
    return stream.rows;
  },
  write,
});
