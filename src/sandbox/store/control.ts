/** Reads and writes records of the control plane that the interface doesn't describe. */
import { sql } from 'kysely';
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

/** Returns the companies with their admins' ids; null if a company has no admin yet. */
export async function listCompanies(db: Db): Promise<(Row<'account'> & { adminUserId: number | null })[]> {
  return db
    .selectFrom('account')
    .selectAll('account')
    .select((eb) =>
      eb
        .selectFrom('user')
        .select('user.id')
        .whereRef('user.account_id', '=', 'account.id')
        .where('user.isadmin', '=', 1)
        .limit(1)
        .as('adminUserId'),
    )
    .orderBy('account.id')
    .execute();
}

/** Returns the lowest id of a company; undefined in an empty store. */
export async function firstCompanyId(db: Db): Promise<number | undefined> {
  const { id } = await db
    .selectFrom('account')
    .select((eb) => eb.fn.min<number | null>('id').as('id'))
    .executeTakeFirstOrThrow();
  return id ?? undefined;
}

/** Returns the partner with the lowest id; undefined in an empty store. */
export async function firstPartner(db: Db): Promise<Row<'partner'> | undefined> {
  const lowest = db.selectFrom('partner').select((eb) => eb.fn.min('id').as('id'));
  return db.selectFrom('partner').selectAll().where('id', '=', lowest).executeTakeFirst();
}

/** A list for display, with the number of its subscriptions. */
export interface ListView {
  readonly id: number;
  readonly name: string;
  readonly folder_id: number | null;
  readonly permanent: number;
  /** Unix seconds. */
  readonly cdate: number;
  readonly subscriptions: number;
}

/** Returns all lists of the account by id, or only the one with `id`. */
export async function listLists(db: Db, accountId: number, id?: number): Promise<ListView[]> {
  const query = sql<ListView>`select l.id, l.name, l.folder_id, l.permanent, l.cdate,
      (select count(*) from subscription s where s.list_id = l.id) as subscriptions
    from list l where l.account_id = ${accountId} ${id === undefined ? sql`` : sql`and l.id = ${id}`} order by l.id`;
  return (await query.execute(db)).rows;
}

/** Reports whether the company has this folder. */
export async function hasFolder(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('folder')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the profile fields of the company, by id. */
export async function listFields(db: Db, accountId: number): Promise<Row<'profile_field'>[]> {
  return db
    .selectFrom('profile_field')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
}

/** Returns the saved searches of the company, by id. */
export async function listSearches(db: Db, accountId: number): Promise<Row<'search'>[]> {
  return db.selectFrom('search').selectAll().where('account_id', '=', accountId).orderBy('id').execute();
}

/** Returns the sender addresses of the company. */
export async function listSenders(db: Db, accountId: number): Promise<Row<'sender_address'>[]> {
  return db
    .selectFrom('sender_address')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('email')
    .execute();
}

/** Adds a sender address; returns false if it already exists. */
export async function addSender(db: Db, accountId: number, email: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('sender_address')
    .values({ account_id: accountId, email })
    .onConflict((already) => already.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** Sets the folders that the user sees. Without folders, the user sees all of them again. */
export async function setFolderAccess(db: Db, userId: number, folderIds: readonly number[]): Promise<void> {
  await db.deleteFrom('folder_access').where('user_id', '=', userId).execute();
  if (folderIds.length === 0) return;
  const rows = [...new Set(folderIds)].map((folder_id) => ({ user_id: userId, folder_id }));
  await db.insertInto('folder_access').values(rows).execute();
}

/** Returns the account's date rule with that id. */
export async function dateRuleById(
  db: Db,
  accountId: number,
  id: number,
): Promise<Row<'date_automation'> | undefined> {
  return db
    .selectFrom('date_automation')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Counts the account's rows in a table. */
export async function countOf(
  db: Db,
  table: 'list' | 'search' | 'profile_field',
  accountId: number,
): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** Counts the records of the whole sandbox, by kind. */
export async function countAll(db: Db): Promise<Readonly<Record<string, number>>> {
  const query = sql<Record<string, number>>`select
    (select count(*) from account) as companies,
    (select count(*) from "user") as users,
    (select count(*) from list) as lists,
    (select count(*) from subscriber) as subscribers,
    (select count(*) from email_message where deleted = 0) + (select count(*) from sms_message where deleted = 0)
      as messages,
    (select count(*) from task) as tasks,
    (select count(*) from task where due is not null) as scheduled`;
  return (await query.execute(db)).rows[0] ?? {};
}

/** Returns the newest lines of the log, oldest first. */
export async function listLog(db: Db, limit: number): Promise<Row<'log'>[]> {
  const newest = await db
    .selectFrom('log')
    .selectAll()
    .where('id', '>', 0)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return newest.reverse();
}
