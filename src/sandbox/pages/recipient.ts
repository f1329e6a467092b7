/** Draws the actions of a message's recipient as buttons. */
import type { JsonObject } from '../../protocol/json.ts';
import type { Cause } from './causes.ts';
import type { PageCall, Shown } from './page.ts';
import { button, command, type Html, html, NONE } from './parts.ts';

/** Returns the actions. @param links the links of the message, which can be clicked */
export async function recipientActions(
  call: PageCall,
  shown: Shown,
  links: readonly JsonObject[],
): Promise<Html> {
  const rows =
    shown['channel'] === 'sms'
      ? smsActions(call, shown, await call.find('smsDestination', { count: 100 }))
      : emailActions(call, shown, links);
  if (rows.length === 0) return NONE;
  return html`<section class="card recipient"><h2>Be the recipient</h2><ul>${rows.map((row) => html`<li>${row}</li>`)}</ul></section>`;
}

function emailActions(call: PageCall, shown: Shown, links: readonly JsonObject[]): readonly Html[] {
  if (shown['channel'] !== 'email') return [];
  const cause = shown['cause'] as unknown as Cause;
  const task = cause.kind === 'task' ? (cause.id ?? undefined) : undefined;
  const { message, subscriber } = shown;
  const event = (...words: readonly (string | number)[]): Html => command(call, 'sandbox', 'event', ...words);
  const sent = task === undefined ? [] : ['--task', task];
  const known =
    typeof message === 'number' && typeof subscriber === 'number'
      ? [
          html`${button('Open', 'open')}${event('open', '--message', message, '--subscriber', subscriber, ...sent)}`,
          ...links.map(
            (link) =>
              html`${button('Click', 'click', { link: Number(link['id']) })}<span class="target break">${shortTarget(link)}</span>${event('click', '--link', Number(link['id']), '--subscriber', subscriber, ...sent)}`,
          ),
        ]
      : [];
  const ofTask = (label: string, name: string): Html =>
    html`${button(label, name)}${event(name, '--task', task ?? 0, '--subscriber', Number(subscriber))}`;
  return [
    ...known,
    task === undefined
      ? html`${button('Unsubscribe', 'unsubscribe')}${command(call, 'dnc', 'add', String(shown['to']))}`
      : ofTask('Unsubscribe', 'unsubscribe'),
    ...(task === undefined ? [] : [ofTask('Complain', 'complaint'), ofTask('Bounce', 'bounce')]),
    html`${button('Confirm', 'confirm')}<span class="target">The opt-in of the address</span>`,
  ];
}

function smsActions(call: PageCall, shown: Shown, destinations: readonly JsonObject[]): readonly Html[] {
  const from = String(shown['from']);
  const cause = shown['cause'] as unknown as Cause;
  const bounce =
    cause.kind === 'task' && typeof shown['subscriber'] === 'number'
      ? [
          html`${button('Bounce', 'bounce')}${command(call, 'sandbox', 'event', 'bounce', '--task', cause.id ?? 0, '--subscriber', shown['subscriber'])}`,
        ]
      : [];
  return [
    html`<form method="post" class="answer"><input type="hidden" name="do" value="answer">
<label>To <input name="to" required maxlength="20" value="${/^\+?[0-9]{3,15}$/.test(from) ? from : String(destinations[0]?.['destination'] ?? '')}" list="destinations" autocomplete="off"></label>
<label>Answer <input name="text" required maxlength="1000" autocomplete="off" placeholder="STOP"></label>
<button type="submit">Send the SMS</button>
<datalist id="destinations">${destinations.map((each) => html`<option value="${String(each['destination'])}">`)}</datalist>
${destinations.map(
  ({ destination, keyword }) =>
    html`<p class="soft small">${String(destination)}${keyword === null ? ' takes every SMS' : ` takes what begins with ${String(keyword)}`}</p>`,
)}</form>
${command(call, 'sandbox', 'event', 'sms-in', '--to', '<number>', '--from', String(shown['to']), '--text', '<text>')}`,
    ...bounce,
  ];
}

/** Shows the target without its common prefix. A line may break after a slash. */
const shortTarget = (link: JsonObject): Html =>
  html`${String(link['name'] ?? link['target'])
    .replace(/^https?:\/\/(www\.)?/, '')
    .split('/')
    .map((part, at) => (at === 0 ? part : html`/<wbr>${part}`))}`;
