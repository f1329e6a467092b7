/** Draws the graph of rules as a Mermaid flowchart, which GitHub and others render in Markdown. */
import type { GraphNode, RuleGraph } from '../../../automations/graph.ts';
import { type NodeName, nodeWords } from '../../../automations/rule-words.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import { bounded } from '../../../text/words.ts';

const LONGEST_NAME = 40;

export function mermaidOf({ nodes, edges }: RuleGraph, nameOf: NodeName): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const looping = edges.flatMap(({ loop }, index) => (loop ? [index] : []));
  return [
    'flowchart LR',
    ...nodes.map((node) => `  ${names.get(node.id)}${shapeOf(node, nameOf)}`),
    ...edges.map(
      ({ from, to, kind }) =>
        `  ${names.get(from)} ${kind === 'removefromlist' ? '-.->' : '-->'}|${labelOf(kind)}| ${names.get(to)}`,
    ),
    '  classDef paused stroke-dasharray: 5 5,opacity:0.6',
    ...(looping.length === 0 ? [] : [`  linkStyle ${looping.join(',')} stroke:#d1242f,stroke-width:3px`]),
    '',
  ].join('\n');
}

/** Returns the shape of a node: lists as stores, messages as flags, rules as boxes. */
function shapeOf(node: GraphNode, nameOf: NodeName): string {
  const { kind, rule, id } = node;
  if (rule !== undefined) {
    const name = rule.name === '' ? '' : `<br/>${labelOf(bounded(rule.name, LONGEST_NAME))}`;
    return `["${labelOf(id)}${name}${rule.paused ? '<br/>paused' : ''}"]${rule.paused ? ':::paused' : ''}`;
  }
  const label = `"${labelOf(nodeWords(node, nameOf))}"`;
  return kind === 'list' ? `[(${label})]` : `>${label}]`;
}

/** Escapes a label. Only characters without a meaning in Mermaid, Markdown and HTML are kept; the others are written as numbers. */
const labelOf = (text: string): string =>
  escapeForTerminal(text.replace(/\s+/g, ' ')).replace(
    /[^A-Za-z0-9 _.,:\u0080-\u{10ffff}-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
