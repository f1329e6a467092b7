/**
 * Builds the graph of automation rules: their triggers, and how they trigger each other through lists and messages (contract, "Insight").
 */
import { type Edges, findSimpleCycles, findStronglyConnectedParts } from './cycles.ts';
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

/** Rules that trigger each other through lists and messages, beginning with the first of them in `buildRuleGraph`'s argument. */
export interface RuleLoop {
  readonly rules: readonly string[];
  /** True if at least one of the rules is paused, which stops the loop. */
  readonly paused: boolean;
}

export interface RuleGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly loops: readonly RuleLoop[];
  /** True if there are more loops than the `MAX_LISTED_LOOPS` that are listed. */
  readonly hasMoreLoops: boolean;
}

/** Maximum number of listed loops. Loops without a paused rule are searched first. */
export const MAX_LISTED_LOOPS = 1000;

/**
 * Builds the graph of all rules of the account, kind by kind in order of their ids.
 * @param messageOfLink returns the e-mail message of a link, or undefined if it isn't known or the link no longer exists
 */
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
  const partOf = new Map(
    findStronglyConnectedParts(live, all).flatMap((part, index) => part.map((id) => [id, index] as const)),
  );
  const rank = new Map(rules.map(({ ref }, index) => [ref, index]));
  const { loops, hasMoreLoops } = loopsOf(ids, live, all, rank);
  return {
    nodes: ids.map((id) => ({ id, kind: kindOf(id), rule: byId.get(id) })),
    edges: found.map((edge) => {
      const part = partOf.get(edge.from);
      return { ...edge, loop: canTriggerRules(edge) && part !== undefined && part === partOf.get(edge.to) };
    }),
    loops,
    hasMoreLoops,
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

function loopsOf(
  ids: readonly string[],
  live: readonly string[],
  edges: Edges,
  rank: ReadonlyMap<string, number>,
): Pick<RuleGraph, 'loops' | 'hasMoreLoops'> {
  const going = findSimpleCycles(live, edges, MAX_LISTED_LOOPS);
  const isLive = new Set(live);
  const every = live.length === ids.length ? going : findSimpleCycles(ids, edges, MAX_LISTED_LOOPS);
  const stopped = every.cycles.filter((cycle) => cycle.some((id) => !isLive.has(id)));
  const loops = [
    ...going.cycles.map((cycle) => ({ rules: inOrder(cycle, rank), paused: false })),
    ...stopped.map((cycle) => ({ rules: inOrder(cycle, rank), paused: true })),
  ];
  const ranksOf = ({ rules }: RuleLoop) => rules.map((rule) => rank.get(rule) ?? 0);
  return {
    loops: loops.sort((a, b) => Number(a.paused) - Number(b.paused) || compare(ranksOf(a), ranksOf(b))),
    hasMoreLoops: going.reachedMaxCycles || every.reachedMaxCycles,
  };
}

/** Returns the rules of a cycle in the order of the cycle, starting with the rule of the lowest rank. Omits all other nodes of the cycle. */
function inOrder(cycle: readonly string[], rank: ReadonlyMap<string, number>): readonly string[] {
  const rules = cycle.filter((id) => rank.has(id));
  const ranks = rules.map((rule) => rank.get(rule) ?? 0);
  const first = ranks.indexOf(Math.min(...ranks));
  return [...rules.slice(first), ...rules.slice(0, first)];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

function kindOf(id: string): GraphNodeKind {
  const [word = ''] = id.split(':');
  return word === 'list' || word === 'email' || word === 'sms-message' || word === 'link' ? word : 'rule';
}
