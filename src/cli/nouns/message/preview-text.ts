/** Shows a message as text on a terminal. */
import type { JsonObject } from '../../../protocol/envelope.ts';
import { htmlToText } from '../../../text/html-to-text.ts';
import { escapeForTerminal } from '../../../text/terminal.ts';

/** Maximum width of a line, because longer ones are hard to read on any terminal. */
const MAX_LINE_WIDTH = 100;
const WITHOUT_TERMINAL = 80;

/**
 * Returns the headers, then the HTML as text, or the text part if there is no HTML. Control sequences are escaped.
 * @param columns the width of the terminal; undefined without a terminal
 */
export function formatMessagePreview(record: JsonObject, columns: number | undefined): string {
  const { html, text } = record;
  const width = Math.min(MAX_LINE_WIDTH, columns ?? WITHOUT_TERMINAL);
  const isShown = typeof html === 'string' && html.trim() !== '';
  const body = isShown ? htmlToText(html, { width }) : String(text ?? '').replaceAll('\r\n', '\n');
  const lines = headersOf(record).map(([name, value]) => `${name}: ${escapeForTerminal(value)}`);
  return `${lines.join('\n')}\n\n${escapeForTerminal(body.trimEnd(), { newlines: true })}\n`;
}

function headersOf({ subject, fromname, fromemail, replyemail }: JsonObject): readonly [string, string][] {
  const address = fromemail ?? replyemail;
  return [
    ['Subject', String(subject ?? '')],
    ['From', `${String(fromname ?? '')} <${String(address ?? '')}>`],
    ['Reply-To', String(replyemail ?? '')],
  ];
}
