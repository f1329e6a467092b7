/** Describes a rule for `automation get` on a terminal (contract, "The everyday screen"). */

import { isId } from '../../../kit/schema/integer.ts';
import { findTriggerNodeId } from '../../../service/automations/graph.ts';
import { describeDelayAndAction } from '../../../service/automations/rule-words.ts';
import { findRuleTimingFault, readRuleOfResource } from '../../../service/automations/rules.ts';
import type { Json } from '../../../service/protocol/envelope.ts';
import { replaceMarksBySigns } from '../../../service/resources/campaign-mark.ts';
import { RULE_DEFINITIONS } from '../../../service/resources/rule-kinds.ts';
import { user } from '../../../service/resources/user.ts';
import { createTimeWords, type RecordDescription } from '../../request/description.ts';
import type { Clocks, ServiceAccess } from '../../session/ports.ts';
import { readTitledGraph } from './graph.ts';
import type { RuleWithResource } from './resolve.ts';

/** Undefined if the rule has values that svc cannot put into words. */
export async function describeRule(
  session: ServiceAccess & Clocks,
  found: RuleWithResource,
): Promise<RecordDescription | undefined> {
  const rule = readRuleOfResource(found);
  if (findRuleTimingFault(rule) !== undefined) return undefined;
  const { titleOf, messageOfLink } = await readTitledGraph(session, [rule]);
  const source = findTriggerNodeId(rule, messageOfLink);
  const trigger = RULE_DEFINITIONS[rule.kind].trigger(rule, source === undefined ? '' : titleOf(source));
  const { summary, user_id: owner, cdate, mdate } = found.record;
  const when = await createTimeWords(session);
  const changed = mdate === cdate ? '' : ` Last changed: ${when(mdate)}.`;
  return {
    title: `automation ${rule.ref} (${replaceMarksBySigns(rule.name)}), ${rule.paused ? 'paused' : 'active'}`,
    sentences: [
      `${trigger}: ${describeDelayAndAction(rule, titleOf)}.`,
      ...(rule.paused ? ['It does nothing while it is paused.'] : []),
      ...(typeof summary === 'string' && summary.trim() !== '' ? [`Summary: ${summary}`] : []),
      `Created by ${await nameOfUser(session, owner)}: ${when(cdate)}.${changed}`,
    ],
    ...(rule.paused ? {} : { next: `svc automation simulate ${rule.ref}` }),
  };
}

/** Returns `tom (user 2)`, or `user 2` if the name cannot be read. */
async function nameOfUser(session: ServiceAccess, id: Json | undefined): Promise<string> {
  if (!isId(id)) return 'an unknown user';
  const reference = { resource: user.name, id };
  const name = (await session.names([reference]))(reference);
  return name === undefined ? `user ${String(id)}` : `${name} (user ${String(id)})`;
}
