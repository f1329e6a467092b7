/** Which rules what sets off, and what they do to lists and messages that set off others (contract, "Insight"). */
import { circlesIn, type Edges, strongParts } from './cycles.ts';
import { isListAction, listChange } from './list-change.ts';
import type { AutomationRule, TimedRule } from './rules.ts';

/** Also the word before its id: `list:7`, `email:3`, `sms-message:4`, `link:5`; a rule is called `click:12`. */
export type NodeKind = 'list' | 'email' | 'sms-message' | 'link' | 'rule';

export interface GraphNode {
  readonly id: string;
  readonly kind: NodeKind;
  /** Undefined for what is no rule. */
  readonly rule: AutomationRule | undefined;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** What sets a rule off (`click`, `open`, `subscription`), or what it does (`actiontype`). */
  readonly kind: string;
  /** It is part of a loop that no pause stops. */
  readonly loop: boolean;
}

/** Rules that set each other off, over lists and messages, the first of the account's order first. */
export interface Loop {
  readonly rules: readonly string[];
  /** One of them is paused, which stops it. */
  readonly paused: boolean;
}

export interface RuleGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly loops: readonly Loop[];
  /** There are more loops than are listed. */
  readonly isCut: boolean;
}

/** More loops than these nobody reads; those that no pause stops are looked for first. */
export const MOST_LOOPS = 1000;

/**
 * @param rules all of the account, kind by kind in order of their ids
 * @param messageOfLink the e-mail message that a link belongs to; undefined where it isn't known, or the link is gone
 */
export function ruleGraph(
  rules: readonly AutomationRule[],
  messageOfLink: (link: string) => string | undefined,
): RuleGraph {
  const found = rules.flatMap((rule) => [...triggerOf(rule, messageOfLink), ...effectsOf(rule)]);
  const byId = new Map(rules.map((rule) => [rule.ref, rule]));
  const ids = [...new Set([...found.flatMap(({ from, to }) => [from, to]), ...byId.keys()])];
  const isLive = (id: string): boolean => byId.get(id)?.paused !== true;
  const all = edgesOf(found.filter(carriesOn));
  const live = ids.filter(isLive);
  const partOf = new Map(
    strongParts(live, all).flatMap((part, index) => part.map((id) => [id, index] as const)),
  );
  const rank = new Map(rules.map(({ ref }, index) => [ref, index]));
  const { loops, isCut } = loopsOf(ids, live, all, rank);
  return {
    nodes: ids.map((id) => ({ id, kind: kindOf(id), rule: byId.get(id) })),
    edges: found.map((edge) => {
      const part = partOf.get(edge.from);
      return { ...edge, loop: carriesOn(edge) && part !== undefined && part === partOf.get(edge.to) };
    }),
    loops,
    isCut,
  };
}

type Found = Omit<GraphEdge, 'loop'>;

/** Who is taken from a list sets off nothing. */
const carriesOn = ({ kind }: Found): boolean => kind !== 'removefromlist';

function triggerOf(
  rule: AutomationRule,
  messageOfLink: (link: string) => string | undefined,
): readonly Found[] {
  const from = sourceOf(rule, messageOfLink);
  return from === undefined ? [] : [{ from, to: rule.ref, kind: rule.kind }];
}

/** Undefined for dates and SMS that come in: nothing here leads to them. */
export function sourceOf(
  rule: AutomationRule,
  messageOfLink: (link: string) => string | undefined,
): string | undefined {
  if (rule.kind === 'sms' || rule.kind === 'date') return undefined;
  const { list, link, message } = rule;
  if (rule.kind === 'subscription') return `list:${list ?? ''}`;
  const opened = message ?? (link === null ? undefined : messageOfLink(link));
  return opened === undefined ? `link:${link ?? ''}` : `email:${opened}`;
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
  const { from, to } = listChange(kind, list ?? undefined, actiontarget);
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
): Pick<RuleGraph, 'loops' | 'isCut'> {
  const going = circlesIn(live, edges, MOST_LOOPS);
  const isLive = new Set(live);
  const every = live.length === ids.length ? going : circlesIn(ids, edges, MOST_LOOPS);
  const stopped = every.circles.filter((circle) => circle.some((id) => !isLive.has(id)));
  const loops = [
    ...going.circles.map((circle) => ({ rules: inOrder(circle, rank), paused: false })),
    ...stopped.map((circle) => ({ rules: inOrder(circle, rank), paused: true })),
  ];
  const ranksOf = ({ rules }: Loop) => rules.map((rule) => rank.get(rule) ?? 0);
  return {
    loops: loops.sort((a, b) => Number(a.paused) - Number(b.paused) || compare(ranksOf(a), ranksOf(b))),
    isCut: going.isCut || every.isCut,
  };
}

/** The rules of a circle, the first of the account's order first. */
function inOrder(circle: readonly string[], rank: ReadonlyMap<string, number>): readonly string[] {
  const rules = circle.filter((id) => rank.has(id));
  const ranks = rules.map((rule) => rank.get(rule) ?? 0);
  const first = ranks.indexOf(Math.min(...ranks));
  return [...rules.slice(first), ...rules.slice(0, first)];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

function kindOf(id: string): NodeKind {
  const [word = ''] = id.split(':');
  return word === 'list' || word === 'email' || word === 'sms-message' || word === 'link' ? word : 'rule';
}
