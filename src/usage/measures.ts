/** The measures of `svc usage`: their titles, and a line for each with the month, the month before, and the change. */
import type { JsonObject } from '../protocol/envelope.ts';

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

/** Returns a line for each measure of a company's row. */
export const linesOf = (row: JsonObject): readonly JsonObject[] =>
  MEASURES.map((measure) => lineOf(row, measure));

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
