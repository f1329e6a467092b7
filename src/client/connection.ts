/**
 * Types for the calls of a client: the state that all calls share, the description of one call, and the waits that a call reports. Also
 * checks the requests of `svc api`.
 */
import type { Credentials } from '../auth/credentials.ts';
import type { Naming } from '../protocol/naming.ts';
import type { CancelSignal, Transport } from '../protocol/wire.ts';
import type { Method } from '../schema/resource.ts';
import type { Clock, RandomOctets, StartTimer } from './ports.ts';
import type { RetryQuota } from './retry.ts';
import type { ServiceClock } from './service-clock.ts';

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

interface RequestTimeLimit {
  readonly signal: CancelSignal;
  /** Stops the timers of the attempt. The caller must call this function when the attempt is over. */
  readonly release: () => void;
}

interface RequestTimeLimits {
  /** Starts the time limit of an attempt that begins now. */
  readonly begin: (milliseconds: number) => RequestTimeLimit;
}

/** Milliseconds that a request in flight may still take after Ctrl-C. */
const GRACE = 10_000;

/**
 * Creates the time limits of one client. All attempts share one listener for Ctrl-C, because a listener and an `AbortController` for each
 * attempt took longer than signing.
 */
export function createTimeLimits(timer: StartTimer, interrupt: AbortSignal | undefined): RequestTimeLimits {
  const open = new Set<Attempt>();
  const onInterrupt = (): void => {
    for (const attempt of open) attempt.endAfter(GRACE);
  };
  return {
    begin: (milliseconds) => {
      const attempt = new Attempt(timer);
      attempt.endAfter(Math.max(1, milliseconds));
      if (open.size === 0) interrupt?.addEventListener('abort', onInterrupt);
      open.add(attempt);
      return {
        signal: attempt,
        release: () => {
          attempt.release();
          open.delete(attempt);
          if (open.size === 0) interrupt?.removeEventListener('abort', onInterrupt);
        },
      };
    },
  };
}

/**
 * One attempt to send a request, with the timers that end it. This is a class, because all objects of a class share their methods. Without
 * a class, each attempt would create its own functions.
 */
class Attempt implements CancelSignal {
  aborted = false;
  readonly #timer: StartTimer;
  readonly #stops: (() => void)[] = [];
  #listeners: readonly (() => void)[] = [];

  constructor(timer: StartTimer) {
    this.#timer = timer;
  }

  addEventListener(_abort: 'abort', listener: () => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  removeEventListener(_abort: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  endAfter(milliseconds: number): void {
    this.#stops.push(this.#timer(milliseconds, () => this.#end()));
  }

  release(): void {
    for (const stop of this.#stops) stop();
  }

  #end(): void {
    if (this.aborted) return;
    this.aborted = true;
    for (const tell of this.#listeners) tell();
  }
}

interface Traced {
  readonly method: Method;
  readonly path: string;
  readonly query: string;
  /** Number of the attempt within one call, from 1. */
  readonly attempt: number;
  /** The signed text of the attempt. Set for requests and responses if the client has the option `explainsSignature`. */
  readonly signed?: SignedText | undefined;
}

/** Text that a signature covers. */
export interface SignedText {
  /** The text that svc signs, as lines joined by CR LF. A placeholder replaces the API key (`API_KEY_PLACEHOLDERS`). */
  readonly canonical: string;
  /** Value of the Date header in the signed text. */
  readonly date: string;
}

/** Event of an attempt: its request, its response, its failure, or the decision to retry. */
export type TraceEvent =
  | (Traced & { readonly kind: 'request'; readonly headers: Readonly<Record<string, string>> })
  | (Traced & {
      readonly kind: 'answer';
      readonly status: number;
      readonly ms: number;
      readonly headers: Readonly<Record<string, string>>;
    })
  | (Traced & { readonly kind: 'failure'; readonly problem: string; readonly ms: number })
  /** Another attempt follows after `ms` milliseconds. */
  | (Traced & { readonly kind: 'retry'; readonly why: string; readonly ms: number });

export type TraceListener = (event: TraceEvent) => void;

/** Returns the fields that identify the attempt of a trace event. */
export function traceFieldsOfAttempt(
  { method, path, query = '' }: Pick<CallRequest, 'method' | 'path' | 'query'>,
  attempt: number,
): Traced {
  return { method, path, query, attempt };
}

/**
 * Returns the headers with the signature shortened to 6 characters. If a request did not arrive, anyone who knows its whole signature
 * could still send it.
 */
export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { authorization } = headers;
  if (authorization === undefined) return headers;
  const [head] = SIGNATURE_BEGINS.exec(authorization) ?? [];
  const cut = head === undefined ? '…' : `${authorization.slice(0, head.length + 6)}…"`;
  return { ...headers, authorization: cut };
}

const SIGNATURE_BEGINS = /^\S+ +signature="/;
