/** Logs what rules did and what they did not do, for `sandbox log` and the pages of rules. */
import type { Db } from '../../store/open.ts';
import { insertRow } from '../../store/rows.ts';
import type { Step } from '../step.ts';
import { type Cause, nameOf } from './cause.ts';

/** Records a change of a list. */
export function noteChange(
  step: Step,
  cause: Cause,
  change: { readonly action: string; readonly target: string; readonly subscriberId: number },
): void {
  step.add('rule_action', {
    ...ruleOf(cause),
    ...{ subscriber_id: change.subscriberId, time: cause.now, action: change.action, target: change.target },
    why: null,
  });
}

/** Logs an action that was due and could not be done. */
export function logSkipped(step: Step, cause: Cause, why: string): void {
  step.add('log', { time: cause.now, kind: 'automation', text: `${nameOf(cause)}: ${why}` });
  step.add('rule_action', {
    ...ruleOf(cause),
    ...{ subscriber_id: null, time: cause.now, action: null, target: null, why },
  });
}

const ruleOf = ({ accountId, ruleKind, ruleId }: Cause) => ({
  account_id: accountId,
  rule_kind: ruleKind,
  rule_id: ruleId,
});

/** Logs an endless chain of rules that was stopped. @param round the rules in order, with the first one repeated at the end */
export function logLoop(step: Step, now: number, subscriberId: number, round: readonly string[]): void {
  const text = `Endless loop stopped for subscriber ${subscriberId}: ${round.join(' → ')}`;
  step.add('log', { time: now, kind: 'loop', text });
}

/** Logs an inbound SMS that triggered no rule. */
export async function logUnmatched(
  db: Db,
  now: number,
  sms: { readonly to: string; readonly from: string },
  why: string,
): Promise<void> {
  const text = `SMS from ${sms.from} to ${sms.to}: ${why}`;
  await insertRow(db, 'log', { time: now, kind: 'sms-in', text });
}
