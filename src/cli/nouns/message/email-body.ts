/** Reads the body of an e-mail message: the usual attributes, and a text part that may be derived from the HTML. */
import { emailMessage } from '../../../resources/email-message.ts';
import type { ContentMarkupNames } from '../../../schema/resource.ts';
import type { Input } from '../../command/command.ts';
import { switchFlag } from '../../command/flag.ts';
import { type BodyDraft, readBody } from '../../request/body.ts';
import type { Session } from '../../session/session.ts';

export const textFromHtmlFlag = switchFlag('text-from-html', {
  describe: 'Create the text part from the HTML',
  group: 'Attributes',
});

/** Maximum number of columns in a line of the text part that svc derives from the HTML, as RFC 2822 recommends. */
const WIDTH = 78;

/**
 * Returns the draft of an e-mail message. With `--text-from-html`, svc derives the text part of the draft from the HTML part.
 * @param contentWords loads the names of the elements that mark an opt-in link in a message. svc needs these names for `--text-from-html`,
 * because the HTML part and the text part use different elements.
 */
export async function readEmailDraft(
  session: Session,
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

/** Returns the text part that says the same as the HTML, or an empty text for HTML without text. */
export async function convertHtmlToTextPart(html: string, contentWords: ContentMarkupNames): Promise<string> {
  const { htmlToText } = await import('../../../text/html-to-text.ts');
  return htmlToText(html, { width: WIDTH, optIn: contentWords });
}
