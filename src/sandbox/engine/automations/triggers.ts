/** Finds the rules that an event triggers, and computes the due time of their actions (interface, "Events"). */
import { actionTime } from '../../../automations/action-time.ts';
import { type Chain, cycleThrough } from '../../../automations/chain.ts';
import { timingOf } from '../../../automations/timing.ts';
import { type RuleKind, watchedBy } from '../../../resources/rule-kinds.ts';
import { matchingRules, type TimedRow, type Trigger } from '../../store/automations.ts';
import { accountById } from '../../store/identity.ts';
import type { Step } from '../step.ts';
import type { EngineContext } from './cause.ts';
import { logLoop } from './log.ts';
import { type RuleOutcome, timedOutcome } from './rule-outcome.ts';

export type { Trigger } from '../../store/automations.ts';

export type TriggerEvent = Trigger | { readonly kind: 'sms'; readonly to: string; readonly text: string };

/** The triggering event, as a queued action stores it. */
export interface QueuedEvent {
  readonly happening: TriggerEvent;
  /** Unix seconds. */
  readonly time: number;
  /** The rules that led to the event, each as `click 3`. */
  readonly chain: Chain;
}

/**
 * Queues the actions of all rules that the event triggers. Runs none of them, not even those that are due at once.
 * A rule that its own action triggers again for the same subscriber would loop for ever: it is stopped here, and logged.
 * @param place where and when it happened; a date trigger brings its own time
 * @returns the outcome of each rule that matched
 */
export async function fireTrigger(
  place: EngineContext,
  trigger: Trigger,
  subscriberId: number,
  chain: Chain = [],
): Promise<readonly RuleOutcome[]> {
  const { step, now } = place;
  const rules = await rulesFor(step, trigger);
  if (rules.length === 0) return [];
  const outcomes: RuleOutcome[] = [];
  const account = await accountById(step.db, step.accountId);
  for (const rule of rules) {
    const link = `${trigger.kind} ${rule.id}`;
    const round = cycleThrough(chain, link);
    if (round !== undefined) {
      logLoop(step, now, subscriberId, round);
      outcomes.push(
        timedOutcome(trigger.kind, rule, { why: 'stopped, because it would trigger itself forever' }),
      );
      continue;
    }
    const due = dueTime(trigger, rule, account?.timezone ?? 'UTC', now);
    queue(
      step,
      { kind: trigger.kind, rule, subscriberId, due },
      {
        happening: trigger,
        time: trigger.time ?? now,
        chain: [...chain, link],
      },
    );
    outcomes.push(timedOutcome(trigger.kind, rule, { queued: due }));
  }
  return outcomes;
}

/** Returns the rules that wait for the event. */
export const rulesFor = (step: Step, trigger: Trigger): Promise<readonly TimedRow[]> =>
  step.once(`rules for ${trigger.kind} ${Object.values(watchedBy(trigger)).join(' ')}`, () =>
    matchingRules(step.db, step.accountId, trigger),
  );

/** Adds one action of a rule to the queue. */
export function queue(
  step: Step,
  action: {
    readonly kind: RuleKind;
    readonly rule: { readonly id: number; readonly account_id: number };
    readonly subscriberId: number;
    readonly due: number;
  },
  event: QueuedEvent,
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

function dueTime(trigger: Trigger, rule: TimedRow, zone: string, now: number): number {
  const event = trigger.time ?? now;
  const { actiontimediff, actionhour } = rule;
  const attributes = { actiontimediff, actionhour, actiononweekend: rule.actiononweekend === 1 };
  return actionTime(timingOf(trigger.kind, attributes, { event, now, zone }));
}
