/** Writes csv and tsv: one line per row, each ending in LF as with other Unix tools. */

import { escapeForTerminal } from '../../kit/text/terminal.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { OutputStream } from '../outside/context.ts';
import { guardCellOfJobLog } from './job-log.ts';
import type { ResultOptions } from './result.ts';
import { type ResultView, readNonInheritedAttribute, undeclaredColumns, withBufferedWrites } from './view.ts';

/**
 * Writes the rows. The columns are those that the user chose, or else the declared attributes and the extra attributes of the first row.
 * Extra attributes of later rows are not known when the header is written. Null is an empty cell; in csv, an empty text is `""`. Numbers
 * and booleans are written as in JSON, times as ISO 8601 in UTC, and arrays and objects as JSON text. csv quotes cells as RFC 4180 says.
 * tsv writes a tab, a line break and a backslash as `\t`, `\n`, `\r` and `\\`.
 */
export async function writeDelimited(
  view: ResultView,
  options: Pick<ResultOptions, 'header' | 'csvRaw' | 'isJobLog'> & { readonly format: 'csv' | 'tsv' },
  out: OutputStream,
): Promise<void> {
  const columns = view.chosen ?? [...view.declared, ...undeclaredColumns(view.declared, view.first)];
  // Loaded on demand, because it loads a package.
  const { csvLine, escapeCsvFormula } = await import('../../kit/text/csv.ts');
  const line = options.format === 'csv' ? csvLine : tsvLine;
  const guard = (text: string): string =>
    options.isJobLog ? guardCellOfJobLog(escapeCsvFormula(text)) : escapeCsvFormula(text);
  const safe = (text: string): string => {
    const guarded = options.csvRaw ? text : guard(text);
    return out.isTTY ? escapeForTerminal(guarded, { newlines: true }) : guarded;
  };
  const cell = (value: unknown): string | null => cellOf(value, safe);
  await withBufferedWrites(out, async (write) => {
    if (options.header && columns.length > 0) await write(line(columns.map(({ name }) => cell(name))));
    for await (const page of view.pages)
      for (const row of page)
        await write(
          line(
            columns.map(({ name, kind }) => {
              const value = readNonInheritedAttribute(row, name);
              return kind === 'timestamp' ? cell(isoTime(value)) : cell(value);
            }),
          ),
        );
  });
}

/** Returns `2026-11-22T12:00:00Z` for Unix seconds, and any other value unchanged. */
function isoTime(value: unknown): unknown {
  if (typeof value !== 'number' || Math.abs(value) > LATEST) return value;
  return new Date(value * 1000).toISOString().replace('.000Z', 'Z');
}

/** Maximum Unix seconds that a `Date` can represent. */
const LATEST = 8.64e12;

function cellOf(value: unknown, safe: (text: string) => string): string | null {
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
