import { findMissingRuleDependencies } from '../../../features/insight/why-rule.ts';
import { findInactivityReasons } from '../../../features/insight/why-rule-activity.ts';
import type { Outcome } from '../../command/command.ts';
import type { Column } from '../../output/result.ts';
import type { Clocks, ServiceAccess } from '../../session/ports.ts';
import type { RuleWithResource } from './resolve.ts';

const COLUMNS: readonly Column[] = [
  { name: 'reason' },
  { name: 'time', kind: 'timestamp' },
  { name: 'why', keep: true, wraps: true },
];

export async function explainInactivity(
  session: ServiceAccess & Clocks,
  rule: RuleWithResource,
): Promise<Outcome> {
  const client = await session.client();
  const reasons = await findInactivityReasons(
    client,
    rule,
    // The service does not show lists, but it pauses a rule whose list is deleted.
    (needs) => findMissingRuleDependencies(client, async () => undefined, needs),
    await session.serviceNow(),
  );
  return {
    result: {
      kind: 'rows',
      rows: reasons.map((each) => ({ ...each })),
      columns: COLUMNS,
      empty: 'Nothing prevents the rule from acting.',
    },
  };
}
