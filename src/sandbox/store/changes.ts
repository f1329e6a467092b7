import { sql } from 'kysely';
import { differencesOf } from './dialects/dialect.ts';
import type { Db } from './open.ts';

/**
 * Returns a mark of the latest change. Two different marks mean that data changed in between: the mark is the number of rows written since
 * the store was opened. PostgreSQL counts those of all processes, and its count may lag by a second or two.
 */
export async function changeMark(db: Db): Promise<string> {
  const { name } = differencesOf(db);
  const query = sql<{ readonly mark: number }>`${name === 'postgres' ? OF_DATABASE : OF_CONNECTION}`;
  return String((await query.execute(db)).rows[0]?.mark ?? 0);
}

const OF_CONNECTION = sql`select total_changes() as mark`;
const OF_DATABASE = sql`select cast(coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) as bigint) as mark
  from pg_stat_user_tables`;
