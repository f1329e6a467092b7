/** Buttons for the actions of a message's recipient, such as opening it, and their effects: triggered rules, queued actions, counts. */

import { capitalizeFirstLetter, formatCountWithNoun } from '../../kit/text/words.ts';
import { describeAction } from '../../service/automations/rule-words.ts';
import { createInvalidRequestError } from '../../service/protocol/service-errors.ts';
import type { RecordNamed, TaskRecord } from '../request/present.ts';
import type { MessageLink } from './message-checks.ts';
import type { Answer, CompanyPageRequest, DeliveredMessage, PageActionResult } from './page.ts';
import {
  badge,
  breakable,
  button,
  formatCount,
  formatRelativeToNow,
  type Html,
  html,
  linkWith,
  nameIn,
  renderTime,
} from './parts.ts';

/** Returns the buttons of the recipient's actions. `links` can be clicked. */
export async function renderRecipientActions(
  call: CompanyPageRequest,
  message: DeliveredMessage,
  links: readonly MessageLink[],
): Promise<Html | null> {
  const rows =
    message.channel === 'sms'
      ? smsActions(call, message, await call.find('smsDestination', { count: 100 }))
      : emailActions(call, message, links);
  if (rows.length === 0) return null;
  return html`<section class="card recipient"><h2>Be the recipient</h2><ul>${rows.map((row) => html`<li>${row}</li>`)}</ul></section>`;
}

function emailActions(
  call: CompanyPageRequest,
  shown: DeliveredMessage,
  links: readonly MessageLink[],
): readonly Html[] {
  if (shown.channel !== 'email') return [];
  const { message, subscriber, cause } = shown;
  const task = cause.kind === 'task' ? (cause.id ?? undefined) : undefined;
  const sent = task === undefined ? [] : ['--task', String(task)];
  const known =
    message !== null && subscriber !== null
      ? [
          ...clickAction(call, links, ['--subscriber', String(subscriber), ...sent]),
          html`${button('Open', 'open')}${call.command`sandbox event open --message ${message} --subscriber ${subscriber} ${sent}`}`,
        ]
      : [];
  const ofTask = (label: string, name: string): Html =>
    html`${button(label, name)}${call.command`sandbox event ${name} --task ${task ?? 0} --subscriber ${Number(subscriber)}`}`;
  return [
    ...known,
    task === undefined
      ? html`${button('Unsubscribe', 'unsubscribe')}${call.command`dnc add ${shown.to}`}`
      : ofTask('Unsubscribe', 'unsubscribe'),
    ...(task === undefined ? [] : [ofTask('Complain', 'complaint'), ofTask('Bounce', 'bounce')]),
    button('Confirm opt-in', 'confirm'),
  ];
}

/** Returns one form for all links of the message. The link of the last click stays chosen. */
function clickAction(
  call: CompanyPageRequest,
  links: readonly MessageLink[],
  who: readonly string[],
): readonly Html[] {
  const chosen = links.find(({ id }) => String(id) === call.query.get('link')) ?? links[0];
  if (chosen === undefined) return [];
  const options = links.map((link) => {
    const part = link.type === 'text' ? ' (text part)' : '';
    const selected = link === chosen ? html` selected` : null;
    return html`<option value="${String(link.id)}"${selected}>${withoutScheme(link.name || link.target)}${part}</option>`;
  });
  return [
    html`<form method="post" class="click"><input type="hidden" name="do" value="click"><select name="link" aria-label="Link to click" data-in-command="--link">${options}</select><button type="submit">Click</button></form>${call.command`sandbox event click --link ${chosen.id} ${who}`}`,
  ];
}

