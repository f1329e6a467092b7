/** Tokens of the control plane. Only their hashes are stored. */
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import type { Row } from './schema/tables.ts';

/** Returns all tokens, sorted by name. */
export async function listTokens(db: Db): Promise<readonly Row<'control_token'>[]> {
  return db.all(sql<Row<'control_token'>>`select * from control_token order by name`);
}

/** Adds a token; returns false if one of that name exists. */
export async function addToken(db: Db, token: Row<'control_token'>): Promise<boolean> {
  const { name, role, hash, cdate } = token;
  const { changes } = await db.run(sql`insert into control_token (name, role, hash, cdate)
    values (${name}, ${role}, ${hash}, ${cdate}) on conflict do nothing`);
  return changes > 0;
}

/** Removes a token; returns false if none has that name. */
export async function removeToken(db: Db, name: string): Promise<boolean> {
  const { changes } = await db.run(sql`delete from control_token where name = ${name}`);
  return changes > 0;
}
