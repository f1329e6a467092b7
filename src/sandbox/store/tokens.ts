/** Session tokens of users, and tokens of the control plane. Only their hashes are stored. */

import { hash } from 'node:crypto';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { insertRows } from './rows.ts';
import type { Row } from './schema/tables.ts';

const hashOf = (token: string): string => hash('sha256', token, 'hex');

/** Returns the session of a token if it has not expired. @param now the machine's clock, Unix seconds */
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

/** Ends all sessions of the user. */
export async function endSessions(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from session_token where user_id = ${userId}`);
}

/** Returns all tokens, sorted by name. */
export async function listControlTokens(db: Db): Promise<readonly Row<'control_token'>[]> {
  return db.all(sql<Row<'control_token'>>`select * from control_token order by name`);
}

/** Adds a token; returns false if one of that name exists. */
export async function addControlToken(db: Db, token: Row<'control_token'>): Promise<boolean> {
  const { name, role, hash, cdate } = token;
  const { changes } = await db.run(sql`insert into control_token (name, role, hash, cdate)
    values (${name}, ${role}, ${hash}, ${cdate}) on conflict do nothing`);
  return changes > 0;
}

/** Removes a token; returns false if none has that name. */
export async function removeControlToken(db: Db, name: string): Promise<boolean> {
  const { changes } = await db.run(sql`delete from control_token where name = ${name}`);
  return changes > 0;
}
