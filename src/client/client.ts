/** The service as its callers see it: resources in, objects with neutral names out. */
import type { Credentials } from '../auth/credentials.ts';
import type { ErrorEnvelope, Json, JsonObject, OkEnvelope } from '../protocol/envelope.ts';
import { formatJson } from '../protocol/json.ts';
import {
  fromWireName,
  headerNames,
  type Naming,
  NEUTRAL_NAMING,
  renameKeys,
  toWireName,
} from '../protocol/naming.ts';
import { formatQuery, MAX_COUNT } from '../protocol/query.ts';
import { API_PREFIX, pathOf, type Transport, type WireResponse } from '../protocol/wire.ts';
import { resourceNamed } from '../resources/catalogue.ts';
import type { Scalar } from '../schema/field.ts';
import { type Id, isId } from '../schema/integer.ts';
import type { Resource, Values } from '../schema/resource.ts';
import { dataOf, idsOf, notOurs, objectOf, rowsOf } from './answer.ts';
import { call } from './call.ts';
import type { CallRequest, Connection } from './connection.ts';
import { checkDeleteTarget } from './delete-target.ts';
import { ClientError } from './errors.ts';
import { checkPage, type Page, type PageQuery } from './paging/page.ts';
import { walkRows } from './paging/walk.ts';
import { type Clock, machineTimer, type RandomOctets, type StartTimer } from './ports.ts';
import { checkRawRequest, type RawRequest } from './raw-request.ts';
import { cancelsTask, decideCancellation } from './recovery/cancellation.ts';
import type { RecoveryContext } from './recovery/create-once.ts';
import type { Baseline } from './recovery/find-created.ts';
import { canLookUp, lookupHint } from './recovery/lookup-hint.ts';
import { DEFAULT_TIMEOUT, SURELY_REFUSED, settlingTime } from './recovery/settle.ts';
import { createRetryQuota, DEFAULT_RETRIES } from './retry.ts';
import { createServiceClock, type ServiceClock } from './service-clock.ts';
import type { TraceEvent } from './trace.ts';
import type { OnWait } from './wait.ts';

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
  /**
   * Milliseconds from the end of a POST without an answer until it can no longer arrive, and counts as lost when what
   * it would have made isn't there; default the time-out plus 2,000.
   */
  readonly settle?: number;
  /** Further attempts after the first, of whatever kind and cause; default 2. */
  readonly retries?: number;
  /**
   * Ctrl-C. A request in flight may end (for 10 s at most) and its answer is returned; nothing new is started: the
   * next call, page or attempt is a `ClientError` of kind `interrupted`.
   */
  readonly signal?: AbortSignal;
  readonly trace?: (event: TraceEvent) => void;
  /**
   * Of a sandbox, whose clock can be moved: it alone says what is past. Otherwise what is past by the service's clock or
   * by this machine's is past, so that a clock that lags opens no guard (wire, "Authentication, where open").
   */
  readonly serviceClockAlone?: boolean | undefined;
  /** Told of every wait; most are over soon. */
  readonly onWait?: OnWait;
  /** One that several clients of a service share; its own unless given. */
  readonly serviceClock?: ServiceClock;
  /** Bounds requests in flight; the machine's own timer unless a test has another. */
  readonly timer?: StartTimer;
}

export interface ListOptions extends ReadOptions {
  readonly filters?: Values;
  /** An attribute marked S. Rows with equal values come in no promised order. */
  readonly sort?: string;
  readonly reverse?: boolean;
  /** How many rows at most. */
  readonly limit?: number;
  /** 1 to 200. */
  readonly pageSize?: number;
}

export interface ReadOptions {
  /** Told of a 404 in the service's own words, which is no error here: there is nothing. */
  readonly onMissing?: ((refusal: ClientError) => void) | undefined;
}

export interface WriteOptions {
  /** Called before every attempt; what it throws ends the call, and nothing more is sent. */
  readonly beforeAttempt?: () => void | Promise<void>;
}

export interface CreateOptions extends WriteOptions {
  /**
   * What to do when a POST was sent and its outcome is not known. `look` (default): what it would have made is looked
   * for, and `unknown` is thrown only when that doesn't tell; see `create-once.ts`. Of sms, task and rules one GET precedes
   * every POST, to know later what was there before. `give-up`: `unknown` is thrown at once.
   */
  readonly doubt?: 'look' | 'give-up';
  /** How things stood before, from a journal, in place of the GET that notes it. */
  readonly baseline?: Baseline;
  /** Told when the answer was lost and the object was found. */
  readonly onRecovered?: (record: JsonObject) => void;
}

