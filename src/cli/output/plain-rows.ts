/** Writes tables for screen readers: each value after its name, times with their zone, an empty line between rows. */
import { blocksOf } from './blocks.ts';
import { linesIn, oneLine, readingFor } from './cell.ts';
import { shownColumns } from './details.ts';
import { namesForCells } from './names.ts';
import type { TableOptions, Write } from './tabling.ts';
import type { View } from './view.ts';

export async function writePlainRows(
  view: View,
  options: TableOptions,
  write: Write,
  notes: string[],
): Promise<void> {
  let isFirst = true;
  const columns = view.chosen ?? (view.one ? shownColumns(view) : view.columns);
  for await (const rows of blocksOf(view.rows)) {
    const reading = await readingFor(columns, rows, options);
    const named = await namesForCells(columns, rows, options.names);
    for (const row of rows) {
      const lines = columns.map((column) => {
        const value = linesIn(column, row, { ...reading, named }).map(({ text }) => text);
        return `${oneLine(column.title?.toLowerCase() ?? column.name)}: ${value.join('\n  ')}\n`;
      });
      await write(`${isFirst ? '' : '\n'}${lines.join('')}`);
      isFirst = false;
    }
  }
  if (isFirst) notes.push(view.empty);
}
