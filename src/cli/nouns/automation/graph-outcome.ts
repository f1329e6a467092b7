/** Builds the output of `automation graph`. */
import { buildRuleGraph, type GraphNode, type RuleGraph } from '../../../automations/graph.ts';
import { type NodeNameLookup, nodeTitle } from '../../../automations/rule-words.ts';
import type { AutomationRule } from '../../../automations/rules.ts';
import { runConcurrently } from '../../../client/limiter.ts';
import type { JsonObject } from '../../../protocol/envelope.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import { emailMessageLink } from '../../../resources/email-message-link.ts';
import { smsMessage } from '../../../resources/sms-message.ts';
import { readIdText } from '../../../schema/integer.ts';
import type { Resource } from '../../../schema/resource.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';
import { formatCountWithNoun, truncateText } from '../../../text/words.ts';
import type { Outcome } from '../../command/command.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { formatJsonText } from '../../output/json.ts';
import type { Reference } from '../../output/result.ts';
import { createTextPageOutcome } from '../../request/page.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { ServiceAccess } from '../../session/access.ts';
import type { Session } from '../../session/session.ts';
import { readAutomationRules } from './all-rules.ts';
import { createRuleGraphPage } from './graph-words.ts';

type Format = 'text' | 'mermaid' | 'json';

/** Maximum number of links that are requested in parallel. */
const MAX_PARALLEL_REQUESTS = 8;

/** Returns the graph of rules as an outcome. Requests the rules of each kind, the links that trigger rules, and the names of messages. */
export async function createRuleGraphOutcome(
  session: Session,
  kinds: readonly Resource[],
  { format, check }: { readonly format: Format | undefined; readonly check: boolean },
): Promise<Outcome> {
  const rules = await readAutomationRules(session, kinds);
  const messages = await messagesOfLinks(session, rules);
  const graph = buildRuleGraph(rules, (link) => messages.get(link));
  if (graph.hasMoreLoops) await session.warn(`there are more loops than the ${graph.loops.length} listed`);
  const activeLoops = graph.loops.filter(({ paused }) => !paused).length;
  if (check && activeLoops > 0)
    await session.info(
      `found rules that trigger each other in a loop, and none of them is paused: ${formatCountWithNoun(activeLoops, 'loop')}`,
    );
  const { result } = await shown(session, format, graph);
  return { result, exit: check && activeLoops > 0 ? EXIT.unmet : EXIT.done };
}

async function shown(session: Session, chosen: Format | undefined, graph: RuleGraph): Promise<Outcome> {
  const nameOf = await namesIn(session, graph.nodes);
  const value = graphValue(graph, nameOf);
  const { fields, query } = session.globals;
  const isChosen = fields !== undefined || query !== undefined;
  const object: Outcome = {
    result: { kind: 'object', value, columns: Object.keys(value).map((name) => ({ name })) },
  };
  // Each company of a run over many has its object in every format.
  if (session.actsFor !== undefined || isChosen) return object;
  const format = chosen ?? ((await isResultPrintedForPeople(session)) ? 'text' : undefined);
  if (format === undefined) return object;
  if (format === 'json')
    return { result: { kind: 'text', text: formatJsonText(value, 'json', session.context.stdout) } };
  const shownAs = await withDeleted(session, graph.nodes, nameOf);
  if (format === 'mermaid') {
    return { result: { kind: 'text', text: mermaidOf(graph, shownAs) } };
  }
  if (graph.nodes.length === 0) {
    await session.info('There are no automation rules.');
    return { result: { kind: 'nothing' } };
  }
  return createTextPageOutcome(session, createRuleGraphPage(graph, shownAs));
}

/** Returns the id of the e-mail message that contains each link, for all links that trigger a rule. A deleted link has no entry. */
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
    const message = record?.['message_id'] ?? null;
    if (message !== null) messages.set(link, String(message));
  });
  return messages;
}

/** Returns the names of messages. The interface gives no names for lists and links. */
async function namesIn(session: ServiceAccess, nodes: readonly GraphNode[]): Promise<NodeNameLookup> {
  const referenceOf = (node: GraphNode): Reference | undefined => {
    const resource = messageOf(node)?.name;
    const text = node.id.slice(node.id.indexOf(':') + 1);
    return resource === undefined ? undefined : { resource, id: readIdText(text) ?? text };
  };
  const named = await session.names(nodes.flatMap((node) => referenceOf(node) ?? []));
  return (node) => {
    if (node.rule !== undefined) return node.rule.name;
    const reference = referenceOf(node);
    return reference === undefined ? undefined : named(reference);
  };
}

/** Returns the names of nodes, with a mark for deleted messages. Requests only messages whose name is unknown. */
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
    const text = node.id.slice(node.id.indexOf(':') + 1);
    if (resource !== undefined && (await client.get(resource, readIdText(text) ?? text)) === undefined)
      gone.add(node.id);
  });
  return (node) => nameOf(node) ?? (gone.has(node.id) ? 'deleted' : undefined);
}

/** Maximum number of messages that are requested to detect deleted ones. */
const MAX_LOOK_UPS = 50;

const messageOf = ({ kind }: GraphNode): Resource | undefined =>
  ({ email: emailMessage, 'sms-message': smsMessage })[String(kind)];

const graphValue = ({ nodes, edges, loops }: RuleGraph, nameOf: NodeNameLookup): JsonObject => ({
  nodes: nodes.map((node) => ({
    id: node.id,
    kind: node.rule?.kind ?? node.kind,
    name: nameOf(node) ?? null,
    ...(node.rule === undefined ? {} : ownOf(node.rule)),
  })),
  edges: edges.map(({ from, to, kind, loop }) => ({ from, to, kind, loop })),
  // A plain array is an endless loop.
  loops: loops.map(({ rules, paused }) => (paused ? { rules, paused } : rules)),
});

const ownOf = (rule: AutomationRule): JsonObject => ({
  paused: rule.paused,
  ...(rule.kind === 'sms' ? {} : { actiontype: rule.actiontype, actiontarget: rule.actiontarget }),
});

/** Maximum number of characters of a rule's name in a Mermaid flowchart. */
const MAX_SHOWN_NAME_LENGTH = 40;

/** Draws the graph of rules as a Mermaid flowchart, which GitHub and others render in Markdown. */
function mermaidOf({ nodes, edges }: RuleGraph, nameOf: NodeNameLookup): string {
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

/** Returns the shape of a node: lists as cylinders, messages as flags, rules as boxes. */
function shapeOf(node: GraphNode, nameOf: NodeNameLookup): string {
  const { kind, rule, id } = node;
  if (rule !== undefined) {
    const name = rule.name === '' ? '' : `<br/>${labelOf(truncateText(rule.name, MAX_SHOWN_NAME_LENGTH))}`;
    return `["${labelOf(id)}${name}${rule.paused ? '<br/>paused' : ''}"]${rule.paused ? ':::paused' : ''}`;
  }
  const label = `"${labelOf(nodeTitle(node, nameOf))}"`;
  return kind === 'list' ? `[(${label})]` : `>${label}]`;
}

/**
 * Escapes a label. Only characters without a meaning in Mermaid, Markdown and HTML are kept; the others become their code points, such as
 * `#35;`.
 */
const labelOf = (text: string): string =>
  escapeForTerminal(text.replace(/\s+/g, ' ')).replace(
    /[^A-Za-z0-9 _.,:\u0080-\u{10ffff}-]/gu,
    (character) => `#${character.codePointAt(0)};`,
  );
