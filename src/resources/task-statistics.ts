/** Statistics of a task's recipients, in one table for the commands that show or check them. */
import { assertNever } from '../schema/resource.ts';
import type { Channel } from './task.ts';

/** Name of a statistic, as scripts read it. */
export type StatisticName = 'bounces' | 'opens' | 'clicks' | 'unsubscriptions' | 'complaints';

/** A statistic, and the attribute of a task that holds it. */
export interface Statistic {
  readonly attribute: string;
  readonly name: StatisticName;
}

/** Statistics, in the order in which their events happen: a bounce comes first. An SMS task has only bounces. */
export const STATISTICS: readonly Statistic[] = [
  { attribute: 'emailuniquebounces', name: 'bounces' },
  { attribute: 'smsuniquebounces', name: 'bounces' },
  { attribute: 'emailuniqueopens', name: 'opens' },
  { attribute: 'emailuniqueclicks', name: 'clicks' },
  { attribute: 'emailuniqueunsubscriptions', name: 'unsubscriptions' },
  { attribute: 'emailuniquecomplaints', name: 'complaints' },
];

/** Order in which reports show the results: positive ones first. */
const RESULTS: readonly StatisticName[] = ['opens', 'clicks', 'unsubscriptions', 'bounces', 'complaints'];

/**
 * Sorts rows of statistics for reports: the number of recipients (`size`) first, then positive results such as opens, then negative results
 * such as bounces.
 */
export const sortStatisticRows = <T extends { readonly statistic: string }>(
  rows: readonly T[],
): readonly T[] =>
  ['size', ...RESULTS].flatMap((wanted) => rows.find(({ statistic }) => statistic === wanted) ?? []);

/**
 * Returns the statistics of a new task: 0 for each statistic of its channel. The statistics of the other channel are null and not returned
 * (interface, task).
 */
export const zeroTaskStatistics = (channel: Channel): Readonly<Record<string, number>> =>
  Object.fromEntries(
    STATISTICS.filter(({ attribute }) => attribute.startsWith(channel)).map(({ attribute }) => [
      attribute,
      0,
    ]),
  );

/** Returns the attributes of a task that hold this statistic: one for each channel that has the statistic. */
export const taskAttributesOfStatistic = (statistic: StatisticName): readonly string[] =>
  STATISTICS.filter(({ name }) => name === statistic).map(({ attribute }) => attribute);

/** Returns the verb that says what the counted recipients did: `bounced` in `3 of 400 recipients bounced`. */
export function pastTenseOfStatistic(name: StatisticName): string {
  switch (name) {
    case 'bounces':
      return 'bounced';
    case 'opens':
      return 'opened';
    case 'clicks':
      return 'clicked';
    case 'unsubscriptions':
      return 'unsubscribed';
    case 'complaints':
      return 'complained';
    default:
      return assertNever(name);
  }
}
