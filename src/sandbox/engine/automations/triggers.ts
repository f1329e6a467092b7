/** Finds the rules that an event triggers, with the due time of their actions (interface, "Events"), and explains why others are not. */
import { computeActionTime } from '../../../service/automations/action-time.ts';
import {
  computeActionTimingOfTimedRule,
  findCycleThroughRule,
  type TriggeringRuleChain,
} from '../../../service/automations/rules.ts';
import {
  describeAwaitedEvent,
  findRuleAttributesMatchingEvent,
  type RuleKind,
} from '../../../service/resources/rule-kinds.ts';
import { accountById } from '../../store/accounts.ts';
import {
  findMatchingTimedRules,
  listTimedRules,
  type TimedRuleEvent,
  type TimedRuleRow,
  type TimedRuleWithTrigger,
} from '../../store/automations.ts';
import type { Db } from '../../store/open.ts';
import { listRowsOfAccount } from '../../store/rows.ts';
import type { AccountWorkStep, RuleEventContext } from '../step.ts';

export type { TimedRuleEvent } from '../../store/automations.ts';

export type TriggerEvent =
  | TimedRuleEvent
  | { readonly kind: 'sms'; readonly to: string; readonly text: string };

export interface QueuedTriggerEvent {
  readonly happening: TriggerEvent;
  /** Time of the event in Unix seconds. */
  readonly time: number;
  /** The rules that led to the event, each in the form `click 3`. */
  readonly chain: TriggeringRuleChain;
}

/**
 * Queues the actions of all rules that the event triggers, and performs none. A rule in `chain`, the rules that led to the event, would
 * trigger itself forever: its loop is logged instead. A time in `trigger` takes precedence over that of `context`.
 */
export async function queueTriggeredRuleActions(
  context: RuleEventContext,
  trigger: TimedRuleEvent,
  subscriberId: number,
  chain: TriggeringRuleChain = [],
): Promise<readonly RuleOutcome[]> {
  const { step, now } = context;
  const rules = await findTriggeredRules(step, trigger);
  if (rules.length === 0) return [];
  const outcomes: RuleOutcome[] = [];
  const outcomeOf = (rule: TimedRuleRow, outcome: ActionOutcome): RuleOutcome =>
    createRuleOutcome(trigger.kind, rule, rule.actiontype, rule.actiontarget, outcome);
  const account = await accountById(step.db, step.accountId);
  for (const rule of rules) {
    const link = `${trigger.kind} ${rule.id}`;
    const round = findCycleThroughRule(chain, link);
    if (round !== undefined) {
      logRuleLoop(step, now, subscriberId, round);
      outcomes.push(outcomeOf(rule, { why: 'stopped, because the rule would trigger itself forever' }));
      continue;
    }
    const due = dueTime(trigger, rule, account?.timezone ?? 'UTC', now);
    queueRuleAction(
      step,
      { kind: trigger.kind, rule, subscriberId, due },
      { happening: trigger, time: trigger.time ?? now, chain: [...chain, link] },
    );
    outcomes.push(outcomeOf(rule, { queued: due }));
  }
  return outcomes;
}

export const findTriggeredRules = (
  step: AccountWorkStep,
  trigger: TimedRuleEvent,
): Promise<readonly TimedRuleRow[]> =>
  step.once(
    `rules for ${trigger.kind} ${Object.values(findRuleAttributesMatchingEvent(trigger)).join(' ')}`,
    () => findMatchingTimedRules(step.db, step.accountId, trigger),
  );

export function queueRuleAction(
  step: AccountWorkStep,
  action: {
    readonly kind: RuleKind;
    readonly rule: { readonly id: number; readonly account_id: number };
    readonly subscriberId: number;
    readonly due: number;
  },
  event: QueuedTriggerEvent,
): void {
  step.queue.add({
    account_id: action.rule.account_id,
    rule_kind: action.kind,
    rule_id: action.rule.id,
    subscriber_id: action.subscriberId,
    due: action.due,
    event: JSON.stringify(event),
  });
}

function dueTime(trigger: TimedRuleEvent, rule: TimedRuleRow, zone: string, now: number): number {
  const event = trigger.time ?? now;
  const { actiontimediff, actionhour } = rule;
  const attributes = { actiontimediff, actionhour, actiononweekend: rule.actiononweekend === 1 };
  return computeActionTime(computeActionTimingOfTimedRule(trigger.kind, attributes, { event, now, zone }));
}

