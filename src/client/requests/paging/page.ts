/** The form of a page, with `next` as the start of the next page, is in docs/wire.md, "Responses". */

import type { Field, Scalar } from '../../../kit/schema/field.ts';
import { compareNumbers, parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { AnyRecord, Resource, Values } from '../../../kit/schema/resource.ts';
import type { Json } from '../../../service/protocol/envelope.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { pathOf } from '../../../service/protocol/wire.ts';
import { ClientError } from '../errors.ts';

export interface PageQuery {
  readonly filters: Values;
  readonly sort?: string;
  readonly reverse?: boolean;
  readonly count?: number;
  readonly start?: Scalar;
}

export interface ResponsePage {
  readonly rows: readonly AnyRecord[];
  readonly next: Json;
}

/** A collection without matches is an empty page. */
export type FetchPage = (query: PageQuery) => Promise<ResponsePage>;

export interface CheckedPage extends ResponsePage {
  readonly next: Scalar;
  readonly count: number;
}

/** After a response that is too large, requests fewer rows, also for all later pages. */
export function createCheckedPageFetcher(
  resource: Resource,
  fetch: FetchPage,
): (query: PageQuery) => Promise<CheckedPage> {
  let most = Number.POSITIVE_INFINITY;
  return async (query) => {
    for (;;) {
      const count = Math.min(query.count ?? Number.POSITIVE_INFINITY, most);
      const counted = Number.isFinite(count) ? { ...query, count } : query;
      try {
        return { ...checkResponsePage(resource, await fetch(counted)), count };
      } catch (error) {
        const isTooLarge = error instanceof ClientError && error.isTooLarge;
        if (!isTooLarge || count <= 1 || !Number.isFinite(count)) throw error;
        most = Math.max(1, Math.floor(count / 4));
      }
    }
  };
}

/** @throws ClientError for a `next` that is not a scalar, and for a page without rows that announces another page */
export function checkResponsePage(
  resource: Resource,
  { rows, next }: ResponsePage,
): ResponsePage & { readonly next: Scalar } {
  if (typeof next === 'object' && next !== null)
    throw unreliablePagingError(
      resource,
      `the service returned ${formatShortJson(next)} as the start of the next page, but the start must be a single value`,
    );
  if (rows.length === 0 && next !== null)
    throw unreliablePagingError(
      resource,
      `the service returned an empty page, although it says that the next page starts at ${formatShortJson(next)}`,
    );
  return { rows, next };
}

/** Reading stops at this error, and the list is incomplete. */
export const unreliablePagingError = ({ name }: Resource, problem: string): ClientError =>
  incompleteListError(pathOf(name), problem);

export function incompleteListError(path: string, problem: string): ClientError {
  return new ClientError('not-ours', `GET ${path}: ${problem}; the list is not complete`, {
    method: 'GET',
    path,
    advice:
      'The printed list is incomplete. Report this to the operator of the service. To see the responses, run svc api GET.',
  });
}

export function formatShortJson(value: Json): string {
  const text = formatJson(value);
  return text.length <= MAX_SHOWN_LENGTH ? text : `${text.slice(0, MAX_SHOWN_LENGTH)}…`;
}

const MAX_SHOWN_LENGTH = 60;

export type RowPages<T = AnyRecord> = AsyncIterable<readonly T[]>;

/** Whole pages are faster, because they need no promise for each row. */
export interface PagedRows<T = AnyRecord> extends AsyncIterable<T> {
  readonly pages: () => RowPages<T>;
}

export type RowSource<T = AnyRecord> = PagedRows<T> | AsyncIterable<T> | readonly T[];

/** @param pages returns all pages; each call starts again with the first page */
export const createPagedRows = <T>(pages: () => RowPages<T>): PagedRows<T> => ({
  pages,
  [Symbol.asyncIterator]: () => rowsOf(pages()),
});

/** Rows that arrive one by one become pages of one row, so that no row has to wait until the next row arrives. */
export async function* pagesOf<T>(rows: RowSource<T>): AsyncGenerator<readonly T[]> {
  if ('pages' in rows) yield* rows.pages();
  else if (Array.isArray(rows)) yield rows;
  else for await (const row of rows) yield [row];
}

export async function* rowsOf<T>(pages: RowPages<T>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}

export interface RowOrder {
  /** A missing value counts as null. */
  readonly valueIn: (row: AnyRecord) => Scalar;
  readonly compare: (a: Scalar, b: Scalar) => number;
  /**
   * True if svc can reproduce the order of the rows exactly: for numbers and booleans, which the service always sorts in the same way.
   * False for text, because the order of text depends on the installation of the service.
   */
  readonly isExact: boolean;
  /**
   * `next` is the sort value of the next row, as the response gives it. Returns undefined if `next` is null, so that no further page can be
   * requested.
   */
  readonly startIn: (next: Scalar) => Scalar | undefined;
}

/**
 * @param firstValue value in the first row of the collection. If the value is null, nulls come first; otherwise, they come last. The wire
 * document does not specify which.
 */
export function createRowOrder(
  attribute: string,
  field: Field,
  reverse: boolean,
  firstValue: Scalar,
): RowOrder {
  const valueIn = (row: AnyRecord): Scalar => scalarOf(field, row[attribute] ?? null);
  const nulls = firstValue === null ? -1 : 1;
  const isExact = field.kind !== 'string' && field.kind !== 'enum';
  return {
    valueIn,
    isExact,
    // An empty text means null in a query (wire, "Requests"), and it may do so in a response.
    startIn: (next) => {
      if (next === null) return undefined;
      return next === '' && isExact && field.nullable ? null : scalarOf(field, next);
    },
    compare: (a, b) => {
      if (a === b) return 0;
      if (a === null) return nulls;
      if (b === null) return -nulls;
      return reverse ? ascending(b, a) : ascending(a, b);
    },
  };
}

/** A number sent as text becomes a number. */
export function scalarOf(field: Field, value: Json): Scalar {
  if (typeof value === 'object') return null;
  const numeric = field.kind === 'int' || field.kind === 'decimal';
  if (!numeric || typeof value !== 'string') return value;
  if (/^-?[0-9]{1,40}$/.test(value)) return parseIntegerDigits(value);
  return /^-?[0-9]{1,16}\.[0-9]+$/.test(value) ? Number(value) : value;
}

/** Compares numbers by size, false before true, text by code points. */
function ascending(a: Scalar, b: Scalar): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return compareNumbers(numberOf(a), numberOf(b));
}

