/**
 * Walks a collection page by page (wire, "Requests": `start` is a value of the sort attribute, inclusive).
 *
 * Promised: every row that stays unchanged while the walk lasts comes exactly once, in the order asked for, whatever
 * ties there are; rows with equal values in no particular order. A row whose sort value is changed, or that is made or
 * deleted meanwhile, may be missed or come twice. A service that goes back, stands still or skips the start is an error.
 * Held in memory: one page, and the ids of the rows of one page or of one value that more rows share than a page holds;
 * while such a value is passed, also up to 16 MiB of rows. Sorted by a text, whose order only the service knows, the
 * ids of all rows.
 */
import type { JsonObject } from '../../protocol/envelope.ts';
import { formatJson } from '../../protocol/json.ts';
import { defaultSort, MAX_COUNT } from '../../protocol/query.ts';
import { pathOf } from '../../protocol/wire.ts';
import type { Scalar } from '../../schema/field.ts';
import { isId } from '../../schema/integer.ts';
import { type Resource, sortsOf, type Values } from '../../schema/resource.ts';
import { ClientError } from '../errors.ts';
import { type Order, orderBy, scalarOf } from './order.ts';
import {
  type CheckedPage,
  checkedPages,
  checkPage,
  type FetchPage,
  type PageQuery,
  shortened,
  unreliable,
} from './page.ts';
import { type PagedRows, pagedRows } from './paged-rows.ts';
import { createSortedWindow } from './sorted-window.ts';

export interface Walk {
  readonly resource: Resource;
  readonly filters: Values;
  readonly sort?: string | undefined;
  readonly reverse: boolean;
  /** The value of the sort attribute to begin at, that one included; rows before it are not asked for. */
  readonly from?: Scalar | undefined;
  readonly limit?: number | undefined;
  readonly pageSize: number;
  /** Octets of rows that a pass by id may hold back. */
  readonly windowOctets?: number | undefined;
}

const WINDOW_OCTETS = 16 * 1024 * 1024;

/** Throws a `RangeError` for a sort that the resource doesn't have; a `ClientError` rather than lose or repeat rows. */
export const walkRows = (fetch: FetchPage, walk: Walk): PagedRows => pagedRows(() => walkPages(fetch, walk));

async function* walkPages(fetch: FetchPage, walk: Walk): AsyncGenerator<readonly JsonObject[], void> {
  const { resource, filters, limit = Number.POSITIVE_INFINITY } = walk;
  if (limit <= 0) return;
  if (walk.sort !== undefined && !sortsOf(resource).includes(walk.sort))
    throw new RangeError(`${resource.name} can't be sorted by ${walk.sort}`);
  // One record: it has no order, and an id names one object.
  if (resource.single || filters['id'] !== undefined) {
    yield checkPage(resource, await fetch({ filters })).rows;
    return;
  }
  const sort = sortFor(resource, filters, walk.sort);
  let left = limit;
  const pages = checkedPages(resource, fetch);
  const from = sort === walk.sort ? walk.from : undefined;
  for await (const rows of inOrder(pages, { ...walk, sort, from, pageSize: withinBounds(walk.pageSize) })) {
    yield rows.length > left ? rows.slice(0, left) : rows;
    left -= rows.length;
    if (left <= 0) return;
  }
}

/** The sort to ask for. Rows that a filter makes equal in the attribute wished for are walked by one without ties. */
function sortFor(resource: Resource, filters: Values, wished: string | undefined): string {
  if (wished !== undefined && filters[wished] === undefined) return wished;
  return uniqueSort(resource, filters) ?? wished ?? defaultSort(resource);
}

/** `id`, or what is left of a natural key when filters fix the rest: a subscriber's values by field. */
function uniqueSort(resource: Resource, filters: Values): string | undefined {
  const sorts = sortsOf(resource);
  if (sorts.includes('id')) return 'id';
  const open = resource.identifiedBy.filter((attribute) => filters[attribute] === undefined);
  const candidates = open.length === 0 ? resource.identifiedBy : open;
  return open.length <= 1 ? candidates.find((attribute) => sorts.includes(attribute)) : undefined;
}

interface SortedWalk extends Walk {
  readonly sort: string;
}

type Pages = (query: PageQuery) => Promise<CheckedPage>;

