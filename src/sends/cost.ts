/** Computes credits: one for each recipient of an e-mail, one per part and recipient for an SMS (wire, "credits"). */
import type { Client } from '../client/client.ts';
import type { JsonObject } from '../protocol/envelope.ts';
import { SUBINFO_OCTETS, smsMessage } from '../resources/sms-message.ts';
import { type Id, isId } from '../schema/integer.ts';
import { measureSms } from '../text/gsm.ts';
import { counted, grouped } from '../text/words.ts';

export type Channel = 'email' | 'sms';

export const channelOf = ({ channel }: JsonObject): Channel => (channel === 'sms' ? 'sms' : 'email');

export interface SmsText {
  readonly text: string;
  /** Octets that the service adds for `subinfo`. */
  readonly extraOctets: number;
}

/** Returns the text of an SMS message or of a single SMS, undefined when it has none. */
export function smsTextIn({ message, subinfo }: Readonly<Record<string, unknown>>): SmsText | undefined {
  if (typeof message !== 'string') return undefined;
  return { text: message, extraOctets: subinfo === true ? SUBINFO_OCTETS : 0 };
}

/** Returns the parts of an SMS message, each of which costs a credit. Undefined when it has no text. */
export function smsParts(record: JsonObject): number | undefined {
  const sms = smsTextIn(record);
  return sms && measureSms(sms.text, sms.extraOctets).credits;
}

/** Reads a stored SMS text with one GET. Undefined when it can't be read. */
export async function readSms(client: Client, id: Id): Promise<SmsText | undefined> {
  const record = await client.get(smsMessage, id).catch(() => undefined);
  return record && smsTextIn(record);
}

/** Returns the credits for each recipient of a task; an SMS task needs one GET. Undefined when its message can't be read. */
export async function creditsEach(client: Client, record: JsonObject): Promise<number | undefined> {
  if (channelOf(record) === 'email') return 1;
  const id = record['message_id'];
  const sms = isId(id) ? await readSms(client, id) : undefined;
  return sms && measureSms(sms.text, sms.extraOctets).credits;
}

/** Returns the remaining credits from the account's record, or undefined if it has none. */
export function balanceIn(account: JsonObject, channel: Channel): number | undefined {
  const balance = account[channel === 'email' ? 'emailcreditbalance' : 'smscreditbalance'];
  return typeof balance === 'number' ? balance : undefined;
}

/** Returns the credits as text: `447 e-mail credits`. */
export function creditsInWords(count: number, channel: Channel): string {
  return counted(count, `${channel === 'email' ? 'e-mail' : 'SMS'} credit`, grouped(count));
}
