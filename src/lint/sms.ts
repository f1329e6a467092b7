/** What is wrong with a stored SMS message, or one that is not sent yet. */
import { SUBINFO_OCTETS } from '../resources/sms-message.ts';
import { NEUTRAL_WORDS } from '../schema/resource.ts';
import { charactersOutsideGsm, MAX_SMS_PARTS, measureSms, type SmsMeasure } from '../text/gsm.ts';
import { isSender } from '../text/sender.ts';
import { type Draft, findingsOf } from './draft.ts';
import type { LintFinding } from './finding.ts';
import type { Content } from './origin.ts';
import { type LintRule, type RuleTable, rulesIn } from './rule.ts';

type SmsRule = 'sms-sender' | 'sms-text' | 'sms-alphabet' | 'sms-parts';

const TABLE: RuleTable<SmsRule> = {
  'sms-sender': {
    severity: 'error',
    finds: 'A sender that is neither up to 11 letters and digits nor a number',
    instead: 'Write up to 11 letters and digits, or a number with its country code',
  },
  'sms-text': {
    severity: 'error',
    finds: 'A text that is empty, or takes more than 3 parts',
    instead: 'Shorten it to 3 parts',
  },
  'sms-alphabet': {
    severity: 'warning',
    finds: 'Characters outside of the GSM alphabet, which make each part shorter',
    instead: 'Write characters of the GSM alphabet',
  },
  'sms-parts': {
    severity: 'info',
    finds: 'A text that takes more than one part, and a credit for each',
    instead: 'Shorten it to one part',
  },
};

export const SMS_RULES: readonly LintRule[] = rulesIn(TABLE);

/** Interface, "smsMessage": alphabet, parts and sender. @param origin the file that the text was read from */
export function lintSms(values: Content, { file }: { readonly file: string | null }): readonly LintFinding[] {
  const { fromname, message, subinfo } = values;
  const origin = {
    files: file === null ? {} : { message: file },
    stored: new Set<string>(),
    words: NEUTRAL_WORDS,
  };
  const drafts: Draft<SmsRule>[] = [];
  if (typeof fromname === 'string' && !isSender(fromname))
    drafts.push({
      ...{ rule: 'sms-sender', part: 'fromname' },
      message: 'The sender must be up to 11 letters and digits, or a number with its country code.',
    });
  if (typeof message === 'string') {
    const measure = measureSms(message, subinfo === true ? SUBINFO_OCTETS : 0);
    drafts.push(...alphabet(message), ...parts(message, measure));
  }
  return findingsOf(TABLE, drafts, values, origin);
}

function alphabet(message: string): readonly Draft<SmsRule>[] {
  const outside = charactersOutsideGsm(message);
  const [first] = outside;
  if (first === undefined) return [];
  const shown = outside.slice(0, 10).join(' ');
  return [
    {
      ...{ rule: 'sms-alphabet', part: 'message', at: message.indexOf(first) },
      message: `The text has characters outside of the GSM alphabet, so each part is shorter: ${shown}.`,
    },
  ];
}

function parts(message: string, { parts: count, credits }: SmsMeasure): readonly Draft<SmsRule>[] {
  const found = (rule: SmsRule, sentence: string): readonly Draft<SmsRule>[] => [
    { rule, part: 'message', message: sentence },
  ];
  if (message.trim() === '') return found('sms-text', 'The text is empty.');
  if (count > MAX_SMS_PARTS)
    return found('sms-text', `The text takes ${count} parts; ${MAX_SMS_PARTS} is the most.`);
  if (count === 1) return [];
  return found('sms-parts', `The text takes ${count} parts and ${credits} credits for each recipient.`);
}
