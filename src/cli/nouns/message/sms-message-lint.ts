import type { JsonObject } from '../../../protocol/envelope.ts';
import { SUBINFO_OCTETS, smsMessage } from '../../../resources/sms-message.ts';
import { charactersOutsideGsm, measureSms } from '../../../text/gsm.ts';
import { lintVerb } from './lint.ts';

export const smsMessageLint = lintVerb(smsMessage, {
  example: 'sms-message lint --from Example --text "Everything must go"',
  about: 'Alphabet, parts, credits and the sender',
  content: ['fromname', 'message', 'subinfo'],
  faults: () => [],
  rows: (values) => {
    const { message, subinfo } = values;
    if (typeof message !== 'string') return [{ check: 'values', result: 'ok', detail: 'there is no text' }];
    const { alphabet, characters, parts, credits } = measureSms(
      message,
      subinfo === true ? SUBINFO_OCTETS : 0,
    );
    const outside = charactersOutsideGsm(message);
    const rows: JsonObject[] = [
      {
        check: 'alphabet',
        result: outside.length === 0 ? 'ok' : 'advice',
        detail: alphabetDetail(alphabet, outside),
      },
      {
        check: 'parts',
        result: parts === 1 ? 'ok' : 'advice',
        detail: `${parts}, of ${characters} characters`,
      },
      { check: 'credits', result: 'ok', detail: `${credits} for each recipient` },
    ];
    return rows;
  },
});

function alphabetDetail(alphabet: string, outside: readonly string[]): string {
  if (outside.length === 0) return alphabet;
  return `${alphabet}, a part is shorter: ${outside.slice(0, 10).join(' ')}`;
}
