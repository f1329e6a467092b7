/** The service as its callers see it: resources in, objects with neutral names out. */
import type { Credentials } from '../auth/credentials.ts';
import { type Naming, NEUTRAL_NAMING } from '../protocol/naming.ts';
import { API_PREFIX, type Transport, type WireResponse } from '../protocol/wire.ts';
import { resourceNamed } from '../resources/catalogue.ts';
import { call } from './call.ts';
import type { CallRequest, Connection } from './connection.ts';
import { type Clock, machineTimer, type RandomOctets, type StartTimer } from './ports.ts';
import { checkRawRequest, type RawRequest } from './raw-request.ts';
import { createReads, type Reads } from './reads.ts';
import { DEFAULT_TIMEOUT, SURELY_REFUSED, settlingTime } from './recovery/settle.ts';
import { createResourceCalls } from './resource-calls.ts';
import { createRetryQuota, DEFAULT_RETRIES } from './retry.ts';
import { createServiceClock, type ServiceClock } from './service-clock.ts';
import { createTimeLimits } from './time-limits.ts';
import type { TraceEvent } from './trace.ts';
import type { OnWait } from './wait.ts';
import { createWrites, type Writes } from './writes.ts';

export interface ClientOptions {
  readonly credentials: Credentials;
  readonly naming?: Naming | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: RandomOctets;
  /** What stands before `/v1` in every path, as `parseBaseUrl` gives it. It is signed with the rest. */
  readonly basePath?: string | undefined;
  /** Milliseconds for a whole call, retries included; default 60,000. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds from the end of a POST without an answer until it can no longer arrive, and counts as lost when what
   * it would have made isn't there; default the time-out plus 2,000.
   */
  readonly settle?: number | undefined;
  /** Further attempts after the first, of whatever kind and cause; default 2. */
  readonly retries?: number | undefined;
  /**
   * Ctrl-C. A request in flight may end (for 10 s at most) and its answer is returned; nothing new is started: the
   * next call, page or attempt is a `ClientError` of kind `interrupted`.
   */
  readonly signal?: AbortSignal | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
  /** Whether the trace has the string that was signed, with a placeholder in place of the key. */
  readonly explainsSignature?: boolean | undefined;
  /**
   * Of a sandbox, whose clock can be moved: it alone says what is past. Otherwise what is past by the service's clock or
   * by this machine's is past, so that a clock that lags opens no guard (wire, "Authentication, where open").
   */
  readonly serviceClockAlone?: boolean | undefined;
  /** Told of every wait; most are over soon. */
  readonly onWait?: OnWait | undefined;
  /** One that several clients of a service share; its own unless given. */
  readonly serviceClock?: ServiceClock | undefined;
  /** Bounds requests in flight; the machine's own timer unless a test has another. */
  readonly timer?: StartTimer | undefined;
}

/** Every method throws a `ClientError` when the call fails, and a `RangeError` for what must not be sent. */
export interface Client extends Reads, Writes {
  /** Any request under `/v1`; the answer as it came, vendor names and all, whatever its status but 3xx. */
  raw(request: RawRequest): Promise<WireResponse>;
  /** Unix seconds by the service's clock, or `undefined` before any answer. */
  serviceTime(): number | undefined;
  /** Unix seconds at which a sandbox's clock stood in its newest answer; `undefined` where it runs by itself. */
  standsAt(): number | undefined;
  /**
   * Unix seconds that guards on times judge by: the later one of the service's clock and this machine's, or with
   * `serviceClockAlone` the service's, and `undefined` then before any answer.
   */
  latestTime(): number | undefined;
}

export function createClient(options: ClientOptions): Client {
  const connection = connectionFrom(options);
  const calls = createResourceCalls(connection);
  const reads = createReads(calls);
  const { clock, signal, serviceClock, onWait } = connection;
  const settle = settlingTime(options);
  const { list, get } = reads;
  const writes = createWrites(calls, { list, get, clock, signal, settle, serviceClock, onWait });
  return {
    ...reads,
    ...writes,
    raw: async (request) => (await call(connection, rawCall(connection, request))).response,
    serviceTime: () => serviceClock.standsAt() ?? serviceClock.now(clock.now()),
    standsAt: serviceClock.standsAt,
    latestTime: () => {
      const machine = clock.now();
      const service = serviceClock.now(machine);
      if (options.serviceClockAlone) return service;
      return Math.max(Math.floor(machine / 1000), service ?? 0);
    },
  };
}

function connectionFrom(options: ClientOptions): Connection {
  const { naming = NEUTRAL_NAMING } = options;
  return {
    ...options,
    naming,
    basePath: options.basePath ?? '',
    timeLimits: createTimeLimits(options.timer ?? machineTimer, options.signal),
    timeout: options.timeout ?? DEFAULT_TIMEOUT,
    retries: options.retries ?? DEFAULT_RETRIES,
    quota: createRetryQuota(),
    serviceClock: options.serviceClock ?? createServiceClock(naming),
  };
}

function rawCall({ basePath }: Connection, request: RawRequest): CallRequest {
  const { method, path, query = '', body } = checkRawRequest(request);
  const once = method === 'POST' ? { leastSkew: SURELY_REFUSED, withoutCompany: postsAlone(path) } : {};
  return { method, path: basePath + path, query, body, ...once };
}

/** Whether a POST to this path names neither company nor user. */
function postsAlone(path: string): boolean | undefined {
  return resourceNamed(path.slice(API_PREFIX.length))?.methods.post?.withoutCompany;
}
