/** Users of an account. */
import type { Db } from './open.ts';

/** The id of the user with this name in the company, compared as it is written. */
export async function userIdByName(db: Db, accountId: number, username: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('user')
    .select('id')
    .where('account_id', '=', accountId)
    .where('username', '=', username)
    .executeTakeFirst();
  return row?.id;
}

/** How many sub-users there are, and the admin's id. */
export async function countUsers(
  db: Db,
  accountId: number,
): Promise<{ readonly subUsers: number; readonly adminId: number | undefined }> {
  const rows = await db
    .selectFrom('user')
    .select(['id', 'isadmin'])
    .where('account_id', '=', accountId)
    .execute();
  return {
    subUsers: rows.filter((row) => row.isadmin === 0).length,
    adminId: rows.find((row) => row.isadmin === 1)?.id,
  };
}
