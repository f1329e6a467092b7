import { isMsisdn } from './msisdn.ts';

/**
 * True for the sender of an SMS: 1 to 11 letters and digits, or an MSISDN.
 * Interface, Limits, 'SMS sender name/address'; wire.md, 'sender'.
 */
export function isSender(text: string): boolean {
  return ALPHANUMERIC.test(text) || isMsisdn(text);
}

/** The sender as it is stored: without the leading `+` of an MSISDN. undefined where `text` is no sender. */
export function normaliseSender(text: string): string | undefined {
  if (!isSender(text)) return undefined;
  return text.startsWith('+') ? text.slice(1) : text;
}

const ALPHANUMERIC = /^[A-Za-z0-9]{1,11}$/;
