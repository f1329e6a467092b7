import { runConcurrently } from '../../../client/requests/limiter.ts';
import type { Report, ReportSection } from '../../../kit/report/report.ts';
import { type Id, readIdText } from '../../../kit/schema/integer.ts';
import type { Resource } from '../../../kit/schema/resource.ts';
import { escapeForTerminal } from '../../../kit/text/terminal.ts';
import { capitalizeFirstLetter, formatCountWithNoun } from '../../../kit/text/words.ts';
import { buildRuleGraph, type GraphNode, type RuleGraph } from '../../../service/automations/graph.ts';
import { findRuleSequences, type RuleSequence } from '../../../service/automations/rule-sequences.ts';
import {
  describeTriggerAndAction,
  type NodeNameLookup,
  nodeTitle,
  shortNameOf,
} from '../../../service/automations/rule-words.ts';
import { type AutomationRule, readRuleOfResource } from '../../../service/automations/rules.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import { emailMessageLink } from '../../../service/resources/email-message-link.ts';
import { automations, RULE_DEFINITIONS, RULE_KINDS } from '../../../service/resources/rule-kinds.ts';
import { smsMessage } from '../../../service/resources/sms-message.ts';
import type { Outcome } from '../../command/command.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { formatJsonText } from '../../output/json.ts';
import { createItemResult, type Reference } from '../../output/result.ts';
import { createTextPageOutcome } from '../../request/page.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Invocation, ServiceAccess, Tell } from '../../session/ports.ts';
import { readRuleRecords } from './resolve.ts';

type Format = 'text' | 'mermaid' | 'json';

const MAX_PARALLEL_REQUESTS = 8;

export async function createRuleGraphOutcome(
  session: Invocation & Tell & ServiceAccess,
  { format, check }: { readonly format: Format | undefined; readonly check: boolean },
): Promise<Outcome> {
  const rules = (await readRuleRecords(session, automations)).map(readRuleOfResource);
  const { graph } = await readGraph(session, rules);
  const activeLoops = graph.loops.filter(({ paused }) => !paused).length;
  if (check && activeLoops > 0)
    await session.info(
      `found rules that trigger each other in a loop, and none of them is paused: ${formatCountWithNoun(activeLoops, 'loop')}`,
    );
  const { result } = await shown(session, format, graph);
  return { result, exit: check && activeLoops > 0 ? EXIT.unmet : EXIT.done };
}

async function readGraph(session: ServiceAccess, rules: readonly AutomationRule[]) {
  const messages = await messagesOfLinks(session, rules);
  const messageOfLink = (link: string): string | undefined => messages.get(link);
  return { graph: buildRuleGraph(rules, messageOfLink), messageOfLink };
}

export async function readTitledGraph(session: ServiceAccess, rules: readonly AutomationRule[]) {
  const { graph, messageOfLink } = await readGraph(session, rules);
  const nameOf = await withDeleted(session, graph.nodes, await namesIn(session, graph.nodes));
  return { titleOf: titlesIn(graph, nameOf), messageOfLink };
}

function titlesIn({ nodes }: RuleGraph, nameOf: NodeNameLookup): (id: string) => string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (id) => {
    const node = byId.get(id);
    return node === undefined ? id : nodeTitle(node, nameOf);
  };
}

async function shown(
  session: Invocation & Tell & ServiceAccess,
  chosen: Format | undefined,
  graph: RuleGraph,
): Promise<Outcome> {
  const nameOf = await namesIn(session, graph.nodes);
  const value = graphValue(graph, nameOf);
  const { fields, query } = session.globals;
  const isChosen = fields !== undefined || query !== undefined;
  const object: Outcome = { result: createItemResult(value) };
  // Each company of a run over many has its object in every format.
  if (session.actsFor !== undefined || isChosen) return object;
  const format = chosen ?? ((await isResultPrintedForPeople(session)) ? 'text' : undefined);
  if (format === undefined) return object;
  if (format === 'json')
    return { result: { kind: 'text', text: formatJsonText(value, 'json', session.context.stdout) } };
  const shownAs = await withDeleted(session, graph.nodes, nameOf);
  if (format === 'mermaid') return { result: { kind: 'text', text: mermaidOf(graph, shownAs) } };
  if (graph.nodes.length === 0) {
    await session.info('There are no automation rules.');
    return { result: { kind: 'nothing' } };
  }
  return createTextPageOutcome(session, createRuleGraphPage(graph, shownAs));
}

