/** Rules as the service gives them, read as far as they say what sets them off and what they do. */
import type { JsonObject } from '../protocol/json.ts';
import type { RuleKind, TimedKind } from '../resources/automation.ts';
import { parseActionHour } from '../text/hour.ts';
import type { AnswerAttributes, TimedAttributes } from './timing.ts';

interface Named {
  /** `click:12`. */
  readonly ref: string;
  readonly name: string;
  readonly paused: boolean;
}

/** Ids are texts here, of any size. */
export interface TimedRule extends Named, TimedAttributes {
  readonly kind: TimedKind;
  readonly actiontype: string;
  readonly actiontarget: string;
  /** What it waits for; null where the kind has no such attribute, or another one is set. */
  readonly list: string | null;
  readonly link: string | null;
  readonly message: string | null;
}

export interface SmsRule extends Named, AnswerAttributes {
  readonly kind: 'sms';
  /** Null takes what no other rule does. */
  readonly keyword: string | null;
  readonly list: string;
  readonly emailList: string | null;
  /** The auto-responder. */
  readonly message: string | null;
  readonly notifyemail: string | null;
  readonly notifymsisdn: string | null;
  readonly notifyurl: string | null;
}

export type AutomationRule = TimedRule | SmsRule;

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

/** The hour of the rule's action, as the service gives it: `09:00:00`. */
export const actionHourOf = (rule: AutomationRule): string | null =>
  rule.kind === 'sms' ? rule.message_actionhour : rule.actionhour;

/** Why no time can be worked out for the rule, or undefined: the service gives what the interface doesn't know. */
export function timingFault(rule: AutomationRule): string | undefined {
  const hour = actionHourOf(rule);
  if (hour !== null && parseActionHour(hour) === undefined)
    return `${rule.ref} the hour ${hour}, which is not HH:00:00`;
  const offset = rule.kind === 'sms' ? rule.message_actiontimediff : rule.actiontimediff;
  return Number.isFinite(offset ?? 0) ? undefined : `${rule.ref} an actiontimediff that is no number`;
}