async function* inOrder(fetch: Pages, walk: SortedWalk): AsyncGenerator<readonly JsonObject[], void> {
  const { filters, sort, reverse, pageSize, limit = Number.POSITIVE_INFINITY } = walk;
  const field = walk.resource.fields[sort];
  if (!field) throw new RangeError(`${walk.resource.name} has no attribute ${sort}`);
  let order: Order | undefined;
  let start: Scalar | undefined = walk.from;
  /** Rows already given that the next page may bring again; of a text's order all of them. */
  let seen = new Set<Key>();
  let ties = 0;
  let given = 0;
  for (;;) {
    // Where rows come again, a full page: fewer might bring nothing but those.
    const wanted = ties > 0 ? pageSize : Math.min(pageSize, limit - given);
    const from = start === undefined ? {} : { start };
    const page = await fetch({ filters, sort, reverse, count: wanted, ...from });
    const [first] = page.rows;
    const last = page.rows.at(-1);
    if (first === undefined || last === undefined) return;
    order ??= orderBy(sort, field, reverse, scalarOf(field, first[sort] ?? null));
    const { valueIn } = order;
    if (start !== undefined) refuseBefore(walk, order, page.rows, start);
    const fresh = seen.size === 0 ? page.rows : page.rows.filter((row) => !seen.has(keyOf(row)));
    yield fresh;
    given += fresh.length;

    // `next` is null at the end, and also where the next row's value is null: then the last value leads on.
    const mayHideNull = field.nullable === true && page.rows.length >= page.count;
    const next = order.startIn(page.next) ?? (mayHideNull ? valueIn(last) : undefined);
    if (next === undefined) return;
    refuseBack(walk, order, page.rows, next);
    const keys = page.rows.map(keyOf);
    if (page.rows.every((row) => valueIn(row) === next)) {
      // More rows share this value than a page holds: no start gets past them.
      if (sort === 'id') throw unreliable(walk.resource, `every row of a page has the id ${shortened(next)}`);
      const tie = { order, value: next, seen: new Set([...seen, ...keys]), given };
      const passed = yield* passById(fetch, walk, tie);
      if (passed.resume === undefined) return;
      start = passed.resume;
      given = passed.given;
      seen = order.isExact ? new Set() : passed.seen;
      ties = 0;
      continue;
    }
    if (fresh.length === 0) throw nothingNew(walk, order, start, next);
    // Text that only differs in case may be equal to the service.
    const oneRun = page.rows.every((row) => alike(valueIn(row), next));
    if (order.isExact && !oneRun) seen = new Set();
    for (const key of keys) seen.add(key);
    ties = page.rows.filter((row) => valueIn(row) === next).length;
    start = next;
  }
}

/** `start` is inclusive: what lies before it was given already, or belongs to another question. */
function refuseBefore(
  { resource, sort }: SortedWalk,
  order: Order,
  rows: readonly JsonObject[],
  start: Scalar,
): void {
  const row = order.isExact ? rows.find((each) => order.compare(order.valueIn(each), start) < 0) : undefined;
  if (row === undefined) return;
  const value = shortened(order.valueIn(row));
  throw unreliable(
    resource,
    `asked for what begins at ${sort} ${shortened(start)}, the service gave a row with ${value}`,
  );
}

function refuseBack(
  { resource, sort }: SortedWalk,
  order: Order,
  rows: readonly JsonObject[],
  next: Scalar,
): void {
  const row = order.isExact ? rows.find((each) => order.compare(next, order.valueIn(each)) < 0) : undefined;
  if (row === undefined) return;
  const value = shortened(order.valueIn(row));
  throw unreliable(
    resource,
    `the service gave ${shortened(next)} as the start of the next page, which lies before ${sort} ${value} of this one`,
  );
}

/** Of texts that are alike the service may make one value, which more rows share than a page holds. */
function nothingNew(walk: SortedWalk, order: Order, start: Scalar | undefined, next: Scalar): ClientError {
  if (!order.isExact && start !== undefined && alike(start, next))
    return stuck(walk, 'a page brought nothing new');
  const from = start === undefined ? 'the first page' : `the page from ${shortened(start)} on`;
  return unreliable(walk.resource, `${from} brought nothing new, and then comes ${shortened(next)}`);
}

interface Tie {
  readonly order: Order;
  /** The value that more rows share than a page holds. */
  readonly value: Scalar;
  /** Rows with that value, and others, that were given already. */
  readonly seen: ReadonlySet<Key>;
  /** How many rows were given so far. */
  readonly given: number;
}

interface Passed {
  /** Where to go on; undefined when nothing is left. */
  readonly resume: Scalar | undefined;
  readonly given: number;
  /** What was given so far, of an order that isn't exact. */
  readonly seen: Set<Key>;
}

/**
 * Gets past a tie: goes through the whole collection by id, gives the rest of the rows that tie, then the rows after
 * them as far as the window reaches. Returns the value to go on at, none when nothing is left.
 */
async function* passById(
  fetch: Pages,
  walk: SortedWalk,
  { order, value, seen, given }: Tie,
): AsyncGenerator<readonly JsonObject[], Passed> {
  const { resource, filters, pageSize } = walk;
  const unique = uniqueSort(resource, filters);
  if (unique === undefined || unique === walk.sort) throw stuck(walk, 'a start does not get past it');
  const window = createSortedWindow(order, walk.windowOctets ?? WINDOW_OCTETS);
  const known = new Set(seen);
  let before = 0;
  let rest = 0;
  for await (const rows of inOrder(fetch, { resource, filters, sort: unique, reverse: false, pageSize })) {
    const tied: JsonObject[] = [];
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
  // The window takes text to be sorted by code points. Where that isn't this service's order, rows would be lost.
  if (typeof value === 'string' && before !== given)
    throw stuck(walk, `too many rows share the value ${shortened(value)}`);
  const { rows, resume } = window.take();
  yield rows;
  for (const row of rows) known.add(keyOf(row));
  return { resume, given: given + rest + rows.length, seen: known };
}

const withinBounds = (pageSize: number): number => Math.min(MAX_COUNT, Math.max(1, Math.floor(pageSize)));

type Key = string | number | bigint;

/** What tells rows apart. A number stays one: that takes the least memory. */
function keyOf(row: JsonObject): Key {
  const id = row['id'];
  return isId(id) ? id : formatJson(row);
}

function alike(a: Scalar, b: Scalar): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b;
  return a.localeCompare(b, 'en', { sensitivity: 'base' }) === 0;
}

function stuck({ resource, sort }: SortedWalk, problem: string): ClientError {
  return new ClientError(
    'failed',
    `${resource.name} can't be walked by ${sort}: ${problem}; sort by ${sort === 'id' ? 'another attribute' : 'id'} instead`,
    { method: 'GET', path: pathOf(resource.name) },
  );
}
