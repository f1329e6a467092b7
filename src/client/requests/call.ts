/**
 * Makes one call, which consists of one or more attempts. The client retries only if the retry can't repeat the effect of an earlier
 * attempt.
 */

import type { Method } from '../../kit/schema/resource.ts';
import type { Credentials } from '../../service/auth/credentials.ts';
import {
  type Attempt,
  formatNonce,
  maskedCanonicalString,
  NONCE_OCTETS,
  signRequest,
} from '../../service/auth/sign.ts';
import { formatHttpDate, type WireRequest, type WireResponse } from '../../service/protocol/wire.ts';
import {
  type CallRequest,
  type Connection,
  redactHeaders,
  type SignedText,
  traceFieldsOfAttempt,
} from './connection.ts';
import { ClientError, TransportError } from './errors.ts';
import {
  type AttemptOutcome,
  type AttemptOutcomeClass,
  classifyAttemptOutcome,
  computeRetryDelayMs,
  mayRetryRequest,
  mayServiceHaveActed,
} from './retry.ts';

interface CallResult {
  readonly response: WireResponse;
  readonly hasUncertainAttempt: boolean;
}

/**
 * Returns the last response, whatever its status. A response that arrives after Ctrl-C is returned too.
 * @throws ClientError `redirect`, `unknown`, `unreachable` or `interrupted`
 */
export function call(connection: Connection, request: CallRequest): Promise<CallResult> {
  const deadline = connection.clock.now() + connection.timeout;
  if (connection.onWait === undefined) return callWithRetries(connection, request, deadline);
  const { method, path } = request;
  const endWait = connection.onWait({
    kind: 'answer',
    method,
    path,
    until: deadline,
    hasUncertainAttempt: isWrite(method),
  });
  return callWithRetries(connection, request, deadline).finally(endWait);
}

async function callWithRetries(
  connection: Connection,
  request: CallRequest,
  deadline: number,
): Promise<CallResult> {
  const { clock, quota, serviceClock } = connection;
  const retries = Math.min(connection.retries, request.retries ?? connection.retries);
  let hasUncertainAttempt = false;
  let signedAgain = false;
  let failures = 0;
  for (let attempt = 1; ; attempt += 1) {
    const asked = runAttemptChecks(connection, request, hasUncertainAttempt);
    if (asked !== undefined) await asked;
    const { outcome, sentAt, signedOffset } = await sendAttempt(connection, request, attempt, deadline);
    const kind = classifyAttemptOutcome(outcome);
    if (outcome.kind === 'answer') {
      const { response } = outcome;
      if (response.status >= 300 && response.status < 400) throw redirected(request, response);
      const timing = { sentAt, receivedAt: clock.now(), signedOffset, minSkew: request.minSkew };
      const maySignAgain = kind === 'unauthenticated' && !signedAgain && attempt <= retries;
      if (maySignAgain && serviceClock.correct(response, timing)) {
        signedAgain = true;
        continue;
      }
      if (signedAgain && kind !== 'unauthenticated') serviceClock.confirm();
      if (kind === 'final') quota.earn();
      if (kind === 'final' || kind === 'unauthenticated') return { response, hasUncertainAttempt };
    }
    hasUncertainAttempt ||= mayServiceHaveActed(kind);
    failures += 1;
    const wait = computeRetryDelayMs(failures, outcome, connection.random, clock.now());
    const again =
      mayRetryRequest(request.method, kind) &&
      !isFinal(outcome) &&
      failures <= retries &&
      clock.now() + wait < deadline &&
      !connection.signal?.aborted &&
      quota.pay(outcome);
    if (!again) return resultWithoutRetry(connection, request, outcome, kind, hasUncertainAttempt);
    connection.trace?.({ ...traceFieldsOfAttempt(request, attempt), kind: 'retry', why: kind, ms: wait });
    await waitBeforeRetry(connection, request, { wait, hasUncertainAttempt, why: problemOf(outcome) });
  }
}

