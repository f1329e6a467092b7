/** Counts the sends of completed tasks in a month and in the month before, by their scheduled time. */

import { channelOfRecord } from '../../client/sends/cost.ts';
import type { MonthSpan } from '../../kit/text/day-span.ts';
import { STATISTIC_ATTRIBUTES, type StatisticName, type TaskRecord } from '../../service/resources/task.ts';

export const COUNTED_ATTRIBUTES = [
  'email_sent',
  'sms_sent',
  'bounces',
  'complaints',
  'unsubscriptions',
] as const;

export type UsageCounts = { [count in (typeof COUNTED_ATTRIBUTES)[number]]: number };

/** `unsized` is the number of tasks without a size, whose sends are unknown. @param completed tasks of both months, by scheduled time */
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
    // A statistic that the task's channel lacks is null and counts as 0.
    for (const name of STATISTICS)
      for (const attribute of STATISTIC_ATTRIBUTES[name]) own[name] += numberOf(record[attribute]) ?? 0;
  }
  return { ...counts, unsized };
}

const STATISTICS = ['bounces', 'complaints', 'unsubscriptions'] as const satisfies readonly StatisticName[];

const noCounts = (): UsageCounts => ({
  email_sent: 0,
  sms_sent: 0,
  bounces: 0,
  complaints: 0,
  unsubscriptions: 0,
});

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}

type UsageAttribute = keyof UsageCounts | `${keyof UsageCounts}_before` | 'email_balance' | 'sms_balance';

/** Null if a number is unknown. */
export type UsageRow = { readonly [attribute in UsageAttribute | 'company' | 'company_id']?: unknown };

interface Measure {
  readonly title: string;
  readonly attribute: UsageAttribute;
  readonly before?: UsageAttribute;
}

export const USAGE_MEASURES: readonly Measure[] = [
  { title: 'E-mail sent', attribute: 'email_sent', before: 'email_sent_before' },
  { title: 'SMS sent', attribute: 'sms_sent', before: 'sms_sent_before' },
  { title: 'Bounces', attribute: 'bounces', before: 'bounces_before' },
  { title: 'Complaints', attribute: 'complaints', before: 'complaints_before' },
  { title: 'Unsubscribed', attribute: 'unsubscriptions', before: 'unsubscriptions_before' },
  { title: 'E-mail credits', attribute: 'email_balance' },
  { title: 'SMS credits', attribute: 'sms_balance' },
];

export const splitUsageRowByMeasure = (row: UsageRow) =>
  USAGE_MEASURES.map(({ title, attribute, before }) => {
    const [now, then] = [row[attribute] ?? null, before === undefined ? null : (row[before] ?? null)];
    const change = typeof now === 'number' && typeof then === 'number' ? signed(now - then) : null;
    return { usage: title, month: now, month_before: then, change };
  });

const signed = (change: number): string => (change > 0 ? `+${change}` : String(change));
