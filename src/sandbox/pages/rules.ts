/** Loads the automation rules of a company for the pages about them. */

import { capitalizeFirstLetter } from '../../kit/text/words.ts';
import { buildRuleGraph, findTriggerNodeId, type RuleGraph } from '../../service/automations/graph.ts';
import { type AutomationRule, readRule } from '../../service/automations/rules.ts';
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import {
  RULE_DEFINITIONS,
  RULE_KINDS,
  readRuleReference,
  ruleKindLabel,
  ruleResource,
} from '../../service/resources/rule-kinds.ts';
import type { CompanyPageRequest } from './page.ts';
import { nameIn } from './parts.ts';

export interface LoadedRules {
  readonly rules: readonly AutomationRule[];
  readonly graph: RuleGraph;
  /** True if a kind has more rules than those that were loaded. */
  readonly hasMoreRules: boolean;
  /** Returns the name of the record behind a node: `Newsletter` for `list:7`. Undefined without a name, or if it was deleted. */
  readonly nameOfNode: (id: string) => string | undefined;
  /** Reports whether the record that a node represents was deleted. */
  readonly isGone: (id: string) => boolean;
}

/** Maximum number of rules of each kind. One response of the interface holds no more. */
export const MAX_RULES_PER_KIND = 200;

export async function loadRules(call: CompanyPageRequest): Promise<LoadedRules> {
  const { rules, hasMoreRules } = await listRules(call);
  const messages = await messagesOf(call, rules);
  const graph = buildRuleGraph(rules, (link) => messages.get(link));
  return { rules, graph, hasMoreRules, ...(await namesOf(call, graph)) };
}

/** Returns the rules of all kinds. */
export async function listRules(
  call: CompanyPageRequest,
): Promise<Pick<LoadedRules, 'rules' | 'hasMoreRules'>> {
  const found: AutomationRule[] = [];
  let hasMoreRules = false;
  for (const kind of RULE_KINDS) {
    const records = await call.find(ruleResource(kind).name, { count: MAX_RULES_PER_KIND });
    found.push(...records.map((record) => readRule(kind, record)));
    hasMoreRules ||= records.length === MAX_RULES_PER_KIND;
  }
  return { rules: found, hasMoreRules };
}

/** Maps the id of each link whose clicks trigger a rule to the id of the e-mail message that contains the link. */
async function messagesOf(
  call: CompanyPageRequest,
  rules: readonly AutomationRule[],
): Promise<ReadonlyMap<string, string>> {
  const links = new Set(
    rules.flatMap((rule) => (rule.kind === 'click' && rule.link !== null ? [rule.link] : [])),
  );
  const messages = new Map<string, string>();
  for (const link of links) {
    const [record] = await call.find('emailMessageLink', { id: Number(link) });
    if (record) messages.set(link, String(record.message_id));
  }
  return messages;
}

const RESOURCES = { list: 'list', email: 'emailMessage', 'sms-message': 'smsMessage' } as const;

async function namesOf(
  call: CompanyPageRequest,
  { nodes }: RuleGraph,
): Promise<Pick<LoadedRules, 'nameOfNode' | 'isGone'>> {
  const names = new Map<string, string>();
  const gone = new Set<string>();
  for (const { id, kind, rule } of nodes) {
    // A link is a node only if its record, which names the message, was deleted.
    if (kind === 'link') gone.add(id);
    else if (kind === 'rule') names.set(id, nameIn(rule) ?? '');
    else {
      const [record] = await call.find(RESOURCES[kind], { id: Number(id.slice(id.indexOf(':') + 1)) });
      if (record === undefined) gone.add(id);
      names.set(id, nameIn(record) ?? '');
    }
  }
  return { nameOfNode: (id) => names.get(id) || undefined, isGone: (id) => gone.has(id) };
}

/** Throws `ServiceError` 404 if the page's path names no rule, such as `click:12`. */
export async function loadRuleFromPagePath(call: CompanyPageRequest) {
  const named = readRuleReference(call.id);
  const [record] =
    named === undefined ? [] : await call.find(ruleResource(named.kind).name, { id: named.id });
  if (named === undefined || record === undefined) throw createNotFoundError(`Rule ${call.id}`);
  return { ...named, record };
}

const WORDS = { list: 'List', email: 'E-mail', 'sms-message': 'SMS', link: 'Link', rule: 'Rule' } as const;

/** Returns the plain text for a node of the graph of rules: `List 7` for `list:7`, `Click rule 3` for `click:3`. */
export function formatRuleGraphNode(nodeId: string): string {
  const [word = '', number = ''] = nodeId.split(':');
  const known = Object.entries(WORDS).find(([kind]) => kind === word)?.[1];
  if (known !== undefined) return `${known} ${number}`;
  const rule = readRuleReference(nodeId);
  return `${rule === undefined ? capitalizeFirstLetter(word) : ruleKindLabel(rule.kind)} rule ${number}`;
}

/** Returns a function that describes a node: `“Newsletter” (list 7)` for `list:7`, or `list 7` without a name. */
export function createGraphNodeFormatter({
  nameOfNode,
}: Pick<LoadedRules, 'nameOfNode'>): (id: string) => string {
  return (id) => {
    const [name, about] = [nameOfNode(id), formatRuleGraphNode(id)];
    const plain = about.startsWith('SMS') ? about : `${about.slice(0, 1).toLowerCase()}${about.slice(1)}`;
    return name === undefined ? plain : `“${name}” (${plain})`;
  };
}

/** Returns the trigger of the rule in words: `Someone joins “Newsletter” (list 7)`. */
export function describeTrigger(rule: AutomationRule, rules: LoadedRules): string {
  // The graph knows the message of each link.
  const edge = rules.graph.edges.find(({ to }) => to === rule.ref);
  const from = edge?.from ?? findTriggerNodeId(rule, () => undefined) ?? '';
  return RULE_DEFINITIONS[rule.kind].trigger(rule, createGraphNodeFormatter(rules)(from));
}
