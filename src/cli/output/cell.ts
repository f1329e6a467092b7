/** Values as people read them in a table. */
import type { Json } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import { formatTime } from '../../text/timezone.ts';
import type { Column } from './result.ts';

export const NOTHING = '-';

export const isTime = (column: Column, value: Json | undefined): value is number =>
  column.kind === 'timestamp' && typeof value === 'number';

/** One line: times in `zone`, `yes` and `no`, `-` for null; line breaks show as `↵`. */
export function cellText(column: Column, value: Json | undefined, zone: string): string {
  if (isTime(column, value)) return formatTime(value, zone, 'table');
  return escapeForTerminal(plainText(value).replace(/\r?\n/g, '↵').replaceAll('\t', ' '));
}

/** All of it, on as many lines as it has: times with weekday, offset and zone. */
export function wholeText(column: Column, value: Json | undefined, zone: string): readonly string[] {
  if (isTime(column, value)) return [formatTime(value, zone, 'long')];
  return plainText(value)
    .split(/\r?\n/)
    .map((line) => escapeForTerminal(line, { newlines: true }));
}

export const headingText = ({ name, title }: Column): string =>
  escapeForTerminal(title ?? name.toUpperCase());

function plainText(value: Json | undefined): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : formatJson(value);
}
