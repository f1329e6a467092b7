/** Shows one item as a list of its attributes, one per line. Long texts continue on the next line and are never truncated. */
import { displayWidth, wrapLinesKeepingWords } from '../../text/display-width.ts';
import { loadTableAligner } from './align.ts';
import { createCellFormatContext, formatCellLines, oneLine } from './cell.ts';
import type { ColourPainter } from './colour.ts';
import { lookUpNamesForCells } from './names.ts';
import type { Column } from './result.ts';
import type { TableOptions, WriteText } from './table-options.ts';
import { type ResultView, undeclaredColumns } from './view.ts';
import { COLUMN_GAP_SPACES } from './widths.ts';

/** Writes the first row of the view as a list of its attributes. */
export async function writeItemDetails(
  view: ResultView,
  options: TableOptions,
  paint: ColourPainter,
  write: WriteText,
): Promise<void> {
  const row = view.first ?? {};
  const columns = view.chosen ?? selectDetailColumns(view);
  const reading = await createCellFormatContext(columns, [row], options);
  const named = await lookUpNamesForCells(columns, [row], options.names);
  const names = columns.map(({ name, title }) => oneLine(title ?? name));
  const widest = Math.max(...['ATTRIBUTE', ...names].map(displayWidth));
  const room =
    options.width === undefined ? undefined : Math.max(NARROWEST, options.width - widest - COLUMN_GAP_SPACES);
  const cells = columns.flatMap((column, index) => {
    const lines = formatCellLines(column, row, { ...reading, annotate: named }, room).flatMap(
      ({ text, tone }) => {
        const parts = room === undefined ? [text] : wrapLinesKeepingWords(text, room);
        return parts.map((part) =>
          tone === undefined ? { text: part } : { text: part, painted: paint[tone](part) },
        );
      },
    );
    return lines.map((line, at) => [{ text: at === 0 ? (names[index] ?? '') : '' }, line]);
  });
  const heading = options.header ? [[{ text: 'ATTRIBUTE' }, { text: 'VALUE' }]] : [];
  const lines = (await loadTableAligner())([...heading, ...cells], { widths: [widest, 0] });
  for (const [index, line] of lines.entries()) {
    await write(`${options.header && index === 0 ? paint.heading(line) : line}\n`);
  }
}

const NARROWEST = 20;

/**
 * Returns a column for each attribute of the item. If svc computes a word from attributes, such as the state of a task, the word replaces
 * these attributes.
 */
export function selectDetailColumns({ declared, columns, first: row = {} }: ResultView): readonly Column[] {
  const has = (name: string): boolean => Object.hasOwn(row, name);
  const words = columns.filter(({ computed: workedOut }) => workedOut?.from.every(has));
  const shown = declared
    .filter(({ name }) => has(name))
    .flatMap((column) => {
      const word = words.find(({ computed: workedOut }) => workedOut?.from.includes(column.name));
      if (word === undefined) return [column];
      return word.computed?.from[0] === column.name ? [word] : [];
    });
  return [...shown, ...undeclaredColumns(declared, row)];
}
