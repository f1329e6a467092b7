/** csv and tsv: one line a row, LF at its end, as other Unix tools write them. */
import type { Json } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
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
  // Loaded only where it is needed: a package comes with it.
  const { csvLine, guardFormula } = await import('../../text/csv.ts');
  const line = options.format === 'csv' ? csvLine : tsvLine;
  const safe = (text: string): string => {
    const guarded = options.csvRaw ? text : guardFormula(text);
    return out.isTTY ? escapeForTerminal(guarded, { newlines: true }) : guarded;
  };
  const cell = (value: Json | undefined): string | null => cellOf(value, safe);
  await buffered(out, async (write) => {
    if (options.header && columns.length > 0) await write(line(columns.map(({ name }) => cell(name))));
    for await (const page of view.pages)
      for (const row of page) await write(line(columns.map(({ name }) => cell(valueIn(row, name)))));
  });
}

function cellOf(value: Json | undefined, safe: (text: string) => string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string' && typeof value !== 'object') return String(value);
  return safe(typeof value === 'string' ? value : formatJson(value));
}

const tsvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => (cell ?? '').replace(/[\t\n\r\\]/g, (unit) => TSV_ESCAPES[unit] ?? unit)).join('\t')}\n`;

const TSV_ESCAPES: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\\': '\\\\',
};
