/** Describes rules, and the lists and messages that they use, in words. */
import { RULES } from '../resources/rule-kinds.ts';
import { formatDuration } from '../text/duration.ts';
import { bounded } from '../text/words.ts';
import { actionWords } from './action-words.ts';
import type { GraphNode } from './graph.ts';
import type { AutomationRule } from './rules.ts';
import { timingOf } from './timing.ts';

/** Returns the name of a list, a message or a rule, or undefined if it has none. */
export type NodeName = (node: GraphNode) => string | undefined;

export const LONGEST_NAME = 40;

/** Returns the kind, id and name of a node: `list 7`, `e-mail message 3 (Welcome)`. */
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

/**
 * Returns when a rule acts and what it does: `when it is opened, 1 hour later, add to list 3`.
 * @param called returns the title of a node of the graph
 */
export const effectWords = (rule: AutomationRule, called: (id: string) => string): string =>
  [...onWords(rule), actionText(rule, called)].join(', ');

/** Returns the text of `effectWords` without the trigger. */
export function actionText(rule: AutomationRule, called: (id: string) => string): string {
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

/** Returns the trigger in words. A message alone does not show the trigger, because both its opens and its clicks can trigger rules. */
function onWords(rule: AutomationRule): readonly string[] {
  const detail = RULES[rule.kind].detail(rule);
  return detail === undefined ? [] : [detail];
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
