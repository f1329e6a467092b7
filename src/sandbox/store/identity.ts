/** Reads the companies, partners and users that may sign requests. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

/** Returns the company with its key and features. */
export async function accountById(db: Db, id: number): Promise<Row<'account'> | undefined> {
  return db.rowCache.get('account', id, () =>
    db.first(sql<Row<'account'>>`select * from account where id = ${id}`),
  );
}

/** Returns the partner with this id, or undefined if no partner has this id. The row includes the partner's API key. */
export async function partnerById(db: Db, id: number): Promise<Row<'partner'> | undefined> {
  return db.rowCache.get('partner', id, () =>
    db.first(sql<Row<'partner'>>`select * from partner where id = ${id}`),
  );
}

/** Returns the user if it belongs to this company. */
export async function userOf(db: Db, accountId: number, id: number): Promise<Row<'user'> | undefined> {
  return db.rowCache.get('user', `${accountId} ${id}`, () =>
    db.first(sql<Row<'user'>>`select * from "user" where id = ${id} and account_id = ${accountId}`),
  );
}

/** Returns the company's admin; undefined if it has none yet. */
export async function adminOf(db: Db, accountId: number): Promise<Row<'user'> | undefined> {
  return db.rowCache.get('admin', accountId, () =>
    db.first(sql<Row<'user'>>`select * from "user" where account_id = ${accountId} and isadmin = 1`),
  );
}

/** Reports whether this user sees only some folders. */
export async function isFolderRestrictedUser(db: Db, userId: number): Promise<boolean> {
  const row = await db.rowCache.get('restricted user', userId, () =>
    db.first(sql`select 1 from folder_access where user_id = ${userId} limit 1`),
  );
  return row !== undefined;
}

/** Returns the keys of all companies and partners. */
export async function listApiKeys(db: Db): Promise<readonly string[]> {
  const companies = await db.all(sql<Pick<Row<'account'>, 'api_key'>>`select api_key from account`);
  const partners = await db.all(sql<Pick<Row<'partner'>, 'api_key'>>`select api_key from partner`);
  return [...companies, ...partners].map((row) => row.api_key);
}
