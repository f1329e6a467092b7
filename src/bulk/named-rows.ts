/** Reads the rows of a file whose header names its columns. */
import { findColumns, type WantedColumn } from './columns.ts';
import { readDelimitedRecords } from './records.ts';
import type { InputSource } from './source.ts';

export interface RowByColumnName {
  /** Number of the row, counted from 0. The header line does not count. */
  readonly row: number;
  readonly line: number;
  /** Cells by the `name` of their column. Omits empty and missing cells. */
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
