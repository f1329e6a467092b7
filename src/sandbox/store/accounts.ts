/** Reads companies, partners, and the users that may sign requests. Reads and takes credits. Counts the records of the sandbox. */
import type { Channel } from '../../service/resources/task.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import { findId, findRowById, findRowOfAccount, hasRow, selectRequiredRow } from './rows.ts';
import type { Row } from './schema/tables.ts';

export async function accountById(db: Db, id: number): Promise<Row<'account'> | undefined> {
  return db.rowCache.get('account', id, () => findRowById(db, 'account', id));
}

export async function partnerById(db: Db, id: number): Promise<Row<'partner'> | undefined> {
  return db.rowCache.get('partner', id, () => findRowById(db, 'partner', id));
}

export async function userOf(db: Db, accountId: number, id: number): Promise<Row<'user'> | undefined> {
  return db.rowCache.get('user', `${accountId} ${id}`, () => findRowOfAccount(db, 'user', accountId, id));
}

export async function adminOf(db: Db, accountId: number): Promise<Row<'user'> | undefined> {
  return db.rowCache.get('admin', accountId, () =>
    db.first(sql<Row<'user'>>`select * from "user" where account_id = ${accountId} and isadmin = 1`),
  );
}

export async function isFolderRestrictedUser(db: Db, userId: number): Promise<boolean> {
  const row = await db.rowCache.get('restricted user', userId, () =>
    db.first(sql`select 1 from folder_access where user_id = ${userId} limit 1`),
  );
  return row !== undefined;
}

export async function listApiKeys(db: Db): Promise<readonly string[]> {
  const companies = await db.all(sql<Pick<Row<'account'>, 'api_key'>>`select api_key from account`);
  const partners = await db.all(sql<Pick<Row<'partner'>, 'api_key'>>`select api_key from partner`);
  return [...companies, ...partners].map((row) => row.api_key);
}

/** Returns the balance. For e-mail, returns Infinity if the account's feature enableemailcredits is off. */
export async function loadCreditBalance(db: Db, accountId: number, channel: Channel): Promise<number> {
  const account = await selectRequiredRow(
    db,
    sql<
      Pick<Row<'account'>, 'emailcreditbalance' | 'smscreditbalance' | 'enableemailcredits'>
    >`select emailcreditbalance, smscreditbalance, enableemailcredits from account where id = ${accountId}`,
  );
  if (channel === 'sms') return account.smscreditbalance;
  return account.enableemailcredits === 1 ? account.emailcreditbalance : Number.POSITIVE_INFINITY;
}

/** Takes this number of credits and returns true. If the balance is too low, takes no credits and returns false. */
export async function takeCredits(
  db: Db,
  accountId: number,
  channel: Channel,
  credits: number,
): Promise<boolean> {
  const balance = await loadCreditBalance(db, accountId, channel);
  if (credits > balance) return false;
  if (balance === Number.POSITIVE_INFINITY) return true;
  const column = sql.ref(channel === 'email' ? 'emailcreditbalance' : 'smscreditbalance');
  await db.run(sql`update account set ${column} = ${column} - ${credits} where id = ${accountId}`);
  return true;
}

/** Returns the companies with the ids of their admins. The id is null if a company has no admin yet. */
export async function listCompanies(db: Db): Promise<(Row<'account'> & { adminUserId: number | null })[]> {
  return db.all(sql`select a.*,
    (select u.id from "user" u where u.account_id = a.id and u.isadmin = 1 limit 1) as "adminUserId"
    from account a order by a.id`);
}

export const firstCompanyId = (db: Db): Promise<number | undefined> =>
  findId(db, sql`select id from account where id = (select min(id) from account)`);

/** Returns the partner with the lowest id; undefined in an empty store. */
export async function firstPartner(db: Db): Promise<Row<'partner'> | undefined> {
  return db.first(sql<Row<'partner'>>`select * from partner where id = (select min(id) from partner)`);
}

export async function listSenderAddresses(db: Db, accountId: number): Promise<Row<'sender_address'>[]> {
  return db.all(
    sql<Row<'sender_address'>>`select * from sender_address where account_id = ${accountId} order by email`,
  );
}

export async function addSender(db: Db, accountId: number, email: string): Promise<boolean> {
  const { changes } = await db.run(
    sql`insert into sender_address (account_id, email) values (${accountId}, ${email}) on conflict do nothing`,
  );
  return changes > 0;
}

export const hasSenderAddress = (db: Db, accountId: number, email: string): Promise<boolean> =>
  hasRow(
    db,
    sql`select 1 from sender_address where account_id = ${accountId} and lower(email) = ${email.toLowerCase()}`,
  );

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
