/** Conditions for a search of the outbox. */
import { type Sql, sql } from './driver/sql.ts';

/** Lowercases ASCII letters only, as SQLite does. */
export const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns a condition that the column contains the text, ignoring case. The text is matched literally. */
export function isLike(column: Sql, text: string): Sql {
  const pattern = `%${lowerAscii(text.trim()).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`lower(${column}) like ${pattern} escape '\\'`;
}

/** Returns a select of the ids of matching e-mail messages. */
export const emailsFound = (accountId: number, text: string): Sql =>
  sql`select id from email_message where account_id = ${accountId} and (${isLike(sql`name`, text)}
    or ${isLike(sql`subject`, text)} or ${isLike(sql`email_message.text`, text)})`;

/** Returns a select of the ids of matching SMS messages. */
export const smsFound = (accountId: number, text: string): Sql =>
  sql`select id from sms_message where account_id = ${accountId}
    and (${isLike(sql`name`, text)} or ${isLike(sql`message`, text)})`;
