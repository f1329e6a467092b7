/** Inserts many rows into one table with few statements. */
import { sql } from 'kysely';
import type { Db } from './open.ts';
import { keepIdsRising } from './prepared.ts';
import type { SqlRow } from './rows.ts';
import type { Tables } from './tables.ts';

/** Values per statement; SQLite accepts at most 32,766. */
const MOST_VALUES = 8_000;

/** Inserts rows that all have the columns of the first. */
export async function insertRows(db: Db, table: keyof Tables, rows: readonly SqlRow[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const atOnce = Math.max(1, Math.floor(MOST_VALUES / Math.max(1, columns.length)));
  const names = sql.join(columns.map((column) => sql.ref(column)));
  for (let at = 0; at < rows.length; at += atOnce) {
    const values = rows
      .slice(at, at + atOnce)
      .map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`);
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db);
  }
  if (columns.includes('id')) await keepIdsRising(db, table);
}