const numberOf = (value: Scalar): number | bigint => (typeof value === 'bigint' ? value : Number(value));

/** Keeps only as many rows as fit into the given amount of memory. */
interface MemoryLimitedRowSorter {
  readonly add: (row: AnyRecord) => void;
  /**
   * `resumeValue` is the sort value of the first row that did not fit into the memory. No kept row has this value, so the caller can
   * continue with the rows that begin at `resumeValue`. If all rows fitted, `resumeValue` is undefined.
   */
  readonly take: () => { readonly rows: readonly AnyRecord[]; readonly resumeValue: Scalar | undefined };
}

export function createMemoryLimitedRowSorter(order: RowOrder, maxOctets: number): MemoryLimitedRowSorter {
  let held: { readonly row: AnyRecord; readonly value: Scalar; readonly size: number }[] = [];
  let size = 0;
  let bound: { readonly value: Scalar } | undefined;

  const cut = (): void => {
    held.sort((a, b) => order.compare(a.value, b.value));
    let sum = 0;
    const over = held.find((each) => {
      sum += each.size;
      return sum > maxOctets;
    });
    if (!over) return;
    bound = { value: over.value };
    held = held.filter(({ value }) => order.compare(value, over.value) < 0);
    size = held.reduce((total, each) => total + each.size, 0);
  };

  return {
    add: (row) => {
      const value = order.valueIn(row);
      if (bound && order.compare(value, bound.value) >= 0) return;
      const rowSize = formatJson(row).length;
      held.push({ row, value, size: rowSize });
      size += rowSize;
      // Cut only at twice the size, so that each sort covers at least as many new rows.
      if (size > 2 * maxOctets) cut();
    },
    take: () => {
      cut();
      return { rows: held.map(({ row }) => row), resumeValue: bound?.value };
    },
  };
}
