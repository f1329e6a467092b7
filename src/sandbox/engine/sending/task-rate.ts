/** Applies a task's `rate`: the highest number of messages in any hour, spread over its minutes (interface, task `rate`). */

/**
 * Returns the total number of messages that may have been sent by `now`, if the first minute began at `start`. Fractions are rounded up, so
 * that the first message goes at once. Over any 60 consecutive minutes the total is exactly `rate`.
 */
export function allowedBy(rate: number, start: number, now: number): number {
  const minute = Math.floor((now - start) / 60);
  return Math.ceil((rate * (minute + 1)) / 60);
}

/** Returns the start (Unix seconds) of the first minute in which message `sent + 1` is allowed. */
export function dueAfter(rate: number, start: number, sent: number): number {
  return start + 60 * Math.floor((sent * 60) / rate);
}
