/** One call: signed afresh for every attempt, repeated only where that can't do a thing twice. */
import type { Credentials } from '../auth/credentials.ts';
import { NONCE_OCTETS, nonceFrom } from '../auth/nonce.ts';
import { signRequest } from '../auth/sign.ts';
import type { Naming } from '../protocol/naming.ts';
import type { Transport, WireRequest, WireResponse } from '../protocol/wire.ts';
import type { Method } from '../schema/resource.ts';
import { ClientError, TransportError } from './errors.ts';
import type { Clock, RandomOctets, StartTimer } from './ports.ts';
import {
  type AttemptOutcome,
  classify,
  delayAfter,
  mayHaveActed,
  mayRepeat,
  type OutcomeClass,
  type RetryQuota,
} from './retry.ts';
import type { ServiceClock } from './service-clock.ts';
import { redactHeaders, type Trace, traced } from './trace.ts';
import type { OnWait } from './wait.ts';

/** What all calls of one client share. */
export interface Connection {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly naming: Naming;
  readonly clock: Clock;
  readonly random: RandomOctets;
  readonly timer: StartTimer;
  /** Milliseconds for a whole call. */
  readonly timeout: number;
  readonly retries: number;
  readonly quota: RetryQuota;
  readonly serviceClock: ServiceClock;
  readonly signal?: AbortSignal | undefined;
  readonly trace?: Trace | undefined;
  readonly onWait?: OnWait | undefined;
}

export interface CallRequest {
  readonly method: Method;
  readonly path: string;
  readonly query?: string;
  /** JSON. */
  readonly body?: string;
  /** Checked before every attempt; what it throws ends the call. */
  readonly beforeAttempt?: (() => void | Promise<void>) | undefined;
  /** Signed and sent without company and user, by a partner (interface, "Partner hash"). */
  readonly withoutCompany?: boolean | undefined;
  /** Further attempts after the first, where fewer are left than the connection allows. */
  readonly retries?: number;
  /** What to look at when the outcome of a write is not known. */
  readonly check?: string;
  /** The least difference of clocks, in milliseconds, for which a 401 is signed again; see `service-clock.ts`. */
  readonly leastSkew?: number;
}

export interface CallResult {
  readonly response: WireResponse;
  /** An earlier attempt may have been carried out although its answer was lost. */
  readonly doubtful: boolean;
}

/** How long a request in flight may still take after Ctrl-C. */
export const GRACE = 10_000;

/**
 * The answer, whatever its status, once another attempt would change nothing; `signal` aborted meanwhile or not.
 * Throws a `ClientError`: `redirect`, `unknown`, `unreachable` or `interrupted`.
 */
export async function call(connection: Connection, request: CallRequest): Promise<CallResult> {
  const deadline = connection.clock.now() + connection.timeout;
  const { method, path } = request;
  const endWait = connection.onWait?.({
    kind: 'answer',
    method,
    path,
    until: deadline,
    doubtful: isWrite(method),
  });
  try {
    return await callWithRetries(connection, request, deadline);
  } finally {
    endWait?.();
  }
}

