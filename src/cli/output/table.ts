/** Tables without lines, as gh and kubectl show them. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { displayWidth, truncateToWidth } from '../../text/display-width.ts';
import { isTimezone } from '../../text/timezone.ts';
import type { OutputStream } from '../outside/context.ts';
import { buffered } from './buffered.ts';
import { cellText, headingText, isTime, wholeText } from './cell.ts';
import { type Painter, painterFor } from './colour.ts';
import { type LayOut, loadLayOut } from './lay-out.ts';
import type { Column } from './result.ts';
import { undeclaredColumns, type View, valueIn } from './view.ts';
import { fitWidths } from './widths.ts';

export interface Tabling {
  readonly header: boolean;
  readonly colour: boolean;
  /** No notes on stderr. */
  readonly quiet?: boolean;
  /** Columns of the terminal; undefined: nothing is cut and nothing left out. */
  readonly width: number | undefined;
  /** The company's timezone; asked for only where there is a time to show. */
  readonly zone: () => Promise<string>;
}

/** A list as a table, one item as a list of its attributes. Notes (zone, columns left out, no rows) go to `err`. */
export async function writeTable(
  view: View,
  options: Tabling,
  out: OutputStream,
  err: OutputStream,
): Promise<void> {
  const paint = await painterFor(options.colour);
  const notes: string[] = [];
  await buffered(out, async (write) => {
    if (view.one) await writeOne(view, options, paint, write);
    else await writeRows(view, options, paint, write, notes);
  });
  if (notes.length > 0 && !options.quiet) await err.write(`${notes.join('\n')}\n`);
}

type Write = (text: string) => Promise<void>;

/** Columns get their widths from the first thousand rows; wider cells after them push their line aside. */
async function writeRows(
  view: View,
  options: Tabling,
  paint: Painter,
  write: Write,
  notes: string[],
): Promise<void> {
  let layout: Layout | undefined;
  let zone: string | undefined;
  const layOut = await loadLayOut();
  for await (const rows of inBlocks(view.rows)) {
    const columns = layout?.columns ?? view.chosen ?? view.columns;
    if (rows.some((row) => columns.some((column) => isTime(column, valueIn(row, column.name))))) {
      zone ??= knownZone(await options.zone());
    }
    const cells = rows.map((row) =>
      columns.map((column) => cellText(column, valueIn(row, column.name), zone ?? 'UTC')),
    );
    if (layout === undefined) {
      layout = layoutOf(columns, rows, cells, options, view.chosen !== undefined);
      if (options.header) {
        for (const line of linesOf([layout.headings], layout, layOut))
          await write(`${paint.heading(line)}\n`);
      }
    }
    for (const line of linesOf(cells, layout, layOut)) await write(`${line}\n`);
  }
  if (layout === undefined) notes.push(view.empty);
  if (zone !== undefined && layout?.columns.some(({ kind }) => kind === 'timestamp')) {
    notes.push(`Times are in ${zone}.`);
  }
  if (layout !== undefined && layout.leftOut.length > 0) {
    notes.push(`Left out for width: ${layout.leftOut.join(', ')}. --fields chooses, -o json shows all.`);
  }
}

async function writeOne(view: View, options: Tabling, paint: Painter, write: Write): Promise<void> {
  const row = view.first ?? {};
  const columns = view.chosen ?? [
    ...view.declared.filter(({ name }) => Object.hasOwn(row, name)),
    ...undeclaredColumns(view.declared, row),
  ];
  const timed = columns.some((column) => isTime(column, valueIn(row, column.name)));
  const zone = timed ? knownZone(await options.zone()) : 'UTC';
  const names = columns.map(({ name, title }) => cellText({ name }, title ?? name, zone));
  const cells = columns.flatMap((column, index) => {
    const [first = '', ...more] = wholeText(column, valueIn(row, column.name), zone);
    return [[names[index] ?? '', first], ...more.map((line) => ['', line])];
  });
  const heading = options.header ? [['ATTRIBUTE', 'VALUE']] : [];
  const widths = [Math.max(...['ATTRIBUTE', ...names].map(displayWidth)), 0];
  const lines = (await loadLayOut())([...heading, ...cells], { widths });
  for (const [index, line] of lines.entries()) {
    await write(`${options.header && index === 0 ? paint.heading(line) : line}\n`);
  }
}

interface Layout {
  readonly columns: readonly Column[];
  readonly headings: readonly string[];
  readonly widths: readonly number[];
  readonly rightAligned: readonly boolean[];
  /** Which columns' texts are cut where they are wider. */
  readonly cut: readonly boolean[];
  readonly leftOut: readonly string[];
}

function layoutOf(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  cells: readonly (readonly string[])[],
  { header, width }: Tabling,
  keepAll: boolean,
): Layout {
  const headings = columns.map(headingText);
  const lines = header ? [headings, ...cells] : cells;
  const needs = columns.map((column, index) => ({
    natural: lines.reduce((most, line) => Math.max(most, displayWidth(line[index] ?? '')), 0),
    shrinks: isText(column, rows),
  }));
  const widths = fitWidths(needs, width, keepAll);
  return {
    columns: columns.slice(0, widths.length),
    headings,
    widths,
    rightAligned: columns.map((column) => isNumber(column, rows)),
    cut: needs.map(({ shrinks }) => shrinks && width !== undefined),
    leftOut: headings.slice(widths.length).map((_, index) => columns[widths.length + index]?.name ?? ''),
  };
}

/** Texts may be cut, but never what names something: half an id names something else. */
function isText({ name, kind }: Column, rows: readonly JsonObject[]): boolean {
  if (name === 'id' || name.endsWith('_id')) return false;
  if (kind !== undefined) return kind === 'text';
  return rows.some((row) => typeof valueIn(row, name) === 'string');
}

function isNumber({ name, kind }: Column, rows: readonly JsonObject[]): boolean {
  if (kind !== undefined) return kind === 'number';
  return rows.every((row) => ['number', 'bigint'].includes(typeof (valueIn(row, name) ?? 0)));
}

function linesOf(
  lines: readonly (readonly string[])[],
  { widths, rightAligned, cut }: Layout,
  layOut: LayOut,
): readonly string[] {
  const shown = lines.map((cells) =>
    widths.map((width, index) => {
      const cell = cells[index] ?? '';
      return cut[index] ? truncateToWidth(cell, width) : cell;
    }),
  );
  return layOut(shown, { widths, rightAligned });
}

/** A zone that this machine doesn't know can't be shown in. */
const knownZone = (zone: string): string => (isTimezone(zone) ? zone : 'UTC');

async function* inBlocks(rows: AsyncIterable<JsonObject>): AsyncGenerator<readonly JsonObject[]> {
  let block: JsonObject[] = [];
  for await (const row of rows) {
    block.push(row);
    if (block.length < BLOCK) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}

const BLOCK = 1000;
