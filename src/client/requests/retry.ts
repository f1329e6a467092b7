/** Decides whether and when a request is retried (contract, "Safety"; wire, "Responses"). Only `RetryQuota` has state. */

import { assertNever, type Method } from '../../kit/schema/resource.ts';
import { readEnvelope } from '../../service/protocol/envelope.ts';
import { parseHttpDate, type WireResponse } from '../../service/protocol/wire.ts';
import type { TransportError } from './errors.ts';
import type { RandomOctets } from './ports.ts';

export type AttemptOutcome =
  | { readonly kind: 'answer'; readonly response: WireResponse }
  | { readonly kind: 'failure'; readonly error: TransportError };

export type AttemptOutcomeClass =
  | 'final'
  | 'not-sent'
  | 'unknown'
  /** `throttled`: the service rejected the request before processing it, with status 429. */
  | 'throttled'
  /** A proxy may have passed the request on to the service. */
  | 'unavailable'
  | 'broken'
  /** `unauthenticated`: another attempt can succeed only after svc has corrected the clock difference. */
  | 'unauthenticated';

export const DEFAULT_RETRIES = 2;
const BASE = 500;
const CAP = 20_000;
const MAX_RETRY_AFTER = 300_000;
const QUOTA = 500;
const RETRY_COST = 5;
const TIMEOUT_COST = 10;

export function classifyAttemptOutcome(outcome: AttemptOutcome): AttemptOutcomeClass {
  if (outcome.kind === 'failure') return outcome.error.sent;
  const { status, body } = outcome.response;
  if (status === 401) return 'unauthenticated';
  if (status === 429) return readEnvelope(body).kind === 'error' ? 'throttled' : 'unavailable';
  if (status >= 502 && status <= 504) return 'unavailable';
  return status >= 500 ? 'broken' : 'final';
}

/** A POST may be sent again only if the service certainly did not process the previous attempt. */
export function mayRetryRequest(method: Method, outcome: AttemptOutcomeClass): boolean {
  switch (outcome) {
    case 'not-sent':
    case 'throttled':
      return true;
    case 'unknown':
    case 'unavailable':
      return method !== 'POST';
    case 'final':
    case 'broken':
    case 'unauthenticated':
      return false;
    default:
      return assertNever(outcome);
  }
}

export function mayServiceHaveActed(outcome: AttemptOutcomeClass): boolean {
  return outcome === 'unknown' || outcome === 'unavailable' || outcome === 'broken';
}

/**
 * The delay is random (full jitter). It is at least as long as the service asks for, but never longer than 5 minutes.
 * @param failures number of failures in a row, including this one
 * @param now this machine's time in milliseconds, used if the response has no Date header
 */
export function computeRetryDelayMs(
  failures: number,
  outcome: AttemptOutcome,
  random: RandomOctets,
  now: number,
): number {
  const jitter = fraction(random) * Math.min(CAP, BASE * 2 ** (failures - 1));
  const asked = outcome.kind === 'answer' ? readRetryAfterMs(outcome.response, now) : undefined;
  return Math.round(asked === undefined ? jitter : Math.min(MAX_RETRY_AFTER, asked + jitter));
}

/** The header holds seconds, or an HTTP date by the service's clock. */
export function readRetryAfterMs({ headers }: WireResponse, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return Math.min(MAX_RETRY_AFTER, Number(text) * 1000);
  const until = parseHttpDate(text);
  if (until === undefined) return undefined;
  const from = parseHttpDate(headers.date ?? '') ?? now;
  return Math.min(MAX_RETRY_AFTER, Math.max(0, until - from));
}

function fraction(random: RandomOctets): number {
  const octets = random(4);
  return new DataView(octets.buffer, octets.byteOffset, 4).getUint32(0) / 2 ** 32;
}

/** A retry costs tokens, and a successful request earns tokens. */
export interface RetryQuota {
  /**
   * Returns false and takes nothing if too few tokens are left. `outcome` is the result of the failed attempt: a retry after a timeout
   * costs more tokens.
   */
  readonly pay: (outcome: AttemptOutcome) => boolean;
  readonly earn: () => void;
}

export function createRetryQuota(): RetryQuota {
  let tokens = QUOTA;
  return {
    pay: (outcome) => {
      const timedOut = outcome.kind === 'failure' && outcome.error.timedOut;
      const cost = timedOut ? TIMEOUT_COST : RETRY_COST;
      if (tokens < cost) return false;
      tokens -= cost;
      return true;
    },
    earn: () => {
      tokens = Math.min(QUOTA, tokens + 1);
    },
  };
}
