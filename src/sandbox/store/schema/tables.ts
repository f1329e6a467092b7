/** All tables. The type of a row is made from its table: `Row<'task'>`. */
import { accountTables } from './accounts.ts';
import { contactTables } from './contacts.ts';
import { messageTables } from './messages.ts';
import { sandboxRecordTables } from './records.ts';
import { ruleTables } from './rules.ts';
import { sendTables } from './sends.ts';
import type { RowOf } from './table.ts';

/** All tables by name. A table follows those that it references, as PostgreSQL requires. */
export const tables = {
  ...accountTables,
  ...contactTables,
  ...messageTables,
  ...sendTables,
  ...ruleTables,
  ...sandboxRecordTables,
};

export type Tables = typeof tables;
export type Row<Name extends keyof Tables> = RowOf<Tables[Name]>;

/** Reports whether the rows of the table have an id. */
export const hasId = (name: keyof Tables): boolean => 'id' in tables[name].columns;
