/** Shows the graph of rules as text for people: first what each trigger does, then the loops. */
import type { GraphNode, RuleGraph } from '../../../automations/graph.ts';
import {
  describeTriggerAndAction,
  MAX_SHOWN_NAME_LENGTH,
  type NodeNameLookup,
  nodeTitle,
} from '../../../automations/rule-words.ts';
import type { PageSection, TextPage } from '../../../report/text-page.ts';
import { RULE_DEFINITIONS, RULE_KINDS } from '../../../resources/rule-kinds.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import { capitalizeFirstLetter, formatCountWithNoun, truncateText } from '../../../text/words.ts';

export function createRuleGraphPage(graph: RuleGraph, nameOf: NodeNameLookup): TextPage {
  const { nodes, edges, loops } = graph;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const called = (id: string): string => {
    const node = byId.get(id);
    return node === undefined ? id : nodeTitle(node, nameOf);
  };
  const sources = nodes.filter(({ id, rule }) => !rule && edges.some(({ from }) => from === id));
  const entry = ({ rule, id }: GraphNode): PageSection['blocks'] =>
    rule === undefined
      ? []
      : [
          {
            kind: 'entry',
            head: safe(
              `${id} ${truncateText(rule.name, MAX_SHOWN_NAME_LENGTH)}${rule.paused ? ', paused' : ''}`,
            ),
            text: safe([describeTriggerAndAction(rule, called), ...marksOf(graph, id)].join('; ')),
          },
        ];
  const rulesOf = (source: string): PageSection['blocks'] =>
    edges.flatMap(({ from, to }) => (from === source ? entry(byId.get(to) ?? NOBODY) : []));
  return {
    title: countWords(nodes),
    sections: [
      ...sources.map(({ id }) => ({ title: safe(sourceWords(id, called(id))), blocks: rulesOf(id) })),
      ...RULE_KINDS.flatMap((kind) => {
        const { heading } = RULE_DEFINITIONS[kind];
        const blocks = nodes.filter(({ rule }) => rule?.kind === kind).flatMap(entry);
        return heading === undefined ? [] : [{ title: heading, blocks }];
      }),
      {
        title: formatCountWithNoun(loops.length, 'loop'),
        blocks: loops.map(({ rules, paused }) => ({
          kind: 'points',
          texts: [safe([...rules, rules[0] ?? ''].join(' → ')) + (paused ? ' (stopped by a pause)' : '')],
        })),
      },
    ],
  };
}

const NOBODY: GraphNode = { id: '', kind: 'rule', rule: undefined };

function sourceWords(id: string, words: string): string {
  if (id.startsWith('list:')) return `A subscription to ${words}`;
  return id.startsWith('link:')
    ? `A click on ${words} (unknown message)`
    : `${capitalizeFirstLetter(words)}: open or click`;
}

function countWords(nodes: readonly GraphNode[]): string {
  const rules = nodes.filter(({ rule }) => rule !== undefined);
  const paused = rules.filter(({ rule }) => rule?.paused).length;
  return `${formatCountWithNoun(rules.length, 'rule')}${paused === 0 ? '' : `, ${paused} of them paused`}`;
}

function marksOf({ loops }: RuleGraph, id: string): readonly string[] {
  const own = loops.filter(({ rules }) => rules.includes(id));
  if (own.length === 0) return [];
  return [own.some(({ paused }) => !paused) ? 'LOOP' : 'a loop, stopped by a paused rule'];
}

const safe = (text: string): string => escapeForTerminal(text);
