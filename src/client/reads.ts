/** The methods that read. */
import type { JsonObject } from '../protocol/envelope.ts';
import { MAX_COUNT } from '../protocol/query.ts';
import type { Scalar } from '../schema/field.ts';
import type { Id } from '../schema/integer.ts';
import type { Resource, Values } from '../schema/resource.ts';
import type { ClientError } from './errors.ts';
import { checkPage, type Page, type PageQuery } from './paging/page.ts';
import type { PagedRows } from './paging/paged-rows.ts';
import { walkRows } from './paging/walk.ts';
import type { ResourceCalls } from './resource-calls.ts';

export interface ReadOptions {
  /** Told of a 404 in the service's own words, which is no error here: there is nothing. */
  readonly onMissing?: ((refusal: ClientError) => void) | undefined;
}

export interface ListOptions extends ReadOptions {
  readonly filters?: Values | undefined;
  /** An attribute marked S. Rows with equal values come in no promised order. */
  readonly sort?: string | undefined;
  readonly reverse?: boolean | undefined;
  /** Begins at this value of the sort attribute, that one included (wire, "Requests": `start`). */
  readonly from?: Scalar | undefined;
  /** How many rows at most. */
  readonly limit?: number | undefined;
  /** 1 to 200. */
  readonly pageSize?: number | undefined;
}

export interface Reads {
  /** Every row once, in the order asked for; a collection without any is empty. See `walk.ts` for what is promised. */
  list(resource: Resource, options?: ListOptions): PagedRows;
  /** `undefined` for a 404 in the service's own words. */
  get(resource: Resource, id: Id, options?: ReadOptions): Promise<JsonObject | undefined>;
  /** The one record of a company: account, accountFeatures. */
  single(resource: Resource): Promise<JsonObject>;
  /** All that match. */
  find(resource: Resource, filters: Values, options?: ReadOptions): Promise<readonly JsonObject[]>;
  exists(resource: Resource, filters: Values): Promise<boolean>;
}

export function createReads(calls: ResourceCalls): Reads {
  const { pathTo, queryOf, send, sendHead, recordIn, pageIn } = calls;

  function list(resource: Resource, options: ListOptions = {}): PagedRows {
    const { filters = {}, sort, reverse = false, from, limit, pageSize = MAX_COUNT, onMissing } = options;
    const fetch = async (query: PageQuery): Promise<Page> => {
      const answered = await send({ method: 'GET', path: pathTo(resource), query: queryOf(query) });
      if (answered.missing) onMissing?.(answered.missing);
      return pageIn(answered);
    };
    return walkRows(fetch, { resource, filters, sort, reverse, from, limit, pageSize });
  }

  return {
    list,
    async get(resource, id, { onMissing } = {}) {
      const answered = await send({ method: 'GET', path: pathTo(resource, id) });
      if (answered.missing) onMissing?.(answered.missing);
      return answered.envelope === undefined ? undefined : recordIn(answered);
    },
    async single(resource) {
      return recordIn(await send({ method: 'GET', path: pathTo(resource) }));
    },
    async find(resource, filters, { onMissing } = {}) {
      const found: JsonObject[] = [];
      for await (const row of list(resource, { filters, onMissing })) found.push(row);
      return found;
    },
    async exists(resource, filters) {
      const { id, ...others } = filters;
      const byId = id !== undefined && Object.keys(others).length === 0;
      const request = byId
        ? { path: pathTo(resource, id), query: '' }
        : { path: pathTo(resource), query: queryOf({ filters }) };
      const found = await sendHead(request);
      if (found !== undefined) return found;
      return checkPage(resource, pageIn(await send({ method: 'GET', ...request }))).rows.length > 0;
    },
  };
}