async function callWithRetries(
  connection: Connection,
  request: CallRequest,
  deadline: number,
): Promise<CallResult> {
  const { clock, quota, serviceClock } = connection;
  const retries = Math.min(connection.retries, request.retries ?? connection.retries);
  let doubtful = false;
  let signedAgain = false;
  let failures = 0;
  for (let attempt = 1; ; attempt += 1) {
    await assertMayStart(connection, request, doubtful);
    const { outcome, sentAt, signedOffset } = await sendOnce(connection, request, attempt, deadline);
    const kind = classify(outcome);
    if (outcome.kind === 'answer') {
      const { response } = outcome;
      if (response.status >= 300 && response.status < 400) throw redirected(request, response);
      const timing = { sentAt, receivedAt: clock.now(), signedOffset, leastSkew: request.leastSkew };
      const maySignAgain = kind === 'unauthenticated' && !signedAgain && attempt <= retries;
      if (maySignAgain && serviceClock.correct(response, timing)) {
        signedAgain = true;
        continue;
      }
      if (signedAgain && kind !== 'unauthenticated') serviceClock.confirm();
      if (kind === 'final') quota.earn();
      if (kind === 'final' || kind === 'unauthenticated') return { response, doubtful };
    }
    doubtful ||= mayHaveActed(kind);
    failures += 1;
    const wait = delayAfter(failures, outcome, connection.random, clock.now());
    const again =
      mayRepeat(request.method, kind) &&
      !isFinal(outcome) &&
      failures <= retries &&
      clock.now() + wait < deadline &&
      !connection.signal?.aborted &&
      quota.pay(outcome);
    if (!again) return resultWithoutRetry(connection, request, outcome, kind, doubtful);
    connection.trace?.({ ...traced(wireParts(request), attempt), kind: 'retry', why: kind, ms: wait });
    await waitBeforeRetry(connection, request, { wait, doubtful, why: problemOf(outcome) });
  }
}

const isFinal = (outcome: AttemptOutcome): boolean => outcome.kind === 'failure' && outcome.error.isFinal;

const wireParts = ({ method, path, query = '' }: CallRequest) => ({ method, path, query });

async function assertMayStart(
  connection: Connection,
  request: CallRequest,
  doubtful: boolean,
): Promise<void> {
  if (connection.signal?.aborted) throw interrupted(request, doubtful);
  try {
    await request.beforeAttempt?.();
  } catch (error) {
    // What stops a repetition must not hide that the first attempt may have been carried out.
    throw doubtful && isWrite(request.method) ? outcomeUnknown(request, 'it was not repeated', error) : error;
  }
}

async function sendOnce(
  connection: Connection,
  request: CallRequest,
  attempt: number,
  deadline: number,
): Promise<{ readonly outcome: AttemptOutcome; readonly sentAt: number; readonly signedOffset: number }> {
  const { clock, trace, serviceClock } = connection;
  const signedOffset = serviceClock.signingTime(0);
  const wire = sign(connection, request);
  const about = traced(wire, attempt);
  trace?.({ ...about, kind: 'request', headers: redactHeaders(wire.headers) });
  const bound = boundedSignal(connection, deadline - clock.now());
  const sentAt = clock.now();
  try {
    const response = await connection.transport(wire, bound.signal);
    const now = clock.now();
    serviceClock.observe(response, sentAt, now);
    const { status, headers } = response;
    trace?.({ ...about, kind: 'answer', status, headers, ms: now - sentAt });
    return { outcome: { kind: 'answer', response }, sentAt, signedOffset };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    trace?.({ ...about, kind: 'failure', problem: error.message, ms: clock.now() - sentAt });
    return { outcome: { kind: 'failure', error }, sentAt, signedOffset };
  } finally {
    bound.release();
  }
}

