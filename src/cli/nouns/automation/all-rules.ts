/** Reads the rules of several kinds. Each kind has its own collection in the interface. */
import { type AutomationRule, readRule } from '../../../automations/rules.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import type { RuleKind } from '../../../resources/rule-kinds.ts';
import type { Resource, Values } from '../../../schema/resource.ts';
import type { ServiceAccess } from '../../session/access.ts';
import type { RuleWithResource } from './resolve.ts';

/** Returns the records of all given kinds, ordered by kind and then by id. */
export async function readRuleRecords(
  session: ServiceAccess,
  kinds: readonly Resource[],
  filters: Values = {},
): Promise<readonly RuleWithResource[]> {
  const client = await session.client();
  const found = await Promise.all(
    kinds.map(async (resource) => {
      const rules: RuleWithResource[] = [];
      for await (const record of client.list(resource, { filters })) rules.push({ resource, record });
      return rules;
    }),
  );
  return found.flat();
}

export async function readAutomationRules(
  session: ServiceAccess,
  kinds: readonly Resource[],
  filters: Values = {},
): Promise<readonly AutomationRule[]> {
  return (await readRuleRecords(session, kinds, filters)).map(toAutomationRule);
}

export const toAutomationRule = ({
  resource,
  record,
}: {
  readonly resource: Resource;
  readonly record: JsonObject;
}) => readRule(resource.variant as RuleKind, record);
