import { BulkError } from './errors.ts';
import { readDelimitedRecords } from './records.ts';
import type { InputSource } from './source.ts';

export interface WantedColumn {
  readonly name: string;
  /** Lower case, with only letters and digits, as the names of the header line are compared. */
  readonly names: readonly string[];
  readonly optional?: true;
}

const bareName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** @throws BulkError if a column is missing or occurs twice */
function findColumns(
  header: readonly string[],
  wanted: readonly WantedColumn[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { name, names, optional } of wanted) {
    const found = header.flatMap((title, at) => (names.includes(bareName(title)) ? [at] : []));
    if (found.length > 1)
      throw new BulkError('input', `more than one column has the name ${name}`, listed(header));
    const [at] = found;
    if (at !== undefined) places.set(name, at);
    else if (!optional) throw new BulkError('input', `unknown column ${name}`, listed(header));
  }
  return places;
}

export interface FoundColumn {
  readonly at: number;
  readonly hasHeader: boolean;
}

/**
 * @param columnFlag the value of `--column`: a name in the header, or a number counted from 1
 * @param isValue reports whether a cell holds a value; a first line with a value is data, not a header
 * @throws BulkError if no column matches, or if several match
 */
export function findColumn(
  firstRecord: readonly string[],
  columnFlag: string | undefined,
  knownColumns: readonly WantedColumn[],
  isValue: (cell: string) => boolean,
): FoundColumn {
  if (columnFlag !== undefined) return columnOfFlag(firstRecord, columnFlag, isValue);
  for (const { names } of knownColumns) {
    const found = firstRecord.flatMap((title, at) => (names.includes(bareName(title)) ? [at] : []));
    if (found.length > 1) {
      const titles = found.map((at) => firstRecord[at]).join(', ');
      throw new BulkError('input', `svc cannot tell which of these columns to read: ${titles}`, {
        hint: `choose with --column; ${listed(firstRecord).hint}`,
      });
    }
    const [at] = found;
    if (at !== undefined) return { at, hasHeader: true };
  }
  if (firstRecord.length === 1 || isValue(firstRecord[0] ?? '')) return { at: 0, hasHeader: false };
  throw new BulkError('input', `unknown column ${knownColumns.map(({ name }) => name).join(', ')}`, {
    hint: `choose with --column NAME or --column N; ${listed(firstRecord).hint}`,
  });
}

function columnOfFlag(
  first: readonly string[],
  asked: string,
  isValue: (cell: string) => boolean,
): FoundColumn {
  const at = first.findIndex((title) => title.trim().toLowerCase() === asked.trim().toLowerCase());
  if (at >= 0) return { at, hasHeader: true };
  const number = /^[1-9][0-9]{0,3}$/.test(asked) ? Number(asked) - 1 : -1;
  const cell = first[number];
  if (cell !== undefined) return { at: number, hasHeader: !isValue(cell) };
  throw new BulkError('input', `unknown column ${asked}`, listed(first));
}

const listed = (header: readonly string[]): { readonly hint: string } => ({
  hint: `columns: ${header.join(', ')}`,
});

export interface RowByColumnName {
  readonly row: number;
  readonly line: number;
  /** Omits empty and missing cells. */
  readonly cells: ReadonlyMap<string, string>;
}

export async function* readRowsByColumnName(
  source: InputSource,
  wanted: readonly WantedColumn[],
): AsyncGenerator<RowByColumnName> {
  let places: ReadonlyMap<string, number> | undefined;
  let row = 0;
  for await (const { line, cells } of readDelimitedRecords(source.chunks(), source.name)) {
    if (places === undefined) {
      places = findColumns(cells, wanted);
      continue;
    }
    const held = [...places].map(([name, at]) => [name, cells[at] ?? ''] as const);
    yield { row, line, cells: new Map(held.filter(([, cell]) => cell !== '')) };
    row += 1;
  }
}
