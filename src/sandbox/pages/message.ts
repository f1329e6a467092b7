/** Shows one delivered message: its content, its cause, and the actions of its recipient. */

import { measureSms } from '../../kit/text/gsm.ts';
import { makeHtmlInert } from '../../kit/text/html-inert.ts';
import { costlyCharacters, formatCharacterOrCode } from '../../kit/text/sms-characters.ts';
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import {
  countLinks,
  findStoredEmail,
  LINTED_MESSAGE_FIELDS,
  type LintedMessage,
  lintDeliveredMessage,
  type MessageLink,
  renderClientFindings,
  renderLinkTable,
  renderLintFindings,
  splitFindings,
} from './message-checks.ts';
import { readColourScheme, renderHtmlFrame } from './message-frame.ts';
import {
  type CompanyPageRequest,
  type DeliveredMessage,
  emlResponse,
  htmlResponse,
  MESSAGE_IFRAME_HTTP_HEADERS,
  type Page,
  redirect,
  type View,
} from './page.ts';
import {
  badge,
  channelWord,
  describeMessageCauses,
  formatCausingRuleAsFilter,
  formatCountWithNoun,
  type Html,
  html,
  linkWith,
  pager,
  renderTime,
  sendKeyOfMessage,
  tabs,
} from './parts.ts';
import { recipientActions, renderRecipientActions, shortTarget } from './recipient.ts';

export const messagePage: Page = { path: 'outbox/:id', of: 'outbox', show, acts: recipientActions };

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

async function show(call: CompanyPageRequest): Promise<View | Response> {
  const id = call.id;
  const shown = await call.ask('outbox show', { id });
  const view = viewIn(call, shown);
  if (call.query.get('frame') === 'html') return frame(call, shown);
  if (call.query.has('eml')) return emlResponse(id, await emlOf(call));
  const { cause } = shown;
  for (const key of [id, sendKeyOfMessage(cause, id)]) call.unreadMessages.markAsRead(key, shown.time);
  const linted = await lintDeliveredMessage(call, shown);
  const links = await linksOf(call, shown);
  const [words, newer, older, body] = [
    await describeMessageCauses(call, [shown]),
    await pathOfNeighbour(call, { after: id }),
    await pathOfNeighbour(call, { before: id }),
    await preview(call, { shown, links, linted }, view),
  ];
  const isEmail = shown.channel === 'email';
  const title = isEmail ? String(shown.subject) : `${channelWord(shown.channel)} to ${shown.to}`;
  return {
    title,
    lead: html`<a href="${call.pathOf('outbox')}">Outbox</a> · ${isEmail ? html`${channelWord(shown.channel)} to ` : null}<a href="${call.pathOf(
      `outbox?to=${encodeURIComponent(shown.to)}`,
    )}">${isEmail ? shown.to : 'All messages to this recipient'}</a>`,
    before: newer,
    after: older,
    beside: pager(
      'Newer and older message',
      { text: '← Newer', href: newer, rel: 'prev' },
      { text: 'Older →', href: older, rel: 'next' },
    ),
    body: html`<div class="message">
<div class="preview">
${shown.channel === 'notification' ? null : viewTabs(call, { shown, links, linted }, view)}
${body}
</div>
<div class="aside">
${facts(call, shown, words(cause))}
${await renderRecipientActions(call, shown, links)}
${history(call, shown)}
</div>
</div>
<footer class="same">${call.command`sandbox outbox show ${id}`}</footer>`,
  };
}

function viewIn({ query }: CompanyPageRequest, shown: DeliveredMessage): ViewName {
  const given = VIEWS.map(([name]) => name).find((name) => name === query.get('view'));
  if (shown.channel === 'sms') return given === 'checks' ? given : 'text';
  return given ?? (shown.html ? 'html' : 'text');
}

/** A delivered message with what its views show. */
interface Parts {
  readonly shown: DeliveredMessage;
  readonly links: readonly MessageLink[];
  readonly linted: LintedMessage | undefined;
}

/** Draws the views as tabs, with the number of links and of findings. A message that was deleted has no findings. */
function viewTabs(call: CompanyPageRequest, { shown, linted }: Parts, view: ViewName): Html {
  const { findings, clients } = splitFindings(linted);
  const counts: Partial<Record<ViewName, number>> = {
    links: countLinks(shown),
    ...(linted === undefined ? {} : { checks: findings.length, clients: clients.length }),
  };
  const choices = VIEWS.filter(([name]) =>
    shown.channel === 'sms'
      ? SMS_VIEWS.includes(name)
      : linted !== undefined || !['checks', 'clients'].includes(name),
  ).map(([name, label]) => [name, label, counts[name]] as const);
  return tabs('Part of the message', view, choices, (each) =>
    linkWith(call, `outbox/${call.id}`, { view: each }),
  );
}

/** Returns the HTML for the frame. If the browser opens it as a page, redirects to the page with the frame. */
function frame(call: CompanyPageRequest, shown: DeliveredMessage): Response {
  if (shown.html === null) throw createNotFoundError('The HTML of this message');
  if (call.destination === 'document') return redirect(call.pathOf(`outbox/${call.id}`));
  return htmlResponse(200, makeHtmlInert(shown.html, readColourScheme(call)), MESSAGE_IFRAME_HTTP_HEADERS);
}

