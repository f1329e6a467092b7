/** Finds records by their exact name. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';

/** Returns the ids of the account's records with this name, in order. Deleted messages do not count. */
export async function idsByName(
  db: Db,
  table: 'task' | 'email_message' | 'list',
  accountId: number,
  name: string,
): Promise<readonly number[]> {
  const isVisible = table === 'email_message' ? sql`and deleted = 0` : sql``;
  const query = sql<{ readonly id: number }>`select id from ${sql.ref(table)}
    where account_id = ${accountId} and name = ${name} ${isVisible} order by id`;
  return (await db.all(query)).map(({ id }) => id);
}
