/** Reads trigger, action and timing of rules (interface, "Automation rules"), and computes list changes (interface, "Events"). */

import { parseActionHourOfDay } from '../../kit/schema/formats.ts';
import type { Resource } from '../../kit/schema/resource.ts';
import {
  type AnyRule,
  RULE_KINDS,
  type RuleKind,
  TIMED_RULE_DEFINITIONS,
  type TimedKind,
} from '../resources/rule-kinds.ts';
import type { ActionTiming } from './action-time.ts';

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
export function readRuleOfResource(found: {
  readonly resource: Resource;
  readonly record: AnyRule;
}): AutomationRule {
  const kind = RULE_KINDS.find((each) => each === found.resource.variant);
  if (kind === undefined) throw new RangeError(`${found.resource.name} is no kind of rule`);
  return readRule(kind, found.record);
}

export function readRule(kind: RuleKind, record: AnyRule): AutomationRule {
  const text = (name: keyof AnyRule): string | null => {
    const value = record[name] ?? null;
    return value === null ? null : String(value);
  };
  const named = {
    ref: `${kind}:${String(record.id)}`,
    name: text('name') ?? '',
    paused: record.paused === true,
  };
  if (kind !== 'sms')
    return {
      ...named,
      kind,
      actiontype: text('actiontype') ?? '',
      actiontarget: text('actiontarget') ?? '',
      actiontimediff: Number(record.actiontimediff ?? 0),
      actionhour: text('actionhour'),
      actiononweekend: record.actiononweekend !== false,
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
    message_actiontimediff: Number(record.message_actiontimediff ?? 0),
    message_actionhour: text('message_actionhour'),
    message_actiononweekend: record.message_actiononweekend !== false,
    notifyemail: text('notifyemail'),
    notifymsisdn: text('notifymsisdn'),
    notifyurl: text('notifyurl'),
  };
}

/** Returns the hour of the rule's action, as the service gives it: `09:00:00`. */
export const ruleActionHour = (rule: AutomationRule): string | null =>
  rule.kind === 'sms' ? rule.message_actionhour : rule.actionhour;

/** Returns why svc cannot compute the time of the rule's action: its hour or time difference is not allowed. Otherwise undefined. */
export function findRuleTimingFault(rule: AutomationRule): string | undefined {
  const hour = ruleActionHour(rule);
  if (hour !== null && parseActionHourOfDay(hour) === undefined)
    return `${rule.ref} has the hour ${hour}, which is not in the form HH:00:00`;
  const offset = rule.kind === 'sms' ? rule.message_actiontimediff : rule.actiontimediff;
  return Number.isFinite(offset ?? 0) ? undefined : `${rule.ref} has an actiontimediff that is not a number`;
}

/** Time of the event that triggers a rule, the present time (`now`) and the time zone. Times are Unix seconds. */
export interface EventTimes {
  /** Time of the event. For a date rule, the time of the date itself. */
  readonly event: number;
  readonly now: number;
  readonly zone: string;
}

/** Attributes of a click, open, subscription or date rule that decide the time of its action. */
interface TimedRuleTimingAttributes {
  /** Offset in the unit that the rule's kind uses: minutes or seconds. */
  readonly actiontimediff: number;
  readonly actionhour: string | null;
  readonly actiononweekend: boolean;
}

export function computeActionTimingOfTimedRule(
  kind: TimedKind,
  rule: TimedRuleTimingAttributes,
  moment: EventTimes,
): ActionTiming {
  const { event, now, zone } = moment;
  const offset = rule.actiontimediff * secondsOf(kind);
  return { event, now, zone, offset, hour: hourOf(rule.actionhour), onWeekend: rule.actiononweekend };
}

interface SmsReplyTimingAttributes {
  /** Offset in seconds. Null means 0. */
  readonly message_actiontimediff: number | null;
  readonly message_actionhour: string | null;
  /** Null has the effect of true (src/service/protocol/README.md, "Answers to an SMS"). */
  readonly message_actiononweekend: boolean | null;
}

export function computeActionTimingOfSmsReply(
  rule: SmsReplyTimingAttributes,
  moment: EventTimes,
): ActionTiming {
  return {
    ...moment,
    offset: rule.message_actiontimediff ?? 0,
    hour: hourOf(rule.message_actionhour),
    onWeekend: rule.message_actiononweekend ?? true,
  };
}

/** Returns the hour in an `actionhour`: `09:00:00` → 9. Returns null for null. */
const hourOf = (actionhour: string | null): number | null =>
  actionhour === null ? null : (parseActionHourOfDay(actionhour) ?? null);

/** Returns the number of seconds in one unit of `actiontimediff` for this kind of rule (interface, "Per-kind differences"). */
const secondsOf = (kind: TimedKind): number =>
  TIMED_RULE_DEFINITIONS[kind].resource.fields.actiontimediff.unit === 'minutes' ? 60 : 1;

const LIST_ACTIONS = ['addtolist', 'copytolist', 'movetolist', 'removefromlist'] as const;
export type ListAction = (typeof LIST_ACTIONS)[number];

export const isListAction = (actiontype: string): actiontype is ListAction =>
  LIST_ACTIONS.some((action) => action === actiontype);

/** Effect of an action on the lists of a subscriber. `I` is the type of list ids. */
export interface SubscriberListChange<I> {
  /** List that the subscriber must be on for the action to happen. Undefined if no list is required. */
  readonly from: I | undefined;
  /** True if the subscriber leaves the list `from`. */
  readonly leavesFrom: boolean;
  /** List that the subscriber is added to. */
  readonly to: I | undefined;
}

/** Returns the effect of an action. `triggerList`: the list of a subscription rule. `target`: the rule's `actiontarget`. */
export function computeListChange<I>(
  action: ListAction,
  triggerList: I | undefined,
  target: I,
): SubscriberListChange<I> {
  const from = action === 'addtolist' ? undefined : triggerList;
  return {
    from,
    leavesFrom: from !== undefined && action !== 'copytolist',
    to: action === 'removefromlist' ? undefined : target,
  };
}

/** Rules whose actions led to an event. Each rule is named by its kind and id. Empty if a recipient caused the event. */
export type TriggeringRuleChain = readonly string[];

/** Returns the loop if the chain triggers `rule` again: `B, C, B` for `A, B, C` and `B` (src/service/protocol/README.md, "Actions"). */
export const findCycleThroughRule = (
  chain: TriggeringRuleChain,
  rule: string,
): TriggeringRuleChain | undefined =>
  chain.includes(rule) ? [...chain.slice(chain.indexOf(rule)), rule] : undefined;
