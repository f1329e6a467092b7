/** What a task counts of its recipients: the one table that report, watch and guard read. */
import { assertNever } from '../../../schema/resource.ts';

/** As a script reads it. */
export type StatisticName = 'bounces' | 'opens' | 'clicks' | 'unsubscriptions' | 'complaints';

export interface Statistic {
  readonly attribute: string;
  readonly name: StatisticName;
}

/** In the order in which it happens; an SMS task has bounces alone. */
export const STATISTICS: readonly Statistic[] = [
  { attribute: 'emailuniquebounces', name: 'bounces' },
  { attribute: 'smsuniquebounces', name: 'bounces' },
  { attribute: 'emailuniqueopens', name: 'opens' },
  { attribute: 'emailuniqueclicks', name: 'clicks' },
  { attribute: 'emailuniqueunsubscriptions', name: 'unsubscriptions' },
  { attribute: 'emailuniquecomplaints', name: 'complaints' },
];

/** The attributes that count it, whichever channel has them. */
export const attributesOf = (wanted: StatisticName): readonly string[] =>
  STATISTICS.filter(({ name }) => name === wanted).map(({ attribute }) => attribute);

/** What those who are counted did: `3 of 400 recipients bounced`. */
export function whatTheyDid(name: StatisticName): string {
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
