/** The graph of rules for people: under each thing that sets rules off what they do, and the loops at the end. */
import { actionWords } from '../../../automations/action-words.ts';
import type { GraphNode, RuleGraph } from '../../../automations/graph.ts';
import type { AutomationRule } from '../../../automations/rules.ts';
import { timingOf } from '../../../automations/timing.ts';
import { bounded } from '../../../text/bounded.ts';
import { formatDuration } from '../../../text/duration.ts';
import type { Page, Section } from '../../../text/page.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';

export type NodeName = (node: GraphNode) => string | undefined;

const LONGEST_NAME = 40;

export function graphPage(graph: RuleGraph, nameOf: NodeName): Page {
  const { nodes, edges, loops } = graph;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const called = (id: string): string => {
    const node = byId.get(id);
    return node === undefined ? id : nodeWords(node, nameOf);
  };
  const sources = nodes.filter(({ id, rule }) => !rule && edges.some(({ from }) => from === id));
  const entry = ({ rule, id }: GraphNode): Section['blocks'] =>
    rule === undefined
      ? []
      : [
          {
            kind: 'entry',
            head: safe(`${id} ${bounded(rule.name, LONGEST_NAME)}${rule.paused ? ', paused' : ''}`),
            text: safe([effectWords(rule, called), ...marksOf(graph, id)].join('; ')),
          },
        ];
  const rulesOf = (source: string): Section['blocks'] =>
    edges.flatMap(({ from, to }) => (from === source ? entry(byId.get(to) ?? NOBODY) : []));
  const alone = (kind: 'date' | 'sms') => nodes.filter(({ rule }) => rule?.kind === kind).flatMap(entry);
  return {
    title: countWords(nodes),
    sections: [
      ...sources.map(({ id }) => ({ title: safe(sourceWords(id, called(id))), blocks: rulesOf(id) })),
      { title: 'A date of a subscriber', blocks: alone('date') },
      { title: 'An SMS that comes in', blocks: alone('sms') },
      {
        title: loops.length === 1 ? '1 loop' : `${loops.length} loops`,
        blocks: loops.map(({ rules, paused }) => ({
          kind: 'points',
          texts: [safe([...rules, rules[0] ?? ''].join(' → ')) + (paused ? ' (stopped by a pause)' : '')],
        })),
      },
    ],
  };
}

const NOBODY: GraphNode = { id: '', kind: 'rule', rule: undefined };

/** `list 7`, `e-mail message 3 (Welcome)`. */
export function nodeWords(node: GraphNode, nameOf: NodeName): string {
  const id = node.id.slice(node.id.indexOf(':') + 1);
  const name = nameOf(node);
  return `${WORDS[node.kind]} ${id}${name === undefined ? '' : ` (${bounded(name, LONGEST_NAME)})`}`;
}

const WORDS = {
  list: 'list',
  email: 'e-mail message',
  'sms-message': 'SMS message',
  link: 'link',
  rule: 'rule',
} as const;

function sourceWords(id: string, words: string): string {
  if (id.startsWith('list:')) return `A subscription to ${words}`;
  return id.startsWith('link:')
    ? `A click on ${words}, whose message is not known`
    : `${capital(words)}, opened or clicked`;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

function countWords(nodes: readonly GraphNode[]): string {
  const rules = nodes.filter(({ rule }) => rule !== undefined);
  const paused = rules.filter(({ rule }) => rule?.paused).length;
  return `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}${paused === 0 ? '' : `, ${paused} of them paused`}`;
}

function effectWords(rule: AutomationRule, called: (id: string) => string): string {
  if (rule.kind !== 'sms') {
    const { actiontype: action, actiontarget } = rule;
    const message = { email_autoresponder: 'email', sms_autoresponder: 'sms-message' }[action];
    const does =
      message === undefined
        ? actionWords(action, actiontarget)
        : `send ${called(`${message}:${actiontarget}`)}`;
    return [...onWords(rule), ...whenWords(rule), does].join(', ');
  }
  const { keyword, list, emailList, message, notifyemail, notifymsisdn, notifyurl } = rule;
  const told = Object.entries({ notifymsisdn, notifyemail, notifyurl }).flatMap(([action, target]) =>
    target === null ? [] : [actionWords(action, target)],
  );
  return [
    keyword === null ? 'any keyword that no other rule takes' : `keyword ${keyword}`,
    `add the number to list ${list}`,
    ...(emailList === null ? [] : [`add an e-mail address in it to list ${emailList}`]),
    ...(message === null ? [] : [`answer with ${called(`sms-message:${message}`)}`]),
    ...told,
  ].join(', ');
}

/** Of a message both an open and a click can set rules off. */
function onWords(rule: AutomationRule): readonly string[] {
  if (rule.kind === 'open') return ['when it is opened'];
  if (rule.kind !== 'click') return [];
  return [rule.link === null ? 'when any of its links is clicked' : `when link ${rule.link} is clicked`];
}

function whenWords(rule: AutomationRule): readonly string[] {
  if (rule.kind === 'sms') return [];
  const { offset } = timingOf(rule.kind, rule, { event: 0, now: 0, zone: 'UTC' });
  const { actionhour, actiononweekend } = rule;
  return [
    ...(offset === 0 ? [] : [`${formatDuration(Math.abs(offset))} ${offset < 0 ? 'before' : 'later'}`]),
    ...(actionhour === null ? [] : [`at ${actionhour.slice(0, 5)}`]),
    ...(actiononweekend ? [] : ['not at weekends']),
  ];
}

function marksOf({ loops }: RuleGraph, id: string): readonly string[] {
  const own = loops.filter(({ rules }) => rules.includes(id));
  if (own.length === 0) return [];
  return [own.some(({ paused }) => !paused) ? 'LOOP' : 'a loop, stopped by a pause'];
}

const safe = (text: string): string => escapeForTerminal(text);
