/** Reads users of an account. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { updateRow } from './rows.ts';
import type { Row } from './schema/tables.ts';
import { endSessions } from './tokens.ts';

/** Returns the id of the company's user with this name. Case matters. */
export async function userIdByName(db: Db, accountId: number, username: string): Promise<number | undefined> {
  const row = await db.first(
    sql<
      Pick<Row<'user'>, 'id'>
    >`select id from "user" where account_id = ${accountId} and username = ${username}`,
  );
  return row?.id;
}

/** Returns the number of sub-users and the admin's id. */
export async function countSubUsersAndFindAdmin(
  db: Db,
  accountId: number,
): Promise<{ readonly subUsers: number; readonly adminId: number | undefined }> {
  const rows = await db.all(
    sql<Pick<Row<'user'>, 'id' | 'isadmin'>>`select id, isadmin from "user" where account_id = ${accountId}`,
  );
  return {
    subUsers: rows.filter((row) => row.isadmin === 0).length,
    adminId: rows.find((row) => row.isadmin === 1)?.id,
  };
}

/** Returns the users with this name: of one company, or of all. */
export async function findUsersByName(
  db: Db,
  username: string,
  accountId: number | undefined,
): Promise<Row<'user'>[]> {
  const ofAccount = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
  return db.all(sql`select * from "user" where username = ${username} ${ofAccount}`);
}

/** Number of consecutive failed logins that lock a user (interface, "Limits"). */
const LOCKING_LOGINS = 3;

/**
 * Counts a failed login. Locks the user after `LOCKING_LOGINS` in a row, and then ends the user's sessions. Returns the number of failed
 * logins in a row, and whether the user is locked.
 */
export async function recordFailedLogin(
  db: Db,
  user: Pick<Row<'user'>, 'id' | 'failed_logins' | 'locked'>,
): Promise<{ readonly failed: number; readonly locked: boolean }> {
  const failed = user.failed_logins + 1;
  const locked = user.locked === 1 || failed >= LOCKING_LOGINS;
  await updateRow(db, 'user', user.id, { failed_logins: failed, locked: locked ? 1 : 0 });
  if (locked) await endSessions(db, user.id);
  return { failed, locked };
}

/** Counts a successful login, and resets the number of failed logins. @param now time of the service's clock in Unix seconds */
export async function recordLogin(
  db: Db,
  { id, logins }: Pick<Row<'user'>, 'id' | 'logins'>,
  now: number,
): Promise<void> {
  await updateRow(db, 'user', id, { failed_logins: 0, logins: logins + 1, lastlogon: Math.floor(now) });
}
