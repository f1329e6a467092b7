/**
 * Writes records to the database, and deletes them. A behaviour, the code that handles the requests for one resource, usually does this as
 * its last step.
 */
import type { Values } from '../../schema/resource.ts';
import type { Call } from '../request/call.ts';
import { toSqlRow } from '../request/present.ts';
import { deleteRow, insertRow, type SqlRow, updateRow } from '../store/rows.ts';
import type { Tables } from '../store/schema/tables.ts';
import type { ResourceBehaviour } from './behaviour.ts';

/**
 * Inserts a row and returns its id. The row has the values that the client sent, the id of the account, and the current time as `cdate` and
 * `mdate`.
 * @param otherColumns the values of columns that clients don't send
 */
export async function insertRecord(
  call: Call,
  table: keyof Tables,
  values: Values,
  otherColumns: SqlRow = {},
): Promise<number> {
  const times = { cdate: call.now, mdate: call.now };
  return insertRow(call.db, table, {
    account_id: call.caller.accountId,
    ...times,
    ...toSqlRow(values),
    ...otherColumns,
  });
}

/** Writes the values that the client sent, and the time of the change. If `values` is empty, the record stays unchanged. */
export async function updateRecord(
  call: Call,
  table: keyof Tables,
  current: SqlRow,
  values: Values,
): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await updateRow(call.db, table, Number(current['id']), { ...toSqlRow(values), mdate: call.now });
}

/** Returns the function for a DELETE that only removes the row. */
export const createRowRemover =
  (table: keyof Tables): NonNullable<ResourceBehaviour['remove']> =>
  async (call, current) =>
    deleteRow(call.db, table, Number(current['id']));
