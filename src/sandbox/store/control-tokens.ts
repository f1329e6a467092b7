/** Tokens of the control plane: of each a hash, never the token. */
import type { Db } from './open.ts';
import type { Row } from './tables.ts';

/** By name. */
export async function listTokens(db: Db): Promise<readonly Row<'control_token'>[]> {
  return db.selectFrom('control_token').selectAll().orderBy('name').execute();
}

/** False where there is one of that name. */
export async function addToken(db: Db, token: Row<'control_token'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('control_token')
    .values(token)
    .onConflict((already) => already.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows) > 0;
}

/** False where there is none of that name. */
export async function removeToken(db: Db, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('control_token')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows) > 0;
}
