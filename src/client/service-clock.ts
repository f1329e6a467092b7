/** What the service's clocks say, learnt from its answers (wire, "Authentication, where open"). */

import { readEnvelope } from '../protocol/envelope.ts';
import { headerNames, type Naming } from '../protocol/naming.ts';
import type { WireResponse } from '../protocol/wire.ts';
import { parseHttpDate } from '../text/http-date.ts';

/** A smaller difference is not what a 401 is about. */
const LEAST_SKEW = 30_000;

export interface ServiceClock {
  /** Learns from an answer. Both times are this machine's, in milliseconds. */
  readonly observe: (response: WireResponse, sentAt: number, receivedAt: number) => void;
  /** Unix seconds by the clock that the service schedules by, or undefined before any answer. */
  readonly now: (localTime: number) => number | undefined;
  /** Unix seconds at which a sandbox's clock stands until it is moved; undefined where it runs by itself. */
  readonly standsAt: () => number | undefined;
  /** Unix seconds that the service's clock had certainly reached at that local time; `now` errs to both sides. */
  readonly earliest: (localTime: number) => number | undefined;
  /** Milliseconds to sign with: this machine's time, corrected once a 401 has shown that it is off. */
  readonly signingTime: (localTime: number) => number;
  /**
   * After a 401: whether signing again with a corrected Date may help. Once for each client unless it did help, as
   * failed logins lock users (interface, "Limits"). Not when this very difference was accepted before: then the nonce
   * was used up, by a copy of the request that arrived first.
   */
  readonly correct: (response: WireResponse, attempt: Attempt) => boolean;
  /** After a 401: whether the credentials may be good all the same. They were let in before, or the clocks differ. */
  readonly isOpen: () => boolean;
  /** The correction worked: another one is allowed when the clocks drift apart again. */
  readonly confirm: () => void;
}

/** Times of this machine, in milliseconds. */
export interface Attempt {
  readonly sentAt: number;
  readonly receivedAt: number;
  /** What `signingTime` had added. */
  readonly signedOffset: number;
  /** The least difference that is worth signing again for. */
  readonly leastSkew?: number | undefined;
}

export function createServiceClock(naming: Naming): ServiceClock {
  const { time: timeHeader, clock: clockHeader } = headerNames(naming);
  let standing: number | undefined;
  /** Service minus machine, milliseconds. The clock for schedules can be moved in a sandbox; that for signing can't. */
  let scheduleOffset: number | undefined;
  let leastOffset: number | undefined;
  let signingOffset = 0;
  let unconfirmed = false;
  /** How far off a Date was that the service took. */
  let accepted: number | undefined;
  let wasAccepted = false;
  let lastSkew = 0;
  return {
    observe: ({ status, headers }, sentAt, receivedAt) => {
      const seconds = headers[timeHeader] ?? '';
      const time = /^[0-9]{1,12}(\.[0-9]{1,9})?$/.test(seconds) ? Number(seconds) * 1000 : dateOf(headers);
      if (time !== undefined) {
        scheduleOffset = time - middle(sentAt, receivedAt);
        leastOffset = time - receivedAt;
        standing = headers[clockHeader] === 'manual' ? Math.floor(time / 1000) : undefined;
      }
      const date = dateOf(headers);
      const wasTaken = status < 500 && status !== 401 && status !== 429;
      wasAccepted ||= wasTaken;
      if (date !== undefined && wasTaken) accepted = date - (middle(sentAt, receivedAt) + signingOffset);
    },
    now: (localTime) =>
      scheduleOffset === undefined ? undefined : Math.floor((localTime + scheduleOffset) / 1000),
    standsAt: () => standing,
    earliest: (localTime) =>
      leastOffset === undefined ? undefined : Math.floor((localTime + leastOffset) / 1000),
    signingTime: (localTime) => localTime + signingOffset,
    correct: (response, { sentAt, receivedAt, signedOffset, leastSkew = LEAST_SKEW }) => {
      // Another call has corrected it while this one was under way.
      if (signedOffset !== signingOffset) return Math.abs(signingOffset - signedOffset) >= leastSkew;
      const time = dateOf(response.headers) ?? timeInside(response.body);
      if (time === undefined || unconfirmed) return false;
      const skew = time - (middle(sentAt, receivedAt) + signingOffset);
      lastSkew = Math.abs(skew);
      if (lastSkew < leastSkew) return false;
      if (accepted !== undefined && Math.abs(skew - accepted) < LEAST_SKEW) return false;
      signingOffset += skew;
      accepted = undefined;
      unconfirmed = true;
      return true;
    },
    isOpen: () => wasAccepted || lastSkew >= LEAST_SKEW,
    confirm: () => {
      unconfirmed = false;
    },
  };
}

const middle = (sentAt: number, receivedAt: number): number => (sentAt + receivedAt) / 2;

/** The Date of an answer, unless a cache kept it. */
function dateOf(headers: WireResponse['headers']): number | undefined {
  return headers['age'] === undefined ? parseHttpDate(headers['date'] ?? '') : undefined;
}

/** Wire, "Responses", 401: `additional_information` gives the service's time, in Unix seconds. */
function timeInside(body: string): number | undefined {
  const envelope = readEnvelope(body);
  const information = envelope.kind === 'error' ? envelope.additionalInformation : null;
  if (typeof information !== 'object' || information === null || Array.isArray(information)) return undefined;
  const time = (information as { readonly time?: unknown }).time;
  return typeof time === 'number' && time > 0 && time < 1e11 ? time * 1000 : undefined;
}
