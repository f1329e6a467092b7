/** Tokens of the control plane. Only their hashes are stored. */
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

/** Returns all tokens, sorted by name. */
export async function listTokens(db: Db): Promise<readonly Row<'control_token'>[]> {
  return db.selectFrom('control_token').selectAll().orderBy('name').execute();
}

/** Adds a token; returns false if one of that name exists. */
export async function addToken(db: Db, token: Row<'control_token'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('control_token')
    .values(token)
    .onConflict((already) => already.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** Removes a token; returns false if none has that name. */
export async function removeToken(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('control_token')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) > 0;
}
