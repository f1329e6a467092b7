/** Computes when a task of a campaign goes out, and why it may not. */
import { TIME_TO_CANCEL } from '../../sends/time-to-come.ts';
import { formatDuration } from '../../text/duration.ts';
import { sendTimeFault } from '../../text/send-time-bounds.ts';
import { parseTimePhrase } from '../../text/time-phrase.ts';
import { timeWordsHash } from '../marks.ts';
import type { WantedTask } from '../model.ts';
import type { Own, Situation } from './situation.ts';

/** Minimum number of seconds until the send time. `svc apply` creates, changes or cancels no task that is due sooner. */
export const LEAST_AHEAD = TIME_TO_CANCEL.leastAhead;

export interface Timed {
  readonly time: number;
  readonly note?: string | undefined;
}

/** Fault of a time. `instead` is a time to suggest, if there is a suitable one. */
export interface TimeFault {
  readonly fault: string;
  readonly instead?: string | undefined;
}

/**
 * Returns the time of a task. An existing task keeps its relative time, unless the file's words for that time have changed. Any other
 * relative time counts from the moment at which the plan was made.
 * @param earlier the task that was made for the item
 */
export function timeOf(
  { observed, options }: Pick<Situation, 'observed' | 'options'>,
  wanted: WantedTask,
  earlier: Own | undefined,
): Timed | TimeFault {
  const made = earlier && Number(earlier.record['scheduledtime']);
  const isUsable = made !== undefined && (!earlier?.isSetAside || made - observed.now >= LEAST_AHEAD);
  if (isRelative(wanted.at) && isUsable && earlier && hasSameWords(wanted, earlier)) return { time: made };
  const read = parseTimePhrase(wanted.at, { now: options.madeAt ?? observed.now, zone: options.zone });
  if (read.ok) return { time: read.time, note: read.note };
  return { fault: `at: ${read.reason}`, ...(read.instead === undefined ? {} : { instead: read.instead }) };
}

/**
 * Returns whether the file still has the words with which the task was made. An absolute time has no words, so the time alone decides. The
 * words of an adopted record are unknown.
 */
export function hasSameWords(wanted: WantedTask, { mark, isAdopted }: Own): boolean {
  const words = relativeTimeText(wanted);
  return words === undefined || isAdopted || mark.words === timeWordsHash(words);
}

/** Returns the words of a relative time, or undefined for an absolute one. */
export const relativeTimeText = ({ at }: Pick<WantedTask, 'at'>): string | undefined =>
  isRelative(at) ? at : undefined;

/** Returns whether the words mean another moment on another day. Unix seconds and dates with a year always mean the same moment. */
export const isRelative = (at: string): boolean =>
  !/^\s*([0-9]+\s*$|[0-9]{4}[-/.]|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4})/.test(at);

/** Returns the reason why this send time is not allowed, or undefined if it is allowed. */
export function refusedTime({ hold }: WantedTask, time: number, now: number): string | undefined {
  switch (sendTimeFault(time, now, LEAST_AHEAD)) {
    case 'milliseconds':
      return 'its time looks like milliseconds; use Unix seconds';
    case 'past':
      return 'its time has passed, so the service would send at once';
    case 'too-near':
      return `its time is less than ${LEAST_AHEAD / 60} minutes ahead`;
    case 'too-far':
      return 'its time is more than 2 years ahead; check the year';
    default:
      return hold !== null && time - now < hold
        ? `its time is sooner than its hold of ${formatDuration(hold)}`
        : undefined;
  }
}

/** Returns whether a time in the file can never be right, unlike a time that is only past or too close by now. */
export const isBeyondBounds = (time: number, now: number): boolean => {
  const fault = sendTimeFault(time, now, LEAST_AHEAD);
  return fault === 'milliseconds' || fault === 'too-far';
};
