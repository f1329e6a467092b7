/** Yields rows in blocks of a thousand. A block has enough rows to choose column widths, and few enough to hold in memory. */
import type { JsonObject } from '../../protocol/envelope.ts';

export async function* groupRowsIntoBlocks(
  rows: AsyncIterable<JsonObject>,
): AsyncGenerator<readonly JsonObject[]> {
  let block: JsonObject[] = [];
  for await (const row of rows) {
    block.push(row);
    if (block.length < BLOCK) continue;
    yield block;
    block = [];
  }
  if (block.length > 0) yield block;
}

const BLOCK = 1000;