const isFinal = (outcome: AttemptOutcome): boolean => outcome.kind === 'failure' && outcome.error.isFinal;

/** Throws after Ctrl-C, and if `beforeAttempt` of the request forbids the attempt. Returns a promise only if `beforeAttempt` does. */
function runAttemptChecks(
  connection: Connection,
  request: CallRequest,
  hasUncertainAttempt: boolean,
): Promise<void> | undefined {
  if (connection.signal?.aborted) throw interrupted(request, hasUncertainAttempt);
  const { method, beforeAttempt } = request;
  if (beforeAttempt === undefined) return undefined;
  const stop = (error: unknown): never => {
    // The error that stops a retry must not hide that the service may have carried out the first attempt.
    throw hasUncertainAttempt && isWrite(method)
      ? unknownOutcomeError(request, 'svc did not repeat it', error)
      : error;
  };
  try {
    return beforeAttempt()?.catch(stop);
  } catch (error) {
    return stop(error);
  }
}

async function waitBeforeRetry(
  connection: Connection,
  request: CallRequest,
  {
    wait,
    hasUncertainAttempt,
    why,
  }: { readonly wait: number; readonly hasUncertainAttempt: boolean; readonly why: string },
): Promise<void> {
  const { method, path } = request;
  const endWait = connection.onWait?.({
    kind: 'again',
    method,
    path,
    until: connection.clock.now() + wait,
    why,
    hasUncertainAttempt,
  });
  try {
    await connection.clock.sleep(wait, connection.signal);
  } catch (error) {
    throw connection.signal?.aborted ? interrupted(request, hasUncertainAttempt) : error;
  } finally {
    endWait?.();
  }
}

const problemOf = (outcome: AttemptOutcome): string =>
  outcome.kind === 'failure' ? outcome.error.message : `the answer was ${outcome.response.status}`;

/** Returns the last response if it shows whether the service carried out the request. Otherwise throws an error that says what is known. */
function resultWithoutRetry(
  connection: Connection,
  request: CallRequest,
  outcome: AttemptOutcome,
  kind: AttemptOutcomeClass,
  hasUncertainAttempt: boolean,
): CallResult {
  const { method } = request;
  const problem = problemOf(outcome);
  const cause = outcome.kind === 'failure' ? outcome.error : undefined;
  const response = outcome.kind === 'answer' ? outcome.response : undefined;
  // For a method that may be repeated, a 5xx settles the call. A POST that got a 5xx may have been carried out. A 429 says that the last
  // attempt was not processed, and nothing about an earlier attempt.
  const unknown =
    response === undefined || kind === 'throttled'
      ? hasUncertainAttempt && isWrite(method)
      : method === 'POST' && mayServiceHaveActed(kind);
  if (unknown) throw unknownOutcomeError(request, problem, cause, response);
  if (connection.signal?.aborted && (response === undefined || mayRetryRequest(method, kind)))
    throw interrupted(request, hasUncertainAttempt, cause);
  if (response !== undefined) return { response, hasUncertainAttempt };
  const { path } = request;
  const about = { method, path, advice: cause?.advice, isTooLarge: cause?.isTooLarge, cause };
  // The bytes read so far cannot be a response of this service.
  if (cause?.isFinal && cause.sent === 'unknown')
    throw new ClientError('not-ours', `${method} ${path}: ${problem}`, {
      ...about,
      advice: cause.isTooLarge ? ASK_FOR_LESS : undefined,
    });
  throw new ClientError('unreachable', `${method} ${path} got no response: ${problem}`, about);
}

const ASK_FOR_LESS = 'Request less data: use filters or an id. With svc api, add count=10 to the query.';

export const isWrite = (method: Method): boolean => method !== 'GET' && method !== 'HEAD';

