/** Reads the identities that may sign, and remembers used nonces. */
import { differencesOf } from './dialects/dialect.ts';
import type { Db, Store } from './open.ts';
import { changedRows, firstRow, knownRow } from './prepared.ts';
import type { Row } from './tables.ts';

/** Returns the company with its key and features. */
export async function accountById(db: Db, id: number): Promise<Row<'account'> | undefined> {
  return knownRow(db, 'select * from account where id = ?', [id]);
}

/** Returns the partner with its key. */
export async function partnerById(db: Db, id: number): Promise<Row<'partner'> | undefined> {
  return knownRow(db, 'select * from partner where id = ?', [id]);
}

/** Returns the user if it belongs to this company. */
export async function userOf(db: Db, accountId: number, id: number): Promise<Row<'user'> | undefined> {
  return knownRow(db, 'select * from "user" where id = ? and account_id = ?', [id, accountId]);
}

/** Returns the company's admin; undefined if it has none yet. */
export async function adminOf(db: Db, accountId: number): Promise<Row<'user'> | undefined> {
  return knownRow(db, 'select * from "user" where account_id = ? and isadmin = 1', [accountId]);
}

/** Reports whether this user sees only some folders. */
export async function isRestricted(db: Db, userId: number): Promise<boolean> {
  const row = await knownRow(db, 'select 1 from folder_access where user_id = ? limit 1', [userId]);
  return row !== undefined;
}

/** Reports whether a nonce is still remembered. @param now Unix seconds */
export async function isNonceUsed(db: Db, identity: string, nonce: string, now: number): Promise<boolean> {
  const text = 'select 1 from nonce where identity = ? and nonce = ? and expires >= ?';
  return (await firstRow(db, text, [identity, nonce, now])) !== undefined;
}

/** Remembers a nonce until `expires` (Unix seconds). Returns false if it is remembered already and has not expired before `now`. */
export async function rememberNonce(
  db: Db,
  identity: string,
  nonce: string,
  { now, expires }: { readonly now: number; readonly expires: number },
): Promise<boolean> {
  // Expired nonces are ignored, so they are deleted only now and then.
  if (now % SECONDS_BETWEEN_CLEANING === 0 && differencesOf(db).name === 'sqlite')
    await changedRows(db, 'delete from nonce where expires < ?', [now]);
  const text = `insert into nonce (identity, nonce, expires) values (?, ?, ?)
    on conflict (identity, nonce) do update set expires = excluded.expires where nonce.expires < ?`;
  return (await changedRows(db, text, [identity, nonce, expires, now])) === 1;
}

/** Forgets a nonce, which can then be used again. */
export async function forgetNonce(db: Db, identity: string, nonce: string): Promise<void> {
  await changedRows(db, 'delete from nonce where identity = ? and nonce = ?', [identity, nonce]);
}

/**
 * Deletes expired nonces of a shared store, separately from requests: two processes that delete the same rows would wait for each other.
 */
export async function forgetExpiredNonces({ transaction }: Store, now: number): Promise<void> {
  const text = `delete from nonce where (identity, nonce) in
    (select identity, nonce from nonce where expires < ? for update skip locked)`;
  await transaction((db) => changedRows(db, text, [now]), { kind: 'unheld' });
}

const SECONDS_BETWEEN_CLEANING = 10;

/** Returns the keys of all companies and partners. */
export async function apiKeys(db: Db): Promise<readonly string[]> {
  const companies = await db.selectFrom('account').select('api_key').execute();
  const partners = await db.selectFrom('partner').select('api_key').execute();
  return [...companies, ...partners].map((row) => row.api_key);
}
