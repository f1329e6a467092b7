/** Compares a company's features with a baseline. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { formatJson } from '../../../protocol/json.ts';
import type { Scalar } from '../../../schema/field.ts';
import type { Values } from '../../../schema/resource.ts';
import type { Column, Rows } from '../../output/result.ts';
import { readCompanyIdAndNameColumns } from '../../request/company-rows.ts';
import type { Session } from '../../session/session.ts';

export interface FeatureDifference {
  readonly attribute: string;
  readonly now: JsonObject[string];
  readonly wanted: Scalar;
}

/**
 * Returns the attributes of a company's features whose values differ from the baseline (the wanted values), in the order of the baseline.
 */
export function findFeatureDifferences(current: JsonObject, baseline: Values): readonly FeatureDifference[] {
  return Object.entries(baseline).flatMap(([attribute, wanted]) => {
    const now = current[attribute] ?? null;
    return formatJson(now) === formatJson(wanted) ? [] : [{ attribute, now, wanted }];
  });
}

const COLUMNS: readonly Column[] = [{ name: 'attribute' }, { name: 'now' }, { name: 'wanted' }];

/** Returns rows `company_id, company, attribute, now, wanted`. */
export async function createFeatureDifferenceRows(
  session: Session,
  differences: readonly FeatureDifference[],
): Promise<Rows> {
  const { columns, values } = await readCompanyIdAndNameColumns(session);
  return {
    kind: 'rows',
    rows: differences.map((each) => ({ ...values, ...each })),
    columns: [...columns, ...COLUMNS],
    empty: 'No differences.',
  };
}
