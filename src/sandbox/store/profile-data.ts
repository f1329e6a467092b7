/** Reads and changes subscribers' values of custom profile fields. */
import { createConflictError, createLimitReachedError } from '../../service/protocol/service-errors.ts';
import { sql } from './driver/sql.ts';
import type { Db } from './open.ts';
import {
  countRowsOfAccount,
  hasRow,
  insertRow,
  insertRows,
  listRowsOfAccount,
  type SqlRow,
  type SqlValue,
} from './rows.ts';
import type { Row } from './schema/tables.ts';

export interface ProfileDataKey {
  readonly fieldId: number;
  readonly subscriberId: number;
}

/** Returns the id of the new field. Throws `ServiceError` 409 if the account has reached its limit, or has a field of that name. */
export async function createField(
  db: Db,
  account: Pick<Row<'account'>, 'id' | 'subscriberprofilefield_limit'>,
  row: SqlRow & { readonly name: string; readonly columnheader?: SqlValue },
): Promise<number> {
  const most = account.subscriberprofilefield_limit;
  if (most !== null && (await countRowsOfAccount(db, 'profile_field', account.id)) >= most)
    throw createLimitReachedError('subscriberprofilefield_limit', most);
  await requireFreeFieldName(db, account.id, row);
  return insertRow(db, 'profile_field', { account_id: account.id, ...row });
}

/** Throws `ServiceError` 409 if a field other than `ownId` has the name or the heading. A missing heading is the name. */
export async function requireFreeFieldName(
  db: Db,
  accountId: number,
  { name, columnheader }: { readonly name: string; readonly columnheader?: SqlValue },
  ownId?: number,
): Promise<void> {
  const others = (await listRowsOfAccount(db, 'profile_field', accountId)).filter(({ id }) => id !== ownId);
  const same = others.find((field) => field.name === name);
  if (same) throw createConflictError(`The profile field ${name} already exists`, same.id);
  const heading = columnheader ?? name;
  const headed = others.find((field) => (field.columnheader ?? field.name) === heading);
  if (headed)
    throw createConflictError(`A profile field with the heading ${heading} already exists`, headed.id);
}

export const hasProfileData = (db: Db, { fieldId, subscriberId }: ProfileDataKey): Promise<boolean> =>
  hasRow(db, sql`select 1 from profile_data where field_id = ${fieldId} and subscriber_id = ${subscriberId}`);

/** @throws the store's error if the subscriber already has a value in this field */
export async function addProfileData(
  db: Db,
  accountId: number,
  key: ProfileDataKey,
  value: string,
): Promise<void> {
  await insertRows(db, 'profile_data', [
    { account_id: accountId, field_id: key.fieldId, subscriber_id: key.subscriberId, value },
  ]);
}

/** Changes an existing value; does nothing if it does not exist. */
export async function changeProfileData(
  db: Db,
  { fieldId, subscriberId }: ProfileDataKey,
  value: string,
): Promise<void> {
  await db.run(
    sql`update profile_data set value = ${value} where field_id = ${fieldId} and subscriber_id = ${subscriberId}`,
  );
}

/** Removes a value; does nothing if it does not exist. */
export async function removeProfileData(db: Db, { fieldId, subscriberId }: ProfileDataKey): Promise<void> {
  await db.run(sql`delete from profile_data where field_id = ${fieldId} and subscriber_id = ${subscriberId}`);
}

export async function readProfileValues(db: Db, subscriberId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db.all(sql<{ readonly name: string; readonly value: string }>`select f.name, d.value
    from profile_data d join profile_field f on f.id = d.field_id where d.subscriber_id = ${subscriberId}`);
  return new Map(rows.map(({ name, value }) => [name, value]));
}
