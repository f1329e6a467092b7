/** Writes tables for screen readers: each value after its name, times with their zone, an empty line between rows. */
import { groupRowsIntoBlocks } from './blocks.ts';
import { createCellFormatContext, formatCellLines, oneLine } from './cell.ts';
import { selectDetailColumns } from './details.ts';
import { lookUpNamesForCells } from './names.ts';
import type { TableOptions, WriteText } from './table-options.ts';
import type { ResultView } from './view.ts';

/** Writes the rows as lines `name: value`. Adds the lines that belong on stderr to `notes`. */
export async function writePlainRows(
  view: ResultView,
  options: TableOptions,
  write: WriteText,
  notes: string[],
): Promise<void> {
  let isFirst = true;
  const columns = view.chosen ?? (view.isSingle ? selectDetailColumns(view) : view.columns);
  for await (const rows of groupRowsIntoBlocks(view.rows)) {
    const reading = await createCellFormatContext(columns, rows, options);
    const named = await lookUpNamesForCells(columns, rows, options.names);
    for (const row of rows) {
      const lines = columns.map((column) => {
        const value = formatCellLines(column, row, { ...reading, annotate: named }).map(({ text }) => text);
        return `${oneLine(column.title?.toLowerCase() ?? column.name)}: ${value.join('\n  ')}\n`;
      });
      await write(`${isFirst ? '' : '\n'}${lines.join('')}`);
      isFirst = false;
    }
  }
  if (isFirst) notes.push(view.empty);
}
