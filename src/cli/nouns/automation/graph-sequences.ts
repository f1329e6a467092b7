/** Finds the rules of a graph that form a sequence of a campaign, by the names that svc gives to the rules of steps. */

import { parseCampaignMark, REPLACED_RECORD_MARK_LETTER } from '../../../features/campaign/marks.ts';
import { parseStepName, SEQUENCE_RULE_KIND } from '../../../features/campaign/sequences.ts';
import type { GraphNode } from '../../../service/automations/graph.ts';

export interface GraphSequence {
  readonly name: string;
  /** Sorted by the time at which people get their messages. */
  readonly steps: readonly { readonly step: string; readonly node: GraphNode }[];
}

/** Returns the sequence of each rule that is a step of one. A rule alone is no sequence. */
export function findGraphSequences(nodes: readonly GraphNode[]): ReadonlyMap<string, GraphSequence> {
  const groups = new Map<string, { name: string; steps: { step: string; node: GraphNode }[] }>();
  for (const node of nodes) {
    const { rule } = node;
    if (rule?.kind !== SEQUENCE_RULE_KIND || !rule.actiontype.endsWith('_autoresponder')) continue;
    const marked = parseCampaignMark(rule.name);
    const parsed = parseStepName(marked?.name ?? rule.name);
    const isReplaced = marked?.mark.contentHashOrReason === REPLACED_RECORD_MARK_LETTER;
    if (parsed === undefined || isReplaced) continue;
    const key = JSON.stringify([parsed.sequence, rule.list]);
    const group = groups.get(key) ?? { name: parsed.sequence, steps: [] };
    group.steps.push({ step: parsed.step, node });
    groups.set(key, group);
  }
  const found = new Map<string, GraphSequence>();
  for (const { name, steps } of groups.values()) {
    if (steps.length < 2) continue;
    const sequence = { name, steps: steps.toSorted((a, b) => delayOf(a.node) - delayOf(b.node)) };
    for (const { node } of steps) found.set(node.id, sequence);
  }
  return found;
}

const delayOf = ({ rule }: GraphNode): number =>
  rule === undefined || rule.kind === 'sms' ? 0 : rule.actiontimediff;
