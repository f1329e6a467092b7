/** The rows of a file whose header names what its columns hold. */
import { columnsIn, type WantedColumn } from './columns.ts';
import { readRecords } from './records.ts';
import type { Source } from './source.ts';

export interface NamedRow {
  /** From 0; the header is none. */
  readonly row: number;
  readonly line: number;
  /** By the `name` of its column; a cell that is empty, or not there, is left out. */
  readonly cells: ReadonlyMap<string, string>;
}

export async function* readNamedRows(
  source: Source,
  wanted: readonly WantedColumn[],
): AsyncGenerator<NamedRow> {
  let places: ReadonlyMap<string, number> | undefined;
  let row = 0;
  for await (const { line, cells } of readRecords(source.chunks(), source.name)) {
    if (places === undefined) {
      places = columnsIn(cells, wanted);
      continue;
    }
    const held = [...places].map(([name, at]) => [name, cells[at] ?? ''] as const);
    yield { row, line, cells: new Map(held.filter(([, cell]) => cell !== '')) };
    row += 1;
  }
}