/** Wire, "Authentication, where open": nonce and Date are new for every attempt. */
function sign(connection: Connection, request: CallRequest): WireRequest {
  const { method, path, query = '', body } = request;
  const headers = signRequest({ method, path }, signerOf(connection, request), {
    nonce: nonceFrom(connection.random(NONCE_OCTETS)),
    date: new Date(connection.serviceClock.signingTime(connection.clock.now())).toUTCString(),
    naming: connection.naming,
  });
  if (body === undefined) return { method, path, query, headers };
  return { method, path, query, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** Interface, "Partner hash": endpoints that need no company take no CID or UID. */
function signerOf({ credentials }: Connection, { withoutCompany }: CallRequest): Credentials {
  if (!withoutCompany || credentials.kind !== 'partner') return credentials;
  const { companyId: _, userId: __, ...alone } = credentials;
  return alone;
}

/** A signal that ends an attempt when the call's time is over, or Ctrl-C was some seconds ago. */
function boundedSignal(
  connection: Connection,
  remaining: number,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timers = [connection.timer(Math.max(1, remaining), end)];
  const onInterrupt = (): void => {
    timers.push(connection.timer(GRACE, end));
  };
  connection.signal?.addEventListener('abort', onInterrupt);
  const release = (): void => {
    for (const stop of timers) stop();
    connection.signal?.removeEventListener('abort', onInterrupt);
  };
  return { signal: controller.signal, release };
}

async function waitBeforeRetry(
  connection: Connection,
  request: CallRequest,
  { wait, doubtful, why }: { readonly wait: number; readonly doubtful: boolean; readonly why: string },
): Promise<void> {
  const { method, path } = request;
  const endWait = connection.onWait?.({
    kind: 'again',
    method,
    path,
    until: connection.clock.now() + wait,
    why,
    doubtful,
  });
  try {
    await connection.clock.sleep(wait, connection.signal);
  } catch (error) {
    throw connection.signal?.aborted ? interrupted(request, doubtful) : error;
  } finally {
    endWait?.();
  }
}

const problemOf = (outcome: AttemptOutcome): string =>
  outcome.kind === 'failure' ? outcome.error.message : `the answer was ${outcome.response.status}`;

/** The last answer, where there is one that tells the outcome; otherwise the error that says what is known. */
function resultWithoutRetry(
  connection: Connection,
  request: CallRequest,
  outcome: AttemptOutcome,
  kind: OutcomeClass,
  doubtful: boolean,
): CallResult {
  const { method } = request;
  const problem = problemOf(outcome);
  const cause = outcome.kind === 'failure' ? outcome.error : undefined;
  const response = outcome.kind === 'answer' ? outcome.response : undefined;
  // Of a method that may be repeated a 5xx is an answer; a POST that got one may have been carried out.
  const unknown =
    response === undefined ? doubtful && isWrite(method) : method === 'POST' && mayHaveActed(kind);
  if (unknown) throw outcomeUnknown(request, problem, cause, response);
  if (connection.signal?.aborted && (response === undefined || mayRepeat(method, kind)))
    throw interrupted(request, doubtful, cause);
  if (response !== undefined) return { response, doubtful };
  const { path } = request;
  const about = { method, path, advice: cause?.advice, isTooLarge: cause?.isTooLarge, cause };
  // What was read of the answer is no answer of this service's.
  if (cause?.isFinal && cause.sent === 'unknown')
    throw new ClientError('not-ours', `${method} ${path}: ${problem}`, {
      ...about,
      advice: cause.isTooLarge ? ASK_FOR_LESS : undefined,
    });
  throw new ClientError('unreachable', `${problem}: ${method} ${path} got no answer`, about);
}

const ASK_FOR_LESS = 'Ask for less at once: with filters, by id, or in svc api with count=10.';

export const isWrite = (method: Method): boolean => method !== 'GET' && method !== 'HEAD';

/** Sent, and whether it was done can't be told: names the request and what to look at. */
export function outcomeUnknown(
  { method, path, check }: CallRequest,
  problem: string,
  cause?: unknown,
  response?: WireResponse,
): ClientError {
  const advice = check === undefined ? '' : `; before doing it again, check ${check}`;
  return new ClientError(
    'unknown',
    `${method} ${path} was sent, but whether it was carried out is not known (${problem})${advice}`,
    { method, path, cause, status: response?.status },
  );
}

function redirected({ method, path }: CallRequest, { status, headers }: WireResponse): ClientError {
  const location = headers['location']?.slice(0, 500);
  const where = location === undefined ? 'without saying where' : `to ${location}`;
  return new ClientError(
    'redirect',
    `${method} ${path} was redirected ${where}; a signed request is never sent on, so correct the base URL`,
    { method, path, status, location },
  );
}

function interrupted(request: CallRequest, doubtful: boolean, cause?: unknown): ClientError {
  const { method, path } = request;
  if (doubtful && isWrite(method)) return outcomeUnknown(request, 'interrupted', cause);
  return new ClientError('interrupted', `interrupted before ${method} ${path} was answered`, {
    method,
    path,
    cause,
  });
}
