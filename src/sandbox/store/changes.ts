import { sql } from 'kysely';
import { differencesOf } from './dialects/dialect.ts';
import type { Db } from './open.ts';

/**
 * Two that differ mean that something may have changed in between: on SQLite the rows written since the store was opened;
 * on PostgreSQL, where others write too, the transactions that are over by now. To be asked by who writes nothing.
 */
export async function changeMark(db: Db): Promise<string> {
  const { name } = differencesOf(db);
  const mark = name === 'postgres' ? sql`pg_current_snapshot()` : sql`total_changes()`;
  const { rows } = await sql<{ readonly mark: string }>`select cast(${mark} as text) as mark`.execute(db);
  return rows[0]?.mark ?? '';
}