/** The outcome of one action of one rule: queued, done at once, or neither. */
export interface RuleOutcome {
  readonly kind: RuleKind;
  readonly ruleId: number;
  readonly name: string;
  /** The rule's `actiontype`. An sms rule has several actions, such as `addtolist` or `notifyurl`. */
  readonly action: string;
  readonly target: string;
  /** Unix seconds at which the queued action is due. Null if the action was not queued. */
  readonly queued: number | null;
  readonly done: boolean;
  readonly why: string | null;
}

type ActionOutcome = Partial<Pick<RuleOutcome, 'queued' | 'done' | 'why'>>;

export const createRuleOutcome = (
  kind: RuleKind,
  { id, name }: { readonly id: number; readonly name: string },
  action: string,
  target: string | number,
  { queued = null, done = false, why = null }: ActionOutcome,
): RuleOutcome => ({ kind, ruleId: id, name, action, target: String(target), queued, done, why });

export const toActionOutcome = (obstacle: string | undefined): ActionOutcome =>
  obstacle === undefined ? { done: true } : { why: obstacle };

export interface UnmatchedRule {
  readonly kind: RuleKind;
  readonly ruleId: number;
  readonly name: string;
  readonly why: string;
}

/** Returns the other rules of the trigger's kind, each with the reason why it did not match. A date event names one rule. */
export async function findUnmatchedRules(
  db: Db,
  accountId: number,
  trigger: TimedRuleEvent,
  matched: ReadonlySet<number>,
): Promise<readonly UnmatchedRule[]> {
  const rules = await listTimedRules(db, accountId, trigger.kind);
  return rules
    .filter(({ id }) => !matched.has(id) && (trigger.kind !== 'date' || id === trigger.ruleId))
    .map((rule) => ({
      kind: trigger.kind,
      ruleId: rule.id,
      name: rule.name,
      why: reasonOf(rule, waitsForOther(rule, trigger)),
    }));
}

/** Returns the sms rules that an SMS did not trigger, each with the reason. `word` is compared with keywords, ignoring case. */
export async function findUnmatchedSmsRules(
  db: Db,
  accountId: number,
  word: string,
  matched: ReadonlySet<number>,
): Promise<readonly UnmatchedRule[]> {
  const rules = await listRowsOfAccount(db, 'sms_automation', accountId);
  return rules
    .filter(({ id }) => !matched.has(id))
    .map((rule) => ({
      kind: 'sms',
      ruleId: rule.id,
      name: rule.name,
      why: reasonOf(rule, otherKeyword(rule.keyword, word, matched.size > 0)),
    }));
}

/** Joins the reasons why a rule did not match: it is paused, it waits for another event, or both. */
const reasonOf = ({ paused }: { readonly paused: number }, other: string | undefined): string =>
  [...(paused === 1 ? ['paused'] : []), ...(other === undefined ? [] : [other])].join(', ');

/** Returns a phrase for the event that the rule waits for. Returns undefined if the rule waits for the event `trigger`. */
function waitsForOther(rule: TimedRuleWithTrigger, trigger: TimedRuleEvent): string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...rule };
  const isMatch = Object.entries(findRuleAttributesMatchingEvent(trigger)).some(
    ([column, value]) => values[column] === value,
  );
  return isMatch ? undefined : describeAwaitedEvent(trigger.kind, rule);
}

function otherKeyword(keyword: string | null, word: string, isTaken: boolean): string | undefined {
  if (keyword === null) return isTaken ? 'takes only SMS that no keyword matches' : undefined;
  return keyword.toLowerCase() === word.toLowerCase() ? undefined : `waits for the keyword ${keyword}`;
}

/** Logs an endless chain of rules that was stopped. The first rule is repeated at the end. */
function logRuleLoop(
  step: AccountWorkStep,
  now: number,
  subscriberId: number,
  rules: readonly string[],
): void {
  const text = `Endless loop stopped for subscriber ${subscriberId}: ${rules.join(' → ')}`;
  step.add('log', { time: now, kind: 'loop', text });
}
