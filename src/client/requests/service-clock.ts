/**
 * Estimates the present time of the service from its responses. The client needs this time for signatures (docs/wire.md, "Authentication,
 * where open") and for scheduled times. A sandbox, which simulates the service, has two clocks: one for schedules, which the user can move,
 * and one for signatures.
 */

import { isObject } from '../../kit/text/json-object.ts';
import { readEnvelope } from '../../service/protocol/envelope.ts';
import { headerNames, type Naming } from '../../service/protocol/naming.ts';
import { parseHttpDate, type WireResponse } from '../../service/protocol/wire.ts';

/** Milliseconds below which a clock difference can't be the reason for a 401. */
const MIN_SKEW_MS = 30_000;

export interface ServiceClock {
  /** Learns the service's time from a response. `sentAt` and `receivedAt` are in milliseconds, by this machine's clock. */
  readonly observe: (response: WireResponse, sentAt: number, receivedAt: number) => void;
  /**
   * For a sandbox, which has two clocks, this is the time of the schedule clock, not of the clock for signatures. Returns undefined before
   * the first response. `localTime` is this machine's time in milliseconds.
   */
  readonly now: (localTime: number) => number | undefined;
  readonly stoppedAt: () => number | undefined;
  /**
   * The service uses this clock to decide when tasks run. In contrast, the result of `now` is an estimate, which may be too late. Returns
   * undefined before the first response. `localTime` is this machine's time in milliseconds.
   */
  readonly earliest: (localTime: number) => number | undefined;
  /** Returns this machine's time in milliseconds, corrected after a 401 has shown a clock difference. */
  readonly signingTime: (localTime: number) => number;
  /**
   * Returns true if another attempt with the corrected Date may succeed.
   * - The response shows no time, or the clock difference is below `minSkew`.
   * - The service has not accepted the previous correction yet (see `confirm`). Another failed login could lock the user (interface,
   * "Limits").
   * - The service has accepted a request with the same clock difference before. The clock is then not the reason for the 401.
   */
  readonly correct: (response: WireResponse, attempt: AttemptTimes) => boolean;
  /** After a 401, credentials may be valid if the service accepted them before, or if the clocks differ. */
  readonly credentialsMayBeValid: () => boolean;
  /** After that, `correct` allows another correction. */
  readonly confirm: () => void;
}

interface AttemptTimes {
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Milliseconds that `signingTime` added to this machine's time. */
  readonly signedOffset: number;
  readonly minSkew?: number | undefined;
}

export function createServiceClock(naming: Naming): ServiceClock {
  const { time: timeHeader, clock: clockHeader } = headerNames(naming);
  let standing: number | undefined;
  /** For a sandbox, which has two clocks, this is the schedule clock, not the clock for signatures. Undefined before the first response. */
  let scheduleOffset: number | undefined;
  let leastOffset: number | undefined;
  let signingOffset = 0;
  let unconfirmed = false;
  /** Clock difference, in milliseconds, at the last request that the service accepted. Undefined before such a request. */
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
    stoppedAt: () => standing,
    earliest: (localTime) =>
      leastOffset === undefined ? undefined : Math.floor((localTime + leastOffset) / 1000),
    signingTime: (localTime) => localTime + signingOffset,
    correct: (response, { sentAt, receivedAt, signedOffset, minSkew = MIN_SKEW_MS }) => {
      // Another call corrected the signing time while this call was in flight.
      if (signedOffset !== signingOffset) return Math.abs(signingOffset - signedOffset) >= minSkew;
      const time = dateOf(response.headers) ?? timeInside(response.body);
      if (time === undefined || unconfirmed) return false;
      const skew = time - (middle(sentAt, receivedAt) + signingOffset);
      lastSkew = Math.abs(skew);
      if (lastSkew < minSkew) return false;
      if (accepted !== undefined && Math.abs(skew - accepted) < MIN_SKEW_MS) return false;
      signingOffset += skew;
      accepted = undefined;
      unconfirmed = true;
      return true;
    },
    credentialsMayBeValid: () => wasAccepted || lastSkew >= MIN_SKEW_MS,
    confirm: () => {
      unconfirmed = false;
    },
  };
}

const middle = (sentAt: number, receivedAt: number): number => (sentAt + receivedAt) / 2;

/** Returns undefined if a cache sent the response. */
function dateOf(headers: WireResponse['headers']): number | undefined {
  return headers.age === undefined ? parseHttpDate(headers.date ?? '') : undefined;
}

/**
 * The body has this time in `additional_information`, in Unix seconds (docs/wire.md, "Responses", 401). Returns undefined if the body has
 * no valid time.
 */
function timeInside(body: string): number | undefined {
  const envelope = readEnvelope(body);
  const information = envelope.kind === 'error' ? envelope.additionalInformation : null;
  const { time }: { readonly time?: unknown } = isObject(information) ? information : {};
  return typeof time === 'number' && time > 0 && time < 1e11 ? time * 1000 : undefined;
}
