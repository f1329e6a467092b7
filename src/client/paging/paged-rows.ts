/** Rows that come a page at a time. Who takes them by the page is spared the promises that each row costs otherwise. */
import type { JsonObject } from '../../protocol/envelope.ts';

export type RowPages = AsyncIterable<readonly JsonObject[]>;

export interface PagedRows extends AsyncIterable<JsonObject> {
  readonly pages: () => RowPages;
}

/** What any source of rows gives. */
export type RowSource = PagedRows | AsyncIterable<JsonObject> | readonly JsonObject[];

/** @param pages begins anew each time */
export const pagedRows = (pages: () => RowPages): PagedRows => ({
  pages,
  [Symbol.asyncIterator]: () => rowsOf(pages()),
});

/** Rows that come one by one are pages of one: each is handed on as soon as it is known. */
export async function* pagesOf(rows: RowSource): AsyncGenerator<readonly JsonObject[]> {
  if ('pages' in rows) yield* rows.pages();
  else if (Array.isArray(rows)) yield rows;
  else for await (const row of rows) yield [row];
}

export async function* rowsOf(pages: RowPages): AsyncGenerator<JsonObject> {
  for await (const page of pages) yield* page;
}
