import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  createPagedRows,
  pagesOf,
  type RowSource,
  rowsOf,
} from '../../../src/client/requests/paging/page.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';

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

it('returns the same rows page by page and one by one', async () => {
  await fc.assert(
    fc.asyncProperty(pages, async (given) => {
      const rows = given.flat();
      const paged = createPagedRows(() => oneByOne(given));
      expect(await all(paged)).toEqual(rows);
      expect(await all(pagesOf(paged))).toEqual(given);
      for (const source of [paged, oneByOne(rows), rows] as readonly RowSource[])
        expect(await all(rowsOf(pagesOf(source)))).toEqual(rows);
    }),
  );
});

it('passes on rows that arrive one by one', async () => {
  expect(await all(pagesOf(oneByOne([{ id: 1 }, { id: 2 }])))).toEqual([[{ id: 1 }], [{ id: 2 }]]);
});

it('ends the walk if the reader stops in the middle of a page', async () => {
  let ended = false;
  const paged = createPagedRows(async function* () {
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
