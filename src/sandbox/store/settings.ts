/** Settings of the sandbox, by name. */

import { differencesOf } from './dialects/dialect.ts';
import type { Db } from './open.ts';
import { allRows, knownRow } from './prepared.ts';
import { sql } from './sql.ts';
import type { Row } from './tables.ts';

/** Returns the value of a key; undefined if it was never written. */
export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const text = 'select value from setting where key = ?';
  return (await knownRow<{ readonly value: string }>(db, text, [key]))?.value;
}

/** Returns the values of two keys, with one query if the database is remote. */
export async function readTwoSettings(
  db: Db,
  ...[one, other]: readonly [string, string]
): Promise<readonly [string | undefined, string | undefined]> {
  if (differencesOf(db).name === 'sqlite') return [await readSetting(db, one), await readSetting(db, other)];
  const rows = await allRows(
    db,
    sql<Row<'setting'>>`${sql.known}select * from setting where key in (${one}, ${other})`,
  );
  const found = (key: string): string | undefined => rows.find((row) => row.key === key)?.value;
  return [found(one), found(other)];
}

/** Writes a value and replaces an existing one. */
export async function writeSetting(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
