/** Cells into lines of equal columns, by cli-table3. */
import { displayWidth } from '../../text/display-width.ts';
import { GAP } from './widths.ts';

/** @param widths the least width of each column; a wider cell makes its column wider for the lines around it */
export type LayOut = (
  lines: readonly (readonly string[])[],
  columns: { readonly widths: readonly number[]; readonly rightAligned?: readonly boolean[] },
) => readonly string[];

/** Its time grows with the square of the lines: 20,000 take 27 s at once, and under 2 s a hundred at a time. */
const BLOCK = 100;

const BORDERLESS = {
  chars: {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: ' '.repeat(GAP),
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
};

/** Loaded only where a table is printed. */
export async function loadLayOut(): Promise<LayOut> {
  const { default: Table } = await import('cli-table3');
  return (lines, { widths, rightAligned = [] }) => {
    const laidOut: string[] = [];
    for (let start = 0; start < lines.length; start += BLOCK) {
      const table = new Table(BORDERLESS);
      // Cells come padded: what is wide in a terminal is measured in one place, `displayWidth`.
      for (const cells of lines.slice(start, start + BLOCK)) {
        table.push(cells.map((cell, index) => padded(cell, widths[index] ?? 0, rightAligned[index])));
      }
      laidOut.push(
        ...table
          .toString()
          .split('\n')
          .map((line) => line.trimEnd()),
      );
    }
    return laidOut;
  };
}

function padded(text: string, width: number, toTheRight = false): string {
  const blank = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return toTheRight ? blank + text : text + blank;
}
