/** Shows one delivered message: its content, its cause, and the actions of its recipient. */
import type { JsonObject } from '../../protocol/json.ts';
import { notFound } from '../../protocol/service-errors.ts';
import { measureSms } from '../../text/gsm.ts';
import { briefCharacter } from '../../text/sms-character-words.ts';
import { costlyCharacters } from '../../text/sms-characters.ts';
import { act } from './act.ts';
import { type Cause, causeWords, ruleOf } from './causes.ts';
import { htmlResponse, MESSAGE_HEADERS, redirect } from './headers.ts';
import { inertHtml, type Scheme } from './inert.ts';
import { findingsList, lintOf } from './message-lint.ts';
import { source } from './message-source.ts';
import type { Page, PageCall, Shown, View } from './page.ts';
import { badge, command, counted, type Html, html, NONE, queryWith, tabs, time } from './parts.ts';
import { recipientActions } from './recipient.ts';

export const message: Page = { path: 'outbox/:id', of: 'outbox', show, act };

const VIEWS = [
  ['html', 'HTML'],
  ['text', 'Text'],
  ['source', 'Source'],
  ['headers', 'Headers'],
  ['links', 'Links'],
] as const;
type ViewName = (typeof VIEWS)[number][0];

/** Widths of the frame: like a phone, a tablet and a window. */
const WIDTHS = [
  ['phone', 'Phone'],
  ['tablet', 'Tablet'],
  ['desktop', 'Desktop'],
] as const;

async function show(call: PageCall): Promise<View | Response> {
  const id = call.params['id'] ?? '';
  const shown = await call.ask('outbox show', { id });
  const view = viewIn(call, shown);
  if (call.query.get('frame') === 'html') return frame(call, shown);
  const cause = shown['cause'] as unknown as Cause;
  const [findings, words, neighbours, body] = [
    await lintOf(call, shown),
    await causeWords(call, [cause]),
    await neighboursOf(call, id),
    await preview(call, shown, view),
  ];
  const isEmail = shown['channel'] === 'email';
  const title = isEmail ? String(shown['subject']) : `${channelWord(shown)} to ${shown['to']}`;
  return {
    title,
    lead: html`<a href="${call.pathOf('outbox')}">Outbox</a> · ${channelWord(shown)} to <a href="${call.pathOf(
      `outbox?to=${encodeURIComponent(String(shown['to']))}`,
    )}">${String(shown['to'])}</a>`,
    before: neighbours.newer === undefined ? undefined : call.pathOf(`outbox/${neighbours.newer}`),
    after: neighbours.older === undefined ? undefined : call.pathOf(`outbox/${neighbours.older}`),
    body: html`<div class="message">
<div class="preview">
${
  isEmail
    ? tabs(
        'Part of the message',
        view,
        VIEWS.map(([value, label]) => ({ value, label, href: viewLink(call, { view: value }) })),
      )
    : NONE
}
${body}
</div>
<div class="aside">
${facts(call, shown, words(cause))}
${await recipientActions(call, shown, await linksOf(call, shown))}
${findingsList(call, findings)}
</div>
</div>
<nav class="pager" aria-label="Newer and older message">${
      neighbours.newer === undefined
        ? html`<span></span>`
        : html`<a href="${call.pathOf(`outbox/${neighbours.newer}`)}" rel="prev">← Newer</a>`
    }${
      neighbours.older === undefined
        ? NONE
        : html`<a href="${call.pathOf(`outbox/${neighbours.older}`)}" rel="next">Older →</a>`
    }</nav>
<footer class="same">${command(call, 'sandbox', 'outbox', 'show', id)}</footer>`,
  };
}

const viewLink = (call: PageCall, changes: Readonly<Record<string, string>>): string =>
  call.pathOf(`outbox/${call.params['id']}${queryWith(call.query, { done: undefined, ...changes })}`);

function viewIn({ query }: PageCall, shown: Shown): ViewName {
  const given = VIEWS.map(([name]) => name).find((name) => name === query.get('view'));
  return given ?? (shown['html'] ? 'html' : 'text');
}

const channelWord = ({ channel }: JsonObject): string =>
  channel === 'email' ? 'E-mail' : channel === 'sms' ? 'SMS' : 'Notice';

/** Returns the message for the frame. If it is opened as a document, redirects to the page around it. */
function frame(call: PageCall, shown: Shown): Response {
  if (typeof shown['html'] !== 'string') throw notFound('The HTML of this message');
  if (call.destination === 'document') return redirect(call.pathOf(`outbox/${call.params['id']}`));
  return htmlResponse(200, inertHtml(shown['html'], schemeIn(call)), MESSAGE_HEADERS);
}

async function preview(call: PageCall, shown: Shown, view: ViewName): Promise<Html> {
  if (shown['channel'] === 'sms') return smsPhone(shown);
  if (shown['channel'] === 'notification')
    return html`<pre class="plain-text">${String(shown['text'])}</pre>`;
  switch (view) {
    case 'html':
      return htmlFrame(call, shown);
    case 'text':
      return shown['text']
        ? html`<pre class="plain-text" tabindex="0">${String(shown['text'])}</pre>`
        : html`<p class="soft">There is no text part.</p>`;
    case 'source':
      return source(call, shown);
    case 'headers':
      return headers(call);
    case 'links':
      return linkTable(call, shown);
  }
}

