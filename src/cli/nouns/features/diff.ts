import type { Scalar } from '../../../kit/schema/field.ts';
import type { Values } from '../../../kit/schema/resource.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { accountFeatures } from '../../../service/resources/account-features.ts';
import type { Positional, Verb } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { createVerbWithPrepareStep } from '../../command/run-verb.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { columnsNamed, type Rows } from '../../output/result.ts';
import { readCompanyIdAndNameColumns, requireCompanyId } from '../../request/company-rows.ts';
import type { Profiles, ServiceAccess } from '../../session/ports.ts';

export const baselineFilePositional: Positional = {
  name: 'baseline',
  describe: 'YAML file with one line per attribute, such as list_limit: 200',
  isFile: true,
};

const checkFlag = switchFlag('check', { describe: 'Exit with 11 if there are differences' });

export const featuresDiff: Verb = createVerbWithPrepareStep({
  name: 'diff',
  summary: 'Compare the features of a company with a baseline file',
  about: "Shows each attribute whose value in the baseline file differs from the company's. Changes nothing",
  work: 'reads',
  exits: { 11: 'the company and the baseline differ (with --check)' },
  methods: ['GET'],
  example: 'features diff baseline.yaml --check --company 1',
  positionals: [baselineFilePositional],
  flags: [checkFlag],
  companies: 'reads',
  prepare: async (session, input) => {
    const { readFeatureBaseline } = await import('./baseline.ts');
    const baseline = await readFeatureBaseline(session, input.positionals[0] ?? '');
    return {
      run: async (acting) => {
        await requireCompanyId(acting, 'svc features diff baseline.yaml --company 100');
        const current = await (await acting.client()).single(accountFeatures);
        const found = findFeatureDifferences(current, baseline);
        const exit = input.get(checkFlag) && found.length > 0 ? EXIT.unmet : EXIT.done;
        return { result: await createFeatureDifferenceRows(acting, found), exit };
      },
    };
  },
});

export interface FeatureDifference {
  readonly attribute: string;
  readonly now: Scalar;
  readonly wanted: Scalar;
}

/** Keeps the order of the baseline. */
export function findFeatureDifferences(current: Values, baseline: Values): readonly FeatureDifference[] {
  return Object.entries(baseline).flatMap(([attribute, wanted]) => {
    const now = current[attribute] ?? null;
    return formatJson(now) === formatJson(wanted) ? [] : [{ attribute, now, wanted }];
  });
}

/** Returns rows `company_id, company, attribute, now, wanted`. */
export async function createFeatureDifferenceRows(
  session: ServiceAccess & Profiles,
  differences: readonly FeatureDifference[],
): Promise<Rows> {
  const { columns, values } = await readCompanyIdAndNameColumns(session);
  return {
    kind: 'rows',
    rows: differences.map((each) => ({ ...values, ...each })),
    columns: [...columns, ...columnsNamed(['attribute', 'now', 'wanted'])],
    empty: 'No differences.',
  };
}
