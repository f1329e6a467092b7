/** Determines the status of a task in one word (interface, "task" and "States and transitions"). */

type Record = Readonly<{ readonly [attribute: string]: unknown }>;

/** Phase of a task, from its record and the present time. `sending`: the scheduled time is reached, and the task has not ended. */
export type Phase = 'scheduled' | 'sending' | 'completed' | 'cancelled';

/** Status of a task. `stopped`: the task has ended, and can't have reached all of its recipients. */
export type TaskStatus = Phase | 'stopped';

/**
 * Returns the phase of a task from its record.
 * @param now Unix seconds by the service's clock
 */
export function taskPhase(record: Record, now: number): Phase {
  if (record['cancelled'] === true) return 'cancelled';
  if (record['completed'] === true) return 'completed';
  return now < Number(record['scheduledtime']) ? 'scheduled' : 'sending';
}

/**
 * Returns the status of a task. A completed task is `stopped` if the credits ran out before the service had sent all messages. svc can
 * detect this only for a task with a rate, a maximum number of messages per hour. Such a task is `stopped` if the service could not have
 * sent all messages at that rate before the task ended. Any other completed task is `completed`.
 * @param now Unix seconds by the service's clock
 */
export function taskStatus(record: Record, now: number): TaskStatus {
  const phase = taskPhase(record, now);
  return phase === 'completed' && maxMessagesByRate(record) < Number(record['size']) ? 'stopped' : phase;
}

/**
 * Returns the maximum number of messages that the rate allowed until the task ended. A service may count hours from the start of the task
 * or by the clock, and may send all messages of an hour at once. So an hour that has begun counts as a whole hour, and one more hour is
 * added.
 */
function maxMessagesByRate({ rate, scheduledtime, endtime }: Record): number {
  if (typeof rate !== 'number' || typeof scheduledtime !== 'number' || typeof endtime !== 'number')
    return Number.POSITIVE_INFINITY;
  return rate * (Math.floor(Math.max(0, endtime - scheduledtime) / 3600) + 2);
}
