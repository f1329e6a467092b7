/** Values as people read them in a table. */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import { distanceOf } from '../../text/distance.ts';
import { shortMarks } from '../../text/mark-tag.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import { formatTime, isTimezone } from '../../text/timezone.ts';
import type { Tone } from './colour.ts';
import type { Column } from './result.ts';
import { valueIn } from './view.ts';

const NOTHING = '-';

export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** Settings and lookups for converting a row's value to a cell. */
export interface CellContext {
  readonly zone: string;
  /** Unix seconds by the service's clock. */
  readonly now: number;
  /** True if times include their distance from now. */
  readonly distances: boolean;
  /** True if marks of campaigns show as short tags. */
  readonly tagged?: boolean;
  /** Returns `Newsletter (1)` for a reference, `2026-12-01 09:00 (in 3 days)` for a time, or undefined if the value stands alone. */
  readonly named: (column: Column, row: JsonObject) => string | undefined;
}

const isTime = (column: Column, value: Json | undefined): value is number =>
  column.kind === 'timestamp' && typeof value === 'number';

/** Returns the context for the cells of these rows. Requests the zone and the time only if a row needs them. */
export async function readingFor(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  outside: {
    readonly zone: () => Promise<string>;
    readonly now?: (() => Promise<number>) | undefined;
    readonly distances?: boolean | undefined;
  },
): Promise<CellContext & { readonly timed: boolean }> {
  const timed = rows.some((row) => columns.some((column) => isTime(column, valueIn(row, column.name))));
  const zone = timed ? knownZone(await outside.zone()) : 'UTC';
  const isWorkedOut = rows.length > 0 && columns.some(({ computed: workedOut }) => workedOut !== undefined);
  const distances =
    timed && outside.distances === true && columns.some(({ distance }) => distance !== undefined);
  const now = isWorkedOut || distances ? ((await outside.now?.()) ?? 0) : 0;
  return { zone, now, timed, distances, named: () => undefined };
}

/** Returns the zone, or UTC if this machine does not know it. */
const knownZone = (zone: string): string => (isTimezone(zone) ? zone : 'UTC');

/** Returns the value on one line: times in `zone`, `yes` and `no`, `-` for null. Line breaks show as `↵`. */
export function cellIn(
  column: Column,
  row: JsonObject,
  { zone, now, named, tagged = false }: CellContext,
): Cell {
  if (column.computed) return column.computed.word(row, now);
  const value = valueIn(row, column.name);
  if (isTime(column, value)) return { text: named(column, row) ?? formatTime(value, zone, 'table') };
  const text = oneLine(named(column, row) ?? plainText(value));
  return { text: tagged ? shortMarks(text) : text };
}

/** Returns a time with its distance from now, for a list. Returns undefined if the value is not a time, or if distances are not wanted. */
export function timeWithDistance(
  column: Column,
  row: JsonObject,
  { zone, now, distances }: Omit<CellContext, 'named'>,
): string | undefined {
  const value = valueIn(row, column.name);
  if (!distances || !column.distance || !isTime(column, value)) return undefined;
  return `${formatTime(value, zone, 'table')} (${distanceOf(value, now)})`;
}

/** Returns the full value on as many lines as it needs. Times have weekday, offset and zone. @param room columns of a line */
export function linesIn(
  column: Column,
  row: JsonObject,
  { zone, now, distances, named }: CellContext,
  room = Number.POSITIVE_INFINITY,
): readonly Cell[] {
  if (column.computed) return [column.computed.word(row, now)];
  const value = valueIn(row, column.name);
  if (isTime(column, value)) {
    const time = formatTime(value, zone, 'long');
    if (!distances || !column.distance) return [{ text: time }];
    const distance = distanceOf(value, now);
    const text = `${time}, ${distance}`;
    return text.length <= room ? [{ text }] : [{ text: time }, { text: distance }];
  }
  return (named(column, row) ?? plainText(value))
    .split(/\r?\n/)
    .map((line) => ({ text: escapeForTerminal(line, { newlines: true }) }));
}

export const oneLine = (text: string): string =>
  escapeForTerminal(text.replace(/\r?\n/g, '↵').replaceAll('\t', ' '));

export const headingText = ({ name, title }: Column): string =>
  escapeForTerminal(title ?? name.toUpperCase());

function plainText(value: Json | undefined): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : formatJson(value);
}
