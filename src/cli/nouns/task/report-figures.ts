/** Contract, "Insight": `task report`. */
import {
  STATISTIC_ATTRIBUTES,
  type StatisticName,
  type TaskRecord,
} from '../../../service/resources/task.ts';

export type TaskAndComparedTask = readonly [task: TaskRecord, other: TaskRecord | undefined];

/** Row of a report, as scripts read it. */
export interface TaskReportFigure {
  readonly statistic: 'size' | StatisticName;
  readonly count: number;
  /** Two decimal places. Null for `size`, and if the number of recipients is 0 or unknown. */
  readonly percent: number | null;
}

/** Reactions that the sender wants come first, then the problems. */
const REPORTED: readonly StatisticName[] = ['opens', 'clicks', 'bounces', 'unsubscriptions', 'complaints'];

export function computeTaskFigures(record: TaskRecord): readonly TaskReportFigure[] {
  const size = sizeOf(record);
  const counted = REPORTED.flatMap((statistic): readonly TaskReportFigure[] => {
    const count = countOf(record, statistic);
    return count === undefined ? [] : [{ statistic, count, percent: shareOf(count, size) }];
  });
  return size === undefined ? counted : [{ statistic: 'size', count: size, percent: null }, ...counted];
}

export const sizeOf = ({ size }: TaskRecord): number | undefined =>
  typeof size === 'number' ? size : undefined;

/** Undefined if the task's channel lacks the statistic. */
export function countOf(record: TaskRecord, statistic: StatisticName): number | undefined {
  const counts = STATISTIC_ATTRIBUTES[statistic].map((attribute) => record[attribute]);
  return counts.find((count) => typeof count === 'number');
}

/** Percent with two decimal places, or null if the size is 0 or unknown. */
export const shareOf = (count: number, size: number | undefined): number | null =>
  size !== undefined && size > 0 ? hundredths((100 * count) / size) : null;

const hundredths = (number: number): number => Math.round(number * 100) / 100;

/** A missing count is null. */
export interface ComparedTaskFigure {
  readonly statistic: 'size' | StatisticName;
  readonly task_count: number | null;
  readonly task_percent: number | null;
  readonly other_count: number | null;
  readonly other_percent: number | null;
  /** First task minus the other, in percentage points. Null for `size`, or if a percentage is unknown. */
  readonly points: number | null;
  /** The difference between the shares may be due to chance. Null if this cannot be tested. */
  readonly may_be_chance: boolean | null;
}

/** Leaves out figures that neither task has. */
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

/** `count` of `size` recipients, for example those who opened the message. */
interface CountAndTaskSize {
  readonly count: number;
  readonly size: number;
}

function portionOf(record: TaskRecord, figure: TaskReportFigure | undefined): CountAndTaskSize | undefined {
  const size = sizeOf(record);
  if (figure === undefined || figure.statistic === 'size' || !size) return undefined;
  return { count: figure.count, size };
}

/** Normal distribution. By chance, 5 % of all cases lie beyond this value. */
const CRITICAL_VALUE = 1.96;
/** Minimum expected size of both groups, such as openers and others. With less, the test is not reliable. */
const MIN_EXPECTED = 5;

/** True if p > 0.05 (two-sided, pooled two-proportion z-test). Null for too few recipients or too large counts. */
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

export function comparisonOf(firstTask: TaskRecord, secondTask: TaskRecord) {
  const beside = compareTaskFigures(firstTask, secondTask);
  const statistics = computeTaskFigures(firstTask).map((figure) => {
    const { points = null, may_be_chance = null } =
      beside.find(({ statistic }) => statistic === figure.statistic) ?? {};
    return { ...figure, points, may_be_chance };
  });
  return { ...firstTask, statistics };
}

/** Verbs that say what the counted recipients did: `3 of 400 recipients bounced`. */
export const PAST_TENSES: Readonly<Record<StatisticName, string>> = {
  opens: 'opened',
  clicks: 'clicked',
  unsubscriptions: 'unsubscribed',
  bounces: 'bounced',
  complaints: 'complained',
};

/** Sorts rows for people: the number of recipients (`size`), then positive results such as opens, then negative ones. */
export const sortStatisticRows = <T extends { readonly statistic: string }>(
  rows: readonly T[],
): readonly T[] =>
  ['size', ...Object.keys(PAST_TENSES)].flatMap(
    (wanted) => rows.find(({ statistic }) => statistic === wanted) ?? [],
  );
