/** The service as its callers see it: resources in, objects with neutral names out. */
import type { Credentials } from '../auth/credentials.ts';
import type { Json, JsonObject, OkEnvelope } from '../protocol/envelope.ts';
import {
  fromWireName,
  headerNames,
  type Naming,
  NEUTRAL_NAMING,
  renameKeys,
  toWireName,
} from '../protocol/naming.ts';
import { formatQuery, MAX_COUNT } from '../protocol/query.ts';
import { pathOf, type Transport, type WireResponse } from '../protocol/wire.ts';
import type { Scalar } from '../schema/field.ts';
import { filtersOf, type Resource, type Values } from '../schema/resource.ts';
import { dataOf, idsOf, notOurs, objectOf, rowsOf } from './answer.ts';
import { type CallRequest, call, type Line } from './call.ts';
import { ClientError } from './errors.ts';
import { type Page, type PageQuery, walkRows } from './paging.ts';
import { type Clock, machineTimer, type RandomOctets, type StartTimer } from './ports.ts';
import { checkRawRequest, type RawRequest } from './raw.ts';
import { createRetryQuota, DEFAULT_RETRIES } from './retry.ts';
import { createServiceClock } from './skew.ts';
import type { TraceEvent } from './trace.ts';

export interface ClientOptions {
  readonly credentials: Credentials;
  readonly naming?: Naming;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: RandomOctets;
  /** What stands before `/v1` in every path, as `parseBaseUrl` gives it. It is signed with the rest. */
  readonly basePath?: string;
  /** Milliseconds for a whole call, retries included; default 60,000. */
  readonly timeout?: number;
  /** Further attempts after the first; default 2. */
  readonly retries?: number;
  /**
   * Ctrl-C. A request in flight may end (for 10 s at most) and its answer is returned; nothing new is started: the
   * next call, page or attempt is a `ClientError` of kind `interrupted`.
   */
  readonly signal?: AbortSignal;
  readonly trace?: (event: TraceEvent) => void;
  /** Bounds requests in flight; the machine's own timer unless a test has another. */
  readonly timer?: StartTimer;
}

export interface ListOptions {
  readonly filters?: Values;
  /** An attribute marked S. Rows with equal values come in no promised order. */
  readonly sort?: string;
  readonly reverse?: boolean;
  /** How many rows at most. */
  readonly limit?: number;
  /** 1 to 200. */
  readonly pageSize?: number;
}

export interface WriteOptions {
  /** Called before every attempt; what it throws ends the call, and nothing more is sent. */
  readonly beforeAttempt?: () => void | Promise<void>;
}

/** Every method throws a `ClientError` when the call fails, and a `RangeError` for what must not be sent. */
export interface Client {
  /** Every row once, in the order asked for; a collection without any is empty. See `paging.ts` for what is promised. */
  list(resource: Resource, options?: ListOptions): AsyncIterable<JsonObject>;
  /** `undefined` for a 404 in the service's own words. */
  get(resource: Resource, id: string | number): Promise<JsonObject | undefined>;
  /** The one record of a company: account, accountFeatures. */
  single(resource: Resource): Promise<JsonObject>;
  /** All that match. */
  find(resource: Resource, filters: Values): Promise<readonly JsonObject[]>;
  exists(resource: Resource, filters: Values): Promise<boolean>;
  create(resource: Resource, body: Values, options?: WriteOptions): Promise<JsonObject>;
  /** Without an id the body names the record. */
  update(
    resource: Resource,
    id: string | number | undefined,
    body: Values,
    options?: WriteOptions,
  ): Promise<JsonObject>;
  /** The ids of what went. `by` holds the id, or attributes that the interface's DELETE takes. */
  remove(resource: Resource, by: Values): Promise<readonly (string | number)[]>;
  /** Any request under `/v1`; the answer as it came, vendor names and all, whatever its status but 3xx. */
  raw(request: RawRequest): Promise<WireResponse>;
  /** Unix seconds by the service's clock, or `undefined` before any answer. */
  serviceTime(): number | undefined;
}

