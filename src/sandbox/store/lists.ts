/** Lists: not part of the interface, but what folders, tasks and rules point at. */
import { sql } from 'kysely';
import { TIMED_KINDS } from '../../resources/automation.ts';
import { timedTable } from './automations.ts';
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

/** The list, where it is one of this company. */
export async function listById(db: Db, accountId: number, id: number): Promise<Row<'list'> | undefined> {
  return db
    .selectFrom('list')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The lists in a folder, by id. */
export async function listsInFolder(db: Db, folderId: number): Promise<Row<'list'>[]> {
  return db.selectFrom('list').selectAll().where('folder_id', '=', folderId).orderBy('id').execute();
}

/** Whether the user was given the folder that the list is in. */
export async function mayUseList(db: Db, userId: number, list: Row<'list'>): Promise<boolean> {
  if (list.folder_id === null) return false;
  const row = await db
    .selectFrom('folder_access')
    .select('folder_id')
    .where('user_id', '=', userId)
    .where('folder_id', '=', list.folder_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a task is scheduled to the list, or has sent to it since then (interface, folder DELETE). */
export async function wasTargeted(db: Db, listId: number, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('task')
    .select('id')
    .where('list_id', '=', listId)
    .where((eb) =>
      eb.or([
        eb.and([eb('completed', '=', 0), eb('cancelled', '=', 0)]),
        eb.and([eb('started', '=', 1), eb('endtime', '>', since)]),
      ]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Deletes a list with its subscriptions. Rules that name it, as their list or as the target of a list action, are
 * paused (interface, "States": deletion of its list; wire, "its list").
 */
export async function deleteList(db: Db, listId: number, now: number): Promise<void> {
  for (const kind of TIMED_KINDS) {
    await sql`update ${sql.table(timedTable(kind))} set paused = 1, mdate = ${now} where paused = 0
      and actiontype in ('addtolist', 'copytolist', 'movetolist') and actiontarget = ${String(listId)}`.execute(
      db,
    );
  }
  await sql`update subscription_automation set paused = 1, mdate = ${now}
    where paused = 0 and list_id = ${listId}`.execute(db);
  await sql`update sms_automation set paused = 1, mdate = ${now}
    where paused = 0 and (list_id = ${listId} or email_list_id = ${listId})`.execute(db);
  await db.deleteFrom('list').where('id', '=', listId).execute();
}