export function unknownOutcomeError(
  { method, path, check }: CallRequest,
  problem: string,
  cause?: unknown,
  response?: WireResponse,
): ClientError {
  const advice = check === undefined ? '' : `; before you repeat it, check ${check()}`;
  return new ClientError(
    'unknown',
    `${method} ${path} was sent, but it is not known whether it succeeded (${problem})${advice}`,
    { method, path, cause, status: response?.status },
  );
}

function redirected({ method, path }: CallRequest, { status, headers }: WireResponse): ClientError {
  const location = headers.location?.slice(0, 500);
  const where = location === undefined ? 'without a location' : `to ${location}`;
  return new ClientError(
    'redirect',
    `${method} ${path} was redirected ${where}; svc never follows a redirect with a signed request, so correct the base URL`,
    { method, path, status, location },
  );
}

function interrupted(request: CallRequest, hasUncertainAttempt: boolean, cause?: unknown): ClientError {
  const { method, path } = request;
  if (hasUncertainAttempt && isWrite(method)) return unknownOutcomeError(request, 'interrupted', cause);
  return new ClientError('interrupted', `interrupted before ${method} ${path} was answered`, {
    method,
    path,
    cause,
  });
}

/** All times are in milliseconds, by this machine's clock. */
interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly sentAt: number;
  readonly signedOffset: number;
}

/** Returns a transport error as an outcome, and rethrows every other error. */
async function sendAttempt(
  connection: Connection,
  request: CallRequest,
  attempt: number,
  deadline: number,
): Promise<AttemptResult> {
  const { clock, trace, serviceClock } = connection;
  const signedOffset = serviceClock.signingTime(0);
  const signing = newSigning(connection);
  const wire = sign(connection, request, signing);
  const traced = traceFieldsOfAttempt(wire, attempt);
  const explained = connection.explainsSignature ? explain(connection, request, signing) : {};
  const redacted = redactHeaders(wire.headers);
  trace?.({ ...traced, kind: 'request', headers: redacted, ...explained });
  const bound = connection.timeLimits.begin(deadline - clock.now());
  const sentAt = clock.now();
  try {
    const response = await connection.transport(wire, bound.signal);
    const now = clock.now();
    serviceClock.observe(response, sentAt, now);
    const { status, headers } = response;
    trace?.({ ...traced, kind: 'answer', status, headers, ms: now - sentAt, ...explained });
    return { outcome: { kind: 'answer', response }, sentAt, signedOffset };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const problem = error.message;
    trace?.({ ...traced, kind: 'failure', problem, ms: clock.now() - sentAt });
    return { outcome: { kind: 'failure', error }, sentAt, signedOffset };
  } finally {
    bound.release();
  }
}

/** The client must not use these values for a second attempt (docs/wire.md, "Authentication, where open"). */
const newSigning = ({ random, serviceClock, clock, naming }: Connection): Attempt => ({
  nonce: formatNonce(random(NONCE_OCTETS)),
  date: formatHttpDate(serviceClock.signingTime(clock.now())),
  naming,
});

function sign(connection: Connection, request: CallRequest, signing: Attempt): WireRequest {
  const { method, path, query = '', body } = request;
  const headers = signRequest({ method, path }, signerOf(connection, request), signing);
  if (body === undefined) return { method, path, query, headers };
  return { method, path, query, headers: { ...headers, 'content-type': 'application/json' }, body };
}

const explain = (connection: Connection, request: CallRequest, signing: Attempt): { signed: SignedText } => ({
  signed: {
    canonical: maskedCanonicalString(request, signerOf(connection, request), signing),
    date: signing.date,
  },
});

/** A request that needs no company is signed without company and user ids (interface, "Partner hash"). */
function signerOf({ credentials }: Connection, { withoutCompany }: CallRequest): Credentials {
  if (!withoutCompany || credentials.kind !== 'partner') return credentials;
  const { companyId: _, userId: __, ...alone } = credentials;
  return alone;
}
