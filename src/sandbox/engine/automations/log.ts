/** Logs what rules did not do, for `sandbox log`. */
import type { Db } from '../../store/open.ts';
import { insertRow } from '../../store/rows.ts';
import { noteRuleAction } from '../../store/rule-actions.ts';
import { type Cause, nameOf } from './cause.ts';

/** Logs an action that was due and could not be done. */
export async function logSkipped(db: Db, cause: Cause, why: string): Promise<void> {
  await insertRow(db, 'log', { time: cause.now, kind: 'automation', text: `${nameOf(cause)}: ${why}` });
  await noteRuleAction(db, cause, { why });
}

/** Logs an endless chain of rules that was stopped. @param round the rules in order, with the first one repeated at the end */
export async function logLoop(
  db: Db,
  now: number,
  subscriberId: number,
  round: readonly string[],
): Promise<void> {
  const text = `Endless loop stopped for subscriber ${subscriberId}: ${round.join(' → ')}`;
  await insertRow(db, 'log', { time: now, kind: 'loop', text });
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
