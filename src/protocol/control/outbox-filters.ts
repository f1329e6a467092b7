/** Reads a recipient as a filter of the outbox. The command line and the sandbox share it. */
import { isEmailAddress } from '../../text/address.ts';
import { normaliseMsisdn } from '../../text/msisdn.ts';
import { readUrl } from '../../text/url.ts';

/** Reads an e-mail address, a number as bare digits, or the URL of a notice. Returns undefined for anything else. */
export function readRecipient(text: string): string | undefined {
  const bare = text.trim();
  if (bare.includes('@') && isEmailAddress(bare)) return bare;
  if (/^https?:\/\//i.test(bare)) return readUrl(bare) === undefined ? undefined : bare;
  return normaliseMsisdn(bare);
}
