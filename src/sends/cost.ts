/** Computes credits: one for each recipient of an e-mail, one per part and recipient for an SMS (wire, "credits"). */
import type { Client } from '../client/client.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS, smsMessage } from '../resources/sms-message.ts';
import type { Channel } from '../resources/task.ts';
import { type Id, isId } from '../schema/integer.ts';
import { measureSms } from '../text/gsm.ts';
import { formatCountWithNoun, groupThousands } from '../text/words.ts';

export const channelOfRecord = ({ channel }: JsonObject): Channel => (channel === 'sms' ? 'sms' : 'email');

export interface SmsText {
  readonly text: string;
  /**
   * Length in octets of the unsubscribe instructions that the service adds to the text. 0 unless the attribute `subinfo` of the SMS is
   * true.
   */
  readonly extraOctets: number;
}

/**
 * Returns the text of an SMS, or undefined if the record has no text. The record is either an SMS message, which tasks send to many people,
 * or a single SMS to one number.
 */
export function smsTextOfRecord({
  message,
  subinfo,
}: Readonly<Record<string, unknown>>): SmsText | undefined {
  if (typeof message !== 'string') return undefined;
  return { text: message, extraOctets: subinfo === true ? OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS : 0 };
}

/** Returns the number of parts of an SMS message, each of which costs a credit. Returns undefined if the message has no text. */
export function countSmsParts(record: JsonObject): number | undefined {
  const sms = smsTextOfRecord(record);
  return sms && measureSms(sms.text, sms.extraOctets).credits;
}

/** Reads the text of a stored SMS message with one GET. Returns undefined if it can't be read. */
export async function readSms(client: Client, id: Id): Promise<SmsText | undefined> {
  const record = await client.get(smsMessage, id).catch(() => undefined);
  return record && smsTextOfRecord(record);
}

/**
 * Returns the credits that a task costs for each recipient. Sends one GET for an SMS task, to read its message. Returns undefined if the
 * message can't be read.
 */
export async function creditsPerRecipient(client: Client, record: JsonObject): Promise<number | undefined> {
  if (channelOfRecord(record) === 'email') return 1;
  const id = record['message_id'];
  const sms = isId(id) ? await readSms(client, id) : undefined;
  return sms && measureSms(sms.text, sms.extraOctets).credits;
}

/** Returns the remaining credits of a channel, from the account's record. Returns undefined if the record does not show them. */
export function readCreditBalance(account: JsonObject, channel: Channel): number | undefined {
  const balance = account[channel === 'email' ? 'emailcreditbalance' : 'smscreditbalance'];
  return typeof balance === 'number' ? balance : undefined;
}

/** Returns the credits as text: `447 e-mail credits`. */
export function creditsInWords(count: number, channel: Channel): string {
  return formatCountWithNoun(
    count,
    `${channel === 'email' ? 'e-mail' : 'SMS'} credit`,
    groupThousands(count),
  );
}
