/** Checks that a send time is far enough ahead, and describes it. For a past time, the service would send at once (contract, "Safety"). */

import type { Finding } from '../../kit/schema/resource.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { formatTime, haveSameLocalTime } from '../../kit/text/timezone.ts';
import { MIN_SECONDS_FROM_REQUEST_TO_SEND_TIME } from '../requests/recovery/settle.ts';

const MINUTE = 60;

/** Minimum seconds to a send time, when svc checks the time and before each attempt to send the request. */
export interface SendTimeMargins {
  readonly minSecondsAhead: number;
  readonly minSecondsLeftAtRequest: number;
}

/** For a task that svc never cancels after it has created the task. */
export const SEND_TIME_MARGINS: SendTimeMargins = {
  minSecondsAhead: 2 * MINUTE,
  minSecondsLeftAtRequest: MIN_SECONDS_FROM_REQUEST_TO_SEND_TIME,
};

/** For a task that svc may have to cancel: these values leave time for that even after a late retry. */
export const SEND_TIME_MARGINS_IF_CANCELLABLE: SendTimeMargins = {
  minSecondsAhead: 5 * MINUTE,
  minSecondsLeftAtRequest: 3 * MINUTE,
};

/** Returns why a task must not be scheduled for `time`, or undefined. All times are in Unix seconds. */
export function findSendTimeFault(
  attribute: string,
  time: number,
  now: number,
  minSecondsAhead = SEND_TIME_MARGINS.minSecondsAhead,
): Finding | undefined {
  const fault = (reason: string, instead: string): Finding => ({ attribute, value: time, reason, instead });
  switch (classifySendTimeFault(time, now, minSecondsAhead)) {
    case 'milliseconds':
      return fault('looks like milliseconds; use Unix seconds', `write ${Math.floor(time / 1000)}`);
    case 'past':
      return fault(
        `was ${formatDuration(Math.max(1, Math.round(now - time)))} ago, so the service would send at once`,
        'give a future time, or use --now to send at once',
      );
    case 'too-near':
      return fault(
        `is less than ${formatDuration(minSecondsAhead)} ahead`,
        'give a later time, or use --now to send at once',
      );
    case 'too-far':
      return fault('is more than 2 years ahead', 'check the year');
    default:
      return undefined;
  }
}

/** Time zones in which a send time is shown. */
interface SendTimeZones {
  /** Undefined if svc does not know it. */
  readonly company: string | undefined;
  /** Zone of this machine. */
  readonly operator: string;
  /** The zone of `--tz`. */
  readonly typed?: string | undefined;
}

/** Returns the lines that say when a send is: in UTC with the time left until then, for the company, here, and in the zone of `--tz`. */
export function sendTimeSummary(time: number, now: number, zones: SendTimeZones): readonly string[] {
  const { company, operator, typed } = zones;
  const ahead = time <= now ? 'at once' : `in ${formatDuration(Math.round(time - now))}`;
  const inZone = (zone: string, whose: string): string => `      ${formatTime(time, zone, 'long')}, ${whose}`;
  const isInUtc = (zone: string | undefined): boolean =>
    zone !== undefined && haveSameLocalTime(time, zone, 'UTC');
  const places =
    isInUtc(company) && isInUtc(operator)
      ? ['      the same for the company and here']
      : [
          company === undefined
            ? "      svc does not know the company's time zone"
            : inZone(company, 'the company'),
          inZone(operator, 'here'),
        ];
  const isShown = typed === undefined || ['UTC', company, operator].includes(typed);
  return [
    `Sends ${formatTime(time, 'UTC', 'long')}, ${ahead}`,
    ...places,
    ...(isShown ? [] : [inZone(typed, 'as --tz says')]),
  ];
}

const MAX_AHEAD = 2 * 365.25 * 86_400;
/**
 * From this value on, a time is assumed to be in milliseconds by mistake. In seconds, it is a time in the year 5138; in milliseconds, a
 * time in 1973.
 */
const MILLISECONDS_FROM = 1e11;

/** Reason why a send time is not possible. `milliseconds`: the number is most likely in milliseconds instead of seconds. */
type SendTimeFault = 'milliseconds' | 'past' | 'too-near' | 'too-far';

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

const NIGHT_BEGINS = 21;
const NIGHT_ENDS = 8;

export function isNight(time: number, zone: string): boolean {
  const hour = localHourAt(time, zone);
  return hour >= NIGHT_BEGINS || hour < NIGHT_ENDS;
}

const localHourAt = (time: number, zone: string): number =>
  Number(formatTime(time, zone, 'clock').slice(0, 2));