/** Maps links that trigger a rule to their e-mail messages. A deleted link has no entry. */
async function messagesOfLinks(
  session: ServiceAccess,
  rules: readonly AutomationRule[],
): Promise<ReadonlyMap<string, string>> {
  const links = new Set(
    rules.flatMap((rule) => (rule.kind === 'click' && rule.link !== null ? [rule.link] : [])),
  );
  const client = await session.client();
  const messages = new Map<string, string>();
  await runConcurrently([...links], MAX_PARALLEL_REQUESTS, async (link) => {
    const record = await client.get(emailMessageLink, readIdText(link) ?? link);
    const message = record?.message_id ?? null;
    if (message !== null) messages.set(link, String(message));
  });
  return messages;
}

/** The interface gives no names for lists and links. */
async function namesIn(session: ServiceAccess, nodes: readonly GraphNode[]): Promise<NodeNameLookup> {
  const referenceOf = (node: GraphNode): Reference | undefined => {
    const resource = messageOf(node)?.name;
    return resource === undefined ? undefined : { resource, id: idOf(node) };
  };
  const named = await session.names(nodes.flatMap((node) => referenceOf(node) ?? []));
  return (node) => {
    if (node.rule !== undefined) return node.rule.name;
    const reference = referenceOf(node);
    return reference === undefined ? undefined : named(reference);
  };
}

/** Marks deleted messages. Requests only messages whose name is unknown. */
async function withDeleted(
  session: ServiceAccess,
  nodes: readonly GraphNode[],
  nameOf: NodeNameLookup,
): Promise<NodeNameLookup> {
  const unnamed = nodes.filter((node) => messageOf(node) !== undefined && nameOf(node) === undefined);
  const client = await session.client();
  const gone = new Set<string>();
  await runConcurrently(unnamed.slice(0, MAX_LOOK_UPS), MAX_PARALLEL_REQUESTS, async (node) => {
    const resource = messageOf(node);
    if (resource && (await client.get(resource, idOf(node))) === undefined) gone.add(node.id);
  });
  return (node) => nameOf(node) ?? (gone.has(node.id) ? 'deleted' : undefined);
}

/** Maximum number of requests that detect deleted messages. */
const MAX_LOOK_UPS = 50;

function idOf({ id }: GraphNode): Id {
  const text = id.slice(id.indexOf(':') + 1);
  return readIdText(text) ?? text;
}

const messageOf = ({ kind }: GraphNode): Resource | undefined =>
  ({ email: emailMessage, 'sms-message': smsMessage })[String(kind)];

const graphValue = (
  { nodes, edges, loops }: RuleGraph,
  nameOf: NodeNameLookup,
  sequences = sequencesIn(nodes),
) => ({
  nodes: nodes.map((node) => ({
    id: node.id,
    kind: node.rule?.kind ?? node.kind,
    name: nameOf(node) ?? null,
    ...(node.rule === undefined ? {} : ownOf(node.rule)),
    ...stepOf(node, sequences.get(node.id)),
  })),
  edges: edges.map(({ from, to, kind, loop }) => ({ from, to, kind, loop })),
  // A plain array is an endless loop.
  loops: loops.map(({ rules, paused }) => (paused ? { rules, paused } : rules)),
});

const sequencesIn = (nodes: readonly GraphNode[]) =>
  findRuleSequences(nodes.flatMap(({ rule }) => rule ?? []));

const stepOf = ({ id }: GraphNode, sequence: RuleSequence | undefined) =>
  sequence === undefined
    ? {}
    : { sequence: sequence.name, step: sequence.steps.find(({ rule }) => rule.ref === id)?.step ?? null };

const ownOf = (rule: AutomationRule) => ({
  paused: rule.paused,
  ...(rule.kind === 'sms' ? {} : { actiontype: rule.actiontype, actiontarget: rule.actiontarget }),
});

