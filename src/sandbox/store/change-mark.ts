import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';

/**
 * Returns a mark of the latest change. If two marks differ, data changed in between. The mark is the number of rows written since the store
 * was opened. PostgreSQL counts the rows of all processes, and its count may be a second or two late.
 */
export async function changeMark(db: Db): Promise<string> {
  return String((await db.first(MARK))?.mark ?? 0);
}

const MARK = sql<{ readonly mark: number }>`${sql.either({
  sqlite: sql`select total_changes() as mark`,
  postgres: sql`select cast(coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) as bigint) as mark
    from pg_stat_user_tables`,
})}`;
