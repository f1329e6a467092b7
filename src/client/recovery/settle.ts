/**
 * Defines the numbers that prevent a request from being carried out twice, with their reasons, and the times of look-ups after a POST
 * without a response. The client and the bulk jobs share these numbers.
 */

/** Milliseconds for a whole call, retries included, unless a flag sets the time-out (contract, "Global flags"). */
export const DEFAULT_TIMEOUT = 60_000;
/**
 * Milliseconds, in addition to the time-out, that a POST may take to arrive after its connection is lost. Until then a missing record
 * proves nothing (acceptance, "A look at once proves nothing").
 */
const SETTLE_MARGIN = 2000;
/**
 * Milliseconds until the first look-up. If the response was lost, the record usually exists already. Only its absence takes the whole
 * settling time to prove (acceptance, "How long a look waits").
 */
const FIRST_LOOK_UP = 2000;
/** Maximum number of times that a `send-again` POST is sent, with look-ups in between. It ends the loop if a service never answers. */
export const MAX_SENDS = 3;
/** Seconds by which the clocks of several machines of one service may differ. A `cdate` may be too early by this much. */
export const CLOCK_SLACK_SECONDS = 2;
/**
 * Seconds that must remain until a scheduled time before each attempt. A later attempt could arrive after the scheduled time, and the
 * service would then send at once. The first attempt began at least two minutes before the time.
 */
export const MIN_SECONDS_LEFT = 60;
/**
 * Milliseconds by which a Date header may differ from the service's clock. Wire, "Responses", 401: the service rejects a copy of a request
 * that arrives later.
 */
export const MAX_DATE_SKEW = 15 * 60_000;
/**
 * Milliseconds of clock difference from which a rejected POST is signed and sent again at once, because the service can't have accepted an
 * earlier copy. The measured difference is inaccurate by up to half the duration of the exchange. For a smaller difference, a look-up comes
 * first.
 */
export const MIN_SURELY_REJECTED_SKEW = MAX_DATE_SKEW + 2 * 60_000;

/**
 * Returns the milliseconds from the end of a POST without a response until the POST can no longer reach the service. If its record does not
 * exist then, the POST counts as lost.
 */
export function settlingTime({
  settle,
  timeout = DEFAULT_TIMEOUT,
}: {
  readonly settle?: number | undefined;
  readonly timeout?: number | undefined;
}): number {
  return settle ?? timeout + SETTLE_MARGIN;
}

export interface LookUpTime {
  /** Milliseconds from the end of the attempt without a response to this look-up. */
  readonly afterMs: number;
  /** True if the POST counts as lost when this look-up finds no record. */
  readonly isLast: boolean;
}

/**
 * Returns the times at which to look for the record of a POST without a response. The first look-up comes soon, unless the last one comes
 * almost as soon. The last one comes at the end of the settling time.
 * @param settle the settling time in milliseconds
 */
export function lookUpTimes(settle: number): readonly LookUpTime[] {
  const last = { afterMs: settle, isLast: true };
  return settle > 2 * FIRST_LOOK_UP ? [{ afterMs: FIRST_LOOK_UP, isLast: false }, last] : [last];
}
