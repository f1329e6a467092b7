/** Rules of all five kinds, as the engine matches them and as their limits count them. */
import { sql } from 'kysely';
import { type ACTIONS, TIMED_KINDS, type TimedKind } from '../../resources/automation.ts';
import { assertNever } from '../../schema/resource.ts';
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

/** What a rule does: the actions of every kind, and those of a subscription rule (interface, "Per-kind differences"). */
export type ActionType = (typeof ACTIONS)[number] | 'copytolist' | 'movetolist' | 'removefromlist';

/** What the four timed kinds have in common. */
export type TimedRow = Omit<Row<'date_automation'>, 'actiontype'> & { readonly actiontype: ActionType };
export type SmsRuleRow = Row<'sms_automation'>;

/** The table of the rules of a kind. */
export const timedTable = (kind: TimedKind) => `${kind}_automation` as const;

/** Click, open, subscription and date rules together (wire, "`automation_limit`"). */
export async function countTimedRules(db: Db, accountId: number): Promise<number> {
  const counted = TIMED_KINDS.map(
    (kind) => sql`(select count(*) from ${sql.table(timedTable(kind))} where account_id = ${accountId})`,
  );
  const query = sql<{ readonly count: number }>`select ${sql.join(counted, sql` + `)} as count`;
  return (await query.execute(db)).rows[0]?.count ?? 0;
}

/** How many sms rules the company has, paused ones included. */
export async function countSmsRules(db: Db, accountId: number): Promise<number> {
  const { count } = await db
    .selectFrom('sms_automation')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** The rule of the account that has this sub-keyword, compared without regard to case. */
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

/** The rule of this kind, whosever it is; undefined once it is deleted. */
export async function timedRuleById(db: Db, kind: TimedKind, id: number): Promise<TimedRow | undefined> {
  const query = sql<TimedRow>`select * from ${sql.table(timedTable(kind))} where id = ${id}`;
  return (await query.execute(db)).rows[0];
}

/** The sms rule, whosever it is; undefined once it is deleted. */
export async function smsRuleById(db: Db, id: number): Promise<SmsRuleRow | undefined> {
  return db.selectFrom('sms_automation').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The list that a subscription rule watches. */
export async function watchedList(db: Db, ruleId: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('subscription_automation')
    .select('list_id')
    .where('id', '=', ruleId)
    .executeTakeFirst();
  return row?.list_id;
}

/** What can set off a timed rule (interface, "Events"). */
export type Trigger =
  | { readonly kind: 'click'; readonly linkId: number; readonly messageId: number }
  | { readonly kind: 'open'; readonly messageId: number }
  | { readonly kind: 'subscription'; readonly listId: number }
  /** `time` is the date itself, Unix seconds. */
  | { readonly kind: 'date'; readonly ruleId: number; readonly time: number };

/** The rules that the trigger sets off, in order of their ids. A paused rule does not match. */
export async function matchingRules(db: Db, accountId: number, trigger: Trigger): Promise<TimedRow[]> {
  const found = new Map<number, TimedRow>();
  for (const condition of conditionsOf(trigger)) {
    // Few rules wait for one thing, many are active: the `+` keeps the index by `paused` out.
    const query = sql<TimedRow>`select * from ${sql.table(timedTable(trigger.kind))}
      where account_id = ${accountId} and +paused = 0 and ${condition} order by id`;
    for (const row of (await query.execute(db)).rows) found.set(row.id, row);
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

/** A rule matches that meets any of them. */
function conditionsOf(trigger: Trigger) {
  switch (trigger.kind) {
    case 'click':
      return [sql`link_id = ${trigger.linkId}`, sql`message_id = ${trigger.messageId}`];
    case 'open':
      return [sql`message_id = ${trigger.messageId}`];
    case 'subscription':
      return [sql`list_id = ${trigger.listId}`];
    case 'date':
      return [sql`id = ${trigger.ruleId}`];
    default:
      return assertNever(trigger);
  }
}

/** A rule with what it waits for; the columns that its kind doesn't have are left out. */
export type WaitingRule = TimedRow & {
  readonly link_id?: number | null;
  readonly message_id?: number | null;
  readonly list_id?: number;
};

/** All of the company's rules of a kind, in order of their ids. */
export async function timedRulesOf(db: Db, accountId: number, kind: TimedKind): Promise<WaitingRule[]> {
  const query = sql<WaitingRule>`select * from ${sql.table(timedTable(kind))}
    where account_id = ${accountId} order by id`;
  return (await query.execute(db)).rows;
}

/** All of the company's sms rules, in order of their ids. */
export async function smsRulesOf(db: Db, accountId: number): Promise<SmsRuleRow[]> {
  return db
    .selectFrom('sms_automation')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
}

/** The rules that a sub-keyword matches; where none does, those without one (interface, smsAutomation `keyword`). */
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
 * The destination that an inbound SMS is for: one whose keyword is the first word before one without a keyword.
 * Of any account where none is named.
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

/** Takes a subscription away; false when there is none. */
export async function unsubscribe(db: Db, listId: number, subscriberId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('subscription')
    .where('list_id', '=', listId)
    .where('subscriber_id', '=', subscriberId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Whether the subscriber is on the list now. */
export async function isSubscribed(db: Db, listId: number, subscriberId: number): Promise<boolean> {
  const row = await db
    .selectFrom('subscription')
    .select('list_id')
    .where('list_id', '=', listId)
    .where('subscriber_id', '=', subscriberId)
    .executeTakeFirst();
  return row !== undefined;
}
