/**
 * Defines the times and limits that prevent the service from carrying out a request twice, with their reasons. Also says when to look for
 * the record of a POST that got no response. The client and the bulk jobs share these numbers.
 */

/** Milliseconds for a whole call, retries included, unless a flag sets the time-out (contract, "Global flags"). */
export const DEFAULT_TIMEOUT = 60_000;
/**
 * Milliseconds, in addition to the time-out, that a POST may take to reach the service after its connection is lost. During this time, the
 * POST may still create its record. A look-up that finds no record proves nothing until then (docs/acceptance.md, "A look at once proves
 * nothing").
 */
const SETTLE_MARGIN = 2000;
/**
 * Milliseconds until svc first looks for the record of a POST without a response. If only the response was lost, the record usually exists
 * by then. If svc finds no record, it looks again when the POST can no longer reach the service (docs/acceptance.md, "How long a look
 * waits"). `settleTime` computes that time.
 */
const FIRST_LOOK_UP = 2000;
/**
 * Maximum number of attempts for a POST that svc may repeat after a lost response (resources with `inDoubt: 'send-again'`). svc looks for
 * the record between the attempts. This maximum ends the loop if the service never answers.
 */
export const MAX_HTTP_POST_ATTEMPTS = 3;
/**
 * Seconds by which the clocks of several machines of one service may differ. The creation time of a record, `cdate`, may be too early by
 * this number of seconds.
 */
export const SERVICE_CLOCK_SLACK_SECONDS = 2;
/**
 * Minimum number of seconds between an attempt to send a request and the scheduled time in its body. A later attempt could arrive after the
 * scheduled time, and the service would then send the message at once. The first attempt begins at least two minutes before the scheduled
 * time.
 */
export const MIN_SECONDS_FROM_REQUEST_TO_SEND_TIME = 60;
/**
 * Milliseconds by which a Date header may differ from the service's clock. Wire, "Responses", 401: the service rejects a request that
 * arrives more than 15 minutes after its Date.
 */
export const MAX_DATE_HEADER_CLOCK_SKEW_MS = 15 * 60_000;
/**
 * Difference between the clocks of this machine and the service, in milliseconds, at which a 401 proves that a POST created no record: the
 * service rejects every copy of the POST, even one that arrived earlier, so svc repeats it at once with a corrected Date. At a smaller
 * difference, the service may have accepted an earlier copy, so svc first looks for the record. The 2 minutes allow for the error of the
 * measured difference, which is at most half of the time between the request and its response.
 */
export const MIN_CLOCK_SKEW_TO_TRUST_401_MS = MAX_DATE_HEADER_CLOCK_SKEW_MS + 2 * 60_000;

/**
 * Returns the settling time: the milliseconds that a POST may still take to reach the service after the client stopped waiting for the
 * response. If the record that the POST should create does not exist after this time, the POST counts as lost.
 */
export function settleTime({
  settle,
  timeout = DEFAULT_TIMEOUT,
}: {
  readonly settle?: number | undefined;
  readonly timeout?: number | undefined;
}): number {
  return settle ?? timeout + SETTLE_MARGIN;
}

export interface PlannedLookUp {
  /** Milliseconds after the POST ended without a response. */
  readonly afterMs: number;
  /** True if the POST counts as lost when this look-up finds no record. */
  readonly isLast: boolean;
}

/**
 * Returns look-ups 2 seconds after the POST failed, if the settling time is above 4 seconds, and at its end, when the POST can no longer
 * reach the service.
 * @param settleMs as `settleTime` returns it, in milliseconds
 */
export function lookUpSchedule(settleMs: number): readonly PlannedLookUp[] {
  const last = { afterMs: settleMs, isLast: true };
  return settleMs > 2 * FIRST_LOOK_UP ? [{ afterMs: FIRST_LOOK_UP, isLast: false }, last] : [last];
}
