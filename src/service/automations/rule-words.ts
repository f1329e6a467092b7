/** Describes rules, and the lists and messages that they use, in words. */

import { formatDuration } from '../../kit/text/duration.ts';
import { truncateText } from '../../kit/text/words.ts';
import { removeMarks } from '../resources/campaign-mark.ts';
import { RULE_DEFINITIONS } from '../resources/rule-kinds.ts';
import type { GraphNode } from './graph.ts';
import {
  type AutomationRule,
  computeActionTimingOfSmsReply,
  computeActionTimingOfTimedRule,
  ruleActionHour,
} from './rules.ts';

/** Function that returns the name of a node, such as a list or a message. Returns undefined for a node without a name. */
export type NodeNameLookup = (node: GraphNode) => string | undefined;

/** Maximum number of characters of a name in a title. A longer name is cut. */
const MAX_SHOWN_NAME_LENGTH = 40;

/** Returns the kind, id and name of a node: `list 7`, `e-mail message 3 (Welcome)`. */
export function nodeTitle(node: GraphNode, nameOf: NodeNameLookup): string {
  const id = node.id.slice(node.id.indexOf(':') + 1);
  const name = nameOf(node);
  return `${WORDS[node.kind]} ${id}${name === undefined ? '' : ` (${shortNameOf(name)})`}`;
}

/** Returns the name without the mark of its campaign, cut if it is long. */
export const shortNameOf = (name: string): string => truncateText(removeMarks(name), MAX_SHOWN_NAME_LENGTH);

const WORDS = {
  list: 'list',
  email: 'e-mail message',
  'sms-message': 'SMS message',
  link: 'link',
  rule: 'rule',
} as const;

/** Returns when a rule acts and what it does: `when it is opened, 1 hour later, add to list 3`. */
export const describeTriggerAndAction = (rule: AutomationRule, titleOf: (id: string) => string): string =>
  [...describeTrigger(rule), describeDelayAndAction(rule, titleOf)].join(', ');

/** Returns when a rule acts and what it does, without the event that triggers it: `1 hour later, add to list 3`. */
export function describeDelayAndAction(rule: AutomationRule, titleOf: (id: string) => string): string {
  if (rule.kind !== 'sms') {
    const { actiontype: action, actiontarget } = rule;
    const message = { email_autoresponder: 'email', sms_autoresponder: 'sms-message' }[action];
    const does =
      message === undefined
        ? describeAction(action, actiontarget)
        : `send ${titleOf(`${message}:${actiontarget}`)}`;
    return [...whenWords(rule), does].join(', ');
  }
  const { list, emailList, message, notifyemail, notifymsisdn, notifyurl } = rule;
  const told = Object.entries({ notifymsisdn, notifyemail, notifyurl }).flatMap(([action, target]) =>
    target === null ? [] : [describeAction(action, target)],
  );
  return [
    `add the sender's number to list ${list}`,
    ...(emailList === null ? [] : [`add an e-mail address from the SMS to list ${emailList}`]),
    ...(message === null
      ? []
      : [[...whenWords(rule), `answer with ${titleOf(`sms-message:${message}`)}`].join(', ')]),
    ...told,
  ].join(', ');
}

/** Returns the trigger in words. For a message, the words say whether an open or a click triggers the rule. */
function describeTrigger(rule: AutomationRule): readonly string[] {
  const detail = RULE_DEFINITIONS[rule.kind].detail(rule);
  return detail === undefined ? [] : [detail];
}

/** Returns when the action of the rule happens, or the answer of an sms rule: `1 hour later`, `not at weekends`. */
function whenWords(rule: AutomationRule): readonly string[] {
  const moment = { event: 0, now: 0, zone: 'UTC' };
  const { offset, onWeekend } =
    rule.kind === 'sms'
      ? computeActionTimingOfSmsReply(rule, moment)
      : computeActionTimingOfTimedRule(rule.kind, rule, moment);
  const hour = ruleActionHour(rule);
  return [
    ...(offset === 0 ? [] : [`${formatDuration(Math.abs(offset))} ${offset < 0 ? 'before' : 'later'}`]),
    ...(hour === null ? [] : [`at ${hour.slice(0, 5)}`]),
    ...(onWeekend ? [] : ['not at weekends']),
  ];
}

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['addtolist', 'add to list'],
  ['copytolist', 'copy to list'],
  ['movetolist', 'move to list'],
  ['email_autoresponder', 'send e-mail message'],
  ['sms_autoresponder', 'send SMS message'],
  ['notifyemail', 'forward the SMS to'],
  ['notifymsisdn', 'forward the SMS to'],
  ['notifyurl', 'call'],
]);

/** Describes an action with its `actiontarget`, or an action of an sms rule with the value of its attribute. */
export const describeAction = (action: string, target: string): string =>
  action === 'removefromlist'
    ? 'remove the subscriber from the list'
    : `${ACTIONS.get(action) ?? action} ${target}`;
