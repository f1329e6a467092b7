/** Determines the status of a task in one word (interface, "task" and "States and transitions"). */

type Record = Readonly<{ readonly [attribute: string]: unknown }>;

export type Phase = 'scheduled' | 'sending' | 'completed' | 'cancelled';

/** Status of a task. `stopped`: it has ended, and can't have been sent to all of its recipients. */
export type TaskStatus = Phase | 'stopped';

/**
 * Returns the phase of a task.
 * @param now Unix seconds by the service's clock
 */
export function phaseOf(record: Record, now: number): Phase {
  if (record['cancelled'] === true) return 'cancelled';
  if (record['completed'] === true) return 'completed';
  return now < Number(record['scheduledtime']) ? 'scheduled' : 'sending';
}

/** Returns the status from the record alone. Running out of credits shows only if the rate could not have allowed the full size. */
export function taskStatus(record: Record, now: number): TaskStatus {
  const phase = phaseOf(record, now);
  return phase === 'completed' && mostByRate(record) < Number(record['size']) ? 'stopped' : phase;
}

/**
 * Returns the highest number of messages that the rate allows. A service may count hours from the start or by the clock, and may use the
 * rate of each hour at once. So parts of one hour more than have passed may count, and one more for hours by the clock.
 */
function mostByRate({ rate, scheduledtime, endtime }: Record): number {
  if (typeof rate !== 'number' || typeof scheduledtime !== 'number' || typeof endtime !== 'number')
    return Number.POSITIVE_INFINITY;
  return rate * (Math.floor(Math.max(0, endtime - scheduledtime) / 3600) + 2);
}
