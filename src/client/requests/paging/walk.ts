/**
 * Reads a whole collection page by page, which is called a walk. Each request has a parameter `start`, a value of the sort attribute. The
 * page begins with the rows that have this value (docs/wire.md, "Requests"). Guarantee: a row that stays unchanged during the walk is
 * returned exactly once, in the requested order, even if other rows have the same sort value. A row may be missed or repeated if it is
 * created, deleted or gets another sort value during the walk. The walk throws an error if the service returns rows before `start`, or
 * repeats pages. Memory: the walk keeps one page of rows, and their ids. If the rows with one sort value do not fit on a page, the walk
 * also keeps the ids of these rows and up to 16 MiB of later rows. If the walk sorts by text, it keeps the ids of all rows, because only
 * the service knows the order of texts.
 */

import type { Scalar } from '../../../kit/schema/field.ts';
import { isId } from '../../../kit/schema/integer.ts';
import {
  type AnyRecord,
  type Resource,
  sortAttributesOf,
  type Values,
} from '../../../kit/schema/resource.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { defaultSort } from '../../../service/protocol/query.ts';
import { MAX_RECORDS_PER_PAGE, pathOf } from '../../../service/protocol/wire.ts';
import { ClientError } from '../errors.ts';
import {
  type CheckedPage,
  checkResponsePage,
  createCheckedPageFetcher,
  createMemoryLimitedRowSorter,
  createPagedRows,
  createRowOrder,
  type FetchPage,
  formatShortJson,
  type PagedRows,
  type PageQuery,
  type RowOrder,
  scalarOf,
  unreliablePagingError,
} from './page.ts';

export interface CollectionWalk {
  readonly resource: Resource;
  readonly filters: Values;
  readonly sort?: string | undefined;
  readonly reverse: boolean;
  /** Earlier rows are not requested. */
  readonly from?: Scalar | undefined;
  readonly limit?: number | undefined;
  readonly pageSize: number;
  /** Maximum size, in octets, of the rows that the function `passById` keeps in memory. Default: 16 MiB. */
  readonly windowOctets?: number | undefined;
}

const WINDOW_OCTETS = 16 * 1024 * 1024;

/**
 * @throws RangeError for a sort attribute that the resource doesn't have
 * @throws ClientError if the pages do not allow the walk to return each row exactly once
 */
export const readCollectionRows = (fetch: FetchPage, walk: CollectionWalk): PagedRows =>
  createPagedRows(() => walkPages(fetch, walk));

async function* walkPages(
  fetch: FetchPage,
  walk: CollectionWalk,
): AsyncGenerator<readonly AnyRecord[], void> {
  const { resource, filters, limit = Number.POSITIVE_INFINITY } = walk;
  if (limit <= 0) return;
  if (walk.sort !== undefined && !sortAttributesOf(resource).includes(walk.sort))
    throw new RangeError(`${resource.name} can't be sorted by ${walk.sort}`);
  // A single record has no order, and an id identifies one record.
  if (resource.single || filters['id'] !== undefined) {
    yield checkResponsePage(resource, await fetch({ filters })).rows;
    return;
  }
  const sort = sortFor(resource, filters, walk.sort);
  let left = limit;
  const pages = createCheckedPageFetcher(resource, fetch);
  const from = sort === walk.sort ? walk.from : undefined;
  for await (const rows of inOrder(pages, { ...walk, sort, from, pageSize: withinBounds(walk.pageSize) })) {
    yield rows.length > left ? rows.slice(0, left) : rows;
    left -= rows.length;
    if (left <= 0) return;
  }
}

/**
 * Returns `wished`, unless it is undefined or a filter sets it. Then returns an attribute that differs in each row, else `wished`, else the
 * default sort attribute.
 */
function sortFor(resource: Resource, filters: Values, wished: string | undefined): string {
  if (wished !== undefined && filters[wished] === undefined) return wished;
  return uniqueSort(resource, filters) ?? wished ?? defaultSort(resource);
}

/**
 * `id`, or the only attribute of `identifiedBy` without a filter: with a filter by subscriber, the rows of subscriberProfileData differ in
 * the profile field.
 */
