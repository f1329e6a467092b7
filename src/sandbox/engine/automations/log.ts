/** What rules did not do, for `sandbox log`. */
import type { Db } from '../../store/open.ts';
import { insertRow } from '../../store/rows.ts';
import { noteRuleAction } from '../../store/rule-actions.ts';
import { type Cause, nameOf } from './cause.ts';

/** An action that was due and could not be done. */
export async function logSkipped(db: Db, cause: Cause, why: string): Promise<void> {
  await insertRow(db, 'log', { time: cause.now, kind: 'automation', text: `${nameOf(cause)}: ${why}` });
  await noteRuleAction(db, cause, { why });
}

/** An endless chain of rules that was stopped. @param round the rules in their order, the first named again last */
export async function logLoop(
  db: Db,
  now: number,
  subscriberId: number,
  round: readonly string[],
): Promise<void> {
  const text = `Endless loop stopped for subscriber ${subscriberId}: ${round.join(' → ')}`;
  await insertRow(db, 'log', { time: now, kind: 'loop', text });
}

/** An inbound SMS that set off nothing. */
export async function logUnmatched(
  db: Db,
  now: number,
  sms: { readonly to: string; readonly from: string },
  why: string,
): Promise<void> {
  const text = `SMS from ${sms.from} to ${sms.to}: ${why}`;
  await insertRow(db, 'log', { time: now, kind: 'sms-in', text });
}
