/** Reads the identities that may sign, and remembers used nonces. */
import { sql } from './driver/sql.ts';
import type { Db, Store } from './open.ts';
import type { Row } from './schema/tables.ts';

/** Returns the company with its key and features. */
export async function accountById(db: Db, id: number): Promise<Row<'account'> | undefined> {
  return db.known.get('account', id, () =>
    db.first(sql<Row<'account'>>`select * from account where id = ${id}`),
  );
}

/** Returns the partner with its key. */
export async function partnerById(db: Db, id: number): Promise<Row<'partner'> | undefined> {
  return db.known.get('partner', id, () =>
    db.first(sql<Row<'partner'>>`select * from partner where id = ${id}`),
  );
}

/** Returns the user if it belongs to this company. */
export async function userOf(db: Db, accountId: number, id: number): Promise<Row<'user'> | undefined> {
  return db.known.get('user', `${accountId} ${id}`, () =>
    db.first(sql<Row<'user'>>`select * from "user" where id = ${id} and account_id = ${accountId}`),
  );
}

/** Returns the company's admin; undefined if it has none yet. */
export async function adminOf(db: Db, accountId: number): Promise<Row<'user'> | undefined> {
  return db.known.get('admin', accountId, () =>
    db.first(sql<Row<'user'>>`select * from "user" where account_id = ${accountId} and isadmin = 1`),
  );
}

/** Reports whether this user sees only some folders. */
export async function isRestricted(db: Db, userId: number): Promise<boolean> {
  const row = await db.known.get('restricted user', userId, () =>
    db.first(sql`select 1 from folder_access where user_id = ${userId} limit 1`),
  );
  return row !== undefined;
}

/** Reports whether a nonce is still remembered. @param now Unix seconds */
export async function isNonceUsed(db: Db, identity: string, nonce: string, now: number): Promise<boolean> {
  const query = sql`select 1 from nonce where identity = ${identity} and nonce = ${nonce} and expires >= ${now}`;
  return (await db.first(query)) !== undefined;
}

/** Remembers a nonce until `expires` (Unix seconds). Returns false if it is remembered already and has not expired before `now`. */
export async function rememberNonce(
  db: Db,
  identity: string,
  nonce: string,
  { now, expires }: { readonly now: number; readonly expires: number },
): Promise<boolean> {
  // Expired nonces are ignored, so they are deleted only now and then.
  if (now % SECONDS_BETWEEN_CLEANING === 0 && db.dialect === 'sqlite')
    await db.run(sql`delete from nonce where expires < ${now}`, { keepsKnown: true });
  const query = sql`insert into nonce (identity, nonce, expires) values (${identity}, ${nonce}, ${expires})
    on conflict (identity, nonce) do update set expires = excluded.expires where nonce.expires < ${now}`;
  return (await db.run(query, { keepsKnown: true })).changes === 1;
}

/** Forgets a nonce, which can then be used again. */
export async function forgetNonce(db: Db, identity: string, nonce: string): Promise<void> {
  await db.run(sql`delete from nonce where identity = ${identity} and nonce = ${nonce}`, {
    keepsKnown: true,
  });
}

/**
 * Deletes expired nonces of a shared store, separately from requests: two processes that delete the same rows would wait for each other.
 */
export async function forgetExpiredNonces({ transaction }: Store, now: number): Promise<void> {
  const query = sql`delete from nonce where (identity, nonce) in
    (select identity, nonce from nonce where expires < ${now} for update skip locked)`;
  await transaction((db) => db.run(query), { kind: 'unheld' });
}

const SECONDS_BETWEEN_CLEANING = 10;

/** Returns the keys of all companies and partners. */
export async function apiKeys(db: Db): Promise<readonly string[]> {
  const companies = await db.all(sql<Pick<Row<'account'>, 'api_key'>>`select api_key from account`);
  const partners = await db.all(sql<Pick<Row<'partner'>, 'api_key'>>`select api_key from partner`);
  return [...companies, ...partners].map((row) => row.api_key);
}
