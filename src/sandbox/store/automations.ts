/** Reads rules of all five kinds: to find the rules that an event triggers, and to count rules for the limits of an account. */
import type { CLICK_OPEN_DATE_ACTIONS } from '../../service/resources/automation.ts';
import {
  findRuleAttributesMatchingEvent,
  type RuleKind,
  TIMED_RULE_KINDS,
  type TimedKind,
  type TriggerEventIds,
} from '../../service/resources/rule-kinds.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { countBy, findId } from './rows.ts';
import type { Row } from './schema/tables.ts';

/** Actions of a rule (interface, "Per-kind differences"). The last three belong to subscription rules. */
type ActionType = (typeof CLICK_OPEN_DATE_ACTIONS)[number] | 'copytolist' | 'movetolist' | 'removefromlist';

export type TimedRuleRow = Omit<Row<'date_automation'>, 'actiontype'> & { readonly actiontype: ActionType };

export type SmsRuleRow = Row<'sms_automation'>;

export const timedRuleTable = (kind: TimedKind) => `${kind}_automation` as const;

/** Counts the click, open, subscription and date rules of the account (wire, "`automation_limit`"). */
export async function countTimedRules(db: Db, accountId: number): Promise<number> {
  const counted = TIMED_RULE_KINDS.map(
    (kind) => sql`(select count(*) from ${sql.ref(timedRuleTable(kind))} where account_id = ${accountId})`,
  );
  return countBy(db, sql`select ${sql.join(counted, ' + ')} as count`);
}

/** Returns the id of the account's sms rule with this sub-keyword, ignoring case; undefined if no rule has it. */
export async function smsRuleIdByKeyword(
  db: Db,
  accountId: number,
  keyword: string,
): Promise<number | undefined> {
  return findId(
    db,
    sql`select id from sms_automation where account_id = ${accountId} and lower(keyword) = ${keyword.toLowerCase()}`,
  );
}

/** Returns the rule of this kind, regardless of account; undefined once it is deleted. */
export async function timedRuleById(db: Db, kind: TimedKind, id: number): Promise<TimedRuleRow | undefined> {
  const query = sql<TimedRuleRow>`select * from ${sql.ref(timedRuleTable(kind))} where id = ${id}`;
  return await db.first(query);
}

/** Returns the id of the list whose new subscriptions trigger this subscription rule; undefined once the rule is deleted. */
export const findTriggerListId = (db: Db, ruleId: number): Promise<number | undefined> =>
  findId(db, sql`select list_id as id from subscription_automation where id = ${ruleId}`);

/** An event that can trigger a timed rule. `time`: Unix seconds of the event if it differs from now, as for a date rule. */
export type TimedRuleEvent = {
  [K in TimedKind]: { readonly kind: K; readonly time?: number } & TriggerEventIds<K>;
}[TimedKind];

/** Returns the rules that the event triggers, in order of their ids. A paused rule does not match. */
export async function findMatchingTimedRules(
  db: Db,
  accountId: number,
  event: TimedRuleEvent,
): Promise<TimedRuleRow[]> {
  const found = new Map<number, TimedRuleRow>();
  for (const condition of conditionsOf(event)) {
    // Few rules wait for the same event, but most are active: the index by `paused` would find most rules.
    const query = sql<TimedRuleRow>`select * from ${sql.ref(timedRuleTable(event.kind))}
      where account_id = ${accountId} and ${sql.noIndex('paused')} = 0 and ${condition} order by id`;
    for (const row of await db.all(query)) found.set(row.id, row);
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

/** Returns conditions on the columns of a rule, such as `"link_id" = 3`. The event triggers a rule for which one of them is true. */
function conditionsOf(event: TimedRuleEvent) {
  const watched = Object.entries(findRuleAttributesMatchingEvent(event));
  return watched.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
}

/** A rule with the event that it waits for. Columns that its kind doesn't have are absent. */
export type TimedRuleWithTrigger = TimedRuleRow & {
  readonly link_id?: number | null;
  readonly message_id?: number | null;
  readonly list_id?: number;
};

export async function listTimedRules(
  db: Db,
  accountId: number,
  kind: TimedKind,
): Promise<TimedRuleWithTrigger[]> {
  const query = sql<TimedRuleWithTrigger>`select * from ${sql.ref(timedRuleTable(kind))}
    where account_id = ${accountId} order by id`;
  return await db.all(query);
}

/** Returns the rules that a sub-keyword matches, or else those without a sub-keyword (interface, smsAutomation `keyword`). */
export async function findMatchingSmsRules(db: Db, accountId: number, word: string): Promise<SmsRuleRow[]> {
  const activeWhere = (condition: Sql): Promise<SmsRuleRow[]> =>
    db.all(sql`select * from sms_automation
      where account_id = ${accountId} and ${sql.noIndex('paused')} = 0 and ${condition} order by id`);
  const matched = await activeWhere(sql`lower(keyword) = ${word.toLowerCase()}`);
  return matched.length > 0 ? matched : activeWhere(sql`lower(keyword) is null`);
}

/** Returns the destination of an SMS, preferably one whose keyword is the first word. Without an account, searches all accounts. */
export async function findSmsDestination(
  db: Db,
  sms: { readonly to: string; readonly word: string; readonly accountId: number | undefined },
): Promise<Row<'sms_destination'> | undefined> {
  const rows = await db.all(
    sql<Row<'sms_destination'>>`select * from sms_destination where destination = ${sms.to} order by id`,
  );
  const own = rows.filter(({ account_id }) => sms.accountId === undefined || account_id === sms.accountId);
  const word = sms.word.toLowerCase();
  return (
    own.find(({ keyword }) => keyword?.toLowerCase() === word) ?? own.find(({ keyword }) => keyword === null)
  );
}

export async function listRuleActions(
  db: Db,
  accountId: number,
  { kind, id, limit }: { readonly kind: RuleKind; readonly id: number; readonly limit: number },
): Promise<Row<'rule_action'>[]> {
  return db.all(sql`select * from rule_action
    where account_id = ${accountId} and rule_kind = ${kind} and rule_id = ${id} order by id desc limit ${limit}`);
}
