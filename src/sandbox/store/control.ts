/**
 * Reads and writes stored records for the control plane, the operations with which users control a sandbox. The interface document does not
 * describe these operations.
 */

import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { insertRows } from './rows.ts';
import type { Row } from './schema/tables.ts';

/** Returns the companies with the ids of their admins. The id is null if a company has no admin yet. */
export async function listCompanies(db: Db): Promise<(Row<'account'> & { adminUserId: number | null })[]> {
  return db.all(sql`select a.*,
    (select u.id from "user" u where u.account_id = a.id and u.isadmin = 1 limit 1) as "adminUserId"
    from account a order by a.id`);
}

/** Returns the lowest id of a company; undefined in an empty store. */
export async function firstCompanyId(db: Db): Promise<number | undefined> {
  const query = sql<{ readonly id: number | null }>`select min(id) as id from account`;
  return (await db.first(query))?.id ?? undefined;
}

/** Returns the partner with the lowest id; undefined in an empty store. */
export async function firstPartner(db: Db): Promise<Row<'partner'> | undefined> {
  return db.first(sql<Row<'partner'>>`select * from partner where id = (select min(id) from partner)`);
}

/** A list for display, with the number of its subscriptions. */
export interface ListWithSubscriptionCount {
  readonly id: number;
  readonly name: string;
  readonly folder_id: number | null;
  readonly permanent: number;
  /** Time when the list was created, in Unix seconds. */
  readonly cdate: number;
  readonly subscriptions: number;
}

/** Returns all lists of the account in order of their ids, or only the list with `id`. */
export async function listLists(
  db: Db,
  accountId: number,
  id?: number,
): Promise<ListWithSubscriptionCount[]> {
  const query = sql<ListWithSubscriptionCount>`select l.id, l.name, l.folder_id, l.permanent, l.cdate,
      (select count(*) from subscription s where s.list_id = l.id) as subscriptions
    from list l where l.account_id = ${accountId} ${id === undefined ? sql`` : sql`and l.id = ${id}`} order by l.id`;
  return await db.all(query);
}

/** Reports whether the company has this folder. */
export async function hasFolder(db: Db, accountId: number, id: number): Promise<boolean> {
  const row = await db.first(
    sql<Pick<Row<'folder'>, 'id'>>`select id from folder where account_id = ${accountId} and id = ${id}`,
  );
  return row !== undefined;
}

/** Returns the profile fields of the company, in order of their ids. */
export async function listProfileFields(db: Db, accountId: number): Promise<Row<'profile_field'>[]> {
  return db.all(
    sql<Row<'profile_field'>>`select * from profile_field where account_id = ${accountId} order by id`,
  );
}

/** Returns the saved searches of the company, in order of their ids. */
export async function listSavedSearches(db: Db, accountId: number): Promise<Row<'search'>[]> {
  return db.all(sql<Row<'search'>>`select * from search where account_id = ${accountId} order by id`);
}

/** Returns the sender addresses of the company. */
export async function listSenderAddresses(db: Db, accountId: number): Promise<Row<'sender_address'>[]> {
  return db.all(
    sql<Row<'sender_address'>>`select * from sender_address where account_id = ${accountId} order by email`,
  );
}

/** Adds a sender address; returns false if it already exists. */
export async function addSender(db: Db, accountId: number, email: string): Promise<boolean> {
  const { changes } = await db.run(
    sql`insert into sender_address (account_id, email) values (${accountId}, ${email}) on conflict do nothing`,
  );
  return changes > 0;
}

/** Sets the folders that the user sees. If `folderIds` is empty, the user sees all folders. */
export async function setFolderAccess(db: Db, userId: number, folderIds: readonly number[]): Promise<void> {
  await db.run(sql`delete from folder_access where user_id = ${userId}`);
  if (folderIds.length === 0) return;
  const rows = [...new Set(folderIds)].map((folder_id) => ({ user_id: userId, folder_id }));
  await insertRows(db, 'folder_access', rows);
}

/** Returns the account's date rule with that id. */
export async function dateRuleById(
  db: Db,
  accountId: number,
  id: number,
): Promise<Row<'date_automation'> | undefined> {
  return db.first(
    sql<Row<'date_automation'>>`select * from date_automation where account_id = ${accountId} and id = ${id}`,
  );
}

/** Counts the account's rows in a table. */
export async function countRowsOfAccount(
  db: Db,
  table: 'list' | 'search' | 'profile_field' | 'sms_automation',
  accountId: number,
): Promise<number> {
  const query = sql<{ readonly count: number }>`select count(*) as count
    from ${sql.ref(table)} where account_id = ${accountId}`;
  return (await db.first(query))?.count ?? 0;
}

/** Counts the records of the whole sandbox, by kind. */
export async function countAllRecords(db: Db): Promise<Readonly<Record<string, number>>> {
  const query = sql<Record<string, number>>`select
    (select count(*) from account) as companies,
    (select count(*) from "user") as users,
    (select count(*) from list) as lists,
    (select count(*) from subscriber) as subscribers,
    (select count(*) from email_message where deleted = 0) + (select count(*) from sms_message where deleted = 0)
      as messages,
    (select count(*) from task) as tasks,
    (select count(*) from task where due is not null) as scheduled`;
  return (await db.first(query)) ?? {};
}

/** Returns the newest lines of the log, oldest first. */
export async function listLogLines(db: Db, limit: number): Promise<Row<'log'>[]> {
  const newest = await db.all(
    sql<Row<'log'>>`select * from log where id > 0 order by id desc limit ${limit}`,
  );
  return newest.reverse();
}
