/** Converts the attributes of a rule into the timing of its action (interface, "Automation rules"). */
import { TIMED_RULE_DEFINITIONS, type TimedKind } from '../resources/rule-kinds.ts';
import { parseActionHourOfDay } from '../schema/formats.ts';
import type { ActionTiming } from './action-time.ts';

/** Time of the event that triggers a rule, the present time (`now`) and the time zone. Times are Unix seconds. */
export interface EventTimes {
  /** Time of the event. For a date rule, the time of the date itself. */
  readonly event: number;
  readonly now: number;
  /** Time zone of the company. */
  readonly zone: string;
}

/** Attributes of a click, open, subscription or date rule that decide the time of its action. */
export interface TimedRuleTimingAttributes {
  /** Offset in the unit that the rule's kind uses: minutes or seconds. */
  readonly actiontimediff: number;
  readonly actionhour: string | null;
  readonly actiononweekend: boolean;
}

/** Returns the timing of a click, open, subscription or date rule. */
export function computeActionTimingOfTimedRule(
  kind: TimedKind,
  rule: TimedRuleTimingAttributes,
  moment: EventTimes,
): ActionTiming {
  const { event, now, zone } = moment;
  const offset = rule.actiontimediff * secondsOf(kind);
  return { event, now, zone, offset, hour: hourOf(rule.actionhour), onWeekend: rule.actiononweekend };
}

/** Attributes of an sms rule that decide the time of its reply. */
export interface SmsReplyTimingAttributes {
  /** Offset in seconds. Null means 0. */
  readonly message_actiontimediff: number | null;
  readonly message_actionhour: string | null;
  /** Null has the effect of true (src/protocol/README.md, "Answers to an SMS"). */
  readonly message_actiononweekend: boolean | null;
}

/** Returns the timing of the reply that an sms rule sends. */
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
