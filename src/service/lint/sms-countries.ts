/**
 * Lists countries in which an alphanumeric sender is replaced, blocked or must be registered, according to public sources on the date
 * `COUNTRY_RULES_DATE`. The list is short, and each row names its source. Mobile operators change these rules, so a row is only a reason to
 * check.
 */

export interface CountryRule {
  /** Name of the country in a form that can follow the word `in`: with an article if the name needs one, as in `the United States`. */
  readonly country: string;
  /** First digits of the country's numbers. `except` matches numbers with this prefix that belong to other countries. */
  readonly prefix: string;
  readonly except?: RegExp;
  readonly rule: string;
  readonly instead: string;
  readonly source: string;
}

/** Date on which the sources were read. */
export const COUNTRY_RULES_DATE = '2026-11-22';

const AWS_SENDER_IDS = 'https://docs.aws.amazon.com/sms-voice/latest/userguide/sender-id.html';
const NUMBER = 'use a number of that country as the sender';

export const COUNTRY_RULES: readonly CountryRule[] = [
  {
    country: 'the United States and Canada',
    prefix: '1',
    // These are in the North American plan, but in neither country: the Caribbean and Bermuda.
    except: /^1(?:242|246|264|268|284|345|441|473|649|658|664|721|758|767|784|809|829|849|868|869|876)/,
    rule: 'senders with letters are not supported',
    instead: NUMBER,
    source: AWS_SENDER_IDS,
  },
  {
    country: 'China',
    prefix: '86',
    rule: 'senders with letters are not supported',
    instead: NUMBER,
    source: AWS_SENDER_IDS,
  },
  {
    country: 'India',
    prefix: '91',
    rule: 'operators block or replace messages unless the register for business SMS (DLT) lists the company, sender and texts',
    instead: 'register the sender first',
    source: 'https://developers.telnyx.com/docs/messaging/messages/international-sms-compliance',
  },
  {
    country: 'Singapore',
    prefix: '65',
    rule: 'since 31 January 2023, phones show a sender with letters as "Likely-SCAM" unless the SMS Sender ID Registry lists the sender',
    instead: 'register the sender first',
    source: 'https://www.imda.gov.sg/How-We-Can-Help/Anti-Scam-Measures',
  },
  {
    country: 'Australia',
    prefix: '61',
    rule: 'since 1 July 2026, phones show a sender with letters as "Unverified" unless the SMS Sender ID Register lists the sender',
    instead: 'register the sender first',
    source: 'https://www.clicksend.com/se/legal/acma-schedule',
  },
  {
    country: 'Ireland',
    prefix: '353',
    rule: 'since 3 July 2025, phones show a sender with letters as "Likely Scam" unless the SMS Sender ID Registry lists the sender',
    instead: 'register the sender first',
    source:
      'https://irishtimes.com/business/2025/06/05/comreg-plans-overhaul-of-sms-text-message-system-to-help-block-scammers',
  },
];

export function countryRuleFor(msisdn: string): CountryRule | undefined {
  const digits = msisdn.replace(/^\+/, '');
  return COUNTRY_RULES.find(({ prefix, except }) => digits.startsWith(prefix) && !except?.test(digits));
}
