/** Calculates the figures of a report on one task or on two tasks (contract, "Insight": `task report`). */
import { type StatisticName, type TaskRecord, taskAttributesOfStatistic } from '../../../resources/task.ts';

/** Task of a report, and the task that it is compared with. The second one is undefined for a report on one task. */
export type TaskAndComparedTask = readonly [task: TaskRecord, other: TaskRecord | undefined];

/** Row of a report, as scripts read it. */
export interface TaskReportFigure {
  readonly statistic: 'size' | StatisticName;
  readonly count: number;
  /**
   * Share of the task's recipients, in percent, with two decimal places. Null for `size`, and if the number of recipients is 0 or unknown.
   */
  readonly percent: number | null;
}

/** Order of a report: first the reactions that the sender wants (opens and clicks), then the problems. */
const REPORTED: readonly StatisticName[] = ['opens', 'clicks', 'bounces', 'unsubscriptions', 'complaints'];

/** Returns a row for the size, if known, and a row for each statistic of the task's channel. */
export function computeTaskFigures(record: TaskRecord): readonly TaskReportFigure[] {
  const size = sizeOf(record);
  const counted = REPORTED.flatMap((statistic): readonly TaskReportFigure[] => {
    const count = countOf(record, statistic);
    return count === undefined ? [] : [{ statistic, count, percent: shareOf(count, size) }];
  });
  return size === undefined ? counted : [{ statistic: 'size', count: size, percent: null }, ...counted];
}

/** Returns the size of a task, or undefined if its record has none. */
export const sizeOf = ({ size }: TaskRecord): number | undefined =>
  typeof size === 'number' ? size : undefined;

/** Returns the smaller size of two tasks, or 0 if one is unknown. */
export const smallerSize = (first: TaskRecord, second: TaskRecord): number =>
  Math.min(sizeOf(first) ?? 0, sizeOf(second) ?? 0);

/** Returns a task's count for a statistic, or undefined if the task's channel lacks the statistic. */
export function countOf(record: TaskRecord, statistic: StatisticName): number | undefined {
  const counts = taskAttributesOfStatistic(statistic).map((attribute) => record[attribute]);
  return counts.find((count) => typeof count === 'number');
}

/** Returns the share in percent with two decimal places, or null if the size is 0 or unknown. */
export const shareOf = (count: number, size: number | undefined): number | null =>
  size !== undefined && size > 0 ? hundredths((100 * count) / size) : null;

const hundredths = (number: number): number => Math.round(number * 100) / 100;

/** Counts and shares of one statistic for two tasks. A missing count is null. */
export interface ComparedTaskFigure {
  readonly statistic: 'size' | StatisticName;
  readonly task_count: number | null;
  readonly task_percent: number | null;
  readonly other_count: number | null;
  readonly other_percent: number | null;
  /** Percentage of the first task minus that of the other, in percentage points. Null for `size`, or if a percentage is unknown. */
  readonly points: number | null;
  /** True if the difference between the shares may be due to chance. Null if this cannot be tested. */
  readonly may_be_chance: boolean | null;
}

/** Returns the figures that at least one of the tasks has, in the order of a report. */
export function compareTaskFigures(
  firstTask: TaskRecord,
  secondTask: TaskRecord,
): readonly ComparedTaskFigure[] {
  const [own, others] = [computeTaskFigures(firstTask), computeTaskFigures(secondTask)];
  return (['size', ...REPORTED] as const).flatMap((statistic): readonly ComparedTaskFigure[] => {
    const [one, two] = [own, others].map((rows) => rows.find((row) => row.statistic === statistic));
    if (one === undefined && two === undefined) return [];
    const [a, b] = [portionOf(firstTask, one), portionOf(secondTask, two)];
    return [
      {
        statistic,
        task_count: one?.count ?? null,
        task_percent: one?.percent ?? null,
        other_count: two?.count ?? null,
        other_percent: two?.percent ?? null,
        points: a && b ? hundredths(100 * (a.count / a.size - b.count / b.size)) : null,
        may_be_chance: a && b ? canDifferenceBeDueToChance(a, b) : null,
      },
    ];
  });
}

/** Number of recipients who, for example, opened the message (`count`), and the number of all recipients (`size`). */
interface CountAndTaskSize {
  readonly count: number;
  readonly size: number;
}

function portionOf(record: TaskRecord, figure: TaskReportFigure | undefined): CountAndTaskSize | undefined {
  const size = sizeOf(record);
  if (figure === undefined || figure.statistic === 'size' || !size) return undefined;
  return { count: figure.count, size };
}

/** Critical value of the normal distribution. By chance, 5 % of all cases lie beyond it. */
const CRITICAL_VALUE = 1.96;
/**
 * Minimum expected size of both groups, such as openers and others, if both tasks had the same percentage. With smaller groups, the test is
 * not reliable.
 */
const MIN_EXPECTED = 5;

/**
 * Reports whether the difference between two shares of recipients may be due to chance: p > 0.05 in the two-sided two-proportion z-test
 * with the
 * pooled share. @returns null if there are too few recipients, or if a count is larger than their number
 */
export function canDifferenceBeDueToChance(
  first: CountAndTaskSize,
  second: CountAndTaskSize,
): boolean | null {
  if (first.count > first.size || second.count > second.size) return null;
  const pooled = (first.count + second.count) / (first.size + second.size);
  if (Math.min(first.size, second.size) * Math.min(pooled, 1 - pooled) < MIN_EXPECTED) return null;
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / first.size + 1 / second.size));
  return Math.abs(first.count / first.size - second.count / second.size) / error < CRITICAL_VALUE;
}

/** Returns the first task's record with its figures and their differences from those of the second task, for programs. */
export function comparisonOf(firstTask: TaskRecord, secondTask: TaskRecord) {
  const beside = compareTaskFigures(firstTask, secondTask);
  const statistics = computeTaskFigures(firstTask).map((figure) => {
    const { points = null, may_be_chance = null } =
      beside.find(({ statistic }) => statistic === figure.statistic) ?? {};
    return { ...figure, points, may_be_chance };
  });
  return { ...firstTask, statistics };
}
