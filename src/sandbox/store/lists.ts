/** Reads and changes lists. They are not part of the interface, but folders, tasks and rules refer to them. */
import { type RawBuilder, sql } from 'kysely';
import { conflict, limitReached } from '../../protocol/service-errors.ts';
import { TIMED_KINDS, TIMED_RULES } from '../../resources/rule-kinds.ts';
import { RECENT_TARGET_SECONDS } from '../../resources/task-targets.ts';
import { timedTable } from './automations.ts';
import { countOf } from './control.ts';
import type { Db } from './open.ts';
import { insertRow, type SqlRow, type SqlValue } from './rows.ts';
import type { Row } from './tables.ts';

/** Returns the list if it belongs to this company. */
export async function listById(db: Db, accountId: number, id: number): Promise<Row<'list'> | undefined> {
  return db
    .selectFrom('list')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the lists in a folder, by id. */
export async function listsInFolder(db: Db, folderId: number): Promise<Row<'list'>[]> {
  return db.selectFrom('list').selectAll().where('folder_id', '=', folderId).orderBy('id').execute();
}

/** Reports whether the user has access to the list's folder. */
export async function mayUseList(db: Db, userId: number, list: Row<'list'>): Promise<boolean> {
  return list.folder_id !== null && mayUseFolder(db, userId, list.folder_id);
}

/** Reports whether a restricted user has access to this folder. */
export async function mayUseFolder(db: Db, userId: number, folderId: number): Promise<boolean> {
  const row = await db
    .selectFrom('folder_access')
    .select('folder_id')
    .where('user_id', '=', userId)
    .where('folder_id', '=', folderId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Reports whether the subscriber is on a list outside of the user's folders. */
export async function isOnHiddenList(db: Db, userId: number, subscriberId: number): Promise<boolean> {
  const query = sql<{ readonly found: number }>`select exists (select 1 from subscription s
    join list l on l.id = s.list_id where s.subscriber_id = ${subscriberId} and (l.folder_id is null or l.folder_id not in
      (select a.folder_id from folder_access a where a.user_id = ${userId}))) as found`;
  return (await query.execute(db)).rows[0]?.found === 1;
}

/**
 * Creates a list and returns its id.
 * @throws ServiceError 409 if the account has reached its limit
 */
export async function createList(
  db: Db,
  account: Pick<Row<'account'>, 'id' | 'list_limit'>,
  row: SqlRow & { readonly name: SqlValue },
): Promise<number> {
  if ((await countOf(db, 'list', account.id)) >= account.list_limit)
    throw limitReached('list_limit', account.list_limit);
  return insertRow(db, 'list', { account_id: account.id, ...row });
}

/**
 * Deletes a list as its owner may.
 * @throws ServiceError 409 for a permanent list, or one that is to be or has been targeted (interface, folder DELETE)
 */
export async function removeList(db: Db, list: Row<'list'>, now: number): Promise<void> {
  if (list.permanent === 1) throw conflict(`List ${list.id} is permanent`);
  if (await wasTargeted(db, list, now - RECENT_TARGET_SECONDS))
    throw conflict(`List ${list.id} is to be or has been targeted`);
  await deleteList(db, list, now);
}

/** Reports whether a task is scheduled to the list, or has sent to it since then (interface, folder DELETE). */
export async function wasTargeted(
  db: Db,
  { id, account_id }: Pick<Row<'list'>, 'id' | 'account_id'>,
  since: number,
): Promise<boolean> {
  const toList = db
    .selectFrom('task')
    .select('id')
    .where('account_id', '=', account_id)
    .where('list_id', '=', id)
    .limit(1);
  // A task that is neither completed nor cancelled has no `endtime`.
  const scheduled = await toList.where('endtime', 'is', null).executeTakeFirst();
  if (scheduled) return true;
  return (
    (await toList.where('endtime', '>', since).where('started', '=', 1).executeTakeFirst()) !== undefined
  );
}

/**
 * Deletes a list with its subscriptions. Pauses rules that name it as their list or as the target of a list action (interface, "States":
 * deletion of its list; wire, "its list").
 */
export async function deleteList(
  db: Db,
  { id, account_id }: Pick<Row<'list'>, 'id' | 'account_id'>,
  now: number,
): Promise<void> {
  const pause = (table: string, condition: RawBuilder<unknown>) =>
    sql`update ${sql.table(table)} set paused = 1, mdate = ${now}
      where account_id = ${account_id} and +paused = 0 and ${condition}`.execute(db);
  for (const kind of TIMED_KINDS) {
    await pause(
      timedTable(kind),
      sql`actiontype in ('addtolist', 'copytolist', 'movetolist') and actiontarget = ${String(id)}`,
    );
    if (Object.hasOwn(TIMED_RULES[kind].watches, 'list_id'))
      await pause(timedTable(kind), sql`list_id = ${id}`);
  }
  await pause('sms_automation', sql`list_id = ${id}`);
  await pause('sms_automation', sql`email_list_id = ${id}`);
  await db.deleteFrom('list').where('id', '=', id).execute();
}
