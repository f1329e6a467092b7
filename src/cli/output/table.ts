/** Writes a list as a table without borders, as gh and kubectl do. */

import { CAMPAIGN_TAG_AT_END } from '../../client/record-title.ts';
import { truncateToWidth, wrapLinesBreakingWords } from '../../text/display-width.ts';
import type { OutputStream } from '../outside/context.ts';
import { type AlignTableLines, loadTableAligner } from './align.ts';
import { groupRowsIntoBlocks } from './blocks.ts';
import { withBufferedWrites } from './buffered.ts';
import {
  type Cell,
  type CellFormatContext,
  createCellFormatContext,
  formatTimeWithRelativeTime,
} from './cell.ts';
import { type ColourPainter, loadColourPainter } from './colour.ts';
import { writeItemDetails } from './details.ts';
import {
  cellsOf,
  createCellAnnotatorForColumns,
  layOutTableWithRecordNames,
  noteOmittedColumns,
  type TableLayout,
} from './layout.ts';
import { lookUpNamesForCells } from './names.ts';
import { wrapNoteText } from './note-lines.ts';
import type { Column } from './result.ts';
import type { TableOptions, WriteText } from './table-options.ts';
import type { ResultView } from './view.ts';

/** Writes a list as a table, or one item as a list of its attributes. Notes (zone, omitted columns, no rows) go to `err`. */
export async function writeTable(
  view: ResultView,
  tableOptions: TableOptions,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  let zone: Promise<string> | undefined;
  const options: TableOptions = {
    ...tableOptions,
    zone: () => {
      zone ??= tableOptions.zone();
      return zone;
    },
  };
  const paint = await loadColourPainter(options.colour);
  const notes: string[] = [];
  await withBufferedWrites(out, async (write) => {
    if (options.plain) return (await import('./plain-rows.ts')).writePlainRows(view, options, write, notes);
    if (view.isSingle) return writeItemDetails(view, options, paint, write);
    return writeRows(view, options, paint, write, notes);
  });
  if (notes.length > 0 && !options.quiet) await err.write(await wrapNoteText(err, `${notes.join('\n')}\n`));
}

/**
 * Writes the rows. The first thousand rows decide the widths of the columns. In a later row, a cell that is wider than its column shifts
 * the cells to its right.
 */
async function writeRows(
  view: ResultView,
  options: TableOptions,
  paint: ColourPainter,
  write: WriteText,
  notes: string[],
): Promise<void> {
  const { header, width, names } = options;
  const fitting = { header, width, keepAll: view.chosen !== undefined };
  const layOut = await loadTableAligner();
  let layout: TableLayout | undefined;
  let named: ReadonlySet<Column> = new Set();
  let zone: string | undefined;
  for await (const rows of groupRowsIntoBlocks(view.rows)) {
    const columns = layout?.columns ?? view.chosen ?? view.columns;
    const reading = {
      ...(await createCellFormatContext(columns, rows, options)),
      tagged: width !== undefined,
    };
    if (reading.timed) zone = reading.zone;
    const ask = async (shown: readonly Column[]): Promise<CellFormatContext['annotate']> => {
      const nameOf = await lookUpNamesForCells(shown, rows, names);
      return (column, row) => nameOf(column, row) ?? formatTimeWithRelativeTime(column, row, reading);
    };
    if (layout === undefined) {
      ({ layout, named } = await layOutTableWithRecordNames(columns, rows, reading, fitting, ask));
      const headings = [layout.headings.map((text) => ({ text }))];
      const lines = header ? linesOf(headings, layout, layOut, paint) : [];
      for (const line of lines) await write(`${paint.heading(line)}\n`);
    }
    const nameOf = createCellAnnotatorForColumns(named, await ask([...named]));
    const cells = cellsOf(layout.columns, rows, { ...reading, annotate: nameOf });
    for (const line of linesOf(cells, layout, layOut, paint)) await write(`${line}\n`);
  }
  if (layout === undefined) notes.push(view.empty);
  if (zone !== undefined && layout?.columns.some(({ kind }) => kind === 'timestamp')) {
    notes.push(`Times are in ${zone}.`);
  }
  if (layout !== undefined) notes.push(...noteOmittedColumns(layout));
}

function linesOf(
  rows: readonly (readonly Cell[])[],
  { widths, rightAligned, truncation: cut }: TableLayout,
  layOut: AlignTableLines,
  paint: ColourPainter,
): readonly string[] {
  const lines = rows.flatMap((cells) => wrappedCells(cells, widths, cut));
  const shown = lines.map((cells) =>
    widths.map((width, index) => {
      const { text, tone } = cells[index] ?? { text: '' };
      const fitted = cut[index] === 'never' ? text : truncateToWidth(text, width);
      const painted =
        tone === undefined
          ? fitted.replace(CAMPAIGN_TAG_AT_END, (tag) => paint.faint(tag))
          : paint[tone](fitted);
      return painted === fitted ? { text: fitted } : { text: fitted, painted };
    }),
  );
  return layOut(shown, { widths, rightAligned });
}

/** Returns the lines of a row. Only wrapped columns have text after the first line. */
function wrappedCells(
  cells: readonly Cell[],
  widths: TableLayout['widths'],
  cut: TableLayout['truncation'],
): readonly (readonly Cell[])[] {
  if (!cut.includes('wrap')) return [cells];
  const parts = cells.map((cell, index) =>
    cut[index] === 'wrap'
      ? wrapLinesBreakingWords(cell.text, widths[index] ?? 0).map((text) => ({ ...cell, text }))
      : [cell],
  );
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) => parts.map((each) => each[line] ?? { text: '' }));
}
