import type { Values } from '../../../kit/schema/resource.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import type { Verb } from '../../command/command.ts';
import { askForMissingAttributes } from '../../request/ask-missing.ts';
import { refuseEmptyFiles, warnAboutLintErrors } from '../../request/message-lint.ts';
import { resolveId } from '../../request/references.ts';
import type { Changes, Invocation, Notes, Profiles } from '../../session/ports.ts';
import {
  createRecordFromDraft,
  createVerbToCreateRecord,
  createVerbToUpdateRecord,
  updateRecordFromDraft,
} from '../generic/write.ts';
import { convertHtmlToTextPart, emailLint, readEmailDraft, textFromHtmlFlag } from './email-content.ts';
import { emailPull, emailPush } from './email-files.ts';
import { emailPreview } from './email-preview.ts';
import { createVerbToDeleteMessage, createVerbToSendProofMessage } from './shared-verbs.ts';

const wordsIn = (session: Profiles) => async () => (await session.resolved()).naming;

const create = createVerbToCreateRecord(emailMessage);
const update = createVerbToUpdateRecord(emailMessage);

const emailCreate: Verb = {
  ...create,
  flags: [...create.flags, textFromHtmlFlag],
  run: async (session, input) => {
    const draft = await readEmailDraft(session, 'POST', input, wordsIn(session));
    refuseEmptyFiles(emailMessage, input, draft);
    const ways = { text: ({ html }: Readonly<Record<string, unknown>>) => offerText(session, html) };
    const asked = await askForMissingAttributes(session, emailMessage, input, draft, { sources: ways });
    return createRecordFromDraft(session, emailMessage, input, asked, {
      before: (body) => printDefaultSender(session, body),
      after: (record, body) => warnAboutLintErrors(session, emailMessage, input, record, body),
    });
  },
};

/** Undefined if the user declines or the HTML has no text. */
async function offerText(
  session: Invocation & Profiles & Changes,
  html: unknown,
): Promise<string | undefined> {
  if (typeof html !== 'string') return undefined;
  const made = await convertHtmlToTextPart(html, await wordsIn(session)());
  if (made === '') return undefined;
  const question = `Create the text part from the HTML (--${textFromHtmlFlag.name})?`;
  if (!(await session.context.prompter.confirm(question, true))) return undefined;
  session.answers.push(`--${textFromHtmlFlag.name}`);
  return made;
}

/** Without a sender, the service sends from the reply address (interface, emailMessage). */
async function printDefaultSender(session: Notes, { fromemail, replyemail }: Values): Promise<void> {
  if (typeof fromemail !== 'string' && typeof replyemail === 'string')
    await session.info(`the sender is the reply address, ${replyemail}; to set another, use --from`);
}

const emailUpdate: Verb = {
  ...update,
  flags: [...update.flags, textFromHtmlFlag],
  run: async (session, input) => {
    const [text = ''] = input.positionals;
    const draft = await readEmailDraft(session, 'PUT', input, wordsIn(session));
    refuseEmptyFiles(emailMessage, input, draft);
    const readId = () => resolveId(session, emailMessage, text);
    return updateRecordFromDraft(session, emailMessage, draft, readId, {
      after: (record, body) => warnAboutLintErrors(session, emailMessage, input, record, body),
    });
  },
};

export const emailVerbs: readonly Verb[] = [
  emailCreate,
  emailUpdate,
  createVerbToDeleteMessage(emailMessage),
  emailLint,
  emailPreview,
  createVerbToSendProofMessage(emailMessage),
  emailPull,
  emailPush,
];
