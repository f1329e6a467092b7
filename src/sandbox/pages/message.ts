/** Shows one delivered message: its content, its cause, and the actions of its recipient. */

import {
  loadMessageParts,
  type MessageParts,
  readEml,
  renderMessage,
  respondWithFrame,
} from './message-views.ts';
import { type CompanyPageRequest, type DeliveredMessage, emlResponse, type Page, type View } from './page.ts';
import {
  badge,
  breakable,
  channelWord,
  describeMessageCauses,
  formatCausingRuleAsFilter,
  formatCountWithNoun,
  type Html,
  html,
  pager,
  renderTime,
  sendKeyOfMessage,
} from './parts.ts';
import { pathOfPerson } from './person.ts';
import { recipientActions, renderRecipientActions, shortTarget } from './recipient.ts';

export const messagePage: Page = { path: 'outbox/:id', of: 'outbox', show, acts: recipientActions };

async function show(call: CompanyPageRequest): Promise<View | Response> {
  const id = call.id;
  const shown = { ...(await call.ask('outbox show', { id })), path: `outbox/${id}`, isDelivered: true };
  if (call.query.get('frame') === 'html') return respondWithFrame(call, shown);
  if (call.query.has('eml')) return emlResponse(id, await readEml(call));
  const { cause } = shown;
  for (const key of [id, sendKeyOfMessage(cause, id)]) call.unreadMessages.markAsRead(key, shown.time);
  const parts = await loadMessageParts(call, shown);
  const [words, newer, older] = [
    await describeMessageCauses(call, [shown]),
    await pathOfNeighbour(call, { after: id }),
    await pathOfNeighbour(call, { before: id }),
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
${await renderMessage(call, parts)}
<div class="aside">
${facts(call, parts, words(cause))}
${await renderRecipientActions(call, shown, parts.links)}
${history(call, shown)}
</div>
</div>
<footer class="same">${call.command`sandbox outbox show ${id}`}</footer>`,
  };
}

function facts(
  call: CompanyPageRequest,
  { shown, linted }: MessageParts<DeliveredMessage>,
  cause: string,
): Html {
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
<dt>To</dt><dd>${recipientLink(call, shown)}</dd>
<dt>From</dt><dd>${breakable(shown.from)}</dd>
${shown.reply_to ? html`<dt>Reply to</dt><dd>${breakable(shown.reply_to)}</dd>` : null}
<dt>Sent</dt><dd>${renderTime(call, shown.time)}</dd>
<dt>State</dt><dd>${badge(state, state === 'delivered' ? 'good' : state === 'pending' ? 'warn' : 'bad')}</dd>
<dt>Caused by</dt><dd>${page === undefined ? cause : html`<a href="${call.pathOf(page)}">${cause}</a> <a class="small nowrap" href="${call.pathOf(`outbox?${filter}`)}">all its messages</a>`}</dd>
${shown.message === null || linted === undefined ? null : html`<dt>Message</dt><dd><a href="${call.pathOf(`messages/${shown.channel}:${shown.message}`)}">${channelWord(shown.channel)} ${shown.message}</a></dd>`}
${shown.channel === 'email' ? html`<dt>File</dt><dd><a href="${call.pathOf(`outbox/${call.id}?eml`)}" download>Download .eml</a></dd>` : null}
</dl>`;
}

/** Leads to the history of the recipient. A URL that was called has none. */
function recipientLink(call: CompanyPageRequest, { to, subscriber, channel }: DeliveredMessage): Html {
  if (channel === 'notification') return breakable(to);
  const path = subscriber === null ? pathOfPerson(call, to) : call.pathOf(`subscribers/${subscriber}`);
  return html`<a href="${path}">${breakable(to)}</a>`;
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
