/** Decides whether and when a request is retried (contract, "Safety"; wire, "Responses"). Everything but the quota is pure. */

import type { WireResponse } from '../protocol/wire.ts';
import { assertNever, type Method } from '../schema/resource.ts';
import { parseHttpDate } from '../text/http-date.ts';
import type { TransportError } from './errors.ts';
import type { RandomOctets } from './ports.ts';

/** Outcome of one attempt. */
export type AttemptOutcome =
  | { readonly kind: 'answer'; readonly response: WireResponse }
  | { readonly kind: 'failure'; readonly error: TransportError };

export type OutcomeClass =
  /** Another attempt would not change this response. */
  | 'final'
  /** The request was not sent: no byte left this machine. */
  | 'not-sent'
  /** Something was sent, and no response arrived. */
  | 'unknown'
  /** 429: the service rejected the request before processing it. */
  | 'throttled'
  /** 502, 503, 504: the sender may have passed the request on. */
  | 'unavailable'
  /** The response is any other 5xx. */
  | 'broken'
  /** 401: another attempt makes sense only after the clock was corrected. */
  | 'unauthenticated';

export const DEFAULT_RETRIES = 2;
const BASE = 500;
const CAP = 20_000;
const MOST_RETRY_AFTER = 300_000;
const QUOTA = 500;
const RETRY_COST = 5;
const TIMEOUT_COST = 10;

export function classify(outcome: AttemptOutcome): OutcomeClass {
  if (outcome.kind === 'failure') return outcome.error.sent;
  const { status } = outcome.response;
  if (status === 401) return 'unauthenticated';
  if (status === 429) return 'throttled';
  if (status >= 502 && status <= 504) return 'unavailable';
  return status >= 500 ? 'broken' : 'final';
}

/** Reports whether a retry cannot repeat an effect. For a POST, this holds only if the service certainly did not process it. */
export function mayRepeat(method: Method, outcome: OutcomeClass): boolean {
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

/** Reports whether the service may have acted on the request. */
export function mayHaveActed(outcome: OutcomeClass): boolean {
  return outcome === 'unknown' || outcome === 'unavailable' || outcome === 'broken';
}

/**
 * Returns the milliseconds to wait after the `failures`-th failure in a row, counted from 1. It uses full jitter. The delay is never
 * shorter than the service asks, up to a limit of 5 minutes.
 * @param now this machine's time, for a response without a Date
 */
export function delayAfter(
  failures: number,
  outcome: AttemptOutcome,
  random: RandomOctets,
  now: number,
): number {
  const jitter = fraction(random) * Math.min(CAP, BASE * 2 ** (failures - 1));
  const asked = outcome.kind === 'answer' ? retryAfter(outcome.response, now) : undefined;
  return Math.round(asked === undefined ? jitter : Math.min(MOST_RETRY_AFTER, asked + jitter));
}

/** Returns the milliseconds that `Retry-After` asks for. The header holds seconds, or an HTTP date by the service's own clock. */
export function retryAfter({ headers }: WireResponse, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return Math.min(MOST_RETRY_AFTER, Number(text) * 1000);
  const until = parseHttpDate(text);
  if (until === undefined) return undefined;
  const from = parseHttpDate(headers['date'] ?? '') ?? now;
  return Math.min(MOST_RETRY_AFTER, Math.max(0, until - from));
}

function fraction(random: RandomOctets): number {
  const octets = random(4);
  return new DataView(octets.buffer, octets.byteOffset, 4).getUint32(0) / 2 ** 32;
}

/** Quota that stops a long job from hammering a service that is down. Retries spend tokens, and successes earn them. */
export interface RetryQuota {
  /** Pays for a retry after this outcome. Returns false if too few tokens are left. */
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
