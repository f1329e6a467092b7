/**
 * Determines how long a task prevents the deletion of its list (interface, folder DELETE, "Errors" and "Limits"), and which tasks reach the
 * same people.
 */
import { taskPhase } from './task.ts';

type TaskRecord = Readonly<{ readonly [attribute: string]: unknown }>;

/** Seconds after the end of a task during which neither its list nor the list's folder can be deleted. */
export const LIST_DELETION_BLOCK_SECONDS = 72 * 3600;

/**
 * Returns the time until which a task prevents the deletion of its list, in Unix seconds. Returns undefined if the list can be deleted now.
 * For a task that has not ended, svc assumes the earliest possible end: the service sends as fast as the task's `rate` allows, or sends all
 * messages at once if the task has no rate.
 * @param now Unix seconds by the service's clock
 */
export function computeEndOfListDeletionBlock(record: TaskRecord, now: number): number | undefined {
  const start = Math.ceil(Number(record['scheduledtime']));
  const end = endOf(record, start, now);
  // A task that was cancelled before it began was never sent.
  if (record['cancelled'] === true && end < start) return undefined;
  const until = end + LIST_DELETION_BLOCK_SECONDS;
  return until > now ? until : undefined;
}

function endOf(record: TaskRecord, start: number, now: number): number {
  const phase = taskPhase(record, now);
  const { endtime } = record;
  if ((phase === 'completed' || phase === 'cancelled') && typeof endtime === 'number') return endtime;
  return Math.max(now, start + duration(record));
}

/** Returns the seconds from the first message of a task to its last message. */
function duration({ rate, size }: TaskRecord): number {
  if (typeof rate !== 'number' || rate <= 0 || typeof size !== 'number' || size <= 1) return 0;
  return 60 * Math.floor(((size - 1) * 60) / rate);
}

/** Two tasks clash if fewer than this number of seconds are between their times. */
export const TASK_CLASH_WINDOW_SECONDS = 3600;

/**
 * Returns, for each task that clashes, the other tasks with which it clashes (contract, "Insight": `task calendar`). Two tasks clash if
 * they use the same list or the same search and their times are less than an hour apart. The same people would then get both messages.
 * Tasks of different channels can clash, cancelled tasks never clash.
 * @param records tasks in the order of their times
 */
export function findTaskClashes<T extends TaskRecord>(records: readonly T[]): ReadonlyMap<T, readonly T[]> {
  const clashes = new Map<T, T[]>();
  const note = (record: T, other: T): void => {
    clashes.set(record, [...(clashes.get(record) ?? []), other]);
  };
  for (const [at, record] of records.entries()) {
    for (let next = at + 1; next < records.length; next += 1) {
      const other = records[next] as T;
      if (timeOf(other) - timeOf(record) >= TASK_CLASH_WINDOW_SECONDS) break;
      if (!isSameTarget(record, other)) continue;
      note(record, other);
      note(other, record);
    }
  }
  return new Map([...clashes].map(([record, others]) => [record, inOrder(others)]));
}

const timeOf = (record: TaskRecord): number => Number(record['scheduledtime']);

function isSameTarget(record: TaskRecord, other: TaskRecord): boolean {
  if (record['cancelled'] === true || other['cancelled'] === true) return false;
  return ['list_id', 'search_id'].some(
    (attribute) =>
      (record[attribute] ?? null) !== null && String(record[attribute]) === String(other[attribute]),
  );
}

const inOrder = <T extends TaskRecord>(records: readonly T[]): readonly T[] =>
  [...records].sort((a, b) => timeOf(a) - timeOf(b));
