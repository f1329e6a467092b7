/** Finds the rules that an event triggers, and computes the due time of their actions (interface, "Events"). */
import { actionTime } from '../../../automations/action-time.ts';
import { type Chain, roundOf } from '../../../automations/chain.ts';
import { timingOf } from '../../../automations/timing.ts';
import type { RuleKind } from '../../../resources/rule-kinds.ts';
import { matchingRules, type TimedRow, type Trigger } from '../../store/automations.ts';
import { accountById } from '../../store/identity.ts';
import type { Db } from '../../store/open.ts';
import { queueAction } from '../../store/queue.ts';
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
  const { db, accountId, now } = place;
  const rules = await matchingRules(db, accountId, trigger);
  if (rules.length === 0) return [];
  const outcomes: RuleOutcome[] = [];
  const account = await accountById(db, accountId);
  for (const rule of rules) {
    const link = `${trigger.kind} ${rule.id}`;
    const round = roundOf(chain, link);
    if (round !== undefined) {
      await logLoop(db, now, subscriberId, round);
      outcomes.push(
        timedOutcome(trigger.kind, rule, { why: 'stopped, because it would trigger itself forever' }),
      );
      continue;
    }
    const due = dueTime(trigger, rule, account?.timezone ?? 'UTC', now);
    await queue(
      db,
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

/** Reports whether any rule waits for the event, so that many events need one query. */
export async function hasRuleFor(db: Db, accountId: number, trigger: Trigger): Promise<boolean> {
  return (await matchingRules(db, accountId, trigger)).length > 0;
}

/** Adds one action of a rule to the queue. */
export async function queue(
  db: Db,
  action: {
    readonly kind: RuleKind;
    readonly rule: { readonly id: number; readonly account_id: number };
    readonly subscriberId: number;
    readonly due: number;
  },
  event: QueuedEvent,
): Promise<void> {
  await queueAction(db, {
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
  const attributes = { ...rule, actiononweekend: rule.actiononweekend === 1 };
  return actionTime(timingOf(trigger.kind, attributes, { event, now, zone }));
}
