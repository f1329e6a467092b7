/** Finds tasks that reach the same people shortly after each other (contract, "Insight": `task calendar`). */

type Task = Readonly<{ readonly [attribute: string]: unknown }>;

/** Two tasks clash if fewer than this number of seconds are between their times. */
export const CLASH_SECONDS = 3600;

/**
 * Returns the clashes of each task. Two tasks clash if they use the same list or the same search less than an hour apart, so that the same
 * people get both messages, whatever the channels. Cancelled tasks never clash.
 * @param records tasks in the order of their times
 */
export function clashesIn<T extends Task>(records: readonly T[]): ReadonlyMap<T, readonly T[]> {
  const clashes = new Map<T, T[]>();
  const note = (record: T, other: T): void => {
    clashes.set(record, [...(clashes.get(record) ?? []), other]);
  };
  for (const [at, record] of records.entries()) {
    for (let next = at + 1; next < records.length; next += 1) {
      const other = records[next] as T;
      if (timeOf(other) - timeOf(record) >= CLASH_SECONDS) break;
      if (!isSameTarget(record, other)) continue;
      note(record, other);
      note(other, record);
    }
  }
  return new Map([...clashes].map(([record, others]) => [record, inOrder(others)]));
}

const timeOf = (record: Task): number => Number(record['scheduledtime']);

function isSameTarget(record: Task, other: Task): boolean {
  if (record['cancelled'] === true || other['cancelled'] === true) return false;
  return ['list_id', 'search_id'].some(
    (attribute) =>
      (record[attribute] ?? null) !== null && String(record[attribute]) === String(other[attribute]),
  );
}

const inOrder = <T extends Task>(records: readonly T[]): readonly T[] =>
  [...records].sort((a, b) => timeOf(a) - timeOf(b));
