/** Draws a message of the company, delivered or not: as its recipient sees it, its source, its links, and the findings about it. */

import { measureSms } from '../../kit/text/gsm.ts';
import { makeHtmlInert } from '../../kit/text/html-inert.ts';
import { costlyCharacters, formatCharacterOrCode } from '../../kit/text/sms-characters.ts';
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import { markHtmlLines } from './html-source.ts';
import {
  countLinks,
  findStoredEmail,
  LINTED_MESSAGE_FIELDS,
  type LintedMessage,
  lintMessage,
  type MessageLink,
  renderClientFindings,
  renderLinkTable,
  renderLintFindings,
  splitFindings,
} from './message-checks.ts';
import { readColourScheme, renderHtmlFrame } from './message-frame.ts';
import {
  type CompanyPageRequest,
  htmlResponse,
  MESSAGE_IFRAME_HTTP_HEADERS,
  redirect,
  type ShownMessage,
} from './page.ts';
import { breakable, formatCountWithNoun, type Html, html, linkWith, tabs } from './parts.ts';

const VIEWS = [
  ['html', 'HTML'],
  ['both', 'Both'],
  ['text', 'Text'],
  ['source', 'Source'],
  ['headers', 'Headers'],
  ['links', 'Links'],
  ['checks', 'Checks'],
  ['clients', 'Clients'],
] as const;
type ViewName = (typeof VIEWS)[number][0];

/** Views of an SMS. The other channels have only one. */
const SMS_VIEWS: readonly ViewName[] = ['text', 'checks'];

/** A message with what its views show. */
export interface MessageParts<M = ShownMessage> {
  readonly shown: M;
  readonly links: readonly MessageLink[];
  readonly linted: LintedMessage | undefined;
}

export async function loadMessageParts<M extends ShownMessage>(
  call: CompanyPageRequest,
  shown: M,
): Promise<MessageParts<M>> {
  return { shown, links: await linksOf(call, shown), linted: await lintMessage(call, shown) };
}

async function linksOf(call: CompanyPageRequest, shown: ShownMessage): Promise<readonly MessageLink[]> {
  const id = shown.message;
  if (shown.channel !== 'email' || id === null) return [];
  return call.find('emailMessageLink', { message_id: id, count: 1000 });
}

/** Draws the view that the query names, with tabs for the others. */
export async function renderMessage(call: CompanyPageRequest, parts: MessageParts): Promise<Html> {
  const view = viewIn(call, parts.shown);
  return html`<div class="preview">
${parts.shown.channel === 'notification' ? null : viewTabs(call, parts, view)}
${await preview(call, parts, view)}
</div>`;
}

/** Returns the HTML for the frame. If the browser opens it as a page, redirects to the page with the frame. */
export function respondWithFrame(call: CompanyPageRequest, shown: ShownMessage): Response {
  if (shown.html === null) throw createNotFoundError('The HTML of this message');
  if (call.destination === 'document') return redirect(call.pathOf(shown.path));
  return htmlResponse(200, makeHtmlInert(shown.html, readColourScheme(call)), MESSAGE_IFRAME_HTTP_HEADERS);
}

function viewIn({ query }: CompanyPageRequest, shown: ShownMessage): ViewName {
  const given = VIEWS.map(([name]) => name).find((name) => name === query.get('view'));
  if (shown.channel === 'sms') return given === 'checks' ? given : 'text';
  return given !== undefined && (shown.isDelivered || given !== 'headers')
    ? given
    : shown.html
      ? 'html'
      : 'text';
}

/** Draws the views as tabs, with the number of links and of findings. A message that was deleted has no findings. */
function viewTabs(call: CompanyPageRequest, { shown, linted }: MessageParts, view: ViewName): Html {
  const { findings, clients } = splitFindings(linted);
  const counts: Partial<Record<ViewName, number>> = {
    links: countLinks(shown),
    ...(linted === undefined ? {} : { checks: findings.length, clients: clients.length }),
  };
  const choices = VIEWS.filter(([name]) =>
    shown.channel === 'sms'
      ? SMS_VIEWS.includes(name)
      : (linted !== undefined || !['checks', 'clients'].includes(name)) &&
        (shown.isDelivered || name !== 'headers'),
  ).map(([name, label]) => [name, label, counts[name]] as const);
  return tabs('Part of the message', view, choices, (each) => linkWith(call, shown.path, { view: each }));
}

