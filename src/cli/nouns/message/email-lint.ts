import type { JsonObject } from '../../../protocol/envelope.ts';
import { emailMessage } from '../../../resources/email-message.ts';
import { emailMessageLink } from '../../../resources/email-message-link.ts';
import { readRecordId } from '../../request/references.ts';
import type { ServiceAccess } from '../../session/access.ts';
import { readEmailDraft, textFromHtmlFlag } from './email-body.ts';
import { createLintVerb, type LintVerbOptions, type StoredMessageFacts } from './lint.ts';

export const EMAIL_LINT_OPTIONS = {
  example: 'email lint --subject "Spring sale" --html-file sale.html --text-file sale.txt',
  about:
    'Checks whether the service would accept the message, and whether readers and mail programs would have problems with it. For the rules, see svc help lint',
  content: ['customoptin', 'fromemail', 'fromname', 'html', 'name', 'replyemail', 'subject', 'text'],
  load: async () => {
    const [{ lintEmail, summariseEmail }, { EMAIL_LINT_RULES }] = await Promise.all([
      import('../../../lint/email.ts'),
      import('../../../lint/email-rules.ts'),
    ]);
    return { rules: EMAIL_LINT_RULES, lint: lintEmail, summarise: summariseEmail };
  },
  flags: [textFromHtmlFlag],
  read: (session, input, words) => readEmailDraft(session, 'PUT', input, words),
  readServiceFacts,
  watches: true,
} satisfies LintVerbOptions;

export const emailLint = createLintVerb(emailMessage, EMAIL_LINT_OPTIONS);

/**
 * Returns the link targets and the postal address. Links of a stored message are tracking addresses; the service knows their targets
 * (interface, "emailMessageLink").
 */
async function readServiceFacts(session: ServiceAccess, stored: JsonObject): Promise<StoredMessageFacts> {
  const client = await session.client();
  const links = await client.find(emailMessageLink, { message_id: readRecordId(stored) });
  const { address } = await session.account();
  return {
    ...(typeof address === 'string' ? { postalAddress: address } : {}),
    targets: links.flatMap(({ type, target }) =>
      (type === 'html' || type === 'text') && typeof target === 'string' ? [{ part: type, target }] : [],
    ),
  };
}
