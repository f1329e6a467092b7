/** Converts the values of a row to the texts that tables show. */

import { relativeTime } from '../../kit/text/duration.ts';
import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { formatTime, isTimezone } from '../../kit/text/timezone.ts';
import { formatJson } from '../../service/protocol/json.ts';
import { replaceMarksBySigns } from '../../service/resources/campaign-mark.ts';
import type { Tone } from './colour.ts';
import type { Column, NameLookup, ResultOptions, Row } from './result.ts';
import { readNonInheritedAttribute } from './view.ts';

const NOTHING = '-';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

export interface CellFormatContext {
  readonly zone: string;
  /** Unix seconds by the service's clock. */
  readonly now: number;
  /** Shows next to each time how far it is from now: `in 3 days`. */
  readonly showsRelativeTimes: boolean;
  /** Shows the mark of a campaign in a name as it is, not as a sign such as `⟨9aw0rm⟩`. */
  readonly hasWholeNames?: boolean | undefined;
  /** Returns `Newsletter (1)` for an id, `2026-12-01 09:00 (in 3 days)` for a time, and undefined for any other value. */
  readonly annotate: (column: Column, row: Row) => string | undefined;
}

const isTime = (column: Column, value: unknown): value is number =>
  column.kind === 'timestamp' && typeof value === 'number';

/** Requests the zone and the time only if a row needs them. */
export async function createCellFormatContext(
  columns: readonly Column[],
  rows: readonly Row[],
  sources: Pick<ResultOptions, 'zone' | 'now' | 'showsRelativeTimes' | 'hasWholeNames'>,
): Promise<CellFormatContext & { readonly timed: boolean }> {
  const timed = rows.some((row) =>
    columns.some((column) => isTime(column, readNonInheritedAttribute(row, column.name))),
  );
  const zone = timed ? knownZone(await sources.zone()) : 'UTC';
  const isWorkedOut = rows.length > 0 && columns.some(({ computed: workedOut }) => workedOut !== undefined);
  const showsRelativeTimes =
    timed &&
    sources.showsRelativeTimes === true &&
    columns.some(({ showsRelativeTime }) => showsRelativeTime !== undefined);
  const now = isWorkedOut || showsRelativeTimes ? ((await sources.now?.()) ?? 0) : 0;
  return {
    ...{ zone, now, timed, showsRelativeTimes, annotate: () => undefined },
    hasWholeNames: sources.hasWholeNames,
  };
}

const knownZone = (zone: string): string => (isTimezone(zone) ? zone : 'UTC');

/** Times are in `zone`, booleans are `yes` or `no`, null is `-`, and line breaks show as `↵`. */
export function cellOf(
  column: Column,
  row: Row,
  { zone, now, annotate, hasWholeNames }: CellFormatContext,
): Cell {
  if (column.computed) return column.computed.word(row, now);
  const value = readNonInheritedAttribute(row, column.name);
  if (isTime(column, value)) return { text: annotate(column, row) ?? formatTime(value, zone, 'table') };
  const text = oneLine(annotate(column, row) ?? plainText(value));
  return { text: hasWholeNames ? text : replaceMarksBySigns(text) };
}

/** Returns `2026-12-01 09:00 (in 3 days)`, or undefined if relative times are not shown. */
export function formatTimeWithRelativeTime(
  column: Column,
  row: Row,
  { zone, now, showsRelativeTimes }: Pick<CellFormatContext, 'zone' | 'now' | 'showsRelativeTimes'>,
): string | undefined {
  const value = readNonInheritedAttribute(row, column.name);
  if (!showsRelativeTimes || !column.showsRelativeTime || !isTime(column, value)) return undefined;
  return `${formatTime(value, zone, 'table')} (${relativeTime(value, now)})`;
}

/** Returns one cell for each line. Times have weekday, offset and zone. @param room columns that a line may fill */
export function formatCellLines(
  column: Column,
  row: Row,
  { zone, now, showsRelativeTimes, annotate, hasWholeNames }: CellFormatContext,
  room = Number.POSITIVE_INFINITY,
): readonly Cell[] {
  if (column.computed) return [column.computed.word(row, now)];
  const value = readNonInheritedAttribute(row, column.name);
  if (isTime(column, value)) {
    const time = formatTime(value, zone, 'long');
    if (!showsRelativeTimes || !column.showsRelativeTime) return [{ text: time }];
    const distance = relativeTime(value, now);
    const text = `${time}, ${distance}`;
    return text.length <= room ? [{ text }] : [{ text: time }, { text: distance }];
  }
  const whole = annotate(column, row) ?? plainText(value);
  const text = hasWholeNames ? whole : replaceMarksBySigns(whole);
  if (!column.hasLines) return [{ text: oneLine(text) }];
  return text.split(/\r?\n/).map((line) => ({ text: escapeForTerminal(line, { newlines: true }) }));
}

/** Returns the text on one line for a terminal. Shows line breaks as `↵`, and escapes control characters. */
export const oneLine = (text: string): string =>
  escapeForTerminal(text.replace(/\r?\n/g, '↵').replaceAll('\t', ' '));

export const formatColumnHeading = ({ name, title }: Column): string =>
  escapeForTerminal(title ?? name.toUpperCase());

function plainText(value: unknown): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : formatJson(value);
}

/** Requests the names of all records together. */
export async function lookUpNamesForCells(
  columns: readonly Column[],
  rows: readonly Row[],
  namesOf: NameLookup | undefined,
): Promise<(column: Column, row: Row) => string | undefined> {
  const named = columns.filter(({ reference }) => reference !== undefined);
  if (namesOf === undefined || named.length === 0) return () => undefined;
  const references = rows.flatMap((row) => named.flatMap(({ reference }) => reference?.(row) ?? []));
  if (references.length === 0) return () => undefined;
  const nameOf = await namesOf(references);
  return (column, row) => {
    const reference = column.reference?.(row);
    const name = reference && nameOf(reference);
    return name === undefined ? undefined : `${name} (${String(reference?.id)})`;
  };
}
