/** What a search of the outbox finds by, as conditions. */
import { type RawBuilder, sql } from 'kysely';

/** As a database has it: letters beyond ASCII stay as they are. */
export const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Whether the text stands in it, in any case; nothing in the text is a pattern. */
export function isLike(column: RawBuilder<unknown>, text: string): RawBuilder<unknown> {
  const pattern = `%${lowerAscii(text.trim()).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`lower(${column}) like ${pattern} escape '\\'`;
}

/** Ids of e-mail messages. */
export const emailsFound = (accountId: number, text: string): RawBuilder<unknown> =>
  sql`select id from email_message where account_id = ${accountId} and (${isLike(sql`name`, text)}
    or ${isLike(sql`subject`, text)} or ${isLike(sql.ref('email_message.text'), text)})`;

/** Ids of SMS messages. */
export const smsFound = (accountId: number, text: string): RawBuilder<unknown> =>
  sql`select id from sms_message where account_id = ${accountId}
    and (${isLike(sql`name`, text)} or ${isLike(sql`message`, text)})`;
