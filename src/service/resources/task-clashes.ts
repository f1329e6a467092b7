import type { TaskRecord } from './task.ts';

/** Two tasks clash if fewer than this number of seconds are between their times. */
export const TASK_CLASH_WINDOW_SECONDS = 3600;

/**
 * Returns, for each task that clashes, the others (contract, "Insight": `task calendar`): the same people get both messages within an hour.
 * Tasks of different channels can clash; cancelled ones never do. `records` are in the order of their times.
 */
export function findTaskClashes<T extends TaskRecord>(records: readonly T[]): ReadonlyMap<T, readonly T[]> {
  const clashes = new Map<T, T[]>();
  const note = (record: T, other: T): void => {
    clashes.set(record, [...(clashes.get(record) ?? []), other]);
  };
  for (const [at, record] of records.entries()) {
    for (let next = at + 1; next < records.length; next += 1) {
      const other = records[next];
      if (other === undefined || other.scheduledtime - record.scheduledtime >= TASK_CLASH_WINDOW_SECONDS)
        break;
      if (!isSameTarget(record, other)) continue;
      note(record, other);
      note(other, record);
    }
  }
  return new Map([...clashes].map(([record, others]) => [record, inOrder(others)]));
}

const isSameTarget = (record: TaskRecord, other: TaskRecord): boolean =>
  !(record.cancelled || other.cancelled) &&
  ((record.list_id != null && record.list_id === other.list_id) ||
    (record.search_id != null && record.search_id === other.search_id));

const inOrder = <T extends TaskRecord>(records: readonly T[]): readonly T[] =>
  [...records].sort((a, b) => a.scheduledtime - b.scheduledtime);
