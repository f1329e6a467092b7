/** Reads and changes users, their sessions and folders, and the tokens of the control plane, of which only hashes are stored. */
import { hash } from 'node:crypto';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { findId, insertRows, updateRow } from './rows.ts';
import type { Row } from './schema/tables.ts';

/** Returns the id of the company's user with this name. Case matters. */
export const userIdByName = (db: Db, accountId: number, username: string): Promise<number | undefined> =>
  findId(db, sql`select id from "user" where account_id = ${accountId} and username = ${username}`);

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

/** Counts a failed login. Locks the user after `LOCKING_LOGINS` in a row, and then ends the user's sessions. */
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

export const UNLOCKED = { locked: 0, failed_logins: 0 } as const;

/** Counts a successful login, and resets the number of failed logins. `now`: the service's clock in Unix seconds. */
export async function recordLogin(
  db: Db,
  { id, logins }: Pick<Row<'user'>, 'id' | 'logins'>,
  now: number,
): Promise<void> {
  await updateRow(db, 'user', id, { failed_logins: 0, logins: logins + 1, lastlogon: Math.floor(now) });
}

const hashOf = (token: string): string => hash('sha256', token, 'hex');

/** Returns the session of a token if it has not expired at `now`, the machine's clock in Unix seconds. */
export async function sessionOf(
  db: Db,
  token: string,
  now: number,
): Promise<Row<'session_token'> | undefined> {
  return db.first(
    sql<Row<'session_token'>>`select * from session_token where hash = ${hashOf(token)} and expires > ${now}`,
  );
}

/** Starts a session of the user. Deletes the user's expired sessions. */
export async function startSession(
  db: Db,
  user: Pick<Row<'user'>, 'id' | 'account_id'>,
  { token, now, expires }: { readonly token: string; readonly now: number; readonly expires: number },
): Promise<void> {
  await db.run(sql`delete from session_token where user_id = ${user.id} and expires <= ${now}`);
  await insertRows(db, 'session_token', [
    { hash: hashOf(token), account_id: user.account_id, user_id: user.id, expires },
  ]);
}

export async function endSessions(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from session_token where user_id = ${userId}`);
}

export async function listControlTokens(db: Db): Promise<readonly Row<'control_token'>[]> {
  return db.all(sql<Row<'control_token'>>`select * from control_token order by name`);
}

export async function addControlToken(db: Db, token: Row<'control_token'>): Promise<boolean> {
  const { name, role, hash, cdate } = token;
  const { changes } = await db.run(sql`insert into control_token (name, role, hash, cdate)
    values (${name}, ${role}, ${hash}, ${cdate}) on conflict do nothing`);
  return changes > 0;
}

export async function removeControlToken(db: Db, name: string): Promise<boolean> {
  const { changes } = await db.run(sql`delete from control_token where name = ${name}`);
  return changes > 0;
}

/** Sets the folders that the user sees. If `folderIds` is empty, the user sees all folders. */
export async function setFolderAccess(db: Db, userId: number, folderIds: readonly number[]): Promise<void> {
  await db.run(sql`delete from folder_access where user_id = ${userId}`);
  if (folderIds.length === 0) return;
  const rows = [...new Set(folderIds)].map((folder_id) => ({ user_id: userId, folder_id }));
  await insertRows(db, 'folder_access', rows);
}
