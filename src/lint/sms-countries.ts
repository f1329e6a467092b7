/**
 * Lists countries in which recipients do not see an alphanumeric sender unchanged, according to public sources on the date below. The list
 * is short, and each row names its source. Operators change these rules, so a row is a reason to check, not a guarantee.
 */

export interface CountryRule {
  /** Name of the country, as it follows the word `in`. */
  readonly country: string;
  /** First digits of the country's numbers. `except` lists longer prefixes that belong to other countries. */
  readonly prefix: string;
  readonly except?: RegExp;
  /** Complete sentence without its full stop. */
  readonly rule: string;
  /** Advice. */
  readonly instead: string;
  readonly source: string;
}

/** Date on which the sources were read. */
export const COUNTRIES_AS_OF = '2026-11-22';

const AWS_SENDER_IDS = 'https://docs.aws.amazon.com/sms-voice/latest/userguide/sender-id.html';
const NUMBER = 'use a number of that country as the sender';

export const COUNTRY_RULES: readonly CountryRule[] = [
  {
    country: 'the United States and Canada',
    prefix: '1',
    // These are in the North American plan, but in neither country: the Caribbean and Bermuda.
    except: /^1(?:242|246|264|268|284|345|441|473|649|658|664|721|758|767|784|809|829|849|868|869|876)/,
    rule: 'alphabetic senders are not supported',
    instead: NUMBER,
    source: AWS_SENDER_IDS,
  },
  {
    country: 'China',
    prefix: '86',
    rule: 'alphabetic senders are not supported',
    instead: NUMBER,
    source: AWS_SENDER_IDS,
  },
  {
    country: 'India',
    prefix: '91',
    rule: 'company, sender and texts must be registered (DLT), or operators block or replace them',
    instead: 'register the sender first',
    source: 'https://developers.telnyx.com/docs/messaging/messages/international-sms-compliance',
  },
  {
    country: 'Singapore',
    prefix: '65',
    rule: 'an alphabetic sender that is not in the SMS Sender ID Registry is shown as "Likely-SCAM" since 31 January 2023',
    instead: 'register the sender first',
    source: 'https://www.imda.gov.sg/How-We-Can-Help/Anti-Scam-Measures',
  },
  {
    country: 'Australia',
    prefix: '61',
    rule: 'an alphabetic sender that is not in the SMS Sender ID Register is shown as "Unverified" since 1 July 2026',
    instead: 'register the sender first',
    source: 'https://www.clicksend.com/se/legal/acma-schedule',
  },
  {
    country: 'Ireland',
    prefix: '353',
    rule: 'an alphabetic sender that is not in the SMS Sender ID Registry is shown as "Likely Scam" since 3 July 2025',
    instead: 'register the sender first',
    source:
      'https://irishtimes.com/business/2025/06/05/comreg-plans-overhaul-of-sms-text-message-system-to-help-block-scammers',
  },
];

/** Returns the rule for a number, with or without a leading `+`. Returns undefined if the table has no rule for the number. */
export function ruleForNumber(msisdn: string): CountryRule | undefined {
  const digits = msisdn.replace(/^\+/, '');
  return COUNTRY_RULES.find(({ prefix, except }) => digits.startsWith(prefix) && !except?.test(digits));
}
