/** Aligns cells in columns, with cli-table3. */
import { displayWidth } from '../../text/display-width.ts';
import { COLUMN_GAP_SPACES } from './widths.ts';

export interface AlignedCell {
  readonly text: string;
  /** The same text with color codes, to print instead of `text`. */
  readonly painted?: string;
}

/**
 * Returns the lines with their cells aligned in columns. Lines are aligned in blocks of 100. A cell that is wider than its column widens
 * the column in its own block only.
 * @param columns `widths` are the minimum widths, in columns of the terminal
 */
export type AlignTableLines = (
  lines: readonly (readonly AlignedCell[])[],
  columns: { readonly widths: readonly number[]; readonly rightAligned?: readonly boolean[] },
) => readonly string[];

/**
 * Number of lines that svc aligns in one table of cli-table3. A longer table is slow, because the running time grows with the square of
 * this number.
 */
const BLOCK = 100;

/** Borders that separate columns with spaces and nothing else. */
const BORDERS = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
  side,
  `${side}-mid`,
  `${side}-left`,
  `${side}-right`,
]);
const BORDERLESS = {
  chars: { ...Object.fromEntries(BORDERS.map((name) => [name, ''])), middle: ' '.repeat(COLUMN_GAP_SPACES) },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
};

/** Loads cli-table3, and returns the function that aligns cells. Call it only when a table is printed. */
export async function loadTableAligner(): Promise<AlignTableLines> {
  const { default: Table } = await import('cli-table3');
  return (lines, { widths, rightAligned = [] }) => {
    const laidOut: string[] = [];
    for (let start = 0; start < lines.length; start += BLOCK) {
      const block = lines.slice(start, start + BLOCK);
      const colWidths = widths.map((least, index) =>
        Math.max(least, ...block.map((cells) => displayWidth(cells[index]?.text ?? ''))),
      );
      const colAligns = widths.map((_, index) =>
        rightAligned[index] ? ('right' as const) : ('left' as const),
      );
      const table = new Table({ ...BORDERLESS, colWidths, colAligns });
      const hidden: string[] = [];
      table.push(...block.map((cells) => cells.map((cell) => placeholderFor(cell, hidden))));
      const text = table.toString().replace(STAND_INS, () => hidden.shift() ?? '');
      laidOut.push(...text.split('\n').map((line) => line.trimEnd()));
    }
    return laidOut;
  };
}

/**
 * Returns a placeholder that has the same width on the terminal as the text, and adds the text to `hidden`. cli-table3 then aligns the
 * placeholder instead of the text, whose width cli-table3 may measure wrongly. For example, cli-table3 counts combining marks of Hindi and
 * Thai as characters, and new emoji as narrow. Returns a text of printable ASCII without colors unchanged.
 */
function placeholderFor({ text, painted }: AlignedCell, hidden: string[]): string {
  if (painted === undefined && PLAIN.test(text)) return text;
  hidden.push(painted ?? text);
  return '\ue000'.repeat(Math.max(1, displayWidth(text)));
}

const PLAIN = /^[\x20-\x7e]*$/;
const STAND_INS = /\ue000+/g;