async function preview(call: CompanyPageRequest, parts: Parts, view: ViewName): Promise<Html> {
  const { shown, links, linted } = parts;
  if (view === 'checks') return renderLintFindings(call, linted);
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
      return renderClientFindings(call, linted);
  }
}

const plainText = (shown: DeliveredMessage): Html =>
  shown.text
    ? html`<pre class="plain-text" tabindex="0">${shown.text}</pre>`
    : html`<p class="soft">There is no text part.</p>`;

const emlOf = async (call: CompanyPageRequest): Promise<string> =>
  (await call.ask('outbox eml', { id: call.id })).eml;

/** Shows the header of the e-mail as it was sent, one row per field; folded lines are joined. */
async function headers(call: CompanyPageRequest): Promise<Html> {
  const [head = ''] = (await emlOf(call)).split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  return html`<div class="wide" tabindex="0" role="group" aria-label="Headers"><table class="headers"><tbody>${lines.map(
    (line) => {
      const at = line.indexOf(':');
      return html`<tr><th scope="row">${line.slice(0, at)}</th><td>${line.slice(at + 1).trim()}</td></tr>`;
    },
  )}</tbody></table></div>
<p class="soft small">The service has no attachments.</p>
<p>${call.command`sandbox outbox show ${call.id} --eml`}</p>`;
}

async function linksOf(call: CompanyPageRequest, shown: DeliveredMessage): Promise<readonly MessageLink[]> {
  const id = shown.message;
  if (shown.channel !== 'email' || id === null) return [];
  return call.find('emailMessageLink', { message_id: id, count: 1000 });
}

function facts(call: CompanyPageRequest, shown: DeliveredMessage, cause: string): Html {
  const { kind, id } = shown.cause;
  const rule = formatCausingRuleAsFilter(shown.cause);
  const [page, filter] =
    kind === 'task'
      ? [`tasks/${id}`, `task=${id}`]
      : rule === undefined
        ? []
        : [`automations/${rule}`, `rule=${rule}`];
  const { state } = shown;
  return html`<dl class="facts">
<dt>To</dt><dd>${shown.to}</dd>
<dt>From</dt><dd>${shown.from}</dd>
${shown.reply_to ? html`<dt>Reply to</dt><dd>${shown.reply_to}</dd>` : null}
<dt>Sent</dt><dd>${renderTime(call, shown.time)}</dd>
<dt>State</dt><dd>${badge(state, state === 'delivered' ? 'good' : state === 'pending' ? 'warn' : 'bad')}</dd>
<dt>Caused by</dt><dd>${page === undefined ? cause : html`<a href="${call.pathOf(page)}">${cause}</a> <a class="small nowrap" href="${call.pathOf(`outbox?${filter}`)}">all its messages</a>`}</dd>
${shown.channel === 'email' ? html`<dt>File</dt><dd><a href="${call.pathOf(`outbox/${call.id}?eml`)}" download>Download .eml</a></dd>` : null}
</dl>`;
}

const EVENT_WORDS = {
  sent: 'Sent',
  opened: 'Opened',
  clicked: 'Clicked',
  unsubscribed: 'Unsubscribed',
  complained: 'Complained',
  bounced: 'Bounced',
} as const;

/** Number of events that are shown without a fold. */
const SHOWN_EVENTS = 8;

/** Shows what the recipient of a task's message did. The sandbox does not record this for other messages. */
function history(call: CompanyPageRequest, { cause, events }: DeliveredMessage): Html | null {
  if (cause.kind !== 'task') return null;
  const rows = events.map(
    ({ time, event, title }) =>
      html`<li>${renderTime(call, time)} <span><b>${EVENT_WORDS[event]}</b>${title === null ? null : html` <span class="target break">${shortTarget(title)}</span>`}</span></li>`,
  );
  const [first, rest] = [rows.slice(0, SHOWN_EVENTS), rows.slice(SHOWN_EVENTS)];
  return html`<section class="card history"><h2>What this person did</h2><ol>${first}</ol>${
    rest.length === 0
      ? null
      : html`<details id="more-events"><summary>${formatCountWithNoun(rest.length, 'later event')}</summary><ol>${rest}</ol></details>`
  }${events.length > 1 ? null : html`<p class="soft small">Nothing since.</p>`}</section>`;
}

async function pathOfNeighbour(
  call: CompanyPageRequest,
  place: { readonly after: string } | { readonly before: string },
): Promise<string | undefined> {
  const [entry] = await call.ask('outbox list', { ...place, limit: 1 });
  return entry && call.pathOf(`outbox/${entry.id}`);
}

function smsPhone(shown: DeliveredMessage): Html {
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
  shown: DeliveredMessage,
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
  const title = TITLES[part];
  return html`<h2 class="part">${title}</h2>
<div class="wide source" tabindex="0" role="group" aria-label="${title}"><ol>${all
    .slice(0, MAX_LINES)
    .map((line, at) => {
      const name = `${part}-${at + 1}`;
      return html`<li id="${name}"${found.has(name) ? html` class="found"` : null}><code>${line}</code></li>`;
    })}</ol></div>
${all.length > MAX_LINES ? html`<p class="soft">${all.length - MAX_LINES} more lines are not shown.</p>` : null}`;
}