function smsActions(
  call: CompanyPageRequest,
  shown: DeliveredMessage,
  destinations: readonly RecordNamed<'smsDestination'>[],
): readonly Html[] {
  const { from, cause } = shown;
  const bounce =
    cause.kind === 'task' && shown.subscriber !== null
      ? [
          html`${button('Bounce', 'bounce')}${call.command`sandbox event bounce --task ${cause.id ?? 0} --subscriber ${shown.subscriber}`}`,
        ]
      : [];
  return [
    html`<form method="post" class="answer"><input type="hidden" name="do" value="answer">
<label>To <input name="to" required maxlength="20" value="${/^\+?[0-9]{3,15}$/.test(from) ? from : (destinations[0]?.destination ?? '')}" list="destinations" autocomplete="off"></label>
<label>Answer <input name="text" required maxlength="1000" autocomplete="off" placeholder="STOP"></label>
<button type="submit">Send the SMS</button>
<datalist id="destinations">${destinations.map(({ destination }) => html`<option value="${destination}">`)}</datalist>
${destinations.map(
  ({ destination, keyword }) =>
    html`<p class="soft small">${destination}${keyword === null ? ' receives every SMS' : ` receives every SMS that begins with ${keyword}`}</p>`,
)}</form>
${call.command`sandbox event sms-in --to <number> --from ${shown.to} --text <text>`}`,
    ...bounce,
  ];
}

/** Shows the target of a link without `https://` and `www.`. */
export const shortTarget = (target: string): Html => breakable(withoutScheme(target));

export const withoutScheme = (target: string): string => target.replace(/^https?:\/\/(www\.)?/, '');

interface Known {
  readonly id: string;
  readonly to: string;
  readonly task: number | undefined;
  readonly message: number | null;
  readonly subscriber: number | null;
}

/** The rules that an action of the recipient has triggered, or the reason why there are none. */
type Outcome = Pick<Answer<'event subscribe'>, 'why' | 'automations'>;

const NO_RULES: Outcome = { why: null, automations: [] };

const subscriberOf = ({ subscriber }: Known): number =>
  requireKnown(subscriber, 'The recipient is no longer a subscriber');
const taskOf = ({ task }: Known): number =>
  requireKnown(task, 'This action needs a message that a task has sent');
const sentBy = ({ task }: Known) => (task === undefined ? {} : { task });

/** Returns an action of the page. It performs the action of the recipient, and describes the effects. */
const action =
  (perform: (call: CompanyPageRequest, known: Known) => Promise<readonly [said: string, Outcome]>) =>
  async (call: CompanyPageRequest): Promise<PageActionResult> => {
    const { to, cause, message, subscriber } = await call.ask('outbox show', { id: call.id });
    const task = cause.kind === 'task' && cause.id !== null ? cause.id : undefined;
    const before = await countsOf(call, task);
    const [said, outcome] = await perform(call, { id: call.id, task, to, message, subscriber });
    const link = call.form.get('link') ?? undefined;
    const path = linkWith(call, `outbox/${call.id}`, link === undefined ? {} : { link });
    return { said, path, more: describeEffects(call, outcome, before, await countsOf(call, task)) };
  };

export const recipientActions = {
  open: action(async (call, known) => {
    const message = requireKnown(
      known.message,
      'Only an e-mail message of the company can be opened. This message is not an e-mail message of the company',
    );
    const event = { message, subscriber: subscriberOf(known), ...sentBy(known) };
    return [`${known.to} opened the message.`, await call.ask('event open', event)];
  }),
  click: action(async (call, known) => {
    const link = Number(call.form.get('link'));
    const event = { link, subscriber: subscriberOf(known), ...sentBy(known) };
    return [`${known.to} clicked the link.`, await call.ask('event click', event)];
  }),
  unsubscribe: action(async (call, { id, to, task, subscriber }) => {
    if (task !== undefined && subscriber !== null)
      return [
        `${to} unsubscribed: the address is on Do Not Contact, and the subscriber is deleted.`,
        await call.ask('event unsubscribe', { task, subscriber }),
      ];
    return (await call.follow('unsubscribe', id))
      ? [`${to} unsubscribed, and is on Do Not Contact.`, NO_RULES]
      : ['The recipient is not subscribed.', NO_RULES];
  }),
  complaint: action(async (call, known) => [
    `${known.to} complained.`,
    await call.ask('event complaint', { task: taskOf(known), subscriber: subscriberOf(known) }),
  ]),
  bounce: action(async (call, known) => [
    `The message to ${known.to} bounced.`,
    await call.ask('event bounce', { task: taskOf(known), subscriber: subscriberOf(known) }),
  ]),
  confirm: action(async (call, { id, to }) => {
    await call.follow('confirm', id);
    return [`${to} confirmed the opt-in. “svc sandbox log” lists the confirmation.`, NO_RULES];
  }),
  answer: action(async (call, { to }) => {
    const [number, text] = [call.form.get('to') ?? '', call.form.get('text') ?? ''];
    const outcome = await call.ask('event sms-in', { to: number, from: to, text });
    return [`${to} answered “${text}” to ${number}.`, outcome];
  }),
};

