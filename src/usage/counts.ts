/** Counts the sends of completed tasks in a month and in the month before, by their scheduled time. */
import type { JsonObject } from '../protocol/envelope.ts';
import { STATISTIC_ATTRIBUTES, type StatisticName, type TaskRecord } from '../resources/task.ts';
import { channelOfRecord } from '../sends/cost.ts';
import type { MonthSpan } from '../text/day-span.ts';

export const COUNTED_ATTRIBUTES = [
  'email_sent',
  'sms_sent',
  'bounces',
  'complaints',
  'unsubscriptions',
] as const;

/** Numbers of sends and reactions, by attribute. */
export type UsageCounts = { [count in (typeof COUNTED_ATTRIBUTES)[number]]: number };

/**
 * Counts the sends of two months: `month` and the month `before` it. `unsized` is the number of tasks without a size, whose sends are
 * unknown.
 * @param completed completed tasks of both months, by scheduled time
 */
export async function countSends(
  completed: AsyncIterable<TaskRecord>,
  before: MonthSpan,
  month: MonthSpan,
): Promise<{ readonly month: UsageCounts; readonly before: UsageCounts; readonly unsized: number }> {
  const counts = { before: noCounts(), month: noCounts() };
  let unsized = 0;
  for await (const record of completed) {
    const { scheduledtime: time } = record;
    if (time >= month.end) break;
    if (time < before.start) continue;
    const own = time < month.start ? counts.before : counts.month;
    const size = numberOf(record.size);
    if (size === undefined) unsized += 1;
    own[channelOfRecord(record) === 'email' ? 'email_sent' : 'sms_sent'] += size ?? 0;
    for (const name of STATISTICS) own[name] += sumOf(record, STATISTIC_ATTRIBUTES[name]);
  }
  return { ...counts, unsized };
}

const STATISTICS = ['bounces', 'complaints', 'unsubscriptions'] as const satisfies readonly StatisticName[];

const noCounts = (): UsageCounts =>
  Object.fromEntries(COUNTED_ATTRIBUTES.map((attribute) => [attribute, 0])) as UsageCounts;

/** Returns the sum of these attributes. A statistic that the task's channel lacks is null and counts as 0. */
const sumOf = (record: JsonObject, attributes: readonly string[]): number =>
  attributes.reduce((sum, attribute) => sum + (numberOf(record[attribute]) ?? 0), 0);

function numberOf(value: JsonObject[string] | undefined): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

interface Measure {
  readonly title: string;
  readonly attribute: string;
  /** True if a row also has this measure for the month before. */
  readonly hasBefore: boolean;
}

export const USAGE_MEASURES: readonly Measure[] = [
  { title: 'E-mail sent', attribute: 'email_sent', hasBefore: true },
  { title: 'SMS sent', attribute: 'sms_sent', hasBefore: true },
  { title: 'Bounces', attribute: 'bounces', hasBefore: true },
  { title: 'Complaints', attribute: 'complaints', hasBefore: true },
  { title: 'Unsubscribed', attribute: 'unsubscriptions', hasBefore: true },
  { title: 'E-mail credits', attribute: 'email_balance', hasBefore: false },
  { title: 'SMS credits', attribute: 'sms_balance', hasBefore: false },
];

/** Returns one line for each measure in the row of a company. */
export const splitUsageRowByMeasure = (row: JsonObject): readonly JsonObject[] =>
  USAGE_MEASURES.map((measure) => lineOf(row, measure));

function lineOf(row: JsonObject, { title, attribute, hasBefore }: Measure): JsonObject {
  const now = row[attribute] ?? null;
  const before = row[`${attribute}_before`] ?? null;
  return {
    usage: title,
    month: now,
    month_before: hasBefore ? before : null,
    change: hasBefore && typeof now === 'number' && typeof before === 'number' ? signed(now - before) : null,
  };
}

const signed = (change: number): string => (change > 0 ? `+${change}` : String(change));