function htmlFrame(call: PageCall, shown: Shown): Html {
  if (!shown['html']) return html`<p class="soft">There is no HTML part.</p>`;
  const width = WIDTHS.map(([name]) => name).find((name) => name === call.query.get('width')) ?? 'desktop';
  const scheme = schemeIn(call);
  return html`<div class="tools">${tabs(
    'Width',
    width,
    WIDTHS.map(([value, label]) => ({ value, label, href: viewLink(call, { width: value }) })),
  )}${tabs('Colours', scheme, [
    { value: 'light', label: 'Light', href: viewLink(call, { scheme: 'light' }) },
    { value: 'dark', label: 'Dark', href: viewLink(call, { scheme: 'dark' }) },
  ])}</div>
<div class="stage" tabindex="0" role="group" aria-label="The message as the recipient sees it"><iframe class="${width} ${scheme}" sandbox="" referrerpolicy="no-referrer" title="The HTML of the message" src="${call.pathOf(
    `outbox/${call.params['id']}?frame=html&scheme=${scheme}`,
  )}"></iframe></div>
<p class="soft small">Remote images, scripts and links are off. To follow a link, use “Be the recipient”.</p>`;
}

const schemeIn = ({ query }: PageCall): Scheme => (query.get('scheme') === 'dark' ? 'dark' : 'light');

/** Shows the header of the e-mail as it was sent, one row per field; folded lines are joined. */
async function headers(call: PageCall): Promise<Html> {
  const { eml } = await call.ask('outbox eml', { id: call.params['id'] ?? '' });
  const [head = ''] = String(eml).split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return html`<div class="wide" tabindex="0" role="group" aria-label="Headers"><table class="headers"><tbody>${lines.map(
    (line) => {
      const at = line.indexOf(':');
      return html`<tr><th scope="row">${line.slice(0, at)}</th><td>${line.slice(at + 1).trim()}</td></tr>`;
    },
  )}</tbody></table></div>
<p class="soft small">Attachments: none; the service has none.</p>
<p>${command(call, 'sandbox', 'outbox', 'show', call.params['id'] ?? '', '--eml')}</p>`;
}

async function linksOf(call: PageCall, shown: Shown): Promise<readonly JsonObject[]> {
  const id = shown['message'];
  if (shown['channel'] !== 'email' || typeof id !== 'number') return [];
  return call.find('emailMessageLink', { message_id: id, count: 1000 });
}

async function linkTable(call: PageCall, shown: Shown): Promise<Html> {
  const links = await linksOf(call, shown);
  if (links.length === 0) return html`<p class="soft">There are no tracked links in this message.</p>`;
  return html`<div class="wide" tabindex="0" role="group" aria-label="Links"><table><thead><tr><th scope="col">Link</th><th scope="col">Part</th><th scope="col">Leads to</th></tr></thead>
<tbody>${links.map(
    (link) =>
      html`<tr><th scope="row">${String(link['name'] ?? link['id'])}</th><td>${String(link['type'])}</td><td class="break">${String(link['target'])}</td></tr>`,
  )}</tbody></table></div>
<p class="soft small">In the message each is an address of the sandbox, by which the click of this recipient is known.</p>
<p>${command(call, 'link', 'list', '--message', String(shown['message']))}</p>`;
}

function facts(call: PageCall, shown: Shown, cause: string): Html {
  const { kind, id } = shown['cause'] as unknown as Cause;
  const rule = ruleOf(shown['cause'] as unknown as Cause);
  const filter = kind === 'task' ? `task=${id}` : rule === undefined ? undefined : `rule=${rule}`;
  const state = String(shown['state']);
  return html`<dl class="facts">
<dt>To</dt><dd>${String(shown['to'])}</dd>
<dt>From</dt><dd>${String(shown['from'])}</dd>
${shown['reply_to'] ? html`<dt>Reply to</dt><dd>${String(shown['reply_to'])}</dd>` : NONE}
<dt>Delivered</dt><dd>${time(call, Number(shown['time']))}</dd>
<dt>State</dt><dd>${badge(state, state === 'delivered' ? 'good' : state === 'pending' ? 'warn' : 'bad')}</dd>
<dt>Caused by</dt><dd>${filter === undefined ? cause : html`<a href="${call.pathOf(`outbox?${filter}`)}">${cause}</a>`}</dd>
</dl>`;
}

async function neighboursOf(
  call: PageCall,
  id: string,
): Promise<{ readonly newer: string | undefined; readonly older: string | undefined }> {
  const [newer] = await call.ask('outbox list', { after: id, limit: 1 });
  const [older] = await call.ask('outbox list', { before: id, limit: 1 });
  const idOf = (entry: JsonObject | undefined): string | undefined => entry && String(entry['id']);
  return { newer: idOf(newer), older: idOf(older) };
}

/** Draws an SMS as a phone shows it, with its parts and credits. */
function smsPhone(shown: Shown): Html {
  const text = String(shown['text'] ?? '');
  const { alphabet, characters, septets, parts, credits } = measureSms(text);
  const costly = costlyCharacters(text).map(({ character }) => briefCharacter(character));
  return html`<div class="handset"><p class="handset-from">${String(shown['from'])}</p><p class="bubble">${text}</p></div>
<dl class="facts wide-facts">
<dt>Parts</dt><dd>${counted(parts, 'part')}, ${counted(credits, 'credit')}</dd>
<dt>Alphabet</dt><dd>${alphabet}${alphabet === 'UCS-2' && costly.length > 0 ? html`, because of ${costly.join(' ')}` : NONE}</dd>
<dt>Length</dt><dd>${counted(characters, 'character')}, which fill ${septets}</dd>
</dl>`;
}
