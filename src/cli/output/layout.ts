/** Chooses the columns of a table and their widths from its first rows. */
import type { JsonObject } from '../../protocol/envelope.ts';
import { displayWidth } from '../../text/display-width.ts';
import { formatCountWithNoun } from '../../text/words.ts';
import { type Cell, type CellFormatContext, cellOf, formatColumnHeading } from './cell.ts';
import type { Column } from './result.ts';
import { readNonInheritedAttribute } from './view.ts';
import { COLUMN_IMPORTANCE, type ColumnImportance, type ColumnWidthNeed, fitColumnWidths } from './widths.ts';

export interface TableLayout {
  readonly columns: readonly Column[];
  readonly headings: readonly string[];
  readonly widths: readonly number[];
  readonly rightAligned: readonly boolean[];
  /** Kind of truncation that each column allows, in the order of the columns. */
  readonly truncation: readonly ColumnWidthNeed['truncation'][];
  /** True if texts were truncated. */
  readonly isCut: boolean;
  /** Names of the columns that were omitted. */
  readonly hidden: readonly string[];
}

export interface TableLayoutOptions {
  readonly header: boolean;
  /** Width of the terminal in columns. If undefined, nothing is truncated or omitted. */
  readonly width: number | undefined;
  /** True if the user asked for every column. */
  readonly keepAll: boolean;
}

/**
 * Returns the layout of a table. Where a column has room, shows ids with names (`Newsletter (1)`), and shows with each time how far the
 * time is from now (`in 3 days`). Never omits or truncates a column to make room for these additions. Requests names only for the columns
 * that the table shows.
 */
export async function layOutTableWithRecordNames(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  context: CellFormatContext,
  options: TableLayoutOptions,
  namesOf: (columns: readonly Column[]) => Promise<CellFormatContext['annotate']>,
): Promise<{ readonly layout: TableLayout; readonly named: ReadonlySet<Column> }> {
  const laidOut = (named: CellFormatContext['annotate']): TableLayout =>
    layoutOf(columns, rows, cellsOf(columns, rows, { ...context, annotate: named }), options);
  const bare = laidOut(() => undefined);
  let layout = bare;
  const nameOf = await namesOf(bare.columns);
  let named: ReadonlySet<Column> = new Set();
  const widthIn = ({ columns: shown, widths }: TableLayout, column: Column): number =>
    widths[shown.indexOf(column)] ?? 0;
  const mayHaveMore = ({ reference, showsRelativeTime }: Column): boolean =>
    reference !== undefined || (context.showsRelativeTimes && showsRelativeTime === true);
  for (const column of bare.columns.filter(mayHaveMore)) {
    const more = new Set([...named, column]);
    const tried = laidOut(createCellAnnotatorForColumns(more, nameOf));
    if (!bare.columns.every((each) => widthIn(tried, each) >= widthIn(bare, each))) continue;
    named = more;
    layout = tried;
  }
  return { layout, named };
}

/**
 * Returns a function that calls `annotate` for the given columns, and returns undefined for all other columns. `annotate` adds a name to an
 * id, as in `Newsletter (1)`, or adds to a time how far the time is from now, as in `(in 3 days)`.
 */
export const createCellAnnotatorForColumns =
  (columns: ReadonlySet<Column>, annotate: CellFormatContext['annotate']): CellFormatContext['annotate'] =>
  (column, row) =>
    columns.has(column) ? annotate(column, row) : undefined;

/** Returns the cells of each row, in the order of the columns. */
export const cellsOf = (
  columns: readonly Column[],
  rows: readonly JsonObject[],
  context: CellFormatContext,
): readonly (readonly Cell[])[] => rows.map((row) => columns.map((column) => cellOf(column, row, context)));

function layoutOf(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  cells: readonly (readonly Cell[])[],
  { header, width, keepAll }: TableLayoutOptions,
): TableLayout {
  const headings = columns.map(formatColumnHeading);
  const needs = columns.map((column, index): ColumnWidthNeed => {
    const texts = new Set(cells.map((line) => line[index]?.text ?? ''));
    const widest = Math.max(0, ...[...texts].map(displayWidth));
    return {
      contentWidth: Math.max(widest, header ? displayWidth(headings[index] ?? '') : 0),
      truncation: width === undefined ? 'never' : truncationOf(column, rows),
      rank: rankOf(column, rows.length > 1 && texts.size === 1),
    };
  });
  const widths = fitColumnWidths(needs, width, keepAll);
  const shown = <T>(values: readonly T[]): readonly T[] =>
    values.filter((_, index) => widths[index] !== undefined);
  return {
    columns: shown(columns),
    headings: shown(headings),
    widths: widths.filter((each) => each !== undefined),
    rightAligned: shown(columns.map((column) => isNumber(column, rows))),
    truncation: shown(needs.map(({ truncation: cut }) => cut)),
    isCut: needs.some(
      ({ contentWidth: natural, truncation: cut }, index) =>
        cut !== 'wrap' && (widths[index] ?? Infinity) < natural,
    ),
    hidden: columns.filter((_, index) => widths[index] === undefined).map(({ name }) => name),
  };
}

/**
 * Returns how the column may be truncated. Ids, times and states are never truncated, because a part of them would be wrong or meaningless.
 */
function truncationOf(column: Column, rows: readonly JsonObject[]): ColumnWidthNeed['truncation'] {
  const { name, kind, role, reference, wraps } = column;
  if (wraps) return 'wrap';
  if (name === 'id' || name.endsWith('_id') || role === 'state' || reference) return 'never';
  if (isName(column)) return 'name';
  const isText =
    kind === undefined
      ? rows.some((row) => typeof readNonInheritedAttribute(row, name) === 'string')
      : kind === 'text';
  return isText ? 'text' : 'never';
}

const isName = ({ name, role }: Column): boolean => role === 'name' || name === 'name';

/** Names of columns that show what a row is about, such as the subject or the recipient of a message. */
const SUBJECTS: readonly string[] = [
  ...['subject', 'message', 'text', 'summary', 'to', 'email', 'msisdn', 'contactdata', 'username', 'value'],
];

/** Reports whether the column holds times. Operations of the sandbox return times as texts in a column named `time`. */
const isTime = ({ name, kind }: Column): boolean => kind === 'timestamp' || name === 'time';

function rankOf(column: Column, isConstant: boolean): ColumnImportance {
  if (column.name === 'id') return COLUMN_IMPORTANCE.id;
  if (column.keep ?? (isName(column) || SUBJECTS.includes(column.name))) return COLUMN_IMPORTANCE.essential;
  return isConstant && !isTime(column) ? COLUMN_IMPORTANCE.constant : COLUMN_IMPORTANCE.ordinary;
}

function isNumber({ name, kind, reference }: Column, rows: readonly JsonObject[]): boolean {
  // A name may stand before the id.
  if (reference) return false;
  if (kind !== undefined) return kind === 'number';
  const values = rows
    .map((row) => readNonInheritedAttribute(row, name) ?? null)
    .filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number' || typeof value === 'bigint');
}

/** Returns the note after the table: which columns were omitted, and how to see everything. */
export function noteOmittedColumns({ hidden, isCut }: TableLayout): readonly string[] {
  if (hidden.length === 0) return isCut ? ['Long texts are cut. Use --wide.'] : [];
  const named = hidden.length > MAX_NAMED ? [...hidden.slice(0, MAX_NAMED - 1), '…'] : hidden;
  return [`${formatCountWithNoun(hidden.length, 'column')} hidden (${named.join(', ')}). Use --wide.`];
}

const MAX_NAMED = 3;
