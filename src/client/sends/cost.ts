/**
 * Computes credits: one for each recipient of an e-mail, one per part and recipient for an SMS (wire, "credits"). Compares size and cost
 * with limits; the service shows the size only once the task exists (contract, "Safety").
 */

import { type Id, isId } from '../../kit/schema/integer.ts';
import { measureSms } from '../../kit/text/gsm.ts';
import { formatCountWithNoun, groupThousands } from '../../kit/text/words.ts';
import type { AccountRecord } from '../../service/resources/account.ts';
import { OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS, smsMessage } from '../../service/resources/sms-message.ts';
import { type Channel, type TaskRecord, task } from '../../service/resources/task.ts';
import type { Client } from '../requests/client.ts';
import type { TaskCheck } from './errors.ts';

interface MessageOfTask {
  readonly channel?: unknown;
  readonly message_id?: unknown;
}

export const channelOfRecord = ({ channel }: Pick<MessageOfTask, 'channel'>): Channel =>
  channel === 'sms' ? 'sms' : 'email';

export interface SmsText {
  readonly text: string;
  /** Length in octets of the unsubscribe instructions that the service adds if `subinfo` is true; otherwise 0. */
  readonly extraOctets: number;
}

/** Returns the text of an SMS message or of a single SMS, or undefined if the record has no text. */
export function smsTextOfRecord({
  message,
  subinfo,
}: Readonly<Record<string, unknown>>): SmsText | undefined {
  if (typeof message !== 'string') return undefined;
  return { text: message, extraOctets: subinfo === true ? OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS : 0 };
}

/** Returns undefined if the message has no text. */
export function countSmsParts(record: Readonly<Record<string, unknown>>): number | undefined {
  const sms = smsTextOfRecord(record);
  return sms && measureSms(sms.text, sms.extraOctets).credits;
}

/** Reads the text of a stored SMS message with one GET. Returns undefined if it can't be read. */
export async function readSms(client: Client, id: Id): Promise<SmsText | undefined> {
  const record = await client.get(smsMessage, id).catch(() => undefined);
  return record && smsTextOfRecord(record);
}

/** Returns the credits of a task for each recipient. Sends one GET for an SMS task. Undefined if its message can't be read. */
export async function creditsPerRecipient(
  client: Client,
  record: MessageOfTask,
): Promise<number | undefined> {
  if (channelOfRecord(record) === 'email') return 1;
  const sms = isId(record.message_id) ? await readSms(client, record.message_id) : undefined;
  return sms && measureSms(sms.text, sms.extraOctets).credits;
}

/** Returns the credits that a task with this number of recipients costs, or null if that is unknown. Sends one GET for an SMS task. */
export async function creditsOfTask(
  client: Client,
  record: MessageOfTask,
  size: number | null,
): Promise<number | null> {
  const each = size === null ? undefined : await creditsPerRecipient(client, record);
  return size === null || each === undefined ? null : size * each;
}

/** Estimates the size of a new task by the newest task with the same list and channel. Returns null without one. Sends one GET. */
export async function findSizeOfNewestTask(
  client: Pick<Client, 'list'>,
  { channel, list_id }: { readonly channel?: unknown; readonly list_id?: unknown },
): Promise<number | null> {
  if (!isId(list_id) || typeof channel !== 'string') return null;
  const newest = client.list(task, { filters: { channel, list_id }, sort: 'id', reverse: true, limit: 1 });
  for await (const { size } of newest) return size ?? null;
  return null;
}

/** Returns the remaining credits of a channel, from the account's record. Returns undefined if the record does not show them. */
export function readCreditBalance(account: AccountRecord, channel: Channel): number | undefined {
  return account[channel === 'email' ? 'emailcreditbalance' : 'smscreditbalance'] ?? undefined;
}

export function creditsInWords(count: number, channel: Channel): string {
  return formatCountWithNoun(
    count,
    `${channel === 'email' ? 'e-mail' : 'SMS'} credit`,
    groupThousands(count),
  );
}

/** Maximum number of subscriptions on a list to which svc sends a proof of a message (contract, "The everyday screen"). */
export const MAX_PROOF_RECIPIENTS = 10;

/** Limits that the user sets for a task. Null means no limit. */
export interface TaskLimits {
  readonly expectSize: NumberRange | null;
  readonly maxCredits: number | null;
}

export interface ExceededLimit {
  readonly kind: 'unexpected-size' | 'unexpected-cost';
  /** Text that follows the task's name in a message: `has 3 subscriptions, expected 1`. */
  readonly words: string;
}

/** Returns the first limit that the size or the cost exceeds, or undefined. An unknown size or cost exceeds every limit. */
export function findExceededLimit(
  { expectSize, maxCredits }: TaskLimits,
  { size, credits }: { readonly size: number | null; readonly credits: number | null },
): ExceededLimit | undefined {
  if (expectSize !== null && (size === null || size < expectSize.from || size > expectSize.to)) {
    const found = `has ${size ?? 'an unknown number of'} subscriptions`;
    return { kind: 'unexpected-size', words: `${found}, expected ${rangeInWords(expectSize)}` };
  }
  if (maxCredits !== null && (credits === null || credits > maxCredits)) {
    const cost = `would cost ${credits ?? 'an unknown number of'} credits`;
    return { kind: 'unexpected-cost', words: `${cost}, but the maximum is ${maxCredits}` };
  }
  return undefined;
}

const rangeInWords = ({ from, to }: NumberRange): string => (from === to ? `${from}` : `${from} to ${to}`);

/** Creates a check that compares a task with its limits. */
export function createLimitsCheck(
  limits: TaskLimits,
  title: (record: TaskRecord) => string,
  hint: string,
): TaskCheck {
  return async (record, client) => {
    if (limits.expectSize === null && limits.maxCredits === null) return undefined;
    const size = await knownSize(client, record);
    const credits = limits.maxCredits === null ? null : await creditsOfTask(client, record, size);
    const excess = findExceededLimit(limits, { size, credits });
    return excess && { kind: excess.kind, why: `${title(record)} ${excess.words}`, hint };
  };
}

/** Returns the size of the task. If the record has no size, reads the task once more. Returns null if that answer has no size either. */
async function knownSize(client: Client, { id, size }: TaskRecord): Promise<number | null> {
  return size ?? (await client.get(task, id).catch(() => undefined))?.size ?? null;
}

export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads `9000..11000`, or `447` for exactly that number. Both ends are included. Returns undefined for any other text, and if the first
 * number is higher than the second.
 */
export function parseNumberRange(text: string): NumberRange | undefined {
  const [, from, to = from] = /^([0-9]{1,12})(?:\.\.([0-9]{1,12}))?$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to) };
  return range.from <= range.to ? range : undefined;
}

export const INVALID_NUMBER_RANGE_FAULT = {
  reason: 'must be one number, or two numbers, the lower one first',
  instead: 'write 9000..11000, or 447 for exactly 447',
} as const;