function uniqueSort(resource: Resource, filters: Values): string | undefined {
  const sorts = sortAttributesOf(resource);
  if (sorts.includes('id')) return 'id';
  const open = resource.identifiedBy.filter((attribute) => filters[attribute] === undefined);
  const candidates = open.length === 0 ? resource.identifiedBy : open;
  return open.length <= 1 ? candidates.find((attribute) => sorts.includes(attribute)) : undefined;
}

interface SortedWalk extends CollectionWalk {
  readonly sort: string;
}

type Pages = (query: PageQuery) => Promise<CheckedPage>;

async function* inOrder(fetch: Pages, walk: SortedWalk): AsyncGenerator<readonly AnyRecord[], void> {
  const { filters, sort, reverse, pageSize, limit = Number.POSITIVE_INFINITY } = walk;
  const field = walk.resource.fields[sort];
  if (!field) throw new RangeError(`${walk.resource.name} has no attribute ${sort}`);
  let order: RowOrder | undefined;
  let start: Scalar | undefined = walk.from;
  /** Keys of returned rows that the next page may contain again: of all returned rows if the sort attribute is text. */
  let seen = new Set<Key>();
  let ties = 0;
  let given = 0;
  for (;;) {
    // If rows can repeat, request a full page: a smaller one might hold only repeated rows.
    const wanted = ties > 0 ? pageSize : Math.min(pageSize, limit - given);
    const from = start === undefined ? {} : { start };
    const page = await fetch({ filters, sort, reverse, count: wanted, ...from });
    const [first] = page.rows;
    const last = page.rows.at(-1);
    if (first === undefined || last === undefined) return;
    order ??= createRowOrder(sort, field, reverse, scalarOf(field, first[sort] ?? null));
    const { valueIn } = order;
    if (start !== undefined) refuseEarlierRows(walk, order, page.rows, start);
    const fresh = seen.size === 0 ? page.rows : page.rows.filter((row) => !seen.has(keyOf(row)));
    yield fresh;
    given += fresh.length;

    // `next` is null at the end, and also where the next row's value is null. In the second case, continue from the last value.
    const mayHideNull = field.nullable === true && page.rows.length >= page.count;
    const next = order.startIn(page.next) ?? (mayHideNull ? valueIn(last) : undefined);
    if (next === undefined) return;
    refuseEarlierStart(walk, order, page.rows, next);
    const keys = page.rows.map(keyOf);
    if (page.rows.every((row) => valueIn(row) === next)) {
      // More rows share this value than a page holds, so no start value gets past them.
      if (sort === 'id')
        throw unreliablePagingError(
          walk.resource,
          `all rows of a page have the same id, ${formatShortJson(next)}`,
        );
      const tie = { order, value: next, seen: new Set([...seen, ...keys]), given };
      const passed = yield* passById(fetch, walk, tie);
      if (passed.resume === undefined) return;
      start = passed.resume;
      given = passed.given;
      seen = order.isExact ? new Set() : passed.seen;
      ties = 0;
      continue;
    }
    if (fresh.length === 0) throw noNewRows(walk, order, start, next);
    // The service may treat text that differs only in case as equal.
    const oneRun = page.rows.every((row) => alike(valueIn(row), next));
    if (order.isExact && !oneRun) seen = new Set();
    for (const key of keys) seen.add(key);
    ties = page.rows.filter((row) => valueIn(row) === next).length;
    start = next;
  }
}

/**
 * An earlier row means that the service repeats rows, or answers another query. Checks nothing without an exact order (`RowOrder.isExact`).
 */
function refuseEarlierRows(
  { resource, sort }: SortedWalk,
  order: RowOrder,
  rows: readonly AnyRecord[],
  start: Scalar,
): void {
  const row = order.isExact ? rows.find((each) => order.compare(order.valueIn(each), start) < 0) : undefined;
  if (row === undefined) return;
  const value = formatShortJson(order.valueIn(row));
  throw unreliablePagingError(
    resource,
    `svc asked for the rows that begin at ${sort} ${formatShortJson(start)}, but the service returned an earlier row, with ${sort} ${value}`,
  );
}

