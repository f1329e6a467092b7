/** All tables. The type of a row is made from its table: `Row<'task'>`. */
import { accounts } from './accounts.ts';
import { contacts } from './contacts.ts';
import { messages } from './messages.ts';
import { records } from './records.ts';
import { rules } from './rules.ts';
import { sends } from './sends.ts';
import type { RowOf } from './table.ts';

/** All tables by name. A table follows those that it references, as PostgreSQL requires. */
export const tables = { ...accounts, ...contacts, ...messages, ...sends, ...rules, ...records };

export type Tables = typeof tables;
export type Row<Name extends keyof Tables> = RowOf<Tables[Name]>;

/** Reports whether the rows of the table have an id. */
export const hasId = (name: keyof Tables): boolean => 'id' in tables[name].columns;