async function preview(call: CompanyPageRequest, parts: MessageParts, view: ViewName): Promise<Html> {
  const { shown, links, linted } = parts;
  if (view === 'checks') return renderLintFindings(call, shown.path, linted);
  if (shown.channel === 'sms') return smsPhone(shown);
  if (shown.channel === 'notification') return html`<pre class="plain-text">${shown.text}</pre>`;
  switch (view) {
    case 'html':
      return renderHtmlFrame(call, shown);
    case 'both':
      return html`<div class="both"><div>${renderHtmlFrame(call, shown, 'narrow')}</div><div>${plainText(shown)}</div></div>`;
    case 'text':
      return plainText(shown);
    case 'source':
      return messageSource(call, shown, linted);
    case 'headers':
      return headers(call);
    case 'links':
      return renderLinkTable(call, shown, links);
    case 'clients':
      return renderClientFindings(call, shown.path, linted);
  }
}

const plainText = (shown: ShownMessage): Html =>
  shown.text
    ? html`<pre class="plain-text" tabindex="0">${shown.text}</pre>`
    : html`<p class="soft">There is no text part.</p>`;

/** Returns the delivered e-mail as it was sent. */
export const readEml = async (call: CompanyPageRequest): Promise<string> =>
  (await call.ask('outbox eml', { id: call.id })).eml;

/** Shows the header of the e-mail as it was sent, one row per field; folded lines are joined. */
async function headers(call: CompanyPageRequest): Promise<Html> {
  const [head = ''] = (await readEml(call)).split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return html`<div class="wide" tabindex="0" role="group" aria-label="Headers"><table class="headers"><tbody>${lines.map(
    (line) => {
      const at = line.indexOf(':');
      return html`<tr><th scope="row">${line.slice(0, at)}</th><td>${breakable(line.slice(at + 1).trim())}</td></tr>`;
    },
  )}</tbody></table></div>
<p class="soft small">The service has no attachments.</p>
<p>${call.command`sandbox outbox show ${call.id} --eml`}</p>`;
}

function smsPhone(shown: ShownMessage): Html {
  const text = shown.text ?? '';
  const { alphabet, characters, septets, parts, credits } = measureSms(text);
  const costly = costlyCharacters(text).map(({ character }) => formatCharacterOrCode(character));
  return html`<div class="handset"><p class="handset-from">${shown.from}</p><p class="bubble">${text}</p></div>
<dl class="facts wide-facts">
<dt>Parts</dt><dd>${formatCountWithNoun(parts, 'part')}, ${formatCountWithNoun(credits, 'credit')}</dd>
<dt>Alphabet</dt><dd>${alphabet}${alphabet === 'UCS-2' && costly.length > 0 ? html`, because of ${costly.join(' ')}` : null}</dd>
<dt>Length</dt><dd>${formatCountWithNoun(characters, 'character')}, which fill ${septets}</dd>
</dl>`;
}

/** Maximum number of lines shown. More lines would make the page slow. */
const MAX_LINES = 5_000;

async function messageSource(
  call: CompanyPageRequest,
  shown: ShownMessage,
  linted: LintedMessage | undefined,
): Promise<Html> {
  const id = shown.message;
  const stored = id === null ? undefined : await findStoredEmail(call, id);
  if (!stored) return html`<p class="soft">The message from which this delivery was made was deleted.</p>`;
  const found = new Set(linted?.findings.map(({ file, line }) => `${file}-${line}`));
  const parts = LINTED_MESSAGE_FIELDS.filter(
    (part) => stored[part] && (ALWAYS.includes(part) || found.has(`${part}-1`)),
  );
  return html`${parts.map((part) => lines(part, stored[part], found))}`;
}

const TITLES: Readonly<Record<(typeof LINTED_MESSAGE_FIELDS)[number], string>> = {
  subject: 'Subject',
  fromname: 'Name of the sender',
  html: 'HTML part',
  text: 'Text part',
};
/** Parts of a message that are always shown. The others are shown if they have findings. */
const ALWAYS: readonly string[] = ['html', 'text'];

function lines(part: (typeof LINTED_MESSAGE_FIELDS)[number], text: string, found: ReadonlySet<string>): Html {
  const all = text.split('\n');
  const shown = part === 'html' ? markHtmlLines(text, MAX_LINES) : all.slice(0, MAX_LINES);
  const title = TITLES[part];
  return html`<h2 class="part">${title}</h2>
<div class="wide source" tabindex="0" role="group" aria-label="${title}"><ol>${shown.map((line, at) => {
    const name = `${part}-${at + 1}`;
    return html`<li id="${name}"${found.has(name) ? html` class="found"` : null}><code>${line}</code></li>`;
  })}</ol></div>
${all.length > MAX_LINES ? html`<p class="soft">${all.length - MAX_LINES} more lines are not shown.</p>` : null}`;
}
