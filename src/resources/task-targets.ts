/** How long a task holds the list that it goes to (interface, folder DELETE, "Errors" and "Limits"). */
import { phaseOf } from './task-status.ts';

type Record = Readonly<{ readonly [attribute: string]: unknown }>;

/** A list that a task was sent to can't be deleted for so many seconds after its end, nor can its folder. */
export const RECENT_TARGET_SECONDS = 72 * 3600;

/**
 * Unix seconds at which the task no longer holds its list, as far as its record tells; undefined where it holds none now.
 * Of one that has not ended it is the earliest: when its messages go out minute by minute at its `rate`, else at once.
 * @param now Unix seconds by the service's clock
 */
export function holdsListUntil(record: Record, now: number): number | undefined {
  const start = Math.ceil(Number(record['scheduledtime']));
  const end = endOf(record, start, now);
  // Cancelled before it began: it was never sent.
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

/** Seconds from the first message to the last one. */
function duration({ rate, size }: Record): number {
  if (typeof rate !== 'number' || rate <= 0 || typeof size !== 'number' || size <= 1) return 0;
  return 60 * Math.floor(((size - 1) * 60) / rate);
}
