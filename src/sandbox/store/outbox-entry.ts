/** The entries of the outbox and their order. */
import type { RuleKind } from '../../service/resources/rule-kinds.ts';
import { type Sql, sql } from './driver/sql.ts';
import type { Row } from './schema/tables.ts';

/** A delivered message. `subject` and `body` have its content only if no stored message has it. */
export interface OutboxDelivery {
  readonly time: number;
  /** 0 for a delivery of a task, 1 for a single delivery. */
  readonly rank: 0 | 1;
  /** Id of the task, or of the single delivery. */
  readonly source_id: number;
  /** Id of the subscriber if a task made the delivery; 0 for a single delivery. */
  readonly recipient_id: number;
  readonly channel: Row<'delivery'>['channel'];
  readonly recipient: string;
  readonly sender: string | null;
  readonly subject: string | null;
  readonly body: string | null;
  readonly message_id: number | null;
  readonly subscriber_id: number | null;
  readonly cause: Row<'delivery'>['cause'];
  readonly cause_id: number | null;
  readonly rule_kind: RuleKind | null;
  /** Unix seconds at which a task's delivery bounced. */
  readonly bounced: number | null;
}

/** Conditions on an entry; omitted ones match everything. */
export interface OutboxFilter {
  /** Address, number or URL of a recipient. Only entries of this recipient match. Upper and lower case count as equal. */
  readonly to?: string | undefined;
  readonly channel?: string | undefined;
  readonly taskId?: number | undefined;
  readonly rule?: { readonly kind: RuleKind; readonly id: number } | undefined;
  /**
   * Text to search for, ignoring case, in the name of the task or rule, and in name, subject and content of the message. Also finds
   * addresses and numbers: of a task by their beginning, of other entries by any part.
   */
  readonly search?: string | undefined;
  readonly state?: DeliveryState | undefined;
  /** Text in the subject of an e-mail, ignoring case. */
  readonly subject?: string | undefined;
  /** Unix seconds. Only entries before this time match. */
  readonly until?: number | undefined;
}

/** State of a delivery. Only a delivery of a task can be `bounced`, and only a call to a URL can be `failed` or `pending`. */
export type DeliveryState = 'delivered' | 'bounced' | 'failed' | 'pending';

export interface OutboxPage {
  readonly accountId: number;
  readonly filter: OutboxFilter;
  readonly limit: number;
}

export type OutboxEntryKey = Pick<OutboxDelivery, 'rank' | 'source_id' | 'recipient_id'>;

/** Position of an entry in the outbox. Entries are ordered by time, then by rank, then by ids. */
export type OutboxPosition = OutboxEntryKey & { readonly time: number };

export const compareOutboxPositions = (x: OutboxPosition, y: OutboxPosition): number =>
  x.time - y.time || x.rank - y.rank || x.source_id - y.source_id || x.recipient_id - y.recipient_id;

/** Reads the id of an entry: `t<task>-<subscriber>` or `d<delivery>`. Returns undefined for any other text. */
export function readOutboxEntryId(id: string): OutboxEntryKey | undefined {
  const match = /^(?:t([0-9]{1,15})-([0-9]{1,15})|d([0-9]{1,15}))$/.exec(id);
  if (!match) return undefined;
  const [, task, subscriber, delivery] = match;
  return delivery === undefined
    ? { rank: 0, source_id: Number(task), recipient_id: Number(subscriber) }
    : { rank: 1, source_id: Number(delivery), recipient_id: 0 };
}

/** Returns the id of the last entry of a task that was cleared, or of the last single delivery for task 0. */
export const lastCleared = (accountId: number, task: Sql): Sql =>
  sql`coalesce((select c.last from cleared c where c.account_id = ${accountId} and c.task_id = ${task}), 0)`;

/** Lowercases ASCII letters only, as SQLite does. */
export const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Returns a condition that the column contains the text, ignoring the case of ASCII letters. Wildcards in the text have no effect. */
export function containsText(column: Sql, text: string): Sql {
  const pattern = `%${lowerAscii(text.trim()).replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql`lower(${column}) like ${pattern} escape '\\'`;
}

export const createEmailsContainingTextQuery = (accountId: number, text: string): Sql =>
  sql`select id from email_message where account_id = ${accountId} and (${containsText(sql`name`, text)}
    or ${containsText(sql`subject`, text)} or ${containsText(sql`email_message.text`, text)})`;

export const createEmailsWithSubjectQuery = (accountId: number, text: string): Sql =>
  sql`select id from email_message where account_id = ${accountId} and ${containsText(sql`subject`, text)}`;

export const createSmsContainingTextQuery = (accountId: number, text: string): Sql =>
  sql`select id from sms_message where account_id = ${accountId}
    and (${containsText(sql`name`, text)} or ${containsText(sql`message`, text)})`;
