/** csv and tsv: one line a row, LF at its end, as other Unix tools write them. */
import type { Json } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import { guardFormula } from '../../text/csv-cell.ts';
import { escapeForTerminal } from '../../text/terminal.ts';
import type { OutputStream } from '../outside/context.ts';
import { buffered } from './buffered.ts';
import { undeclaredColumns, type View, valueIn } from './view.ts';

export interface Delimiting {
  readonly format: 'csv' | 'tsv';
  readonly header: boolean;
  /** Leaves cells as they are that a spreadsheet would run as formulas. */
  readonly csvRaw: boolean;
}

/**
 * Columns are the chosen ones, or else the declared attributes and what the first row has besides; a stream cannot
 * tell what later rows will have. Null is an empty cell; in csv an empty text is `""`. Numbers, times and booleans
 * stand as in JSON, arrays and objects as JSON text. csv quotes as RFC 4180 says; tsv writes `\t`, `\n`, `\r`, `\\`.
 */
export async function writeDelimited(view: View, options: Delimiting, out: OutputStream): Promise<void> {
  const columns = view.chosen ?? [...view.declared, ...undeclaredColumns(view.declared, view.first)];
  const separator = options.format === 'csv' ? ',' : '\t';
  const cell = (value: Json | undefined): string => cellOf(value, options, out.isTTY);
  await buffered(out, async (write) => {
    if (options.header && columns.length > 0)
      await write(`${columns.map(({ name }) => cell(name)).join(separator)}\n`);
    for await (const row of view.rows) {
      await write(`${columns.map(({ name }) => cell(valueIn(row, name))).join(separator)}\n`);
    }
  });
}

function cellOf(value: Json | undefined, options: Delimiting, terminal: boolean): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string' && typeof value !== 'object') return String(value);
  const text = typeof value === 'string' ? value : formatJson(value);
  const guarded = options.csvRaw ? text : guardFormula(text);
  const safe = terminal ? escapeForTerminal(guarded, { newlines: true }) : guarded;
  return options.format === 'csv' ? quoted(safe) : backslashed(safe);
}

const quoted = (text: string): string =>
  text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const backslashed = (text: string): string =>
  text.replace(/[\t\n\r\\]/g, (unit) => TSV_ESCAPES[unit] ?? unit);

const TSV_ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
};
