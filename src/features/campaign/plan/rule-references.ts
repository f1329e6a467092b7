import type { AnyRecord } from '../../../kit/schema/resource.ts';
import type { Json } from '../../../service/protocol/envelope.ts';
import {
  messageAttributesOfRule,
  type RuleKind,
  ruleResource,
} from '../../../service/resources/rule-kinds.ts';
import type { Channel } from '../../../service/resources/task.ts';
import { computeRuleRecordHash, type MessageIdentity } from '../content.ts';

/** Without `user_id`: a file never names the user who created the rule. */
export function referenceAttributesOfRule(
  rule: RuleKind,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { fields } = ruleResource(rule);
  const { actiontype } = values;
  const hasTarget =
    Object.hasOwn(fields, 'actiontarget') && actiontype !== 'notify' && actiontype !== 'removefromlist';
  const named = Object.keys(fields).filter(
    (attribute) => attribute !== 'user_id' && fields[attribute]?.refersTo !== undefined,
  );
  return [...named, ...(hasTarget ? ['actiontarget'] : [])];
}

export function identifyRecordsReferencedByRule(
  rule: RuleKind,
  record: AnyRecord,
  identityOf: (channel: Channel, id: Json | undefined) => MessageIdentity,
): Readonly<Record<string, MessageIdentity>> {
  const channels = messageAttributesOfRule(rule, record);
  const named = referenceAttributesOfRule(rule, record).filter((attribute) => record[attribute] != null);
  return Object.fromEntries(
    named.map((attribute) => {
      const channel = channels[attribute];
      const id = record[attribute];
      return [attribute, channel ? identityOf(channel, id) : `id:${String(id)}`];
    }),
  );
}

export const hashRuleRecord = (
  rule: RuleKind,
  name: string,
  record: AnyRecord,
  identityOf: Parameters<typeof identifyRecordsReferencedByRule>[2],
): string =>
  computeRuleRecordHash(rule, name, record, identifyRecordsReferencedByRule(rule, record, identityOf));
