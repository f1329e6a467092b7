/** Who may sign, and which nonces were used. */
import { sql } from 'kysely';
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

/** The company, with its key and features. */
export async function accountById(db: Db, id: number): Promise<Row<'account'> | undefined> {
  return db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The partner, with its key. */
export async function partnerById(db: Db, id: number): Promise<Row<'partner'> | undefined> {
  return db.selectFrom('partner').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The user, where it is one of this company. */
export async function userOf(db: Db, accountId: number, id: number): Promise<Row<'user'> | undefined> {
  return db
    .selectFrom('user')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The company's admin; undefined where it has none yet. */
export async function adminOf(db: Db, accountId: number): Promise<Row<'user'> | undefined> {
  return db
    .selectFrom('user')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('isadmin', '=', 1)
    .executeTakeFirst();
}

/** Whether this user sees only some folders. */
export async function isRestricted(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('folder_access')
    .select('folder_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a nonce is remembered still. @param now Unix seconds */
export async function isNonceUsed(db: Db, identity: string, nonce: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('nonce')
    .select('expires')
    .where('identity', '=', identity)
    .where('nonce', '=', nonce)
    .where('expires', '>=', now)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Remembers a nonce until `expires` (Unix seconds), and forgets those that expired before `now`.
 * False when it is remembered already.
 */
export async function rememberNonce(
  db: Db,
  identity: string,
  nonce: string,
  { now, expires }: { readonly now: number; readonly expires: number },
): Promise<boolean> {
  await sql`delete from nonce where expires < ${now}`.execute(db);
  const result =
    await sql`insert into nonce (identity, nonce, expires) values (${identity}, ${nonce}, ${expires})
    on conflict do nothing`.execute(db);
  return result.numAffectedRows === 1n;
}
