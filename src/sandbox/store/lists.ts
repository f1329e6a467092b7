/** Lists: not part of the interface, but what folders, tasks and rules point at. */
import { type RawBuilder, sql } from 'kysely';
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
  // One that is neither completed nor cancelled has no `endtime` yet.
  const scheduled = await toList.where('endtime', 'is', null).executeTakeFirst();
  if (scheduled) return true;
  return (
    (await toList.where('endtime', '>', since).where('started', '=', 1).executeTakeFirst()) !== undefined
  );
}

/**
 * Deletes a list with its subscriptions. Rules that name it, as their list or as the target of a list action, are
 * paused (interface, "States": deletion of its list; wire, "its list").
 */
export async function deleteList(
  db: Db,
  { id, account_id }: Pick<Row<'list'>, 'id' | 'account_id'>,
  now: number,
): Promise<void> {
  const pause = (table: string, condition: RawBuilder<unknown>) =>
    sql`update ${sql.table(table)} set paused = 1, mdate = ${now}
      where account_id = ${account_id} and +paused = 0 and ${condition}`.execute(db);
  for (const kind of TIMED_KINDS)
    await pause(
      timedTable(kind),
      sql`actiontype in ('addtolist', 'copytolist', 'movetolist') and actiontarget = ${String(id)}`,
    );
  await pause('subscription_automation', sql`list_id = ${id}`);
  await pause('sms_automation', sql`list_id = ${id}`);
  await pause('sms_automation', sql`email_list_id = ${id}`);
  await db.deleteFrom('list').where('id', '=', id).execute();
}
