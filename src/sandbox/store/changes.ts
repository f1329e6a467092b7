import { sql } from 'kysely';
import type { Db } from './open.ts';

/** Rows that were written since the store was opened: two that differ mean that something changed in between. */
export async function changeCount(db: Db): Promise<number> {
  const { rows } = await sql<{ readonly changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
}
