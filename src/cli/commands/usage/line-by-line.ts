/** Shows the usage of one company as a line for each measure: the month, the month before, and the change. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { monthBefore } from '../../../text/month.ts';
import type { Outcome } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';

export interface Measure {
  readonly title: string;
  readonly attribute: string;
  /** True if the month before has a count too. */
  readonly hasBefore: boolean;
}

export const MEASURES: readonly Measure[] = [
  { title: 'E-mail sent', attribute: 'email_sent', hasBefore: true },
  { title: 'SMS sent', attribute: 'sms_sent', hasBefore: true },
  { title: 'Bounces', attribute: 'bounces', hasBefore: true },
  { title: 'Complaints', attribute: 'complaints', hasBefore: true },
  { title: 'Unsubscribed', attribute: 'unsubscriptions', hasBefore: true },
  { title: 'E-mail credits', attribute: 'email_balance', hasBefore: false },
  { title: 'SMS credits', attribute: 'sms_balance', hasBefore: false },
];

/** Returns the same outcome with a line for each measure. Notes and the exit code stay. */
export function lineByLine(outcome: Outcome, month: string): Outcome {
  const { result } = outcome;
  if (result.kind !== 'rows') return outcome;
  const columns: readonly Column[] = [
    { name: 'usage', role: 'name' },
    { name: 'month', title: month, kind: 'number', keep: true },
    { name: 'month_before', title: monthBefore(month), kind: 'number', keep: true },
    { name: 'change', kind: 'number' },
  ];
  async function* rows(): AsyncGenerator<JsonObject> {
    if (result.kind !== 'rows') return;
    for await (const row of result.rows) for (const each of MEASURES) yield lineOf(row, each);
  }
  return { ...outcome, result: { ...result, rows: rows(), columns, attributes: [] } };
}

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
