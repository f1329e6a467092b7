/** `rate` of a task: at most so many messages in any hour, minute by minute (interface, task `rate`). */

/**
 * How many may have been sent by now, those before included, when the first minute began at `start`. Whole messages
 * are rounded up, so that the first goes at once; over 60 minutes in a row it is `rate` exactly.
 */
export function allowedBy(rate: number, start: number, now: number): number {
  const minute = Math.floor((now - start) / 60);
  return Math.ceil((rate * (minute + 1)) / 60);
}

/** Unix seconds of the first minute in which one more than `sent` may have been sent. */
export function dueAfter(rate: number, start: number, sent: number): number {
  return start + 60 * Math.floor((sent * 60) / rate);
}
