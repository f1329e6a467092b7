/** The numbers of a report, and of two beside each other. Contract, "Insight": `task report`. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { attributesOf, type StatisticName } from './statistics.ts';

/** The task, and the one that it is compared with. */
export type Reported = readonly [task: JsonObject, other: JsonObject | undefined];

/** A row of a report, as scripts read it. */
export interface Figure {
  readonly statistic: 'size' | StatisticName;
  readonly count: number;
  /** Share of the size, in percent, with two places; null of the size itself, and of no size. */
  readonly percent: number | null;
}

/** What was wanted comes first. */
const REPORTED: readonly StatisticName[] = ['opens', 'clicks', 'bounces', 'unsubscriptions', 'complaints'];

/** A row for each statistic that the task's channel has; a share of nothing is null. */
export function statisticsOf(record: JsonObject): readonly Figure[] {
  const size = sizeOf(record);
  const counted = REPORTED.flatMap((statistic): readonly Figure[] => {
    const count = countOf(record, statistic);
    return count === undefined ? [] : [{ statistic, count, percent: shareOf(count, size) }];
  });
  return size === undefined ? counted : [{ statistic: 'size', count: size, percent: null }, ...counted];
}

/** Undefined where the record shows none. */
export const sizeOf = ({ size }: JsonObject): number | undefined =>
  typeof size === 'number' ? size : undefined;

/** Undefined where the channel has none. */
export function countOf(record: JsonObject, statistic: StatisticName): number | undefined {
  const counts = attributesOf(statistic).map((attribute) => record[attribute]);
  return counts.find((count) => typeof count === 'number');
}

const shareOf = (count: number, size: number | undefined): number | null =>
  size !== undefined && size > 0 ? hundredths((100 * count) / size) : null;

const hundredths = (number: number): number => Math.round(number * 100) / 100;

/** One statistic of two tasks. What a task has no count of is null. */
export interface ComparedFigure {
  readonly statistic: 'size' | StatisticName;
  readonly task_count: number | null;
  readonly task_percent: number | null;
  readonly other_count: number | null;
  readonly other_percent: number | null;
  /** The task's share less the other's, in percentage points. */
  readonly points: number | null;
  /** See `mayBeChance`. */
  readonly may_be_chance: boolean | null;
}

/** What either of them counts, in the order of a report. */
export function comparedFigures(task: JsonObject, other: JsonObject): readonly ComparedFigure[] {
  const [own, others] = [statisticsOf(task), statisticsOf(other)];
  return (['size', ...REPORTED] as const).flatMap((statistic): readonly ComparedFigure[] => {
    const [one, two] = [own, others].map((rows) => rows.find((row) => row.statistic === statistic));
    if (one === undefined && two === undefined) return [];
    const [a, b] = [portionOf(task, one), portionOf(other, two)];
    return [
      {
        statistic,
        task_count: one?.count ?? null,
        task_percent: one?.percent ?? null,
        other_count: two?.count ?? null,
        other_percent: two?.percent ?? null,
        points: a && b ? hundredths(100 * (a.count / a.size - b.count / b.size)) : null,
        may_be_chance: a && b ? mayBeChance(a, b) : null,
      },
    ];
  });
}

/** So many of that size. */
export interface Portion {
  readonly count: number;
  readonly size: number;
}

function portionOf(record: JsonObject, figure: Figure | undefined): Portion | undefined {
  const size = sizeOf(record);
  if (figure === undefined || figure.statistic === 'size' || !size) return undefined;
  return { count: figure.count, size };
}

/** Of the normal distribution: beyond it lies one case in twenty. */
const CRITICAL = 1.96;
/** As many are expected on either side of each size, or the normal distribution says nothing of it. */
const LEAST_EXPECTED = 5;

/**
 * Whether two sends of the same worth could differ as much, in more than one case of twenty: the two-proportion z-test, both
 * sides, the share pooled. Null where the sizes are too small for it, and where more are counted than the size has.
 */
export function mayBeChance(a: Portion, b: Portion): boolean | null {
  if (a.count > a.size || b.count > b.size) return null;
  const pooled = (a.count + b.count) / (a.size + b.size);
  if (Math.min(a.size, b.size) * Math.min(pooled, 1 - pooled) < LEAST_EXPECTED) return null;
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.size + 1 / b.size));
  return Math.abs(a.count / a.size - b.count / b.size) / error < CRITICAL;
}

/** The record with its figures, and what they are beside those of the other. */
export function reportOf(record: JsonObject, other: JsonObject): JsonObject {
  const beside = comparedFigures(record, other);
  const statistics = statisticsOf(record).map((figure) => {
    const { points = null, may_be_chance = null } =
      beside.find(({ statistic }) => statistic === figure.statistic) ?? {};
    return { ...figure, points, may_be_chance };
  });
  return { ...record, statistics };
}
