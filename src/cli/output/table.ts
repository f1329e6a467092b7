/** Writes a list as a table without borders, as gh and kubectl do, or one item as a list of its attributes. */

import {
  displayWidth,
  truncateToWidth,
  wrapLinesBreakingWords,
  wrapLinesKeepingWords,
} from '../../kit/text/display-width.ts';
import { CAMPAIGN_SIGN_AT_END } from '../../service/resources/campaign-mark.ts';
import type { OutputStream } from '../outside/context.ts';
import {
  type Cell,
  type CellFormatContext,
  createCellFormatContext,
  formatCellLines,
  formatTimeWithRelativeTime,
  lookUpNamesForCells,
  oneLine,
} from './cell.ts';
import { type ColourPainter, loadColourPainter } from './colour.ts';
import {
  COLUMN_GAP_SPACES,
  cellsOf,
  createCellAnnotatorForColumns,
  layOutTableWithRecordNames,
  noteOmittedColumns,
  type TableLayout,
} from './layout.ts';
import { wrapNoteText } from './note-lines.ts';
import type { Column, ResultOptions, Row } from './result.ts';
import { type ResultView, undeclaredColumns, withBufferedWrites } from './view.ts';

/** Notes (zone, omitted columns, no rows) go to `err`. */
export async function writeTable(
  view: ResultView,
  resultOptions: ResultOptions,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  let zone: Promise<string> | undefined;
  const options: ResultOptions = {
    ...resultOptions,
    zone: () => {
      zone ??= resultOptions.zone();
      return zone;
    },
  };
  const paint = await loadColourPainter(options.colour);
  const notes: string[] = [];
  await withBufferedWrites(out, async (write) => {
    if (options.plain) return writePlainRows(view, options, write, notes);
    if (view.isSingle) return writeItemDetails(view, options, paint, write);
    return writeRows(view, options, paint, write, notes);
  });
  if (notes.length > 0 && !options.quiet) await err.write(await wrapNoteText(err, `${notes.join('\n')}\n`));
}

/** The first thousand rows decide the widths of the columns. In a later row, a wider cell shifts the cells to its right. */
async function writeRows(
  view: ResultView,
  options: ResultOptions,
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
    const reading = await createCellFormatContext(columns, rows, options);
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
          ? fitted.replace(CAMPAIGN_SIGN_AT_END, (sign) => paint.faint(sign))
          : paint[tone](fitted);
      return painted === fitted ? { text: fitted } : { text: fitted, painted };
    }),
  );
  return layOut(shown, { widths, rightAligned });
}

/** Only wrapped columns have text after the first line. */
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

type WriteText = (text: string) => Promise<void>;

async function* groupRowsIntoBlocks(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let block: Row[] = [];
  for await (const row of rows) {
    block.push(row);
    if (block.length < BLOCK) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}

const BLOCK = 1000;

/** Long texts continue on the next line and are never truncated. */
async function writeItemDetails(
  view: ResultView,
  options: ResultOptions,
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
    const [name, value] = cells[index - heading.length] ?? [];
    const width = displayWidth(value?.text ?? '');
    // A word that is too wide for its column, but not for the terminal, gets a line of its own.
    const isWide = room !== undefined && width > room && width + COLUMN_GAP_SPACES <= (options.width ?? 0);
    if (isWide) await write(`${name?.text === '' ? '' : `${name?.text}\n`}  ${value?.text}\n`);
    else await write(`${options.header && index === 0 ? paint.heading(line) : line}\n`);
  }
}

const NARROWEST = 20;

/** A word that svc computes from attributes, such as the state of a task, replaces these attributes. */
function selectDetailColumns({ declared, columns, first: row = {} }: ResultView): readonly Column[] {
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

/** An empty line separates rows. Adds lines for stderr to `notes`. */
async function writePlainRows(
  view: ResultView,
  options: ResultOptions,
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

interface AlignedCell {
  readonly text: string;
  /** Text with color codes, to print instead. */
  readonly painted?: string;
}

/** A wider cell widens its column only in its own block of 100 lines. */
type AlignTableLines = (
  lines: readonly (readonly AlignedCell[])[],
  columns: { readonly widths: readonly number[]; readonly rightAligned?: readonly boolean[] },
) => readonly string[];

/** The running time of cli-table3 grows with the square of this number. */
const MAX_LINES_PER_TABLE = 100;

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

/** Call it only when a table is printed, because it loads cli-table3. */
async function loadTableAligner(): Promise<AlignTableLines> {
  const { default: Table } = await import('cli-table3');
  return (lines, { widths, rightAligned = [] }) => {
    const laidOut: string[] = [];
    for (let start = 0; start < lines.length; start += MAX_LINES_PER_TABLE) {
      const block = lines.slice(start, start + MAX_LINES_PER_TABLE);
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

/** cli-table3 would measure the text wrongly: it counts combining marks as characters, and new emoji as narrow. */
function placeholderFor({ text, painted }: AlignedCell, hidden: string[]): string {
  if (painted === undefined && PLAIN.test(text)) return text;
  hidden.push(painted ?? text);
  return '\ue000'.repeat(Math.max(1, displayWidth(text)));
}

const PLAIN = /^[\x20-\x7e]*$/;
const STAND_INS = /\ue000+/g;
