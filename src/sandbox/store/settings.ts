/** What the sandbox remembers of itself, by name. */
import type { Db } from './open.ts';
import { knownRow } from './prepared.ts';

/** The value under a key; undefined where it was never written. */
export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const text = 'select value from setting where key = ?';
  return (await knownRow<{ readonly value: string }>(db, text, [key]))?.value;
}

/** Writes a value over the one that is there. */
export async function writeSetting(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}
