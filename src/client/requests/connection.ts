import type { Method } from '../../kit/schema/resource.ts';
import type { Credentials } from '../../service/auth/credentials.ts';
import type { Naming } from '../../service/protocol/naming.ts';
import type { CancelSignal, Transport } from '../../service/protocol/wire.ts';
import type { Clock, RandomOctets, StartTimer } from './ports.ts';
import type { RetryQuota } from './retry.ts';
import type { ServiceClock } from './service-clock.ts';

export interface Connection {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly naming: Naming;
  readonly basePath: string;
  readonly clock: Clock;
  readonly random: RandomOctets;
  readonly timeLimits: RequestTimeLimits;
  readonly timeout: number;
  readonly retries: number;
  readonly quota: RetryQuota;
  readonly serviceClock: ServiceClock;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: TraceListener | undefined;
  readonly explainsSignature?: boolean | undefined;
  readonly onWait?: OnRequestWait | undefined;
}

/**
 * Forbids an attempt by an error. Returns a promise only if it has to wait, because each promise would delay the attempts of a bulk job.
 */
export type BeforeAttempt = () => Promise<void> | undefined;

export interface CallRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: string | undefined;
  /** JSON text. */
  readonly body?: string | undefined;
  /** An error that it throws ends the call. */
  readonly beforeAttempt?: BeforeAttempt | undefined;
  /** True if a partner signs and sends the request without company and user (interface, "Partner hash"). */
  readonly withoutCompany?: boolean | undefined;
  /** Set if it is lower than that of the connection. */
  readonly retries?: number | undefined;
  readonly check?: (() => string) | undefined;
  /** Minimum clock difference in milliseconds for which a request is signed again after a 401. See `service-clock.ts`. */
  readonly minSkew?: number | undefined;
}

/** A wait that the client reports, so that callers can show it (contract: a wait of more than 2 seconds is never silent). */
export interface RequestWait {
  readonly kind:
    | 'answer'
    | 'again'
    /** `settle`: the client waits until a POST without a response can no longer reach the service. */
    | 'settle';
  readonly method: Method;
  readonly path: string;
  readonly until: number;
  /** Set for the kind `again`. */
  readonly why?: string | undefined;
  readonly hasUncertainAttempt: boolean;
}

/** Returns a function that the client calls when the wait is over. */
export type OnRequestWait = (wait: RequestWait) => () => void;

export interface RawRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: string | undefined;
  readonly body?: string | undefined;
}

const PATH = /^\/v1\/[A-Za-z]+(\/[A-Za-z0-9_%.~-]+)?$/;

/**
 * The signature covers the path as the client sends it. If a proxy changed the path, the service would refuse the signature. Therefore this
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
  /** Must be called when the attempt is over. */
  readonly release: () => void;
}

interface RequestTimeLimits {
  readonly begin: (milliseconds: number) => RequestTimeLimit;
}

/** Milliseconds that a request in flight may still take after Ctrl-C. */
const GRACE = 10_000;

/** All attempts share one listener for Ctrl-C, because a listener and an `AbortController` for each attempt took longer than signing. */
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

/** A class, so that the attempts share their methods. */
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
  readonly attempt: number;
  /** Set for requests and responses if the client has the option `explainsSignature`. */
  readonly signed?: SignedText | undefined;
}

export interface SignedText {
  /** A placeholder replaces the API key (`API_KEY_PLACEHOLDERS`). */
  readonly canonical: string;
  readonly date: string;
}

export type TraceEvent =
  | (Traced & { readonly kind: 'request'; readonly headers: Readonly<Record<string, string>> })
  | (Traced & {
      readonly kind: 'answer';
      readonly status: number;
      readonly ms: number;
      readonly headers: Readonly<Record<string, string>>;
    })
  | (Traced & { readonly kind: 'failure'; readonly problem: string; readonly ms: number })
  | (Traced & { readonly kind: 'retry'; readonly why: string; readonly ms: number });

export type TraceListener = (event: TraceEvent) => void;

export function traceFieldsOfAttempt(
  { method, path, query = '' }: Pick<CallRequest, 'method' | 'path' | 'query'>,
  attempt: number,
): Traced {
  return { method, path, query, attempt };
}

/** Anyone who knows the whole signature of a request that did not arrive could still send it. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { authorization } = headers;
  if (authorization === undefined) return headers;
  const [head] = SIGNATURE_BEGINS.exec(authorization) ?? [];
  const cut = head === undefined ? '…' : `${authorization.slice(0, head.length + 6)}…"`;
  return { ...headers, authorization: cut };
}

const SIGNATURE_BEGINS = /^\S+ +signature="/;
