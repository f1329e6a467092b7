/** Chooses the columns of a table and their widths from its first rows. */
import { displayWidth } from '../../kit/text/display-width.ts';
import { formatCountWithNoun } from '../../kit/text/words.ts';
import { type Cell, type CellFormatContext, cellOf, formatColumnHeading } from './cell.ts';
import type { Column, Row } from './result.ts';
import { readNonInheritedAttribute } from './view.ts';

export interface TableLayout {
  readonly columns: readonly Column[];
  readonly headings: readonly string[];
  readonly widths: readonly number[];
  readonly rightAligned: readonly boolean[];
  readonly truncation: readonly ColumnWidthNeed['truncation'][];
  readonly isCut: boolean;
  readonly hidden: readonly string[];
}

interface TableLayoutOptions {
  readonly header: boolean;
  /** Undefined if nothing is truncated or omitted. */
  readonly width: number | undefined;
  readonly keepAll: boolean;
}

/** Adds names to ids (`Newsletter (1)`) and `in 3 days` to times only where a column has room. */
export async function layOutTableWithRecordNames(
  columns: readonly Column[],
  rows: readonly Row[],
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

export const createCellAnnotatorForColumns =
  (columns: ReadonlySet<Column>, annotate: CellFormatContext['annotate']): CellFormatContext['annotate'] =>
  (column, row) =>
    columns.has(column) ? annotate(column, row) : undefined;

export const cellsOf = (
  columns: readonly Column[],
  rows: readonly Row[],
  context: CellFormatContext,
): readonly (readonly Cell[])[] => rows.map((row) => columns.map((column) => cellOf(column, row, context)));

function layoutOf(
  columns: readonly Column[],
  rows: readonly Row[],
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
      rank: repeatsEarlierColumn(columns, index, cells)
        ? COLUMN_IMPORTANCE.repeated
        : rankOf(column, rows, rows.length > 1 && texts.size === 1),
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

/** Ids, times and states are never truncated, because a part of them would be wrong or meaningless. */
function truncationOf(column: Column, rows: readonly Row[]): ColumnWidthNeed['truncation'] {
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

/** Columns that show what a row is about. */
const SUBJECTS: readonly string[] = [
  ...['subject', 'message', 'text', 'summary', 'to', 'email', 'msisdn', 'contactdata', 'username', 'value'],
  'target',
];

/** Operations of the sandbox return times as texts in a column named `time`. */
const isTime = ({ name, kind }: Column): boolean => kind === 'timestamp' || name === 'time';

function rankOf(column: Column, rows: readonly Row[], isConstant: boolean): ColumnImportance {
  if (column.name === 'id') return COLUMN_IMPORTANCE.id;
  const showsSubject = isName(column) || SUBJECTS.includes(column.name);
  const isEmpty = isConstant && (readNonInheritedAttribute(rows[0] ?? {}, column.name) ?? null) === null;
  if (column.keep ?? (showsSubject && !isEmpty)) return COLUMN_IMPORTANCE.essential;
  return isConstant && !isTime(column) ? COLUMN_IMPORTANCE.constant : COLUMN_IMPORTANCE.ordinary;
}

/** For example, the id of an account repeats that of the company. */
function repeatsEarlierColumn(
  columns: readonly Column[],
  index: number,
  cells: readonly (readonly Cell[])[],
): boolean {
  const [column] = columns.slice(index);
  if (column === undefined || cells.length === 0 || !(column.name === 'id' || isName(column))) return false;
  return columns.slice(0, index).some((_, at) => cells.every((line) => line[at]?.text === line[index]?.text));
}

function isNumber({ name, kind, reference }: Column, rows: readonly Row[]): boolean {
  // A name may stand before the id.
  if (reference) return false;
  if (kind !== undefined) return kind === 'number';
  const values = rows
    .map((row) => readNonInheritedAttribute(row, name) ?? null)
    .filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number' || typeof value === 'bigint');
}

export function noteOmittedColumns({ hidden, isCut }: TableLayout): readonly string[] {
  if (hidden.length === 0) return isCut ? ['Long texts are cut. Use --wide.'] : [];
  const named = hidden.length > MAX_NAMED ? [...hidden.slice(0, MAX_NAMED - 1), '…'] : hidden;
  return [`${formatCountWithNoun(hidden.length, 'column')} hidden (${named.join(', ')}). Use --wide.`];
}

const MAX_NAMED = 3;

export const COLUMN_GAP_SPACES = 2;

interface ColumnWidthNeed {
  readonly contentWidth: number;
  /**
   * Kind of truncation that the column allows. `text`: may be truncated. `name`: only if truncating the texts is not enough. `wrap`: none,
   * because the text continues on the next line. `never`: none, for an id, a number, a time or a state.
   */
  readonly truncation: 'text' | 'name' | 'wrap' | 'never';
  /** Less important columns are omitted first, and columns with the same rank from right to left. */
  readonly rank: ColumnImportance;
}

export const COLUMN_IMPORTANCE = {
  /** A column that repeats an earlier one in every row. */
  repeated: -1,
  /** A column with the same value in every row. */
  constant: 0,
  ordinary: 1,
  /** Column that shows what the row is about: a name, a subject, a recipient. */
  essential: 2,
  id: 3,
} as const;

type ColumnImportance = (typeof COLUMN_IMPORTANCE)[keyof typeof COLUMN_IMPORTANCE];

/**
 * Returns the width of each column, or undefined for a column that is omitted. If the table is too wide, takes these steps until the table
 * fits:
 * 1. Omits columns that repeat an earlier column, and then columns with the same value in every row.
 * 2. Truncates texts and names, but not below a readable width (`comfortableWidth`).
 * 3. Omits other columns that are not essential.
 * 4. Truncates texts and names in the essential columns, down to 12 characters.
 * 5. Omits essential columns, except the most important one.
 * @param width the width of the terminal in columns; if undefined, nothing is truncated or omitted
 * @param keepAll true if the user asked for every column: texts are truncated first, then names; if that is not enough, lines exceed
 * `width`
 */
export function fitColumnWidths(
  needs: readonly ColumnWidthNeed[],
  width: number | undefined,
  keepAll: boolean,
): readonly (number | undefined)[] {
  const natural = needs.map((need) => need.contentWidth);
  if (width === undefined || lineWidth(natural) <= width) return natural;
  const kept = keepAll ? new Set(needs) : keptColumns(needs, width);
  const widths = shrinkWidths([...kept], width);
  const widthOf = new Map([...kept].map((need, index) => [need, widths[index]]));
  return needs.map((need) => widthOf.get(need));
}

function keptColumns(needs: readonly ColumnWidthNeed[], width: number): ReadonlySet<ColumnWidthNeed> {
  const byRank = [...needs].sort((one, other) => other.rank - one.rank);
  const kept = new Set(byRank.slice(0, 1));
  let isShort = false;
  for (const need of byRank.slice(1)) {
    // A column that is the same in every row never replaces one that tells something.
    if (need.rank <= COLUMN_IMPORTANCE.constant && isShort) continue;
    const widths = [...kept, need].map((each) => minWidthBeside(need, each, width));
    if (lineWidth(widths) <= width) kept.add(need);
    else isShort = true;
  }
  return new Set(needs.filter((need) => kept.has(need)));
}

/** An essential column beside `shown` may shrink it to its minimum, an ordinary one to a readable width, and any other not at all. */
function minWidthBeside({ rank }: ColumnWidthNeed, shown: ColumnWidthNeed, width: number): number {
  if (rank <= COLUMN_IMPORTANCE.constant) return shown.contentWidth;
  return rank >= COLUMN_IMPORTANCE.essential ? leastWidth(shown) : comfortableWidth(shown, width);
}

/** Maximum width of a short text, such as an e-mail address. svc omits ordinary columns first, because half an address is useless. */
const SHORT_TEXT = 30;
const USEFUL_TEXT = 20;
/** Applies to a text that shows what the row is about. */
const USEFUL_SUBJECT = 30;
/** Readable width of a column of names, as a share of the terminal. Only an essential column makes it narrower, down to `MIN_WIDTH`. */
const SHARE_OF_NAME = 0.4;
const MIN_WIDTH = 12;

const leastWidth = ({ contentWidth: natural, truncation: cut }: ColumnWidthNeed): number =>
  cut === 'never' ? natural : Math.min(natural, MIN_WIDTH);

function comfortableWidth(
  { contentWidth: natural, truncation: cut, rank }: ColumnWidthNeed,
  width: number,
): number {
  if (cut === 'never' || (cut === 'text' && natural <= SHORT_TEXT)) return natural;
  // A name that is not what the row is about, such as the company's, takes no more room than a text.
  if (cut === 'name' && rank === COLUMN_IMPORTANCE.essential)
    return Math.min(natural, Math.max(USEFUL_TEXT, Math.floor(SHARE_OF_NAME * width)));
  return Math.min(
    natural,
    rank === COLUMN_IMPORTANCE.essential && cut === 'text' ? USEFUL_SUBJECT : USEFUL_TEXT,
  );
}

function shrinkWidths(needs: readonly ColumnWidthNeed[], width: number): readonly number[] {
  const texts = fitted(needs, width, ['text', 'wrap'], USEFUL_TEXT);
  return lineWidth(texts) <= width ? texts : fitted(needs, width, ['text', 'wrap', 'name'], MIN_WIDTH);
}

function fitted(
  needs: readonly ColumnWidthNeed[],
  width: number,
  which: readonly ColumnWidthNeed['truncation'][],
  least: number,
): readonly number[] {
  const cappedAt = (cap: number) =>
    needs.map(({ contentWidth: natural, truncation: cut }) =>
      which.includes(cut) ? Math.min(natural, cap) : natural,
    );
  let low = least;
  let high = Math.max(low, ...needs.map(({ contentWidth: natural }) => natural));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lineWidth(cappedAt(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cappedAt(low);
}

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + COLUMN_GAP_SPACES * (widths.length - 1);
