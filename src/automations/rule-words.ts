/** Rules, and what they work on, in words. */
import { bounded } from '../text/bounded.ts';
import { formatDuration } from '../text/duration.ts';
import { actionWords } from './action-words.ts';
import type { GraphNode } from './graph.ts';
import type { AutomationRule } from './rules.ts';
import { timingOf } from './timing.ts';

/** What a list, a message or a rule is called; undefined where it has no name. */
export type NodeName = (node: GraphNode) => string | undefined;

export const LONGEST_NAME = 40;

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

/** When and what a rule does: `when it is opened, 1 hour later, add to list 3`. @param called what a node of the graph is called */
export const effectWords = (rule: AutomationRule, called: (id: string) => string): string =>
  [...onWords(rule), deedWords(rule, called)].join(', ');

/** The same without what sets it off. */
export function deedWords(rule: AutomationRule, called: (id: string) => string): string {
  if (rule.kind !== 'sms') {
    const { actiontype: action, actiontarget } = rule;
    const message = { email_autoresponder: 'email', sms_autoresponder: 'sms-message' }[action];
    const does =
      message === undefined
        ? actionWords(action, actiontarget)
        : `send ${called(`${message}:${actiontarget}`)}`;
    return [...whenWords(rule), does].join(', ');
  }
  const { list, emailList, message, notifyemail, notifymsisdn, notifyurl } = rule;
  const told = Object.entries({ notifymsisdn, notifyemail, notifyurl }).flatMap(([action, target]) =>
    target === null ? [] : [actionWords(action, target)],
  );
  return [
    `add the number to list ${list}`,
    ...(emailList === null ? [] : [`add an e-mail address in it to list ${emailList}`]),
    ...(message === null ? [] : [`answer with ${called(`sms-message:${message}`)}`]),
    ...told,
  ].join(', ');
}

/** Of a message both an open and a click can set rules off. */
function onWords(rule: AutomationRule): readonly string[] {
  switch (rule.kind) {
    case 'open':
      return ['when it is opened'];
    case 'click':
      return [rule.link === null ? 'when any of its links is clicked' : `when link ${rule.link} is clicked`];
    case 'sms':
      return [rule.keyword === null ? 'any keyword that no other rule takes' : `keyword ${rule.keyword}`];
    default:
      return [];
  }
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
