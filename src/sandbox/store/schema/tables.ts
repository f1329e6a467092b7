/** All tables. The type of a row is made from its table: `Row<'task'>`. */
import { accountTables } from './accounts.ts';
import { contactTables } from './contacts.ts';
import { ruleTables } from './rules.ts';
import { sendTables } from './sends.ts';
import {
  decimal,
  id,
  index,
  integer,
  logRowId,
  type RowOf,
  real,
  table,
  tableWithKey,
  text,
} from './table.ts';

/** All tables by name. A table follows those that it references, as PostgreSQL requires. */
export const tables = {
  ...accountTables,
  ...contactTables,
  ...sendTables,
  ...ruleTables,
  setting: tableWithKey(['key'], { key: text, value: text }),
  nonce: {
    ...tableWithKey(
      ['identity', 'nonce'],
      { identity: text, nonce: text, expires: integer },
      { expires: index('expires') },
    ),
    // Every request writes one. Random keys would dirty two pages for each.
    isLogOnSqlite: true,
  } as const,
  log: table({ id, time: integer, kind: text, text }),
  /** Incoming requests, newest id last. Old rows are deleted. */
  request_log: table({
    id: logRowId,
    /** Time of the request in Unix seconds, by the machine's clock. */
    time: integer,
    /** Identity that the headers claimed. It is not verified. */
    who: text.orNull,
    method: text,
    path: text,
    /** Status of the response. Null if the connection was cut on purpose. */
    status: integer.orNull,
    milliseconds: real,
    /**
     * The authentication check that failed, for status 401. The next four columns hold the reason, the signed text without the key, and the
     * beginnings of the sent and of the expected signature.
     */
    failed: text.orNull,
    why: text.orNull,
    signed: text.orNull,
    signature: text.orNull,
    expected: text.orNull,
    /** Message of an error response and the problem of each part of the request, as JSON. */
    problems: text.orNull,
    /** Headers as JSON, body and response body. Without keys and signatures, cut, and null except for the latest requests. */
    headers: text.orNull,
    body: text.orNull,
    answer: text.orNull,
  }),
  control_token: tableWithKey(['name'], {
    name: text,
    role: text,
    /** SHA-256 of the token, in hexadecimal. */
    hash: text,
    cdate: decimal,
  }),
};

export type Tables = typeof tables;

export type Row<Name extends keyof Tables> = RowOf<Tables[Name]>;

export const hasId = (name: keyof Tables): boolean => 'id' in tables[name].columns;
