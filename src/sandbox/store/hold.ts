/**
 * What the engine takes for itself in a transaction on a store that several processes share. The rows of accounts and of the
 * clock are the locks: they go with the transaction, and so with the process.
 */
import { sql } from 'kysely';
import type { Db } from './open.ts';

/** Waits until nobody else changes what is this account's. */
export async function holdAccount(db: Db, accountId: number): Promise<void> {
  await sql`select 1 from account where id = ${accountId} for no key update`.execute(db);
}

/** Waits until nobody else moves the clock, or does anything by it. */
export async function holdClock(db: Db): Promise<void> {
  await sql`select 1 from setting where key = 'clock.mode' for update`.execute(db);
}

/**
 * Holds an account with something due by `time` that nobody else holds, those first that have waited longest; undefined
 * where there is none.
 */
export async function claimAccount(db: Db, time: number): Promise<number | undefined> {
  const due = TABLES.map(
    (table) =>
      sql`(select account_id, due from ${sql.table(table)} where due <= ${time} order by due limit ${MOST})`,
  );
  const longest = sql<{ readonly id: number }>`select a.id from account a
    join (select account_id, min(due) as due from (${sql.join(due, sql` union all `)}) d group by account_id) f
    on f.account_id = a.id order by f.due, a.id limit 1 for no key update of a skip locked`;
  const found = (await longest.execute(db)).rows[0];
  if (found) return found.id;
  // All of those may be one account's, which somebody is at work for: others don't wait for it.
  const isDue = TABLES.map(
    (table) =>
      sql`exists (select 1 from ${sql.table(table)} t where t.account_id = a.id and t.due <= ${time})`,
  );
  const any = sql<{ readonly id: number }>`select a.id from account a where ${sql.join(isDue, sql` or `)}
    order by a.id limit 1 for no key update of a skip locked`;
  return (await any.execute(db)).rows[0]?.id;
}

const TABLES = ['task', 'sms', 'queued_action'] as const;
/** Of each kind, to tell who has waited longest. */
const MOST = 500;
