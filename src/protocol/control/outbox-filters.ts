/** Reads a rule and a recipient as filters of the outbox. The command line and the sandbox share it. */
import { isEmailAddress } from '../../text/address.ts';
import { normaliseMsisdn } from '../../text/msisdn.ts';
import { readUrl } from '../../text/url.ts';

const RULE_KINDS = ['click', 'open', 'subscription', 'date', 'sms'] as const;

export interface RuleName {
  readonly kind: (typeof RULE_KINDS)[number];
  readonly id: number;
}

/** Reads `click:12`. Returns undefined for anything else. */
export function readRuleName(text: string): RuleName | undefined {
  const [, word, digits = ''] = /^([a-z]+):0*([1-9][0-9]{0,14})$/.exec(text) ?? [];
  const kind = RULE_KINDS.find((each) => each === word);
  return kind && { kind, id: Number(digits) };
}

/** Reads an e-mail address, a number as bare digits, or the URL of a notice. Returns undefined for anything else. */
export function readRecipient(text: string): string | undefined {
  const bare = text.trim();
  if (bare.includes('@') && isEmailAddress(bare)) return bare;
  if (/^https?:\/\//i.test(bare)) return readUrl(bare) === undefined ? undefined : bare;
  return normaliseMsisdn(bare);
}
