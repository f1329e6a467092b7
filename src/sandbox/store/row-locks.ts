/**
 * Locks for the engine in a transaction on a shared store. The rows of accounts and of the clock serve as locks. A lock therefore ends with
 * its transaction, even if the process is killed.
 */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';

/** Locks the account. Waits until other transactions on it end. */
export async function lockAccountRow(db: Db, accountId: number): Promise<void> {
  await db.run(sql`select 1 from account where id = ${accountId} for no key update`);
}

/**
 * Locks the clock until the transaction ends. Waits while another process holds this lock. A process takes the lock to change the clock or,
 * with a manual clock, to run due work.
 */
export async function lockClockRow(db: Db): Promise<void> {
  await db.run(sql`select 1 from setting where key = 'clock.mode' for update`);
}

/**
 * Locks an account that has work due by `time` (Unix seconds), and returns the id of the account. Skips accounts that another process has
 * locked. Prefers the account whose work has waited longest. Returns undefined if no account is left.
 */
export async function lockAccountWithDueWork(db: Db, time: number): Promise<number | undefined> {
  const due = TABLES.map(
    (table) =>
      sql`(select account_id, due from ${sql.ref(table)} where due <= ${time} order by due limit ${MAX_DUE_ROWS})`,
  );
  const longest = sql<{ readonly id: number }>`select a.id from account a
    join (select account_id, min(due) as due from (${sql.join(due, ' union all ')}) d group by account_id) f
    on f.account_id = a.id order by f.due, a.id limit 1 for no key update of a skip locked`;
  const found = await db.first(longest);
  if (found) return found.id;
  // All rows above may belong to one account that another process holds, so this query looks at every account.
  const isDue = TABLES.map(
    (table) => sql`exists (select 1 from ${sql.ref(table)} t where t.account_id = a.id and t.due <= ${time})`,
  );
  const any = sql<{ readonly id: number }>`select a.id from account a where ${sql.join(isDue, ' or ')}
    order by a.id limit 1 for no key update of a skip locked`;
  return (await db.first(any))?.id;
}

const TABLES = ['task', 'sms', 'queued_action', 'reaction'] as const;
/** Maximum number of due rows that are read from each of `TABLES`, to find the account that has waited longest. */
const MAX_DUE_ROWS = 500;
