/** Reads the attributes of a rule that define its trigger and its action. */
import type { JsonObject } from '../protocol/json.ts';
import type { RuleKind, TimedKind } from '../resources/rule-kinds.ts';
import { parseActionHourOfDay } from '../schema/formats.ts';
import type { Resource } from '../schema/resource.ts';
import type { SmsReplyTimingAttributes, TimedRuleTimingAttributes } from './timing.ts';

interface Named {
  /** Kind and id of the rule: `click:12`. */
  readonly ref: string;
  readonly name: string;
  readonly paused: boolean;
}

/** Rule with an action and an offset. Its ids are texts, because ids can exceed the safe range of numbers. */
export interface TimedRule extends Named, TimedRuleTimingAttributes {
  readonly kind: TimedKind;
  readonly actiontype: string;
  readonly actiontarget: string;
  /** Id of the list whose subscriptions trigger the rule. Null if something else triggers the rule, such as a link or a message. */
  readonly list: string | null;
  readonly link: string | null;
  readonly message: string | null;
}

export interface SmsRule extends Named, SmsReplyTimingAttributes {
  readonly kind: 'sms';
  /** Keyword that triggers the rule. If it is null, every SMS that no other rule matches triggers the rule. */
  readonly keyword: string | null;
  readonly list: string;
  readonly emailList: string | null;
  /** Id of the SMS message that the rule sends as a reply. Null if the rule sends none. */
  readonly message: string | null;
  readonly notifyemail: string | null;
  readonly notifymsisdn: string | null;
  readonly notifyurl: string | null;
}

export type AutomationRule = TimedRule | SmsRule;

/** Reads a rule from a record of the resource that declares the rule's kind. */
export const readRuleOfResource = ({
  resource,
  record,
}: {
  readonly resource: Resource;
  readonly record: JsonObject;
}): AutomationRule => readRule(resource.variant as RuleKind, record);

/** Reads a rule from a record that the service returned. */
export function readRule(kind: RuleKind, record: JsonObject): AutomationRule {
  const text = (name: string): string | null => {
    const value = record[name] ?? null;
    return value === null ? null : String(value);
  };
  const named = {
    ref: `${kind}:${String(record['id'])}`,
    name: text('name') ?? '',
    paused: record['paused'] === true,
  };
  if (kind !== 'sms')
    return {
      ...named,
      kind,
      actiontype: text('actiontype') ?? '',
      actiontarget: text('actiontarget') ?? '',
      actiontimediff: Number(record['actiontimediff'] ?? 0),
      actionhour: text('actionhour'),
      actiononweekend: record['actiononweekend'] !== false,
      list: text('list_id'),
      link: text('link_id'),
      message: text('message_id'),
    };
  return {
    ...named,
    kind,
    keyword: text('keyword'),
    list: text('list_id') ?? '',
    emailList: text('email_list_id'),
    message: text('message_id'),
    message_actiontimediff: Number(record['message_actiontimediff'] ?? 0),
    message_actionhour: text('message_actionhour'),
    message_actiononweekend: record['message_actiononweekend'] !== false,
    notifyemail: text('notifyemail'),
    notifymsisdn: text('notifymsisdn'),
    notifyurl: text('notifyurl'),
  };
}

/** Returns the hour of the rule's action, as the service gives it: `09:00:00`. */
export const ruleActionHour = (rule: AutomationRule): string | null =>
  rule.kind === 'sms' ? rule.message_actionhour : rule.actionhour;

/**
 * Returns a sentence that says why svc cannot compute the time of the rule's action. Returns undefined if svc can compute the time. The
 * computation fails only if the rule has an hour or a time difference that the interface does not allow.
 */
export function findRuleTimingFault(rule: AutomationRule): string | undefined {
  const hour = ruleActionHour(rule);
  if (hour !== null && parseActionHourOfDay(hour) === undefined)
    return `${rule.ref} has the hour ${hour}, which is not in the form HH:00:00`;
  const offset = rule.kind === 'sms' ? rule.message_actiontimediff : rule.actiontimediff;
  return Number.isFinite(offset ?? 0) ? undefined : `${rule.ref} has an actiontimediff that is not a number`;
}
