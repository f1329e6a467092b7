/**
 * Every number that "nothing is sent twice" depends on, with its reason, and the times of look-ups after a POST without a response. The
 * client and the bulk jobs share these numbers.
 */

/** Milliseconds for a whole call, retries included, unless a flag sets them (contract, "Global flags"). */
export const DEFAULT_TIMEOUT = 60_000;
/**
 * Milliseconds, on top of the time-out, that a lost POST may still take once its connection is gone. Its bytes are on the way or being
 * processed, and a look-up too early proves nothing (acceptance, "A look at once proves nothing").
 */
const SETTLE_MARGIN = 2000;
/**
 * Milliseconds until the first look-up. A record whose response was lost exists at once. Only its absence takes the whole settling time to
 * prove (acceptance, "How long a look waits").
 */
const FIRST_LOOK = 2000;
/** Maximum number of sends of a POST that can do no harm, with look-ups between. It ends the loop if a service never answers. */
export const MOST_SENDS = 3;
/** Seconds by which the clocks of several machines behind one service may differ. A `cdate` may be this much too early. */
export const CLOCK_SLACK = 2;
/**
 * Seconds that must be left until a scheduled time before each attempt. The time was two minutes ahead when the first attempt began. A late
 * attempt must not arrive after it, because the service would then send at once.
 */
export const LEAST_LEFT = 60;
/** Milliseconds by which a Date may be off. Wire, "Responses", 401: a later copy of a request is not accepted. */
export const DATE_WINDOW = 15 * 60_000;
/**
 * Milliseconds of clock difference from which a POST is signed again at once. No copy of it can then have been accepted before. The
 * measured difference is off by up to half of the exchange's time. Below this limit, a look-up comes first and corrects the clock.
 */
export const SURELY_REFUSED = DATE_WINDOW + 2 * 60_000;

/**
 * Returns milliseconds from the end of a POST without a response until it can no longer arrive. After them it counts as lost if its record
 * does not exist.
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

export interface ScheduledLook {
  /** Milliseconds after the end of the attempt in doubt. */
  readonly after: number;
  /** True if the record counts as lost if it does not exist at this look-up. */
  readonly isLast: boolean;
}

/** Returns the times at which to look for the record of a lost POST: one soon, unless the last comes almost as soon, and one at the end. */
export function scheduleLooks(settle: number): readonly ScheduledLook[] {
  const last = { after: settle, isLast: true };
  return settle > 2 * FIRST_LOOK ? [{ after: FIRST_LOOK, isLast: false }, last] : [last];
}