function refuseEarlierStart(
  { resource, sort }: SortedWalk,
  order: RowOrder,
  rows: readonly AnyRecord[],
  next: Scalar,
): void {
  const row = order.isExact ? rows.find((each) => order.compare(next, order.valueIn(each)) < 0) : undefined;
  if (row === undefined) return;
  const value = formatShortJson(order.valueIn(row));
  throw unreliablePagingError(
    resource,
    `the service says that the next page starts at ${sort} ${formatShortJson(next)}, but this page already has a later row, with ${sort} ${value}`,
  );
}

/** A possible reason: the service treats similar texts as one value, and the rows with this value do not fit on a page. */
function noNewRows(walk: SortedWalk, order: RowOrder, start: Scalar | undefined, next: Scalar): ClientError {
  if (!order.isExact && start !== undefined && alike(start, next))
    return cannotListAll(walk, 'a page has only rows that svc has read before');
  const from = start === undefined ? 'the first page' : `the page that starts at ${formatShortJson(start)}`;
  return unreliablePagingError(
    walk.resource,
    `${from} has only rows that svc has read before, and the service says that the next page starts at ${formatShortJson(next)}`,
  );
}

interface Tie {
  readonly order: RowOrder;
  readonly value: Scalar;
  readonly seen: ReadonlySet<Key>;
  readonly given: number;
}

interface Passed {
  /** Undefined if no rows are left. */
  readonly resume: Scalar | undefined;
  readonly given: number;
  /**
   * Keys of all returned rows if the sort attribute is text. Otherwise only of the latest, because the service does not return older rows
   * again.
   */
  readonly seen: Set<Key>;
}

/**
 * The rows with one sort value do not fit on one page, and a request that begins at this value would return the same page again and again.
 * So this function reads the whole collection in the order of a unique attribute, and yields the rows with this value except those in
 * `seen`. It keeps the first rows with later values in memory, up to a limit, and yields them at the end. Returns the sort value at which
 * the caller continues.
 */
async function* passById(
  fetch: Pages,
  walk: SortedWalk,
  { order, value, seen, given }: Tie,
): AsyncGenerator<readonly AnyRecord[], Passed> {
  const { resource, filters, pageSize } = walk;
  const unique = uniqueSort(resource, filters);
  if (unique === undefined || unique === walk.sort)
    throw cannotListAll(walk, `the rows with ${walk.sort} ${formatShortJson(value)} do not fit on one page`);
  const window = createMemoryLimitedRowSorter(order, walk.windowOctets ?? WINDOW_OCTETS);
  const known = new Set(seen);
  let before = 0;
  let rest = 0;
  for await (const rows of inOrder(fetch, { resource, filters, sort: unique, reverse: false, pageSize })) {
    const tied: AnyRecord[] = [];
    for (const row of rows) {
      const side = order.compare(order.valueIn(row), value);
      if (side > 0) window.add(row);
      else if (side < 0 || seen.has(keyOf(row))) before += 1;
      else tied.push(row);
    }
    rest += tied.length;
    for (const row of tied) known.add(keyOf(row));
    yield tied;
  }
  // The window sorts text by code points. If the service sorts differently, rows would be lost.
  if (typeof value === 'string' && before !== given)
    throw cannotListAll(walk, `the rows with ${walk.sort} ${formatShortJson(value)} do not fit on one page`);
  const { rows, resumeValue } = window.take();
  yield rows;
  for (const row of rows) known.add(keyOf(row));
  return { resume: resumeValue, given: given + rest + rows.length, seen: known };
}

const withinBounds = (pageSize: number): number =>
  Math.min(MAX_RECORDS_PER_PAGE, Math.max(1, Math.floor(pageSize)));

type Key = string | number | bigint;

/** A numeric id stays a number, because a number uses the least memory. */
function keyOf(row: AnyRecord): Key {
  const id = row.id;
  return isId(id) ? id : formatJson(row);
}

function alike(a: Scalar, b: Scalar): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b;
  return a.localeCompare(b, 'en', { sensitivity: 'base' }) === 0;
}

function cannotListAll({ resource, sort }: SortedWalk, problem: string): ClientError {
  return new ClientError(
    'failed',
    `svc cannot list all ${resource.name} records in the order of ${sort}: ${problem}; sort by ${sort === 'id' ? 'another attribute' : 'id'} instead`,
    { method: 'GET', path: pathOf(resource.name) },
  );
}
