/** Counts the sends of completed tasks, by the month of their scheduled time. */
import type { JsonObject } from '../protocol/envelope.ts';
import { attributesOf, type StatisticName } from '../resources/task-statistics.ts';
import { channelOf } from '../sends/cost.ts';
import type { MonthSpan } from '../text/month-span.ts';

export const COUNTED = ['email_sent', 'sms_sent', 'bounces', 'complaints', 'unsubscriptions'] as const;

export type Counts = { [count in (typeof COUNTED)[number]]: number };

export interface Sends {
  readonly month: Counts;
  readonly before: Counts;
  /** Tasks without a size, whose number of sends is unknown. */
  readonly unsized: number;
}

/** Counts the sends. @param completed the completed tasks from the first of the two months on, in the order of their time */
export async function countSends(
  completed: AsyncIterable<JsonObject>,
  before: MonthSpan,
  month: MonthSpan,
): Promise<Sends> {
  const counts = { before: noCounts(), month: noCounts() };
  let unsized = 0;
  for await (const record of completed) {
    const time = Number(record['scheduledtime']);
    if (time >= month.end) break;
    if (time < before.start) continue;
    const own = time < month.start ? counts.before : counts.month;
    const size = numberOf(record['size']);
    if (size === undefined) unsized += 1;
    own[channelOf(record) === 'email' ? 'email_sent' : 'sms_sent'] += size ?? 0;
    for (const name of STATISTICS) own[name] += sumOf(record, attributesOf(name));
  }
  return { ...counts, unsized };
}

const STATISTICS = ['bounces', 'complaints', 'unsubscriptions'] as const satisfies readonly StatisticName[];

const noCounts = (): Counts => ({
  email_sent: 0,
  sms_sent: 0,
  bounces: 0,
  complaints: 0,
  unsubscriptions: 0,
});

/** Returns the sum. A statistic that the channel lacks is null. */
const sumOf = (record: JsonObject, attributes: readonly string[]): number =>
  attributes.reduce((sum, attribute) => sum + (numberOf(record[attribute]) ?? 0), 0);

function numberOf(value: JsonObject[string] | undefined): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}
