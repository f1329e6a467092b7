import { smsTextOfRecord } from '../../../client/sends/cost.ts';
import { measureSms } from '../../../kit/text/gsm.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import { OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS, smsMessage } from '../../../service/resources/sms-message.ts';
import type { Verb } from '../../command/command.ts';
import { askForMissingAttributes } from '../../request/ask-missing.ts';
import { readBody } from '../../request/body.ts';
import { printSmsCostLine } from '../../request/credits.ts';
import { LINTED_ATTRIBUTES, refuseEmptyFiles, warnAboutLintErrors } from '../../request/message-lint.ts';
import { resolveId } from '../../request/references.ts';
import { createWriteOutcome } from '../../request/write-outcome.ts';
import {
  checkUpdateBody,
  createRecordFromDraft,
  createVerbToCreateRecord,
  createVerbToUpdateRecord,
  sendUpdateRequest,
} from '../generic/write.ts';
import { createLintVerb } from './lint.ts';
import { createVerbToDeleteMessage, createVerbToSendProofMessage } from './shared-verbs.ts';

const create: Verb = {
  ...createVerbToCreateRecord(smsMessage),
  run: async (session, input) => {
    const draft = await readBody(session, smsMessage, 'POST', input);
    refuseEmptyFiles(smsMessage, input, draft);
    const asked = await askForMissingAttributes(session, smsMessage, input, draft);
    return createRecordFromDraft(session, smsMessage, input, asked, {
      before: (body) => printSmsCostLine(session, smsTextOfRecord(body)),
      after: (record, body) => warnAboutLintErrors(session, smsMessage, input, record, body),
    });
  },
};

const update: Verb = {
  ...createVerbToUpdateRecord(smsMessage),
  run: async (session, input) => {
    const [name = ''] = input.positionals;
    const draft = await readBody(session, smsMessage, 'PUT', input);
    refuseEmptyFiles(smsMessage, input, draft);
    const body = await checkUpdateBody(session, smsMessage, draft);
    const id = await resolveId(session, smsMessage, name);
    const record = await sendUpdateRequest(session, smsMessage, id, body);
    // Only the record has both: the text, and whether subinfo is added.
    if ('message' in body || 'subinfo' in body) await printSmsCostLine(session, smsTextOfRecord(record));
    await warnAboutLintErrors(session, smsMessage, input, record, body);
    return createWriteOutcome(session, smsMessage, record, 'Updated');
  },
};

const smsMessageLint = createLintVerb(smsMessage, {
  example: 'sms-message lint --from Example --text "Everything must go"',
  about: 'Checks alphabet, parts, credits and sender. For the rules, see svc help lint',
  content: LINTED_ATTRIBUTES.smsMessage,
  load: async () => {
    const { lintSms, SMS_RULES } = await import('../../../service/lint/sms.ts');
    return {
      rules: SMS_RULES,
      lint: (content, { files: { message = null } }) => lintSms(content, { file: message }),
      summarise: ({ message, subinfo }) => summaryOf(message, subinfo === true),
    };
  },
});

function summaryOf(message: unknown, hasSubinfo: boolean): string | undefined {
  if (typeof message !== 'string') return undefined;
  const measure = measureSms(message, hasSubinfo ? OCTETS_OF_UNSUBSCRIBE_INSTRUCTIONS : 0);
  const { alphabet, characters, parts, credits } = measure;
  const counts = [
    formatCountWithNoun(characters, 'character'),
    formatCountWithNoun(parts, 'part'),
    formatCountWithNoun(credits, 'credit'),
  ];
  return `${alphabet}, ${counts.join(', ')} for each recipient`;
}

export const smsMessageVerbs: readonly Verb[] = [
  create,
  update,
  createVerbToDeleteMessage(smsMessage),
  smsMessageLint,
  createVerbToSendProofMessage(smsMessage),
];