/** Every method throws a `ClientError` when the call fails, and a `RangeError` for what must not be sent. */
export interface Client {
  /** Every row once, in the order asked for; a collection without any is empty. See `walk.ts` for what is promised. */
  list(resource: Resource, options?: ListOptions): AsyncIterable<JsonObject>;
  /** `undefined` for a 404 in the service's own words. */
  get(resource: Resource, id: Id, options?: ReadOptions): Promise<JsonObject | undefined>;
  /** The one record of a company: account, accountFeatures. */
  single(resource: Resource): Promise<JsonObject>;
  /** All that match. */
  find(resource: Resource, filters: Values, options?: ReadOptions): Promise<readonly JsonObject[]>;
  exists(resource: Resource, filters: Values): Promise<boolean>;
  create(resource: Resource, body: Values, options?: CreateOptions): Promise<JsonObject>;
  /**
   * How things stand, for `create` and `findCreated`: to be written down before something is sent. One GET where the
   * resource is noted first.
   */
  baseline(resource: Resource, body: Values): Promise<Baseline>;
  /** What a POST with this body has made since `baseline`; for one that a journal knows was sent and not answered. */
  findCreated(resource: Resource, body: Values, baseline: Baseline): Promise<readonly JsonObject[]>;
  /**
   * Without an id the body names the record. Of a task's `cancelled: true` in doubt the task itself decides: a refusal
   * (409) when it was completed first.
   */
  update(resource: Resource, id: Id | undefined, body: Values, options?: WriteOptions): Promise<JsonObject>;
  /** The ids of what went. `by` holds the id, or attributes that the interface's DELETE takes. */
  remove(resource: Resource, by: Values): Promise<readonly Id[]>;
  /** Any request under `/v1`; the answer as it came, vendor names and all, whatever its status but 3xx. */
  raw(request: RawRequest): Promise<WireResponse>;
  /** Unix seconds by the service's clock, or `undefined` before any answer. */
  serviceTime(): number | undefined;
  /**
   * Unix seconds that guards on times judge by: the later one of the service's clock and this machine's, or with
   * `serviceClockAlone` the service's, and `undefined` then before any answer.
   */
  latestTime(): number | undefined;
}

