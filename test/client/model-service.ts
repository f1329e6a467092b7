/** A model of the paging in wire.md, "Requests": only the meaning of `start`, `count`, `next` and ties. */
import type { PageQuery, ResponsePage } from '../../src/client/requests/paging/page.ts';
import type { Scalar } from '../../src/kit/schema/field.ts';
import type { JsonObject } from '../../src/service/protocol/envelope.ts';

export interface Model {
  /** True if null sorts first in ascending order; the wire conventions do not say. */
  readonly nullsFirst: boolean;
  /** The order of rows with equal values: as stored, reversed, or different for every request. */
  readonly ties: 'stored' | 'backwards' | 'shuffled';
  /** True if two names that differ only by case are equal, as in some databases. */
  readonly ignoresCase?: boolean;
}

export interface Requests {
  count: number;
  rows: number;
  readonly queries: PageQuery[];
}

interface StoredRow {
  readonly row: JsonObject;
  readonly index: number;
  readonly value: Scalar;
}

/** Returns the pages of a service, and the number of its requests. */
export function modelService(stored: readonly JsonObject[], model: Model) {
  const requests: Requests = { count: 0, rows: 0, queries: [] };
  const compare = (a: Scalar, b: Scalar): number => {
    if (a === null || b === null) {
      if (a === b) return 0;
      return (a === null) === model.nullsFirst ? -1 : 1;
    }
    const [x, y] =
      model.ignoresCase && typeof a === 'string' && typeof b === 'string'
        ? [a.toLowerCase(), b.toLowerCase()]
        : [a, b];
    if (x === y) return 0;
    return x < y ? -1 : 1;
  };
  const orders = new Map<string, readonly StoredRow[]>();
  /** Returns the rows that match, sorted by value. Rows with equal values are in the order in which they are stored. */
  const inOrder = (filters: PageQuery['filters'], sort: string, direction: number): readonly StoredRow[] => {
    const name = JSON.stringify([filters, sort, direction]);
    const order =
      orders.get(name) ??
      stored
        .filter((row) => Object.entries(filters).every(([name, wanted]) => row[name] === wanted))
        .map((row, index) => ({ row, index, value: row[sort] as Scalar }))
        .sort((a, b) => direction * compare(a.value, b.value));
    orders.set(name, order);
    return order;
  };
  const fetch = async ({
    filters,
    sort = 'id',
    reverse = false,
    count = 200,
    start,
  }: PageQuery): Promise<ResponsePage> => {
    requests.count += 1;
    requests.queries.push({ filters, sort, reverse, count, ...(start === undefined ? {} : { start }) });
    const direction = reverse ? -1 : 1;
    const order = inOrder(filters, sort, direction);
    // The start is inclusive, and need not exist.
    const from =
      start === undefined ? 0 : order.findIndex(({ value }) => direction * compare(value, start) >= 0);
    if (from === -1) return { rows: [], next: null };
    const most = Math.min(count, 200);
    // The order of ties concerns the page and the rows that have the value of the row after it.
    let to = from + most + 1;
    while (to < order.length && compare(order[to]?.value ?? null, order[to - 1]?.value ?? null) === 0)
      to += 1;
    const page = order
      .slice(from, to)
      .map((each) => ({ ...each, tie: tieOf(model, each.index, requests.count) }))
      .sort((a, b) => direction * compare(a.value, b.value) || a.tie - b.tie);
    const rows = page.slice(0, most).map(({ row }) => row);
    requests.rows += rows.length;
    return { rows, next: page[most]?.value ?? null };
  };
  return { fetch, requests };
}

function tieOf({ ties }: Model, index: number, request: number): number {
  if (ties === 'stored') return index;
  if (ties === 'backwards') return -index;
  const mixed = Math.imul((index + 1) ^ Math.imul(request, 0x85ebca6b), 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
}
