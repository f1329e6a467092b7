/** One attempt of a call: signed, sent, bounded in time, traced. */
import type { Credentials } from '../auth/credentials.ts';
import { NONCE_OCTETS, nonceFrom } from '../auth/nonce.ts';
import { signRequest } from '../auth/sign.ts';
import type { WireRequest } from '../protocol/wire.ts';
import { formatHttpDate } from '../text/http-date.ts';
import type { CallRequest, Connection } from './connection.ts';
import { TransportError } from './errors.ts';
import type { AttemptOutcome } from './retry.ts';
import { redactHeaders } from './trace.ts';

/** Times of this machine, in milliseconds. */
export interface Attempted {
  readonly outcome: AttemptOutcome;
  readonly sentAt: number;
  /** What the service's clock had added to the Date. */
  readonly signedOffset: number;
}

/** Throws only what is no `TransportError`: that one is an outcome. */
export async function sendAttempt(
  connection: Connection,
  request: CallRequest,
  attempt: number,
  deadline: number,
): Promise<Attempted> {
  const { clock, trace, serviceClock } = connection;
  const signedOffset = serviceClock.signingTime(0);
  const wire = sign(connection, request);
  const { method, path, query } = wire;
  trace?.({ kind: 'request', method, path, query, attempt, headers: redactHeaders(wire.headers) });
  const bound = connection.timeLimits.begin(deadline - clock.now());
  const sentAt = clock.now();
  try {
    const response = await connection.transport(wire, bound.signal);
    const now = clock.now();
    serviceClock.observe(response, sentAt, now);
    const { status, headers } = response;
    trace?.({ kind: 'answer', method, path, query, attempt, status, headers, ms: now - sentAt });
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

/** Wire, "Authentication, where open": nonce and Date are new for every attempt. */
function sign(connection: Connection, request: CallRequest): WireRequest {
  const { method, path, query = '', body } = request;
  const headers = signRequest({ method, path }, signerOf(connection, request), {
    nonce: nonceFrom(connection.random(NONCE_OCTETS)),
    date: formatHttpDate(connection.serviceClock.signingTime(connection.clock.now())),
    naming: connection.naming,
  });
  if (body === undefined) return { method, path, query, headers };
  headers['content-type'] = 'application/json';
  return { method, path, query, headers, body };
}

/** Interface, "Partner hash": endpoints that need no company take no CID or UID. */
function signerOf({ credentials }: Connection, { withoutCompany }: CallRequest): Credentials {
  if (!withoutCompany || credentials.kind !== 'partner') return credentials;
  const { companyId: _, userId: __, ...alone } = credentials;
  return alone;
}
