/** Actions that rules have set off and that are still to be done. */
import type { RuleKind } from '../../resources/automation.ts';
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

export type QueuedAction = Row<'queued_action'>;

/** Puts an action in the queue; `due` is Unix seconds. */
export async function queueAction(
  db: Db,
  action: Omit<QueuedAction, 'id' | 'rule_kind'> & { readonly rule_kind: RuleKind },
): Promise<void> {
  await db.insertInto('queued_action').values(action).execute();
}

/** The one that falls due first; among equal times the one that was queued first. */
export async function nextAction(db: Db): Promise<{ readonly due: number; readonly id: number } | undefined> {
  return db
    .selectFrom('queued_action')
    .select(['due', 'id'])
    .orderBy('due')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Takes an action out of the queue, to be done now. */
export async function takeAction(db: Db, id: number): Promise<QueuedAction | undefined> {
  return db.deleteFrom('queued_action').where('id', '=', id).returningAll().executeTakeFirst();
}

/** Interface, "States": DELETE of a rule aborts its queued actions. */
export async function abortActions(db: Db, kind: RuleKind, ruleId: number): Promise<void> {
  await db.deleteFrom('queued_action').where('rule_kind', '=', kind).where('rule_id', '=', ruleId).execute();
}
