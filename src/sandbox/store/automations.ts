/** Reads rules of all five kinds for matching and for their limits. */
import { sql } from 'kysely';
import type { ACTIONS } from '../../resources/automation.ts';
import { type EventOf, TIMED_KINDS, type TimedKind, watchedBy } from '../../resources/rule-kinds.ts';
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

/** The action of a rule: actions of every kind, and those of a subscription rule (interface, "Per-kind differences"). */
export type ActionType = (typeof ACTIONS)[number] | 'copytolist' | 'movetolist' | 'removefromlist';

/** The columns that the four timed kinds share. */
export type TimedRow = Omit<Row<'date_automation'>, 'actiontype'> & { readonly actiontype: ActionType };
export type SmsRuleRow = Row<'sms_automation'>;

/** Returns the table of a kind of rule. */
export const timedTable = (kind: TimedKind) => `${kind}_automation` as const;

/** Counts click, open, subscription and date rules together (wire, "`automation_limit`"). */
export async function countTimedRules(db: Db, accountId: number): Promise<number> {
  const counted = TIMED_KINDS.map(
    (kind) => sql`(select count(*) from ${sql.table(timedTable(kind))} where account_id = ${accountId})`,
  );
  const query = sql<{ readonly count: number }>`select ${sql.join(counted, sql` + `)} as count`;
  return (await query.execute(db)).rows[0]?.count ?? 0;
}

/** Counts the company's sms rules, paused ones included. */
export async function countSmsRules(db: Db, accountId: number): Promise<number> {
  const { count } = await db
    .selectFrom('sms_automation')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the id of the account's rule with this sub-keyword, ignoring case. */
export async function smsRuleIdByKeyword(
  db: Db,
  accountId: number,
  keyword: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('sms_automation')
    .select('id')
    .where('account_id', '=', accountId)
    .where(sql`lower(keyword)`, '=', keyword.toLowerCase())
    .executeTakeFirst();
  return row?.id;
}

/** Returns the rule of this kind, regardless of account; undefined once it is deleted. */
export async function timedRuleById(db: Db, kind: TimedKind, id: number): Promise<TimedRow | undefined> {
  const query = sql<TimedRow>`select * from ${sql.table(timedTable(kind))} where id = ${id}`;
  return (await query.execute(db)).rows[0];
}

/** Returns the sms rule, regardless of account; undefined once it is deleted. */
export async function smsRuleById(db: Db, id: number): Promise<SmsRuleRow | undefined> {
  return db.selectFrom('sms_automation').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the list that a subscription rule watches. */
export async function watchedList(db: Db, ruleId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('subscription_automation')
    .select('list_id')
    .where('id', '=', ruleId)
    .executeTakeFirst();
  return row?.list_id;
}

/**
 * An event that can trigger a timed rule (interface, "Events"). `time` is the time of the event in Unix seconds if it is not now: the date
 * of a date rule.
 */
export type Trigger = {
  [K in TimedKind]: { readonly kind: K; readonly time?: number } & EventOf<K>;
}[TimedKind];

/** Returns the rules that match the trigger, in order of their ids. A paused rule does not match. */
export async function matchingRules(db: Db, accountId: number, trigger: Trigger): Promise<TimedRow[]> {
  const found = new Map<number, TimedRow>();
  for (const condition of conditionsOf(trigger)) {
    // Few rules wait for the same event, but most are active: the `+` keeps SQLite from using the index by `paused`.
    const query = sql<TimedRow>`select * from ${sql.table(timedTable(trigger.kind))}
      where account_id = ${accountId} and +paused = 0 and ${condition} order by id`;
    for (const row of (await query.execute(db)).rows) found.set(row.id, row);
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

/** Returns the conditions of the trigger. A rule that meets any of them matches. */
function conditionsOf(trigger: Trigger) {
  const watched = Object.entries(watchedBy(trigger));
  return watched.map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
}

/** A rule with the event that it waits for. Columns that its kind doesn't have are absent. */
export type WaitingRule = TimedRow & {
  readonly link_id?: number | null;
  readonly message_id?: number | null;
  readonly list_id?: number;
};

/** Returns all of the company's rules of a kind, in order of their ids. */
export async function timedRulesOf(db: Db, accountId: number, kind: TimedKind): Promise<WaitingRule[]> {
  const query = sql<WaitingRule>`select * from ${sql.table(timedTable(kind))}
    where account_id = ${accountId} order by id`;
  return (await query.execute(db)).rows;
}

/** Returns all of the company's sms rules, in order of their ids. */
export async function smsRulesOf(db: Db, accountId: number): Promise<SmsRuleRow[]> {
  return db
    .selectFrom('sms_automation')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
}

/** Returns the rules that a sub-keyword matches; if none match, the rules without one (interface, smsAutomation `keyword`). */
export async function matchingSmsRules(db: Db, accountId: number, word: string): Promise<SmsRuleRow[]> {
  const active = db
    .selectFrom('sms_automation')
    .selectAll()
    .where('account_id', '=', accountId)
    .where(sql`+paused`, '=', 0)
    .orderBy('id');
  const matched = await active.where(sql`lower(keyword)`, '=', word.toLowerCase()).execute();
  return matched.length > 0 ? matched : active.where(sql`lower(keyword)`, 'is', null).execute();
}

/**
 * Returns the destination of an inbound SMS. A keyword that equals the first word takes precedence over no keyword. Searches all accounts
 * if none is given.
 */
export async function destinationFor(
  db: Db,
  sms: { readonly to: string; readonly word: string; readonly accountId: number | undefined },
): Promise<Row<'sms_destination'> | undefined> {
  const rows = await db
    .selectFrom('sms_destination')
    .selectAll()
    .where('destination', '=', sms.to)
    .orderBy('id')
    .execute();
  const own = rows.filter(({ account_id }) => sms.accountId === undefined || account_id === sms.accountId);
  const word = sms.word.toLowerCase();
  return (
    own.find(({ keyword }) => keyword?.toLowerCase() === word) ?? own.find(({ keyword }) => keyword === null)
  );
}

/** Removes a subscription; returns false if it does not exist. */
export async function unsubscribe(db: Db, listId: number, subscriberId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('subscription')
    .where('list_id', '=', listId)
    .where('subscriber_id', '=', subscriberId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Reports whether the subscriber is on the list now. */
export async function isSubscribed(db: Db, listId: number, subscriberId: number): Promise<boolean> {
  const row = await db
    .selectFrom('subscription')
    .select('list_id')
    .where('list_id', '=', listId)
    .where('subscriber_id', '=', subscriberId)
    .executeTakeFirst();
  return row !== undefined;
}
