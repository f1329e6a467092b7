/** What a task is doing, in one word (interface, "task" and "States and transitions"). */

type Record = Readonly<{ readonly [attribute: string]: unknown }>;

export type Phase = 'scheduled' | 'sending' | 'completed' | 'cancelled';

/** `stopped`: it has ended, and can't have been sent to all of its size. */
export type TaskStatus = Phase | 'stopped';

/** @param now Unix seconds by the service's clock */
export function phaseOf(record: Record, now: number): Phase {
  if (record['cancelled'] === true) return 'cancelled';
  if (record['completed'] === true) return 'completed';
  return now < Number(record['scheduledtime']) ? 'scheduled' : 'sending';
}

/** From the record alone: that the credits gave out shows in it only where the rate had not let it come to its end. */
export function taskStatus(record: Record, now: number): TaskStatus {
  const phase = phaseOf(record, now);
  return phase === 'completed' && mostByRate(record) < Number(record['size']) ? 'stopped' : phase;
}

/**
 * A service may count its hours from the start or by the clock, and may spend the rate of each at once: between start
 * and end lie parts of one hour more than have passed, and one for the clock's.
 */
function mostByRate({ rate, scheduledtime, endtime }: Record): number {
  if (typeof rate !== 'number' || typeof scheduledtime !== 'number' || typeof endtime !== 'number')
    return Number.POSITIVE_INFINITY;
  return rate * (Math.floor(Math.max(0, endtime - scheduledtime) / 3600) + 2);
}
