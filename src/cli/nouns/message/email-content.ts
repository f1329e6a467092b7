/** Reads and lints e-mail content from flags. The text part may be derived from the HTML. */

import type { ContentMarkupNames } from '../../../kit/schema/resource.ts';
import { emailMessage } from '../../../service/resources/email-message.ts';
import type { MessageRecord } from '../../../service/resources/task.ts';
import type { Input } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { type BodyDraft, readBody } from '../../request/body.ts';
import { LINTED_ATTRIBUTES } from '../../request/message-lint.ts';
import { readRecordId } from '../../request/references.ts';
import type { Ports, ServiceAccess } from '../../session/ports.ts';
import { createLintVerb, type LintVerbOptions, type StoredMessageFacts } from './lint.ts';

export const textFromHtmlFlag = switchFlag('text-from-html', {
  describe: 'Create the text part from the HTML',
  group: 'Attributes',
});

/** Columns of a line, as RFC 2822 recommends. */
const WIDTH = 78;

/** `contentWords` loads the opt-in elements, because the HTML and the text use different ones. */
export async function readEmailDraft(
  session: Ports,
  method: 'POST' | 'PUT',
  input: Input,
  contentWords: () => Promise<ContentMarkupNames>,
): Promise<BodyDraft> {
  const draft = await readBody(session, emailMessage, method, input);
  if (!input.get(textFromHtmlFlag)) return draft;
  const refused = (reason: string, instead: string): BodyDraft => ({
    ...draft,
    findings: [...draft.findings, { attribute: 'text', reason, instead }],
  });
  const { html, text } = draft.body;
  if (text !== undefined) return refused('is given twice', 'leave out --text-from-html or the text');
  // A stored message has tracking addresses instead of its links (interface, "emailMessage").
  if (typeof html !== 'string') return refused('needs HTML', 'add --html-file');
  const made = await convertHtmlToTextPart(html, await contentWords());
  if (made === '') return refused('would be empty: the HTML has no text', 'add --text-file');
  return { ...draft, body: { ...draft.body, text: made } };
}

/** Empty for HTML without text. */
export async function convertHtmlToTextPart(html: string, contentWords: ContentMarkupNames): Promise<string> {
  const { htmlToText } = await import('../../../kit/text/html-to-text.ts');
  return htmlToText(html, { width: WIDTH, optIn: contentWords });
}

export const EMAIL_LINT_OPTIONS = {
  example: 'email lint --subject "Spring sale" --html-file sale.html --text-file sale.txt',
  about:
    'Checks whether the service would accept the message, and whether readers and mail programs would have problems with it. For the rules, see svc help lint',
  content: LINTED_ATTRIBUTES.emailMessage,
  load: async () => {
    const [{ lintEmail, summariseEmail }, { EMAIL_LINT_RULES }] = await Promise.all([
      import('../../../service/lint/email.ts'),
      import('../../../service/lint/email-rules.ts'),
    ]);
    return { rules: EMAIL_LINT_RULES, lint: lintEmail, summarise: summariseEmail };
  },
  flags: [textFromHtmlFlag],
  read: (session, input, words) => readEmailDraft(session, 'PUT', input, words),
  readServiceFacts,
  watches: true,
} satisfies LintVerbOptions;

export const emailLint = createLintVerb(emailMessage, EMAIL_LINT_OPTIONS);

/** Stored links are tracking addresses (interface, "emailMessageLink"). */
async function readServiceFacts(session: ServiceAccess, stored: MessageRecord): Promise<StoredMessageFacts> {
  const { readLinkTargets } = await import('../../request/lint-errors.ts');
  const targets = await readLinkTargets(await session.client(), readRecordId(stored));
  const { address } = await session.account();
  return { ...(typeof address === 'string' ? { postalAddress: address } : {}), targets };
}
