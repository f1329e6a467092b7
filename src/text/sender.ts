import { isMsisdn } from './msisdn.ts';

/**
 * Reports whether the text is a valid SMS sender: 1 to 11 letters and digits, or an MSISDN. Interface, Limits, 'SMS sender name/address';
 * wire.md, 'sender'.
 */
export function isSender(text: string): boolean {
  return ALPHANUMERIC.test(text) || isMsisdn(text);
}

/** Returns the sender as it is stored: an MSISDN without its leading `+`. Returns undefined if `text` is not a valid sender. */
export function normaliseSender(text: string): string | undefined {
  if (!isSender(text)) return undefined;
  return text.startsWith('+') ? text.slice(1) : text;
}

const ALPHANUMERIC = /^[A-Za-z0-9]{1,11}$/;
