/** Rows that arrive in pages. Callers can read whole pages, which avoids one promise per row. */
import type { JsonObject } from '../../protocol/envelope.ts';

export type RowPages = AsyncIterable<readonly JsonObject[]>;

export interface PagedRows extends AsyncIterable<JsonObject> {
  readonly pages: () => RowPages;
}

/** Rows from any source. */
export type RowSource = PagedRows | AsyncIterable<JsonObject> | readonly JsonObject[];

/**
 * Returns the rows of the pages. Callers can read them row by row or page by page.
 * @param pages starts from the first page at each call
 */
export const pagedRows = (pages: () => RowPages): PagedRows => ({
  pages,
  [Symbol.asyncIterator]: () => rowsOf(pages()),
});

/** Yields rows in pages. Rows that arrive one by one become pages of one row, so that no row waits for the next. */
export async function* pagesOf(rows: RowSource): AsyncGenerator<readonly JsonObject[]> {
  if ('pages' in rows) yield* rows.pages();
  else if (Array.isArray(rows)) yield rows;
  else for await (const row of rows) yield [row];
}

export async function* rowsOf(pages: RowPages): AsyncGenerator<JsonObject> {
  for await (const page of pages) yield* page;
}
