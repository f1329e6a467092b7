/** Determines how long a task holds its list (interface, folder DELETE, "Errors" and "Limits"). */
import { phaseOf } from './task-status.ts';

type Record = Readonly<{ readonly [attribute: string]: unknown }>;

/** Seconds after the end of a task during which its list can't be deleted, nor can its folder. */
export const RECENT_TARGET_SECONDS = 72 * 3600;

/**
 * Returns the Unix seconds at which the task stops holding its list, as far as the task's record shows. Returns undefined if the task holds
 * no list now. For a task that has not ended, returns the earliest possible time: messages are sent minute by minute at its `rate`, or all
 * at once.
 * @param now Unix seconds by the service's clock
 */
export function holdsListUntil(record: Record, now: number): number | undefined {
  const start = Math.ceil(Number(record['scheduledtime']));
  const end = endOf(record, start, now);
  // A task that was cancelled before it began was never sent.
  if (record['cancelled'] === true && end < start) return undefined;
  const until = end + RECENT_TARGET_SECONDS;
  return until > now ? until : undefined;
}

function endOf(record: Record, start: number, now: number): number {
  const phase = phaseOf(record, now);
  const { endtime } = record;
  if ((phase === 'completed' || phase === 'cancelled') && typeof endtime === 'number') return endtime;
  return Math.max(now, start + duration(record));
}

/** Returns the seconds from the first message to the last one. */
function duration({ rate, size }: Record): number {
  if (typeof rate !== 'number' || rate <= 0 || typeof size !== 'number' || size <= 1) return 0;
  return 60 * Math.floor(((size - 1) * 60) / rate);
}
