/** Reads what automation rules did to lists, and what they skipped. */
import type { RuleKind } from '../../resources/rule-kinds.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

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
