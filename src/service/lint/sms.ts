/** Checks an SMS: a stored message (`fromname`, `message`, `subinfo`) or a single SMS (`fromaddress`, `message`, `msisdn`). */

import { measureSms } from '../../kit/text/gsm.ts';
import { cheaperText, costlyCharacters } from '../../kit/text/sms-characters.ts';
import { OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS } from '../resources/sms-message.ts';
import type { LintFinding, LintRule } from './finding.ts';
import { SMS_CHECKS, type SmsToCheck } from './sms-checks.ts';

/**
 * Values that were not given are not checked.
 * @param origin the path of the file that holds the text, as the user wrote it
 */
export function lintSms(
  values: Readonly<Record<string, unknown>>,
  origin: { readonly file: string | null },
): readonly LintFinding[] {
  const sms = readSms(values);
  return SMS_CHECKS.flatMap(({ rule, severity, check }) =>
    check(sms).map(({ message, at, instead = null }) => {
      const place = at === undefined || sms.text === undefined ? NOWHERE : positionIn(sms.text, at);
      return { rule, severity, message, file: origin.file, ...place, instead };
    }),
  );
}

export const SMS_RULES: readonly LintRule[] = SMS_CHECKS.map(({ check: _, ...rule }) => rule);

function readSms(values: Readonly<Record<string, unknown>>): SmsToCheck {
  const { message, fromname, fromaddress, msisdn, subinfo } = values;
  const text = typeof message === 'string' ? message : undefined;
  const sender = fromname ?? fromaddress;
  const hasSubinfo = subinfo === true;
  const extraOctets = hasSubinfo ? OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS : 0;
  return {
    text,
    extraOctets,
    hasSubinfo,
    sender: typeof sender === 'string' ? sender : undefined,
    msisdn: typeof msisdn === 'string' ? msisdn : undefined,
    isSingle: fromaddress !== undefined || msisdn !== undefined,
    measure: measureSms(text ?? '', extraOctets),
    costly: costlyCharacters(text ?? ''),
    cheaper: cheaperText(text ?? '', extraOctets),
  };
}

const NOWHERE = { line: null, column: null } as const;

function positionIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
