/** Chooses the columns of a table and their widths from its first rows. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { displayWidth } from '../../text/display-width.ts';
import { type Cell, cellIn, headingText, type Reading } from './cell.ts';
import type { Column } from './result.ts';
import { valueIn } from './view.ts';
import { fitWidths, type Need } from './widths.ts';

export interface Layout {
  readonly columns: readonly Column[];
  readonly headings: readonly string[];
  readonly widths: readonly number[];
  readonly rightAligned: readonly boolean[];
  /** Flags for each column: true if it truncates texts that are too wide. */
  readonly cut: readonly boolean[];
  /** Names of the columns whose texts were truncated. `leftOut` names the columns that were omitted. */
  readonly cutForWidth: readonly string[];
  readonly leftOut: readonly string[];
}

export interface Fitting {
  readonly header: boolean;
  /** Columns of the terminal. If undefined, nothing is truncated or omitted. */
  readonly width: number | undefined;
  /** True if the user asked for every column. */
  readonly keepAll: boolean;
}

/**
 * Returns the layout. Adds names to ids and distances to times where they fit, and never omits or truncates a column for them. Requests
 * names only for the columns that fit with ids alone.
 */
export async function layoutWithNames(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  reading: Reading,
  fitting: Fitting,
  namesOf: (columns: readonly Column[]) => Promise<Reading['named']>,
): Promise<{ readonly layout: Layout; readonly named: ReadonlySet<Column> }> {
  const laidOut = (named: Reading['named']): Layout =>
    layoutOf(columns, rows, cellsOf(columns, rows, { ...reading, named }), fitting);
  const bare = laidOut(() => undefined);
  let layout = bare;
  const nameOf = await namesOf(bare.columns);
  let named: ReadonlySet<Column> = new Set();
  const mayHaveMore = ({ reference, distance }: Column): boolean =>
    reference !== undefined || (reading.distances && distance === true);
  for (const column of bare.columns.filter(mayHaveMore)) {
    const more = new Set([...named, column]);
    const tried = laidOut(onlyIn(more, nameOf));
    if (!bare.widths.every((width, index) => (tried.widths[index] ?? 0) >= width)) continue;
    named = more;
    layout = tried;
  }
  return { layout, named };
}

export const onlyIn =
  (columns: ReadonlySet<Column>, nameOf: Reading['named']): Reading['named'] =>
  (column, row) =>
    columns.has(column) ? nameOf(column, row) : undefined;

export const cellsOf = (
  columns: readonly Column[],
  rows: readonly JsonObject[],
  reading: Reading,
): readonly (readonly Cell[])[] => rows.map((row) => columns.map((column) => cellIn(column, row, reading)));

function layoutOf(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  cells: readonly (readonly Cell[])[],
  { header, width, keepAll }: Fitting,
): Layout {
  const headings = columns.map(headingText);
  const needs = columns.map((column, index): Need => {
    const widest = cells.reduce((most, line) => Math.max(most, displayWidth(line[index]?.text ?? '')), 0);
    return {
      natural: Math.max(widest, header ? displayWidth(headings[index] ?? '') : 0),
      cut: cutOf(column, rows),
      leads: leads(column),
    };
  });
  const widths = fitWidths(needs, width, keepAll);
  const shown = needs.slice(0, widths.length);
  const names = (from: readonly Column[]): readonly string[] => from.map(({ name }) => name);
  return {
    columns: columns.slice(0, widths.length),
    headings: headings.slice(0, widths.length),
    widths,
    rightAligned: columns.map((column) => isNumber(column, rows)),
    cut: shown.map(({ cut }) => width !== undefined && cut !== 'never'),
    cutForWidth: names(
      columns.filter((_, index) => (widths[index] ?? Infinity) < (needs[index]?.natural ?? 0)),
    ),
    leftOut: names(columns.slice(widths.length)),
  };
}

/** Reports how a column may be truncated. Part of an id names another record, and part of a time or a state has no meaning. */
function cutOf(column: Column, rows: readonly JsonObject[]): Need['cut'] {
  const { name, kind, role, reference } = column;
  if (name === 'id' || name.endsWith('_id') || role === 'state' || reference) return 'never';
  if (isName(column)) return 'name';
  const isText =
    kind === undefined ? rows.some((row) => typeof valueIn(row, name) === 'string') : kind === 'text';
  return isText ? 'text' : 'never';
}

const isName = ({ name, role }: Column): boolean => role === 'name' || name === 'name';

const leads = (column: Column): boolean =>
  column.name === 'id' || column.kind === 'timestamp' || isName(column) || column.workedOut !== undefined;

function isNumber({ name, kind, reference }: Column, rows: readonly JsonObject[]): boolean {
  // A name may stand before the id.
  if (reference) return false;
  if (kind !== undefined) return kind === 'number';
  const values = rows.map((row) => valueIn(row, name) ?? null).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number' || typeof value === 'bigint');
}

/**
 * Returns the notes after the table: which columns were omitted or truncated, and where to see them (contract, "Numbers, ids and names,
 * once more").
 */
export function widthNotes({ leftOut, cutForWidth }: Layout): readonly string[] {
  const said = [
    ...(leftOut.length > 0 ? [`Left out for width: ${leftOut.join(', ')}.`] : []),
    ...(cutForWidth.length > 0 ? [`Cut for width: ${cutForWidth.join(', ')}.`] : []),
  ];
  return said.length === 0 ? [] : [`${said.join(' ')} To see more: --wide, --fields, -o json.`];
}
