/** Reads and changes lists. They are not part of the interface, but folders, tasks and rules refer to them. */
import { createConflictError, createLimitReachedError } from '../../service/protocol/service-errors.ts';
import { TIMED_RULE_DEFINITIONS, TIMED_RULE_KINDS } from '../../service/resources/rule-kinds.ts';
import { LIST_DELETION_BLOCK_SECONDS } from '../../service/resources/task.ts';
import { timedRuleTable } from './automations.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { countRowsOfAccount, hasRow, insertRow, type SqlRow, type SqlValue } from './rows.ts';
import type { Row } from './schema/tables.ts';

export async function listsInFolder(db: Db, folderId: number): Promise<Row<'list'>[]> {
  return db.all(sql<Row<'list'>>`select * from list where folder_id = ${folderId} order by id`);
}

export async function mayUseList(db: Db, userId: number, list: Row<'list'>): Promise<boolean> {
  return list.folder_id !== null && mayUseFolder(db, userId, list.folder_id);
}

export const mayUseFolder = (db: Db, userId: number, folderId: number): Promise<boolean> =>
  hasRow(db, sql`select 1 from folder_access where user_id = ${userId} and folder_id = ${folderId}`);

/** Returns the condition that a restricted user sees a subscriber: one on a list in one of the user's folders, or on no list. */
export const visibleToRestrictedUser = (userId: number | null, subscriberId: Sql): Sql =>
  sql`(exists (select 1 from subscription v join list vl on vl.id = v.list_id
        join folder_access va on va.folder_id = vl.folder_id
        where v.subscriber_id = ${subscriberId} and va.user_id = ${userId})
      or not exists (select 1 from subscription v where v.subscriber_id = ${subscriberId}))`;

export async function isOnListHiddenFromUser(db: Db, userId: number, subscriberId: number): Promise<boolean> {
  const query = sql<{ readonly found: number }>`select exists (select 1 from subscription s
    join list l on l.id = s.list_id where s.subscriber_id = ${subscriberId} and (l.folder_id is null or l.folder_id not in
      (select a.folder_id from folder_access a where a.user_id = ${userId}))) as found`;
  return (await db.first(query))?.found === 1;
}

/** Returns the id of the new list. Throws `ServiceError` 409 if the account has reached its limit. */
export async function createList(
  db: Db,
  account: Pick<Row<'account'>, 'id' | 'list_limit'>,
  row: SqlRow & { readonly name: SqlValue },
): Promise<number> {
  if ((await countRowsOfAccount(db, 'list', account.id)) >= account.list_limit)
    throw createLimitReachedError('list_limit', account.list_limit);
  return insertRow(db, 'list', { account_id: account.id, ...row });
}

/** Throws `ServiceError` 409 for a permanent list, or if a task will send to it or has recently sent to it (interface, folder DELETE). */
export async function deleteListIfAllowed(db: Db, list: Row<'list'>, now: number): Promise<void> {
  if (list.permanent === 1) throw createConflictError(`List ${list.id} is permanent`);
  if (await hasTaskForListSince(db, list, now - LIST_DELETION_BLOCK_SECONDS))
    throw createConflictError(`List ${list.id} is to be or has been targeted`);
  await deleteList(db, list, now);
}

/** Reports whether a task is scheduled for the list, or has sent to it after `since`, in Unix seconds (interface, folder DELETE). */
export async function hasTaskForListSince(
  db: Db,
  { id, account_id }: Pick<Row<'list'>, 'id' | 'account_id'>,
  since: number,
): Promise<boolean> {
  const isAny = (condition: Sql): Promise<boolean> =>
    hasRow(
      db,
      sql`select 1 from task where account_id = ${account_id} and list_id = ${id} and ${condition} limit 1`,
    );
  // A task that is neither completed nor cancelled has no `endtime`.
  return (await isAny(sql`endtime is null`)) || isAny(sql`endtime > ${since} and started = 1`);
}

/** Deletes a list with its subscriptions, and pauses each rule that uses the list (interface, "States"; wire, "its list"). */
export async function deleteList(
  db: Db,
  { id, account_id }: Pick<Row<'list'>, 'id' | 'account_id'>,
  now: number,
): Promise<void> {
  const pause = (table: string, condition: Sql) =>
    db.run(sql`update ${sql.ref(table)} set paused = 1, mdate = ${now}
      where account_id = ${account_id} and ${sql.noIndex('paused')} = 0 and ${condition}`);
  for (const kind of TIMED_RULE_KINDS) {
    await pause(
      timedRuleTable(kind),
      sql`actiontype in ('addtolist', 'copytolist', 'movetolist') and actiontarget = ${String(id)}`,
    );
    if (Object.hasOwn(TIMED_RULE_DEFINITIONS[kind].watches, 'list_id'))
      await pause(timedRuleTable(kind), sql`list_id = ${id}`);
  }
  await pause('sms_automation', sql`list_id = ${id}`);
  await pause('sms_automation', sql`email_list_id = ${id}`);
  await db.run(sql`delete from list where id = ${id}`);
}

export interface ListWithSubscriptionCount {
  readonly id: number;
  readonly name: string;
  readonly folder_id: number | null;
  readonly permanent: number;
  /** Time when the list was created, in Unix seconds. */
  readonly cdate: number;
  readonly subscriptions: number;
}

/** Returns all lists of the account in order of their ids, or only the list with `id`. */
export async function listLists(
  db: Db,
  accountId: number,
  id?: number,
): Promise<ListWithSubscriptionCount[]> {
  const query = sql<ListWithSubscriptionCount>`select l.id, l.name, l.folder_id, l.permanent, l.cdate,
      (select count(*) from subscription s where s.list_id = l.id) as subscriptions
    from list l where l.account_id = ${accountId} ${id === undefined ? sql`` : sql`and l.id = ${id}`} order by l.id`;
  return await db.all(query);
}