export function createClient(options: ClientOptions): Client {
  const { naming = NEUTRAL_NAMING, basePath = '' } = options;
  const line: Line = {
    ...options,
    naming,
    timer: options.timer ?? machineTimer,
    timeout: options.timeout ?? 60_000,
    retries: options.retries ?? DEFAULT_RETRIES,
    quota: createRetryQuota(),
    serviceClock: createServiceClock(naming),
  };
  const timeHeader = headerNames(naming).time;
  /** Whether an answer of this client was certainly the service's. */
  let proved = false;

  const path = (resource: Resource, id?: Scalar): string => {
    if (id === undefined) return basePath + pathOf(resource.name);
    const text = String(id);
    if (id === null || text === '' || text === '.' || text === '..')
      throw new RangeError(`${JSON.stringify(id)} is not an id`);
    return basePath + pathOf(resource.name, text);
  };
  const bodyOf = (values: Values): string => JSON.stringify(renameKeys(values, toWireName, naming));
  const neutral = (row: JsonObject): JsonObject => renameKeys<Json>(row, fromWireName, naming);

  async function ask(request: CallRequest): Promise<Answered> {
    const { response, doubtful } = await call(line, request);
    const envelope = dataOf(request, response);
    proved = true;
    return { request, response, envelope, doubtful };
  }
  const one = ({ request, envelope, response }: Answered): JsonObject => {
    if (envelope === undefined) throw notThere(request, response);
    return neutral(objectOf(request, envelope, response));
  };
  const rows = ({ request, envelope, response }: Answered): readonly JsonObject[] =>
    envelope === undefined ? [] : rowsOf(request, envelope, response).map(neutral);

  const client: Client = {
    async *list(resource, { filters = {}, sort, reverse = false, limit, pageSize = MAX_COUNT } = {}) {
      const fetch = async (query: PageQuery): Promise<Page> => {
        const answered = await ask({
          method: 'GET',
          path: path(resource),
          query: formatQuery(query, naming),
        });
        return { rows: rows(answered), next: answered.envelope?.next ?? null };
      };
      yield* walkRows(fetch, { resource, filters, sort, reverse, limit, pageSize });
    },
    async get(resource, id) {
      const answered = await ask({ method: 'GET', path: path(resource, id) });
      return answered.envelope === undefined ? undefined : one(answered);
    },
    async single(resource) {
      return one(await ask({ method: 'GET', path: path(resource) }));
    },
    async find(resource, filters) {
      const found: JsonObject[] = [];
      for await (const row of client.list(resource, { filters })) found.push(row);
      return found;
    },
    async exists(resource, filters) {
      const { id, ...others } = filters;
      const byId = id !== undefined && Object.keys(others).length === 0;
      const request = byId
        ? { path: path(resource, id), query: '' }
        : { path: path(resource), query: formatQuery({ filters }, naming) };
      const { response } = await call(line, { method: 'HEAD', ...request });
      if (response.status >= 200 && response.status < 300) return true;
      if (response.status !== 404) throw withoutBody(request.path, response);
      // A HEAD has no envelope to tell the service's 404 from that of a wrong base URL. Until something has, ask.
      if (response.headers[timeHeader] !== undefined) proved = true;
      if (proved) return false;
      const { envelope } = await ask({ method: 'GET', ...request });
      return envelope !== undefined && (!Array.isArray(envelope.data) || envelope.data.length > 0);
    },
    async create(resource, body, { beforeAttempt } = {}) {
      const check = whereToLook(resource, body, basePath, naming);
      return one(
        await ask({ method: 'POST', path: path(resource), body: bodyOf(body), beforeAttempt, check }),
      );
    },
    async update(resource, id, body, { beforeAttempt } = {}) {
      const check = `GET ${path(resource, id)}`;
      return one(
        await ask({ method: 'PUT', path: path(resource, id), body: bodyOf(body), beforeAttempt, check }),
      );
    },
    async remove(resource, by) {
      const attributes = checkRemoval(resource, by);
      const { id } = by;
      const query = id === undefined ? formatQuery({ filters: by }, naming) : '';
      const answered = await ask({
        method: 'DELETE',
        path: path(resource, id),
        query,
        check: `GET ${path(resource, id)}${query === '' ? '' : `?${query}`}`,
      });
      if (answered.envelope !== undefined) return idsOf(answered.envelope);
      // An attempt whose answer was lost has done it.
      if (!answered.doubtful) throw notThere(answered.request, answered.response);
      return attributes.includes('id') && (typeof id === 'string' || typeof id === 'number') ? [id] : [];
    },
    async raw(request) {
      const { method, path: given, query = '', body } = checkRawRequest(request);
      const withBody = body === undefined ? {} : { body };
      return (await call(line, { method, path: basePath + given, query, ...withBody })).response;
    },
    serviceTime: () => line.serviceClock.now(line.clock.now()),
  };
  return client;
}

interface Answered {
  readonly request: CallRequest;
  readonly response: WireResponse;
  /** Absent: 404 in the service's own words. */
  readonly envelope: OkEnvelope | undefined;
  readonly doubtful: boolean;
}

function notThere({ method, path }: CallRequest, response: WireResponse): ClientError {
  return new ClientError('refused', `${path} was not found`, { method, path, status: response.status });
}

function withoutBody(path: string, response: WireResponse): ClientError {
  const { status } = response;
  if (status < 400) return notOurs('HEAD', path, response, 'neither 200 nor 404');
  const kind = status === 429 ? 'throttled' : status >= 500 ? 'failed' : 'refused';
  return new ClientError(kind, `HEAD ${path} was answered with ${status}`, { method: 'HEAD', path, status });
}

/** Contract, "Safety": a DELETE is never sent without an id or the attribute that names what to delete. */
function checkRemoval(resource: Resource, by: Values): readonly string[] {
  const method = resource.methods.delete;
  if (!method) throw new RangeError(`${resource.name} has no DELETE`);
  const given = Object.keys(by);
  if (given.length === 0) throw new RangeError(`a DELETE of ${resource.name} must name what to delete`);
  for (const attribute of given) {
    if (!method.by.includes(attribute))
      throw new RangeError(
        `${attribute} can't name a ${resource.name} to delete (${method.by.join(', ')} can)`,
      );
    const value = by[attribute];
    if (value === null || value === undefined || value === '')
      throw new RangeError(`${attribute} is empty: a DELETE of ${resource.name} must name what to delete`);
  }
  if (given.length > 1 && (method.exclusive || given.includes('id')))
    throw new RangeError(`a DELETE of ${resource.name} takes one of ${given.join(', ')}`);
  return given;
}

/** The request that shows whether a lost POST was carried out: its identifying attributes as filters, where marked F. */
function whereToLook(resource: Resource, body: Values, basePath: string, naming: Naming): string {
  const filters: Record<string, Scalar> = {};
  for (const attribute of resource.identifiedBy) {
    const value = body[attribute];
    if (value !== undefined && filtersOf(resource).includes(attribute)) filters[attribute] = value;
  }
  const query = formatQuery({ filters }, naming);
  return `GET ${basePath}${pathOf(resource.name)}${query === '' ? '' : `?${query}`}`;
}
