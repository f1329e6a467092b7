import { sql } from 'kysely';
import { differencesOf } from './dialects/dialect.ts';
import type { Db } from './open.ts';

/**
 * Two that differ mean that something changed in between: the rows written since the store was opened. PostgreSQL, where
 * others write too, counts them for the whole database, and may be a second or two late with it.
 */
export async function changeMark(db: Db): Promise<string> {
  const { name } = differencesOf(db);
  const query = sql<{ readonly mark: number }>`${name === 'postgres' ? OF_DATABASE : OF_CONNECTION}`;
  return String((await query.execute(db)).rows[0]?.mark ?? 0);
}

const OF_CONNECTION = sql`select total_changes() as mark`;
const OF_DATABASE = sql`select cast(coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) as bigint) as mark
  from pg_stat_user_tables`;
