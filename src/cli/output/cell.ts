/** Values as people read them in a table. */
import type { Json, JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
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

/** What a cell is worked out from besides its row. */
export interface Reading {
  readonly zone: string;
  /** Unix seconds by the service's clock. */
  readonly now: number;
  /** `Newsletter (1)` of a reference; undefined where only its id is known. */
  readonly named: (column: Column, row: JsonObject) => string | undefined;
}

const isTime = (column: Column, value: Json | undefined): value is number =>
  column.kind === 'timestamp' && typeof value === 'number';

/** Asks for the zone and the time only where one of these rows needs it. */
export async function readingFor(
  columns: readonly Column[],
  rows: readonly JsonObject[],
  outside: { readonly zone: () => Promise<string>; readonly now?: (() => Promise<number>) | undefined },
): Promise<Reading & { readonly timed: boolean }> {
  const timed = rows.some((row) => columns.some((column) => isTime(column, valueIn(row, column.name))));
  const zone = timed ? knownZone(await outside.zone()) : 'UTC';
  const isWorkedOut = rows.length > 0 && columns.some(({ workedOut }) => workedOut !== undefined);
  const now = isWorkedOut ? ((await outside.now?.()) ?? 0) : 0;
  return { zone, now, timed, named: () => undefined };
}

/** A zone that this machine doesn't know can't be shown in. */
const knownZone = (zone: string): string => (isTimezone(zone) ? zone : 'UTC');

/** One line: times in `zone`, `yes` and `no`, `-` for null; line breaks show as `↵`. */
export function cellIn(column: Column, row: JsonObject, { zone, now, named }: Reading): Cell {
  if (column.workedOut) return column.workedOut.word(row, now);
  const value = valueIn(row, column.name);
  if (isTime(column, value)) return { text: formatTime(value, zone, 'table') };
  return { text: oneLine(named(column, row) ?? plainText(value)) };
}

/** All of it, on as many lines as it has: times with weekday, offset and zone. */
export function linesIn(column: Column, row: JsonObject, { zone, now, named }: Reading): readonly Cell[] {
  if (column.workedOut) return [column.workedOut.word(row, now)];
  const value = valueIn(row, column.name);
  if (isTime(column, value)) return [{ text: formatTime(value, zone, 'long') }];
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
