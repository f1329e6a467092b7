/**
 * Every number that "nothing is sent twice" hangs on, with its reason, and when a POST without an answer is looked for.
 * The client and the bulk jobs go by the same ones.
 */

/** Milliseconds for a whole call, retries included, where nothing else is said (contract, "Global flags"). */
export const DEFAULT_TIMEOUT = 60_000;
/**
 * What a lost POST may still take once its connection is gone, on top of the time-out, in milliseconds: what was written
 * is somewhere on the way or being worked on, and a look too early proves nothing (acceptance, "A look at once proves
 * nothing").
 */
const SETTLE_MARGIN = 2000;
/**
 * What was carried out and not answered is there at once; only its absence takes the whole of the settling time to tell
 * (acceptance, "How long a look waits"). In milliseconds.
 */
const FIRST_LOOK = 2000;
/** How often a POST that can do no harm is sent in all, looks between: a service that never answers ends it. */
export const MOST_SENDS = 3;
/** The clocks of several machines behind one service differ by so many seconds; a `cdate` may be so much too early. */
export const CLOCK_SLACK = 2;
/**
 * Seconds that must be left until a scheduled time before each attempt. A time was two minutes ahead when the first one
 * began; a late one must not arrive after it, for then it would be sent at once.
 */
export const LEAST_LEFT = 60;
/** Wire, "Responses", 401: how many milliseconds off a Date may be. A later copy of a request is not accepted. */
export const DATE_WINDOW = 15 * 60_000;
/**
 * A POST is signed again at once only when its Date was so far off that no copy of it can have been let in before;
 * the measure errs by half of the time that an exchange takes. With less a look comes first, and corrects the clock.
 */
export const SURELY_REFUSED = DATE_WINDOW + 2 * 60_000;

/**
 * Milliseconds from the end of a POST without an answer until it can no longer arrive, and counts as lost when what it
 * would have made isn't there.
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
  /** What isn't there by now counts as lost. */
  readonly isLast: boolean;
}

/** When to look for what a lost POST would have made: soon, unless the last look is as good as that, and at the end. */
export function looksWithin(settle: number): readonly ScheduledLook[] {
  const last = { after: settle, isLast: true };
  return settle > 2 * FIRST_LOOK ? [{ after: FIRST_LOOK, isLast: false }, last] : [last];
}
