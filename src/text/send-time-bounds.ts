/** Checks that a send time is within its bounds (contract, "Safety"), for the command line and for campaign files. */

const MAX_AHEAD = 2 * 365.25 * 86_400;
/**
 * From this value on, a time is assumed to be in milliseconds by mistake. In seconds, it is a time in the year 5138; in milliseconds, a
 * time in 1973.
 */
const MILLISECONDS_FROM = 1e11;

/** Reason why a send time is not possible. `milliseconds`: the number is most likely in milliseconds instead of seconds. */
export type SendTimeFault = 'milliseconds' | 'past' | 'too-near' | 'too-far';

/**
 * Returns the reason why svc schedules nothing for `time`, or undefined if `time` is possible. `time` and `now` are in Unix seconds.
 * @param minSecondsAhead minimum number of seconds between `now` and `time`
 */
export function classifySendTimeFault(
  time: number,
  now: number,
  minSecondsAhead: number,
): SendTimeFault | undefined {
  const ahead = time - now;
  if (time >= MILLISECONDS_FROM) return 'milliseconds';
  if (ahead < 0) return 'past';
  if (ahead < minSecondsAhead) return 'too-near';
  return ahead > MAX_AHEAD ? 'too-far' : undefined;
}
