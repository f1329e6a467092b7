import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pagedRows, pagesOf, type RowSource, rowsOf } from '../../../src/client/paging/paged-rows.ts';
import type { JsonObject } from '../../../src/protocol/envelope.ts';

async function* oneByOne<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const pages = fc.array(
  fc.array(
    fc.nat().map((id): JsonObject => ({ id })),
    { maxLength: 5 },
  ),
  { maxLength: 6 },
);

it('by page or one by one, the rows are the same each time', async () => {
  await fc.assert(
    fc.asyncProperty(pages, async (given) => {
      const rows = given.flat();
      const paged = pagedRows(() => oneByOne(given));
      expect(await all(paged)).toEqual(rows);
      expect(await all(pagesOf(paged))).toEqual(given);
      for (const source of [paged, oneByOne(rows), rows] as readonly RowSource[])
        expect(await all(rowsOf(pagesOf(source)))).toEqual(rows);
    }),
  );
});

it('rows that come one by one are handed on one by one', async () => {
  expect(await all(pagesOf(oneByOne([{ id: 1 }, { id: 2 }])))).toEqual([[{ id: 1 }], [{ id: 2 }]]);
});

it('who stops in the midst of a page ends the walk', async () => {
  let ended = false;
  const paged = pagedRows(async function* () {
    try {
      yield [{ id: 1 }, { id: 2 }];
      yield [{ id: 3 }];
    } finally {
      ended = true;
    }
  });
  for await (const { id } of paged) if (id === 1) break;
  expect(ended).toBe(true);
});
