/** Logs what rules did and what they did not do, for `sandbox log` and the pages of rules. */
import type { Db } from '../../store/open.ts';
import { insertRow } from '../../store/rows.ts';
import type { Row } from '../../store/schema/tables.ts';
import type { Step } from '../step.ts';
import { type Cause, nameOf } from './cause.ts';

/** Records a change of a list. */
export function noteChange(
  step: Step,
  cause: Cause,
  { action, target, subscriberId }: Pick<Noted, 'action' | 'target'> & { readonly subscriberId: number },
): void {
  addNote(step, cause, { subscriber_id: subscriberId, action, target, why: null });
}

/** Logs an action that was due and could not be done. */
export function logSkipped(step: Step, cause: Cause, why: string): void {
  step.add('log', { time: cause.now, kind: 'automation', text: `${nameOf(cause)}: ${why}` });
  addNote(step, cause, { subscriber_id: null, action: null, target: null, why });
}

type Noted = Pick<Row<'rule_action'>, 'subscriber_id' | 'action' | 'target' | 'why'>;

const addNote = (step: Step, { accountId, ruleKind, ruleId, now }: Cause, noted: Noted): void =>
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
