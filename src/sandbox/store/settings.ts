/** Settings of the sandbox, by name. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const query = sql<Pick<Row<'setting'>, 'value'>>`select value from setting where key = ${key}`;
  return (await db.rowCache.get('setting', key, () => db.first(query)))?.value;
}

/** Returns the values of two keys, with one query if the database is remote. */
export async function readTwoSettings(
  db: Db,
  ...[one, other]: readonly [string, string]
): Promise<readonly [string | undefined, string | undefined]> {
  if (db.dialect === 'sqlite') return [await readSetting(db, one), await readSetting(db, other)];
  const query = sql<Row<'setting'>>`select * from setting where key in (${one}, ${other})`;
  const rows = await db.rowCache.get('settings', `${one} ${other}`, () => db.all(query));
  const found = (key: string): string | undefined => rows?.find((row) => row.key === key)?.value;
  return [found(one), found(other)];
}

export async function writeSetting(db: Db, key: string, value: string): Promise<void> {
  await db.run(sql`insert into setting (key, value) values (${key}, ${value})
    on conflict (key) do update set value = excluded.value`);
}
