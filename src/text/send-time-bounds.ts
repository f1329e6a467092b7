/** Bounds of a send time (contract, "Safety"). The command line and campaign files share them. */

const MAX_AHEAD = 2 * 365.25 * 86_400;
/** Lowest value read as milliseconds: the year 5138 in seconds, 1973 in milliseconds. */
const MILLISECONDS_FROM = 1e11;

export type SendTimeFault = 'milliseconds' | 'past' | 'too-near' | 'too-far';

/** Returns why nothing may be scheduled for `time`, or undefined. All arguments are in seconds. */
export function sendTimeFault(time: number, now: number, leastAhead: number): SendTimeFault | undefined {
  const ahead = time - now;
  if (time >= MILLISECONDS_FROM) return 'milliseconds';
  if (ahead < 0) return 'past';
  if (ahead < leastAhead) return 'too-near';
  return ahead > MAX_AHEAD ? 'too-far' : undefined;
}
