/** Builds the graph of rules: their triggers, and how they trigger each other through lists and messages (contract, "Insight"). */
import { type Edges, findStronglyConnectedParts } from './cycles.ts';
import { type AutomationRule, computeListChange, isListAction, type TimedRule } from './rules.ts';

/** Also the beginning of the node's id: `list:7`, `email:3`. The id of a rule begins with the kind of the rule: `click:12`. */
export type GraphNodeKind = 'list' | 'email' | 'sms-message' | 'link' | 'rule';

/** Node of the graph: a rule, or a list, message or link that a rule uses. */
export interface GraphNode {
  readonly id: string;
  readonly kind: GraphNodeKind;
  /** Undefined if the node is not a rule. */
  readonly rule: AutomationRule | undefined;
}

/** Edge between a rule and another node. The node triggers the rule if `to` is the rule, and the rule acts on the node otherwise. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** For an edge to a rule, the kind of the rule (`click`, `open`). For an edge from a rule, what the rule does (`addtolist`). */
  readonly kind: string;
  /** True if the edge is part of a loop in which no rule is paused. */
  readonly loop: boolean;
}

/** Rules that all trigger each other through lists and messages, in the order of `buildRuleGraph`'s argument. */
export interface RuleLoop {
  readonly rules: readonly string[];
  /** True if at least one of the rules is paused, which may stop the loop. */
  readonly paused: boolean;
}

export interface RuleGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Loops without a paused rule, then those that only paused rules close. */
  readonly loops: readonly RuleLoop[];
}

/** Builds the graph of all rules, kind by kind in order of ids. `messageOfLink` returns the message of a link, if it is known. */
export function buildRuleGraph(
  rules: readonly AutomationRule[],
  messageOfLink: (link: string) => string | undefined,
): RuleGraph {
  const found = rules.flatMap((rule) => [...triggerOf(rule, messageOfLink), ...effectsOf(rule)]);
  const byId = new Map(rules.map((rule) => [rule.ref, rule]));
  const ids = [...new Set([...found.flatMap(({ from, to }) => [from, to]), ...byId.keys()])];
  const isLive = (id: string): boolean => byId.get(id)?.paused !== true;
  const all = edgesOf(found.filter(canTriggerRules));
  const live = ids.filter(isLive);
  const parts = findStronglyConnectedParts(live, all);
  const stopped = live.length === ids.length ? [] : findStronglyConnectedParts(ids, all);
  const partOf = new Map(parts.flatMap((part, index) => part.map((id) => [id, index] as const)));
  const rank = new Map(rules.map(({ ref }, index) => [ref, index]));
  const rankOf = (ref = ''): number => rank.get(ref) ?? 0;
  const loopsOf = (some: readonly (readonly string[])[], paused: boolean): readonly RuleLoop[] =>
    some
      .map((part) => ({
        rules: part.filter((id) => rank.has(id)).sort((a, b) => rankOf(a) - rankOf(b)),
        paused,
      }))
      .sort((a, b) => rankOf(a.rules[0]) - rankOf(b.rules[0]));
  return {
    nodes: ids.map((id) => ({ id, kind: kindOf(id), rule: byId.get(id) })),
    edges: found.map((edge) => {
      const part = partOf.get(edge.from);
      return { ...edge, loop: canTriggerRules(edge) && part !== undefined && part === partOf.get(edge.to) };
    }),
    loops: [
      ...loopsOf(parts, false),
      ...loopsOf(
        stopped.filter((part) => !part.every(isLive)),
        true,
      ),
    ],
  };
}

type Found = Omit<GraphEdge, 'loop'>;

/** Reports whether an action can trigger other rules. Removing a subscriber from a list can't. */
const canTriggerRules = ({ kind }: Found): boolean => kind !== 'removefromlist';

function triggerOf(
  rule: AutomationRule,
  messageOfLink: (link: string) => string | undefined,
): readonly Found[] {
  const from = findTriggerNodeId(rule, messageOfLink);
  return from === undefined ? [] : [{ from, to: rule.ref, kind: rule.kind }];
}

/** Returns the node that triggers a rule. The graph has no node for dates and inbound SMS. */
export function findTriggerNodeId(
  rule: AutomationRule,
  messageOfLink: (link: string) => string | undefined,
): string | undefined {
  if (rule.kind === 'sms') return undefined;
  const { list, link, message } = rule;
  if (list !== null) return `list:${list}`;
  const opened = message ?? (link === null ? undefined : messageOfLink(link));
  if (opened !== undefined) return `email:${opened}`;
  return link === null ? undefined : `link:${link}`;
}

function effectsOf(rule: AutomationRule): readonly Found[] {
  const from = rule.ref;
  if (rule.kind !== 'sms') return effectOf(rule).map(({ to, kind }) => ({ from, to, kind }));
  const { list, emailList, message } = rule;
  return [
    { from, to: `list:${list}`, kind: 'addtolist' },
    ...(emailList === null || emailList === list
      ? []
      : [{ from, to: `list:${emailList}`, kind: 'addtolist' }]),
    ...(message === null ? [] : [{ from, to: `sms-message:${message}`, kind: 'sms_autoresponder' }]),
  ];
}

function effectOf({ actiontype: kind, actiontarget, list }: TimedRule): readonly Omit<Found, 'from'>[] {
  if (kind === 'email_autoresponder') return [{ to: `email:${actiontarget}`, kind }];
  if (kind === 'sms_autoresponder') return [{ to: `sms-message:${actiontarget}`, kind }];
  if (!isListAction(kind)) return [];
  const { from, to } = computeListChange(kind, list ?? undefined, actiontarget);
  const named = to ?? from;
  return named === undefined ? [] : [{ to: `list:${named}`, kind }];
}

function edgesOf(edges: readonly Found[]): Edges {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = next.get(from) ?? [];
    if (!known.includes(to)) known.push(to);
    next.set(from, known);
  }
  return next;
}

function kindOf(id: string): GraphNodeKind {
  const [word = ''] = id.split(':');
  return word === 'list' || word === 'email' || word === 'sms-message' || word === 'link' ? word : 'rule';
}