function requireKnown<T>(value: T | null | undefined, message: string): T {
  if (value == null) throw createInvalidRequestError([{ attribute: 'do', reason: message }]);
  return value;
}

const COUNTS = [
  ['emailuniqueopens', 'opens'],
  ['emailuniqueclicks', 'clicks'],
  ['emailuniqueunsubscriptions', 'unsubscriptions'],
  ['emailuniquecomplaints', 'complaints'],
  ['emailuniquebounces', 'bounces'],
  ['smsuniquebounces', 'bounces'],
] as const;

type Counts = Partial<Pick<TaskRecord, (typeof COUNTS)[number][0]>>;

async function countsOf(call: CompanyPageRequest, task: number | undefined): Promise<Counts> {
  return task === undefined ? {} : ((await call.find('task', { id: task }))[0] ?? {});
}

function describeEffects(call: CompanyPageRequest, outcome: Outcome, before: Counts, after: Counts): Html {
  const { why, automations: rules } = outcome;
  const moved = COUNTS.flatMap(([name, word]) => {
    const [was, is] = [before[name] ?? 0, after[name] ?? 0];
    return was === is
      ? []
      : [html`<li>Unique ${word} of the task: ${formatCount(was)} → <b>${formatCount(is)}</b></li>`];
  });
  const matched = rules.filter((rule) => rule.matched);
  const others = rules.filter((rule) => !rule.matched);
  return html`${why === null ? null : html`<p>${capitalizeFirstLetter(why)}.</p>`}${moved.length === 0 ? null : html`<ul>${moved}</ul>`}
${matched.length === 0 ? (why === null ? html`<p class="soft">No automation rule was triggered.</p>` : null) : html`<ul>${matched.map((rule) => html`<li>${ruleLine(call, rule)}</li>`)}</ul>`}
${others.length === 0 ? null : html`<details><summary>${formatCountWithNoun(others.length, 'rule')} did not match</summary><ul>${others.map((rule) => html`<li>${ruleLine(call, rule)}</li>`)}</ul></details>`}
${matched.some((rule) => rule.queued !== null) ? html`<p>${call.command`sandbox queue`}</p>` : null}`;
}

function ruleLine(call: CompanyPageRequest, rule: Outcome['automations'][number]): Html {
  const { queued, why, action, target } = rule;
  const what = action === null ? '' : describeAction(action, String(target));
  const state = !rule.matched
    ? badge('not triggered')
    : queued !== null
      ? badge(`queued, ${formatRelativeToNow(call, queued)}`, 'warn')
      : badge(rule.done ? 'done' : 'not done', rule.done ? 'good' : 'plain');
  return html`<b>${nameIn(rule) ?? rule.rule}</b> <span class="soft">${rule.rule}</span> ${state} ${what}${
    queued === null ? null : html` at ${renderTime(call, queued)}`
  }${why === null ? null : html` <span class="soft">${why}</span>`}`;
}
