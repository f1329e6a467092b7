import { SUBINFO_OCTETS, smsMessage } from '../../../resources/sms-message.ts';
import { measureSms } from '../../../text/gsm.ts';
import { counted } from '../../../text/words.ts';
import { lintVerb } from './lint.ts';

export const smsMessageLint = lintVerb(smsMessage, {
  example: 'sms-message lint --from Example --text "Everything must go"',
  about: 'Checks alphabet, parts, credits and sender. Rules: svc help lint',
  content: ['fromname', 'message', 'subinfo'],
  load: async () => {
    const { lintSms, SMS_RULES } = await import('../../../lint/sms.ts');
    return {
      rules: SMS_RULES,
      lint: (content, { files }) => lintSms(content, { file: files['message'] ?? null }),
      summarise: ({ message, subinfo }) => summaryOf(message, subinfo === true),
    };
  },
});

function summaryOf(message: unknown, hasSubinfo: boolean): string | undefined {
  if (typeof message !== 'string') return undefined;
  const measure = measureSms(message, hasSubinfo ? SUBINFO_OCTETS : 0);
  const { alphabet, characters, parts, credits } = measure;
  const counts = [counted(characters, 'character'), counted(parts, 'part'), counted(credits, 'credit')];
  return `${alphabet}, ${counts.join(', ')} for each recipient`;
}