export function createClient(options: ClientOptions): Client {
  const { naming = NEUTRAL_NAMING, basePath = '' } = options;
  const connection: Connection = {
    ...options,
    naming,
    timer: options.timer ?? machineTimer,
    timeout: options.timeout ?? DEFAULT_TIMEOUT,
    retries: options.retries ?? DEFAULT_RETRIES,
    quota: createRetryQuota(),
    serviceClock: options.serviceClock ?? createServiceClock(naming),
  };
  const timeHeader = headerNames(naming).time;
  /** Whether an answer of this client was certainly the service's. */
  let proved = false;

  const path = (resource: Resource, id?: Scalar): string => {
    if (id === undefined) return basePath + pathOf(resource.name);
    const text = String(id);
    if (id === null || text === '' || text === '.' || text === '..')
      throw new RangeError(`${formatJson(id)} is not an id`);
    return basePath + pathOf(resource.name, text);
  };
  const bodyOf = (values: Values): string => formatJson(renameKeys(values, toWireName, naming));
  const neutral = (row: JsonObject): JsonObject => renameKeys<Json>(row, fromWireName, naming);

  async function ask(request: CallRequest, onDoubt?: () => void): Promise<Answered> {
    const { response, doubtful } = await call(connection, request);
    if (doubtful) onDoubt?.();
    const answer = dataOf(request, response);
    proved = true;
    const about = { request, response, doubtful };
    return answer.kind === 'ok'
      ? { ...about, envelope: answer, missing: undefined }
      : { ...about, envelope: undefined, missing: notThere(request, answer) };
  }
  const one = ({ request, envelope, response, missing }: Answered): JsonObject => {
    if (envelope === undefined) throw missing;
    return neutral(objectOf(request, envelope, response));
  };
  const rows = ({ request, envelope, response }: Answered): readonly JsonObject[] =>
    envelope === undefined ? [] : rowsOf(request, envelope, response).map(neutral);
  const pageIn = (answered: Answered): Page => ({
    rows: rows(answered),
    next: answered.envelope?.next ?? null,
  });

  const client: Client = {
    async *list(resource, options = {}) {
      const { filters = {}, sort, reverse = false, limit, pageSize = MAX_COUNT, onMissing } = options;
      const fetch = async (query: PageQuery): Promise<Page> => {
        const request = { method: 'GET', path: path(resource), query: formatQuery(query, naming) } as const;
        const answered = await ask(request);
        if (answered.missing) onMissing?.(answered.missing);
        return pageIn(answered);
      };
      yield* walkRows(fetch, { resource, filters, sort, reverse, limit, pageSize });
    },
    async get(resource, id, { onMissing } = {}) {
      const answered = await ask({ method: 'GET', path: path(resource, id) });
      if (answered.missing) onMissing?.(answered.missing);
      return answered.envelope === undefined ? undefined : one(answered);
    },
    async single(resource) {
      return one(await ask({ method: 'GET', path: path(resource) }));
    },
    async find(resource, filters, { onMissing } = {}) {
      const found: JsonObject[] = [];
      for await (const row of client.list(resource, { filters, onMissing })) found.push(row);
      return found;
    },
    async exists(resource, filters) {
      const { id, ...others } = filters;
      const byId = id !== undefined && Object.keys(others).length === 0;
      const request = byId
        ? { path: path(resource, id), query: '' }
        : { path: path(resource), query: formatQuery({ filters }, naming) };
      const { response } = await call(connection, { method: 'HEAD', ...request });
      if (response.status >= 200 && response.status < 300) return true;
      if (response.status !== 404) throw withoutBody(request.path, response);
      // A HEAD has no envelope to tell the service's 404 from that of a wrong base URL. Until something has, ask.
      if (response.headers[timeHeader] !== undefined) proved = true;
      if (proved) return false;
      return checkPage(resource, pageIn(await ask({ method: 'GET', ...request }))).rows.length > 0;
    },
    async create(resource, body, { beforeAttempt, doubt = 'look', baseline, onRecovered } = {}) {
      let attempts = 0;
      const request: CallRequest = {
        method: 'POST',
        path: path(resource),
        body: bodyOf(body),
        withoutCompany: resource.methods.post?.withoutCompany,
        beforeAttempt: async () => {
          await beforeAttempt?.();
          attempts += 1;
        },
        check: lookupHint(resource, body, basePath, naming),
        leastSkew: SURELY_REFUSED,
      };
      const send = async () => one(await ask({ ...request, retries: connection.retries - attempts }));
      const maySend = (): boolean => attempts <= connection.retries;
      if (doubt === 'give-up' || !canLookUp(resource)) return send();
      const { createOnce } = await import('./recovery/create-once.ts');
      return createOnce(recovery, { resource, body, send, maySend, baseline, onRecovered });
    },
    async baseline(resource, body) {
      const { highestIdBefore } = await import('./recovery/find-created.ts');
      const noted = resource.inDoubt === 'note-first';
      const above = noted ? { above: await highestIdBefore(client.list, resource, body) } : {};
      const since = connection.serviceClock.earliest(connection.clock.now());
      return { ...above, ...(since === undefined ? {} : { since }) };
    },
    async findCreated(resource, body, baseline) {
      const { findCreated } = await import('./recovery/find-created.ts');
      return findCreated(client.list, resource, body, () => baseline);
    },
    async update(resource, id, body, { beforeAttempt } = {}) {
      const check = `GET ${path(resource, id)}`;
      let doubtful = false;
      const request: CallRequest = {
        method: 'PUT',
        path: path(resource, id),
        body: bodyOf(body),
        beforeAttempt,
        check,
      };
      try {
        return one(
          await ask(request, () => {
            doubtful = true;
          }),
        );
      } catch (error) {
        const open = doubtful || (error instanceof ClientError && error.kind === 'unknown');
        if (!open || id === undefined || !cancelsTask(resource, body)) throw error;
        return decideCancellation(error, () => client.get(resource, id));
      }
    },
    async remove(resource, by) {
      const attributes = checkDeleteTarget(resource, by);
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
      if (!answered.doubtful) throw answered.missing;
      return attributes.includes('id') && isId(id) ? [id] : [];
    },
    async raw(request) {
      const { method, path: given, query = '', body } = checkRawRequest(request);
      const withBody = body === undefined ? {} : { body };
      const once = method === 'POST' ? { leastSkew: SURELY_REFUSED, withoutCompany: postsAlone(given) } : {};
      return (await call(connection, { method, path: basePath + given, query, ...withBody, ...once }))
        .response;
    },
    serviceTime: () => connection.serviceClock.now(connection.clock.now()),
    latestTime: () => {
      const machine = connection.clock.now();
      const service = connection.serviceClock.now(machine);
      if (options.serviceClockAlone) return service;
      return Math.max(Math.floor(machine / 1000), service ?? 0);
    },
  };
  const recovery: RecoveryContext = {
    list: client.list,
    get: client.get,
    clock: connection.clock,
    signal: connection.signal,
    settle: settlingTime(options),
    serviceClock: connection.serviceClock,
    onWait: connection.onWait,
  };
  return client;
}

/** Whether a POST to this path names neither company nor user. */
function postsAlone(path: string): boolean | undefined {
  return resourceNamed(path.slice(API_PREFIX.length))?.methods.post?.withoutCompany;
}

type Answered = {
  readonly request: CallRequest;
  readonly response: WireResponse;
  readonly doubtful: boolean;
} & (
  | { readonly envelope: OkEnvelope; readonly missing: undefined }
  /** 404 in the service's own words. */
  | { readonly envelope: undefined; readonly missing: ClientError }
);

function notThere({ method, path }: CallRequest, envelope: ErrorEnvelope): ClientError {
  return new ClientError('refused', `${path} was not found`, { method, path, status: 404, envelope });
}

function withoutBody(path: string, response: WireResponse): ClientError {
  const { status } = response;
  if (status < 400) return notOurs('HEAD', path, response, 'neither 200 nor 404');
  const kind = status === 429 ? 'throttled' : status >= 500 ? 'failed' : 'refused';
  return new ClientError(kind, `HEAD ${path} was answered with ${status}`, { method: 'HEAD', path, status });
}
