/** Writes tables for screen readers: each value after its name, times with their zone, an empty line between rows. */
import { inBlocks } from './blocks.ts';
import { linesIn, oneLine, readingFor } from './cell.ts';
import { shownOf } from './details.ts';
import { namesIn } from './names.ts';
import type { Tabling, Write } from './tabling.ts';
import type { View } from './view.ts';

export async function writePlainRows(
  view: View,
  options: Tabling,
  write: Write,
  notes: string[],
): Promise<void> {
  let isFirst = true;
  const columns = view.chosen ?? (view.one ? shownOf(view) : view.columns);
  for await (const rows of inBlocks(view.rows)) {
    const reading = await readingFor(columns, rows, options);
    const named = await namesIn(columns, rows, options.names);
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
