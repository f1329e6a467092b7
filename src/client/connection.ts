/**
 * Types for the calls of a client: the state that all calls share, the description of one call, and the waits that a call reports. Also
 * checks the requests of `svc api`.
 */
import type { Credentials } from '../auth/credentials.ts';
import type { Naming } from '../protocol/naming.ts';
import type { Transport } from '../protocol/wire.ts';
import type { Method } from '../schema/resource.ts';
import type { Clock, RandomOctets } from './ports.ts';
import type { RetryQuota } from './retry.ts';
import type { ServiceClock } from './service-clock.ts';
import type { RequestTimeLimits } from './time-limits.ts';
import type { TraceListener } from './trace.ts';

/** State that all calls of one client share. */
export interface Connection {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly naming: Naming;
  /** Prefix before `/v1` in every path. */
  readonly basePath: string;
  readonly clock: Clock;
  readonly random: RandomOctets;
  readonly timeLimits: RequestTimeLimits;
  /** Milliseconds for a whole call, retries included. */
  readonly timeout: number;
  readonly retries: number;
  readonly quota: RetryQuota;
  readonly serviceClock: ServiceClock;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: TraceListener | undefined;
  /** True if the trace includes the text that the signature covers. */
  readonly explainsSignature?: boolean | undefined;
  readonly onWait?: OnRequestWait | undefined;
}

/**
 * Function that the client calls before each attempt, and that can forbid the attempt. It returns a promise only if it has to wait, because
 * each promise would delay the attempts of a bulk job.
 */
export type BeforeAttempt = () => Promise<void> | undefined;

/** Describes one call: its request, and how the client may repeat it. */
export interface CallRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: string | undefined;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Called before every attempt. An error that it throws ends the call. */
  readonly beforeAttempt?: BeforeAttempt | undefined;
  /** True if a partner signs and sends the request without company and user (interface, "Partner hash"). */
  readonly withoutCompany?: boolean | undefined;
  /** Maximum number of retries of this call, if it is lower than the maximum of the connection. */
  readonly retries?: number | undefined;
  /** Returns what the user should check when the outcome of a write is unknown. */
  readonly check?: (() => string) | undefined;
  /** Minimum clock difference in milliseconds for which a request is signed again after a 401. See `service-clock.ts`. */
  readonly minSkew?: number | undefined;
}

/** A wait that the client reports, so that callers can show it (contract: a wait of more than 2 seconds is never silent). */
export interface RequestWait {
  readonly kind: /** `answer`: the client waits for the result of a call, with all attempts and pauses. Most of these waits are short. */
    | 'answer'
    /** `again`: the client pauses before another attempt. */
    | 'again'
    /**
     * `settle`: the client waits until a POST without a response can no longer reach the service. During this wait, the client looks for
     * the created record.
     */
    | 'settle';
  readonly method: Method;
  readonly path: string;
  /** Milliseconds since the epoch at which the wait ends at the latest. */
  readonly until: number;
  /** Outcome of the previous attempt, in words, as the reason for another attempt. Set for the kind `again`. */
  readonly why?: string | undefined;
  /** True if the service may have carried out the request. */
  readonly hasUncertainAttempt: boolean;
}

/** Called when a wait begins. The caller calls the returned function when the wait is over. */
export type OnRequestWait = (wait: RequestWait) => () => void;

/** Request of `svc api`. */
export interface RawRequest {
  readonly method: Method;
  /** Path `/v1/<resource>` or `/v1/<resource>/<id>`, percent-encoded. */
  readonly path: string;
  /** Query, percent-encoded and without the question mark. */
  readonly query?: string | undefined;
  readonly body?: string | undefined;
}

const PATH = /^\/v1\/[A-Za-z]+(\/[A-Za-z0-9_%.~-]+)?$/;

/**
 * Checks a request of `svc api`, and returns the request unchanged. The path must be `/v1/<resource>` or `/v1/<resource>/<id>`. The
 * signature covers the path as the client sends it. If a proxy changed the path, the service would refuse the signature. Therefore this
 * function rejects paths that proxies often change, such as paths with dot segments or encoded slashes.
 * @throws RangeError for an invalid path or query
 */
export function checkRawRequest(request: RawRequest): RawRequest {
  const { path, query = '' } = request;
  if (!PATH.test(path)) throw new RangeError(`a path is /v1/<resource> or /v1/<resource>/<id>, not ${path}`);
  const id = decoded(path.split('/')[3] ?? 'none');
  if (id === undefined || id === '.' || id === '..' || /[/\\\p{Cc}]/u.test(id))
    throw new RangeError(`the id in the path ${path} is not valid`);
  if (!/^[\x21\x24-\x7e]*$/.test(query))
    throw new RangeError('a query must be percent-encoded: no spaces, quotes, # or non-ASCII characters');
  return request;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // The percent sign encodes nothing. The caller rejects the path with its own message.
    return undefined;
  }
}
