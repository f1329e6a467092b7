/** What most rules end in: a row written, or taken away. */
import type { Values } from '../../schema/resource.ts';
import type { Call } from '../request/call.ts';
import { toSqlRow } from '../request/present.ts';
import { deleteRow, insertRow, type SqlRow, updateRow } from '../store/rows.ts';
import type { Tables } from '../store/tables.ts';
import type { Behaviour } from './behaviour.ts';

/** Inserts what was sent, with the account and both times; `more` holds the columns that are not sent. */
export async function insertRecord(
  call: Call,
  table: keyof Tables,
  values: Values,
  more: SqlRow = {},
): Promise<number> {
  const times = { cdate: call.now, mdate: call.now };
  return insertRow(call.db, table, {
    account_id: call.caller.accountId,
    ...times,
    ...toSqlRow(values),
    ...more,
  });
}

/** Writes what was sent and when; with nothing sent the record stays as it is. */
export async function updateRecord(
  call: Call,
  table: keyof Tables,
  current: SqlRow,
  values: Values,
): Promise<void> {
  if (Object.keys(values).length === 0) return;
  await updateRow(call.db, table, Number(current['id']), { ...toSqlRow(values), mdate: call.now });
}

/** DELETE that takes the row away and nothing else. */
export const removeFrom =
  (table: keyof Tables): NonNullable<Behaviour['remove']> =>
  async (call, current) =>
    deleteRow(call.db, table, Number(current['id']));