/** GitHub and others render Mermaid in Markdown. */
function mermaidOf({ nodes, edges }: RuleGraph, nameOf: NodeNameLookup): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const looping = edges.flatMap(({ loop }, index) => (loop ? [index] : []));
  return [
    'flowchart LR',
    ...nodes.map((node) => `  ${names.get(node.id)}${shapeOf(node, nameOf)}`),
    ...[...new Set(sequencesIn(nodes).values())].flatMap(({ name, steps }, index) => [
      `  subgraph s${index}["${labelOf(shortNameOf(name))}"]`,
      ...steps.map(({ rule }) => `    ${names.get(rule.ref)}`),
      '  end',
    ]),
    ...edges.map(
      ({ from, to, kind }) =>
        `  ${names.get(from)} ${kind === 'removefromlist' ? '-.->' : '-->'}|${labelOf(kind)}| ${names.get(to)}`,
    ),
    '  classDef paused stroke-dasharray: 5 5,opacity:0.6',
    ...(looping.length === 0 ? [] : [`  linkStyle ${looping.join(',')} stroke:#d1242f,stroke-width:3px`]),
    '',
  ].join('\n');
}

/** Lists are cylinders, messages are flags, and rules are boxes. */
function shapeOf(node: GraphNode, nameOf: NodeNameLookup): string {
  const { kind, rule, id } = node;
  if (rule !== undefined) {
    const name = rule.name === '' ? '' : `<br/>${labelOf(shortNameOf(rule.name))}`;
    return `["${labelOf(id)}${name}${rule.paused ? '<br/>paused' : ''}"]${rule.paused ? ':::paused' : ''}`;
  }
  const label = `"${labelOf(nodeTitle(node, nameOf))}"`;
  return kind === 'list' ? `[(${label})]` : `>${label}]`;
}

/** Characters with a meaning in Mermaid, Markdown or HTML become their code points, such as `#35;`. */
const labelOf = (text: string): string =>
  escapeForTerminal(text.replace(/\s+/g, ' ')).replace(
    /[^A-Za-z0-9 _.,:\u0080-\u{10ffff}-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );

function createRuleGraphPage(graph: RuleGraph, nameOf: NodeNameLookup): Report {
  const { nodes, edges, loops } = graph;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const called = titlesIn(graph, nameOf);
  const sources = nodes.filter(({ id, rule }) => !rule && edges.some(({ from }) => from === id));
  const entry = ({ rule, id = '' }: Partial<GraphNode>): ReportSection['blocks'] =>
    rule === undefined
      ? []
      : [
          {
            kind: 'entry',
            head: `${id} ${shortNameOf(rule.name)}${rule.paused ? ', paused' : ''}`,
            text: [describeTriggerAndAction(rule, called), ...marksOf(graph, id)].join('; '),
          },
        ];
  const sequences = sequencesIn(nodes);
  const sequenceEntry = ({ name, steps }: RuleSequence): ReportSection['blocks'] => [
    {
      kind: 'entry',
      head: `sequence ${shortNameOf(name)}`,
      text: formatCountWithNoun(steps.length, 'step'),
    },
    {
      kind: 'points',
      texts: steps.map(({ step, rule }) =>
        [
          `step ${step}, ${rule.ref}: ${describeTriggerAndAction(rule, called)}`,
          ...(rule.paused ? ['paused'] : []),
          ...marksOf(graph, rule.ref),
        ].join('; '),
      ),
    },
  ];
  const rulesOf = (source: string): ReportSection['blocks'] =>
    edges.flatMap(({ from, to }) => {
      if (from !== source) return [];
      const sequence = sequences.get(to);
      if (sequence === undefined) return entry(byId.get(to) ?? {});
      const isFirst = sequence.steps[0]?.rule.ref === to;
      return isFirst ? sequenceEntry(sequence) : [];
    });
  return {
    title: countWords(nodes),
    sections: [
      ...sources.map(({ id }) => ({ title: sourceWords(id, called(id)), blocks: rulesOf(id) })),
      ...RULE_KINDS.flatMap((kind) => {
        const { heading } = RULE_DEFINITIONS[kind];
        const blocks = nodes.filter(({ rule }) => rule?.kind === kind).flatMap(entry);
        return heading === undefined ? [] : [{ title: heading, blocks }];
      }),
      {
        title: formatCountWithNoun(loops.length, 'loop'),
        blocks: loops.map(({ rules, paused }) => ({
          kind: 'points',
          texts: [[...rules, rules[0] ?? ''].join(' → ') + (paused ? ' (stopped by a pause)' : '')],
        })),
      },
    ],
  };
}

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
