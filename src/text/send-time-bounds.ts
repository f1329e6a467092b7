/** Checks that a send time is within its bounds (contract, "Safety"), for the command line and for campaign files. */

const MAX_AHEAD = 2 * 365.25 * 86_400;
/** Lowest value that counts as milliseconds. As seconds, it is in the year 5138; as milliseconds, in 1973. */
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
