/** Makes one attempt of a call: signs it, sends it with a time limit, and traces it. */
import type { Credentials } from '../auth/credentials.ts';
import {
  formatNonce,
  maskedCanonicalString,
  NONCE_OCTETS,
  type SigningValuesOfRequestAttempt,
  signRequest,
} from '../auth/sign.ts';
import type { WireRequest } from '../protocol/wire.ts';
import { formatHttpDate } from '../text/http-date.ts';
import type { CallRequest, Connection } from './connection.ts';
import { TransportError } from './errors.ts';
import type { AttemptOutcome } from './retry.ts';
import { redactHeaders, type SignedText } from './trace.ts';

/** The outcome of an attempt. All times are in milliseconds, by this machine's clock. */
export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly sentAt: number;
  /** Milliseconds that svc added to this machine's time in the signed Date, to correct a clock difference. */
  readonly signedOffset: number;
}

/** Sends one attempt. Returns a transport error as an outcome, and rethrows every other error. */
export async function sendAttempt(
  connection: Connection,
  request: CallRequest,
  attempt: number,
  deadline: number,
): Promise<AttemptResult> {
  const { clock, trace, serviceClock } = connection;
  const signedOffset = serviceClock.signingTime(0);
  const signing = newSigning(connection);
  const wire = sign(connection, request, signing);
  const { method, path, query } = wire;
  const explained = connection.explainsSignature ? explain(connection, request, signing) : {};
  const redacted = redactHeaders(wire.headers);
  trace?.({ kind: 'request', method, path, query, attempt, headers: redacted, ...explained });
  const bound = connection.timeLimits.begin(deadline - clock.now());
  const sentAt = clock.now();
  try {
    const response = await connection.transport(wire, bound.signal);
    const now = clock.now();
    serviceClock.observe(response, sentAt, now);
    const { status, headers } = response;
    trace?.({
      kind: 'answer',
      method,
      path,
      query,
      attempt,
      status,
      headers,
      ms: now - sentAt,
      ...explained,
    });
    return { outcome: { kind: 'answer', response }, sentAt, signedOffset };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const problem = error.message;
    trace?.({ kind: 'failure', method, path, query, attempt, problem, ms: clock.now() - sentAt });
    return { outcome: { kind: 'failure', error }, sentAt, signedOffset };
  } finally {
    bound.release();
  }
}

/**
 * Returns a new nonce and a new value of the Date header, with which the client signs one attempt. The client must not use these values for
 * a second attempt (docs/wire.md, "Authentication, where open").
 */
const newSigning = ({ random, serviceClock, clock, naming }: Connection): SigningValuesOfRequestAttempt => ({
  nonce: formatNonce(random(NONCE_OCTETS)),
  date: formatHttpDate(serviceClock.signingTime(clock.now())),
  naming,
});

function sign(
  connection: Connection,
  request: CallRequest,
  signing: SigningValuesOfRequestAttempt,
): WireRequest {
  const { method, path, query = '', body } = request;
  const headers = signRequest({ method, path }, signerOf(connection, request), signing);
  if (body === undefined) return { method, path, query, headers };
  headers['content-type'] = 'application/json';
  return { method, path, query, headers, body };
}

const explain = (
  connection: Connection,
  request: CallRequest,
  signing: SigningValuesOfRequestAttempt,
): { signed: SignedText } => ({
  signed: {
    canonical: maskedCanonicalString(request, signerOf(connection, request), signing),
    date: signing.date,
  },
});

/**
 * Returns the credentials that sign the request. A request that needs no company is signed without company and user ids (interface,
 * "Partner hash").
 */
function signerOf({ credentials }: Connection, { withoutCompany }: CallRequest): Credentials {
  if (!withoutCompany || credentials.kind !== 'partner') return credentials;
  const { companyId: _, userId: __, ...alone } = credentials;
  return alone;
}
