import type { Scalar } from '../../kit/schema/field.ts';
import { type Id, isId, isSameId } from '../../kit/schema/integer.ts';
import type { AnyRecord, RecordOf, Resource, Values } from '../../kit/schema/resource.ts';
import { MAX_RECORDS_PER_PAGE } from '../../service/protocol/wire.ts';
import type { ClientError } from './errors.ts';
import { checkResponsePage, type PagedRows, type PageQuery, type ResponsePage } from './paging/page.ts';
import { readCollectionRows } from './paging/walk.ts';
import type { ResourceCalls, ServiceResponse } from './resource-calls.ts';

export interface ReadOptions {
  /** The read does not throw this error; it returns an empty result. */
  readonly onMissing?: ((notFound: ClientError) => void) | undefined;
}

export interface ListOptions extends ReadOptions {
  readonly filters?: Values | undefined;
  /** Rows with equal values have no guaranteed order. */
  readonly sort?: string | undefined;
  readonly reverse?: boolean | undefined;
  /**
   * Value of the sort attribute at which the list starts, inclusive (wire, "Requests": `start`). Rows with an earlier value are omitted.
   */
  readonly from?: Scalar | undefined;
  readonly limit?: number | undefined;
  /** Rows per page, 1 to 200. */
  readonly pageSize?: number | undefined;
}

export interface Reads {
  /** See `walk.ts` for the guarantees. */
  list<R extends Resource>(resource: R, options?: ListOptions): PagedRows<RecordOf<R>>;
  /** Returns the record with this id, or `undefined` for a 404 that comes from the service, not from a proxy. */
  get<R extends Resource>(resource: R, id: Id, options?: ReadOptions): Promise<RecordOf<R> | undefined>;
  /** For account and accountFeatures, of which each company has one record. */
  single<R extends Resource>(resource: R): Promise<RecordOf<R>>;
  find<R extends Resource>(
    resource: R,
    filters: Values,
    options?: ReadOptions,
  ): Promise<readonly RecordOf<R>[]>;
  exists(resource: Resource, filters: Values): Promise<boolean>;
}

export function createReadMethods(calls: ResourceCalls): Reads {
  const { connection, pathTo, queryOf, send, sendHead, recordIn, pageIn } = calls;

  function list(resource: Resource, options: ListOptions = {}): PagedRows {
    const {
      filters = {},
      sort,
      reverse = false,
      from,
      limit,
      pageSize = MAX_RECORDS_PER_PAGE,
      onMissing,
    } = options;
    const fetch = async (query: PageQuery): Promise<ResponsePage> => {
      const answered = await send({ method: 'GET', path: pathTo(resource), query: queryOf(query) });
      if (answered.missing) onMissing?.(answered.missing);
      return pageIn(answered);
    };
    return readCollectionRows(fetch, { resource, filters, sort, reverse, from, limit, pageSize });
  }

  async function get(
    resource: Resource,
    id: Id,
    { onMissing }: ReadOptions = {},
  ): Promise<AnyRecord | undefined> {
    const answered = await send({ method: 'GET', path: pathTo(resource, id) });
    if (answered.missing) onMissing?.(answered.missing);
    if (answered.envelope === undefined) return undefined;
    const record = recordIn(answered);
    return isSameId(record.id, id) ? record : throwMisanswered(answered, resource, id, record);
  }

  const reads = {
    list,
    get,
    async single(resource: Resource): Promise<AnyRecord> {
      const answered = await send({ method: 'GET', path: pathTo(resource) });
      const record = recordIn(answered);
      const { companyId } = connection.credentials;
      // The request names no id, so a record without one is no contradiction.
      if (companyId === undefined || record.id === undefined || isSameId(record.id, companyId)) return record;
      return throwMisanswered(answered, resource, companyId, record);
    },
    async find(
      resource: Resource,
      filters: Values,
      { onMissing }: ReadOptions = {},
    ): Promise<readonly AnyRecord[]> {
      const found: AnyRecord[] = [];
      for await (const row of list(resource, { filters, onMissing })) found.push(row);
      return found;
    },
    async exists(resource: Resource, filters: Values): Promise<boolean> {
      const { id, ...others } = filters;
      const byId = id !== undefined && Object.keys(others).length === 0;
      const request = byId
        ? { path: pathTo(resource, id), query: '' }
        : { path: pathTo(resource), query: queryOf({ filters }) };
      const found = await sendHead(request);
      if (found !== undefined) return found;
      if (byId && isId(id)) return (await get(resource, id)) !== undefined;
      return checkResponsePage(resource, pageIn(await send({ method: 'GET', ...request }))).rows.length > 0;
    },
  };
  // The declaration of a resource says what the service returns. Values are not checked: a newer service may return others.
  return reads as Reads;
}

async function throwMisanswered(
  answered: ServiceResponse,
  resource: Resource,
  asked: Id,
  other: AnyRecord,
): Promise<never> {
  const { misansweredReadError } = await import('./other-record.ts');
  throw misansweredReadError(answered, resource, asked, other);
}
