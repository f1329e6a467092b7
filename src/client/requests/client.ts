/** Client of the service: takes resources and returns objects with the interface's attribute names, whatever names the deployment uses. */
import type { Credentials } from '../../service/auth/credentials.ts';
import { DEFAULT_WIRE_NAMING, type Naming } from '../../service/protocol/naming.ts';
import { API_PREFIX, type Transport, type WireResponse } from '../../service/protocol/wire.ts';
import { resourceNamed } from '../../service/resources/catalogue.ts';
import { call } from './call.ts';
import {
  type CallRequest,
  type Connection,
  checkRawRequest,
  createTimeLimits,
  type OnRequestWait,
  type RawRequest,
  type TraceEvent,
} from './connection.ts';
import { type Clock, type RandomOctets, type StartTimer, startMachineTimer } from './ports.ts';
import { createReadMethods, type Reads } from './reads.ts';
import { DEFAULT_TIMEOUT, MIN_CLOCK_SKEW_TO_TRUST_401_MS, settleTime } from './recovery/settle.ts';
import { createResourceCalls } from './resource-calls.ts';
import { createRetryQuota, DEFAULT_RETRIES } from './retry.ts';
import { createServiceClock, type ServiceClock } from './service-clock.ts';
import { type LookUps, type Send, type WriteMethods, writeMethodsThrough } from './write.ts';
import { createLookUps, sendWrite } from './writes.ts';

export interface ClientOptions {
  readonly credentials: Credentials;
  readonly naming?: Naming | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: RandomOctets;
  /** Prefix before `/v1`, which is part of the signed path. */
  readonly basePath?: string | undefined;
  /** Milliseconds for a whole call, retries included; default 60,000. */
  readonly timeout?: number | undefined;
  /**
   * Milliseconds that a POST may still take to reach the service after the client stopped waiting for the response. If its record does not
   * exist when this time is over, the POST counts as lost. Default: `timeout` plus 2,000.
   */
  readonly settle?: number | undefined;
  /** Maximum number of retries after the first attempt, for any reason. Default: 2. */
  readonly retries?: number | undefined;
  /**
   * Signal for Ctrl-C. After Ctrl-C, the client waits up to 10 s for the response to a request in flight, and returns this response. The
   * next call, page or attempt throws a `ClientError` of kind `interrupted`.
   */
  readonly signal?: AbortSignal | undefined;
  readonly trace?: ((event: TraceEvent) => void) | undefined;
  readonly explainsSignature?: boolean | undefined;
  /**
   * True if only the service's clock decides whether a time is past. Set for a sandbox, because its clock can be moved. If false, the later
   * one of the service's clock and this machine's clock decides (docs/wire.md, "Authentication, where open").
   */
  readonly serviceClockAlone?: boolean | undefined;
  readonly onWait?: OnRequestWait | undefined;
  /** Several clients of one service can share an estimate. */
  readonly serviceClock?: ServiceClock | undefined;
  /** Default: timers of this machine. */
  readonly timer?: StartTimer | undefined;
}

/** Client of one service. Every method throws a `ClientError` if the call fails, and a `RangeError` for input that must not be sent. */
export interface Client extends Reads, WriteMethods, LookUps {
  /** Sends any request under `/v1`. Returns the response unchanged, with the deployment's own names. Returns any status except 3xx. */
  raw(request: RawRequest): Promise<WireResponse>;
  serviceTime(): number | undefined;
  /** Returns `undefined` if the clock runs. */
  stoppedAt(): number | undefined;
  /**
   * Returns Unix seconds: the later of the service's clock and this machine's clock. With `serviceClockAlone`, returns the service's clock,
   * or `undefined` before the first response.
   */
  latestTime(): number | undefined;
  /** Sends a write. All methods that write use it. */
  readonly send: Send;
}

export function createClient(options: ClientOptions): Client {
  const connection = connectionFrom(options);
  const calls = createResourceCalls(connection);
  const reads = createReadMethods(calls);
  const { clock, signal, serviceClock, onWait } = connection;
  const settleMs = settleTime(options);
  const { list, get } = reads;
  const lookUp = { list, get, clock, signal, settleMs, serviceClock, onWait };
  const raw = async (request: RawRequest) => (await call(connection, rawCall(connection, request))).response;
  const send: Send = async (write) =>
    write.request === undefined ? sendWrite(calls, lookUp, write) : { response: await raw(write.request) };
  return {
    ...reads,
    ...createLookUps(lookUp),
    ...writeMethodsThrough(send),
    raw,
    send,
    serviceTime: () => serviceClock.stoppedAt() ?? serviceClock.now(clock.now()),
    stoppedAt: serviceClock.stoppedAt,
    latestTime: () => {
      const machine = clock.now();
      const service = serviceClock.now(machine);
      if (options.serviceClockAlone) return service;
      return Math.max(Math.floor(machine / 1000), service ?? 0);
    },
  };
}

function connectionFrom(options: ClientOptions): Connection {
  const { naming = DEFAULT_WIRE_NAMING } = options;
  return {
    ...options,
    naming,
    basePath: options.basePath ?? '',
    timeLimits: createTimeLimits(options.timer ?? startMachineTimer, options.signal),
    timeout: options.timeout ?? DEFAULT_TIMEOUT,
    retries: options.retries ?? DEFAULT_RETRIES,
    quota: createRetryQuota(),
    serviceClock: options.serviceClock ?? createServiceClock(naming),
  };
}

function rawCall({ basePath }: Connection, request: RawRequest): CallRequest {
  const { method, path, query = '', body } = checkRawRequest(request);
  const once =
    method === 'POST'
      ? { minSkew: MIN_CLOCK_SKEW_TO_TRUST_401_MS, withoutCompany: postsWithoutCompany(path) }
      : {};
  return { method, path: basePath + path, query, body, ...once };
}

/** Undefined if the path names no resource. */
function postsWithoutCompany(path: string): boolean | undefined {
  return resourceNamed(path.slice(API_PREFIX.length))?.methods.post?.withoutCompany;
}
