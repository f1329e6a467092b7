/** Records what automation rules did to lists, and what they skipped. */
import type { RuleKind } from '../../resources/rule-kinds.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { insertRow } from './rows.ts';
import type { Row } from './schema/tables.ts';

interface Doer {
  readonly accountId: number;
  readonly ruleKind: RuleKind;
  readonly ruleId: number;
  /** Unix seconds. */
  readonly now: number;
}

/** Records an action that was done, or the reason why it was skipped. */
export async function noteRuleAction(
  db: Db,
  { accountId, ruleKind, ruleId, now }: Doer,
  {
    action = null,
    target = null,
    subscriberId = null,
    why = null,
  }: {
    readonly action?: string | null;
    /** The id of the list. */
    readonly target?: string | null;
    readonly subscriberId?: number | null;
    readonly why?: string | null;
  },
): Promise<void> {
  const rule = { account_id: accountId, rule_kind: ruleKind, rule_id: ruleId };
  await insertRow(db, 'rule_action', {
    ...rule,
    subscriber_id: subscriberId,
    time: now,
    action,
    target,
    why,
  });
}

/** Returns the latest actions of a rule, newest first. */
export async function ruleActions(
  db: Db,
  accountId: number,
  { kind, id, limit }: { readonly kind: RuleKind; readonly id: number; readonly limit: number },
): Promise<Row<'rule_action'>[]> {
  return db.all(
    sql<
      Row<'rule_action'>
    >`select * from rule_action where account_id = ${accountId} and rule_kind = ${kind} and rule_id = ${id} order by id desc limit ${limit}`,
  );
}
