/** Logs what rules did and what they did not do, for `sandbox log` and the pages of rules. */

import type { RuleKind } from '../../../resources/rule-kinds.ts';
import type { Db } from '../../store/open.ts';
import { insertRow } from '../../store/rows.ts';
import type { Row } from '../../store/schema/tables.ts';
import type { AccountWorkStep } from '../step.ts';

/** The rule that performs an action, its account, and the time of the action. */
export interface RuleActionCause {
  readonly accountId: number;
  readonly ruleKind: RuleKind;
  readonly ruleId: number;
  /** Time of the action in Unix seconds. */
  readonly now: number;
}

/** Returns the kind and id of the rule, such as `click 3`. */
export const formatRuleReference = ({ ruleKind, ruleId }: RuleActionCause): string => `${ruleKind} ${ruleId}`;

/** The engine's step in which an event is handled, and the time of the event. */
export interface RuleEventContext {
  readonly step: AccountWorkStep;
  /** Time of the event in Unix seconds. */
  readonly now: number;
}

/** Records that a rule changed the lists of a subscriber. */
export function logListChangeByRule(
  step: AccountWorkStep,
  cause: RuleActionCause,
  { action, target, subscriberId }: Pick<Noted, 'action' | 'target'> & { readonly subscriberId: number },
): void {
  addNote(step, cause, { subscriber_id: subscriberId, action, target, why: null });
}

/** Logs an action that was due and could not be done. */
export function logSkippedAction(step: AccountWorkStep, cause: RuleActionCause, reason: string): void {
  step.add('log', { time: cause.now, kind: 'automation', text: `${formatRuleReference(cause)}: ${reason}` });
  addNote(step, cause, { subscriber_id: null, action: null, target: null, why: reason });
}

type Noted = Pick<Row<'rule_action'>, 'subscriber_id' | 'action' | 'target' | 'why'>;

const addNote = (
  step: AccountWorkStep,
  { accountId, ruleKind, ruleId, now }: RuleActionCause,
  noted: Noted,
): void =>
  step.add('rule_action', {
    account_id: accountId,
    rule_kind: ruleKind,
    rule_id: ruleId,
    subscriber_id: noted.subscriber_id,
    time: now,
    action: noted.action,
    target: noted.target,
    why: noted.why,
  });

/** Logs an endless chain of rules that was stopped. @param rules the rules in order, with the first one repeated at the end */
export function logRuleLoop(
  step: AccountWorkStep,
  now: number,
  subscriberId: number,
  rules: readonly string[],
): void {
  const text = `Endless loop stopped for subscriber ${subscriberId}: ${rules.join(' → ')}`;
  step.add('log', { time: now, kind: 'loop', text });
}

/** Logs an inbound SMS that triggered no rule. */
export async function logUnmatchedSms(
  db: Db,
  now: number,
  sms: { readonly to: string; readonly from: string },
  reason: string,
): Promise<void> {
  const text = `SMS from ${sms.from} to ${sms.to}: ${reason}`;
  await insertRow(db, 'log', { time: now, kind: 'sms-in', text });
}
