/** Shows one person: lists, profile, whether messages reach them, and their history. The subscriber may be deleted, or never have existed. */
import { domainOf, isEmailAddress, normaliseMsisdn } from '../../kit/text/address.ts';
import { describeAction } from '../../service/automations/rule-words.ts';
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import { removeMarks } from '../../service/resources/campaign-mark.ts';
import { readRuleReference } from '../../service/resources/rule-kinds.ts';
import type { RecordNamed } from '../request/present.ts';
import { subscriberBy } from './lists.ts';
import {
  type Answer,
  type CompanyPageRequest,
  type Page,
  type PageActionResult,
  redirect,
  type View,
} from './page.ts';
import {
  badge,
  breakable,
  channelWord,
  describeMessageCauses,
  emptyPageNotice,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  idOfPath,
  linkWith,
  type MessageCause,
  nameIn,
  pager,
  recordOfPath,
  renderTime,
} from './parts.ts';
import { shortTarget } from './recipient.ts';

export const subscriberPage: Page = { path: 'subscribers/:id', of: 'lists', show, acts: { subscribe } };

type Subscriber = RecordNamed<'subscriber'>;
type PersonEvent = Answer<'subscriber history'>[number];

const EVENTS_PER_PAGE = 30;

async function show(call: CompanyPageRequest): Promise<View> {
  const id = idOfPath(call, 'Subscriber');
  const [record] = await call.find('subscriber', { id });
  const events = await eventsOf(call, id);
  if (record !== undefined) return subscriberView(call, record, events);
  // A subscriber who unsubscribed is deleted, but their history stays.
  const address = events.find((event) => event.address !== null)?.address;
  if (events.length === 0) throw createNotFoundError(`Subscriber ${id}`);
  return formerView(call, { address: address ?? undefined, id }, events);
}

/** Shows the person with this e-mail address or phone number, or leads to the page of their subscriber. */
export async function showPersonByAddress(call: CompanyPageRequest, text: string): Promise<View | Response> {
  const address = isEmailAddress(text) ? text.toLowerCase() : normaliseMsisdn(text);
  if (address === undefined) throw createNotFoundError('A person with this address');
  const id = await subscriberBy(call, address);
  return id === undefined
    ? formerView(call, { address, id: undefined }, await eventsOf(call, address))
    : redirect(call.pathOf(`subscribers/${id}`));
}

/** Returns the path of the page of a person, by address. */
export const pathOfPerson = (call: CompanyPageRequest, address: string): string =>
  call.pathOf(`subscribers?address=${encodeURIComponent(address)}`);

async function eventsOf(
  call: CompanyPageRequest,
  subscriber: number | string,
): Promise<readonly PersonEvent[]> {
  const before = call.query.get('before') ?? '';
  return call.ask('subscriber history', {
    ...{ subscriber, limit: EVENTS_PER_PAGE + 1 },
    ...(/^[0-9]{1,12}-[0-9]-[0-9]{1,15}-[0-9]{1,15}$/.test(before) ? { before } : {}),
  });
}

async function subscriberView(
  call: CompanyPageRequest,
  record: Subscriber,
  events: readonly PersonEvent[],
): Promise<View> {
  const { id, email, msisdn } = record;
  const subscriptions = await call.find('subscription', { subscriber_id: id });
  const lists = new Map<number, string>();
  for (const each of subscriptions) {
    const [found] = await call.find('list', { id: each.list_id });
    lists.set(each.list_id, nameIn(found) ?? `List ${each.list_id}`);
  }
  return {
    title: email ?? msisdn ?? `Subscriber ${id}`,
    lead: html`<a href="${call.pathOf('lists')}">Lists</a> · subscriber ${id}`,
    live: 'here',
    body: html`<div class="two">
<div>
${await history(call, events, String(id))}
</div>
<div class="aside">
<dl class="facts">
${email === null ? null : html`<dt>E-mail</dt><dd>${breakable(email)} ${await state(call, record.emailsuspended, email)}</dd>`}
${msisdn === null ? null : html`<dt>Mobile</dt><dd>${msisdn} ${await state(call, record.smssuspended, msisdn)}</dd>`}
<dt>Confirmed</dt><dd>${record.confirmed === false ? badge('no', 'warn') : 'yes'}</dd>
<dt>Made</dt><dd>${renderTime(call, record.cdate)}</dd>
</dl>
<section class="card"><h2>Lists</h2>${
      subscriptions.length === 0
        ? html`<p class="soft">On no list.</p>`
        : html`<ul class="rows pairs">${subscriptions.map(({ list_id: list, cdate, confirmed }) => {
            return html`<li><a class="row" data-row id="on-${list}" href="${call.pathOf(`lists/${list}`)}"><span class="what">${lists.get(list)}</span><span class="soft">since ${renderTime(call, cdate)} ${confirmed ? null : badge('not confirmed', 'warn')}</span></a></li>`;
          })}</ul>`
    }</section>
<section class="card"><h2>Profile</h2>${await profile(call, id)}</section>
<section class="card deeds"><h2>Actions</h2><ul>
${[email, msisdn].map((to) =>
  to === null
    ? null
    : html`<li><a href="${call.pathOf(`outbox?to=${encodeURIComponent(to)}`)}">Messages to ${breakable(to)}</a>${call.command`sandbox outbox list --to ${to}`}</li>`,
)}
<li>${await joinForm(call, lists)}${call.command`sandbox event subscribe --list <id> --subscriber ${id}`}</li>
</ul></section>
</div>
</div>
<footer class="same">${call.command`sandbox subscriber list`}</footer>`,
  };
}

/** Shows a person who is not a subscriber, with what the sandbox knows about them. */
async function formerView(
  call: CompanyPageRequest,
  { address, id }: { readonly address: string | undefined; readonly id: number | undefined },
  events: readonly PersonEvent[],
): Promise<View> {
  const word = id === undefined ? 'not a subscriber' : `subscriber ${id}, who was deleted`;
  return {
    title: address ?? `Subscriber ${id}`,
    lead: html`<a href="${call.pathOf('lists')}">Lists</a> · ${word}`,
    live: 'here',
    body: html`<div class="two">
<div>
${await history(call, events, String(id ?? address))}
</div>
<div class="aside">
<dl class="facts">
<dt>Subscriber</dt><dd>${id === undefined ? 'no' : 'deleted'}</dd>
${address === undefined ? null : html`<dt>Address</dt><dd>${breakable(address)} ${await state(call, undefined, address)}</dd>`}
</dl>
${address === undefined ? null : html`<section class="card deeds"><h2>Actions</h2><ul><li><a href="${call.pathOf(`outbox?to=${encodeURIComponent(address)}`)}">Messages to ${breakable(address)}</a>${call.command`sandbox outbox list --to ${address}`}</li></ul></section>`}
</div>
</div>`,
  };
}

/** Shows whether messages are sent to the address, with the reason if not. `suspended` is undefined without a subscriber. */
async function state(
  call: CompanyPageRequest,
  suspended: boolean | undefined,
  address: string,
): Promise<Html> {
  for (const contactdata of isEmailAddress(address) ? [address, domainOf(address)] : [address]) {
    const [found] = await call.find('doNotContact', { contactdata });
    if (found)
      return html`${badge(contactdata === address ? 'Do Not Contact' : `${contactdata} is on Do Not Contact`, 'bad')} <span class="soft">since ${renderTime(call, found.cdate)}</span>`;
  }
  if (suspended === undefined) return badge('not on Do Not Contact');
  return suspended ? badge('suspended', 'warn') : badge('active', 'good');
}

// History.

const EVENT_WORDS: Readonly<Record<string, string>> = {
  ...{ sent: 'Got', opened: 'Opened', clicked: 'Clicked', unsubscribed: 'Unsubscribed' },
  ...{ complained: 'Complained', bounced: 'Bounced', wrote: 'Wrote', acted: 'Rule', skipped: 'Rule' },
};

async function history(
  call: CompanyPageRequest,
  found: readonly PersonEvent[],
  person: string,
): Promise<Html> {
  const isFirst = !call.query.has('before');
  const events = found.slice(0, EVENTS_PER_PAGE);
  const causes = await describeMessageCauses(
    call,
    events.flatMap((event) => causesOf(event).map((cause) => ({ cause }))),
  );
  const here = call.here.split('?')[0]?.split('/').slice(3).join('/') ?? '';
  const older = found.length > EVENTS_PER_PAGE ? events.at(-1)?.place : undefined;
  return html`<section class="card history of-person"><h2>History</h2>${
    events.length === 0
      ? html`<p class="soft">${isFirst ? 'Nothing has happened to this person yet.' : 'Nothing earlier.'}</p>`
      : html`<ol>${events.map((event) => {
          const cause = causesOf(event).map(causes)[0];
          return html`<li>${renderTime(call, event.time)} <span><b>${EVENT_WORDS[event.event] ?? event.event}</b> ${what(call, event)}${
            cause === undefined ? null : html` <span class="soft">· ${causeLink(call, event, cause)}</span>`
          }</span></li>`;
        })}</ol>`
  }
<p class="soft small">Opens and clicks are recorded for messages of tasks.</p>
${pager(
  'More of the history',
  { text: '← Newest', href: isFirst ? undefined : linkWith(call, here, { before: undefined }), rel: 'prev' },
  {
    text: 'Older →',
    href: older === undefined ? undefined : linkWith(call, here, { before: older }),
    rel: 'next',
  },
)}<p>${call.command`sandbox subscriber history ${person}`}</p></section>`;
}

/** Returns the cause of an event as `describeMessageCauses` takes it, if the event has one that is worth a name. */
function causesOf({ cause, event }: PersonEvent): readonly MessageCause[] {
  if (cause === null || (event !== 'sent' && event !== 'acted' && event !== 'skipped')) return [];
  const rule = readRuleReference(cause);
  if (rule !== undefined) return [{ kind: 'rule', id: rule.id, rule_kind: rule.kind }];
  const [kind = '', id] = cause.split(':');
  return [{ kind, id: id === undefined ? null : Number(id), rule_kind: null }];
}

function causeLink(call: CompanyPageRequest, { cause }: PersonEvent, words: string): Html | string {
  if (cause === null || !cause.includes(':')) return words;
  const page = cause.startsWith('task:') ? `tasks/${cause.slice('task:'.length)}` : `automations/${cause}`;
  return html`<a href="${call.pathOf(page)}">${words}</a>`;
}

function what(call: CompanyPageRequest, event: PersonEvent): Html {
  const { target, why, title, delivery, channel } = event;
  if (event.event === 'skipped') return html`${badge('skipped', 'warn')} ${why}`;
  if (event.event === 'acted') return html`${describeAction(title ?? '', target ?? '')}`;
  if (event.event === 'wrote') return html`<q>${title}</q> <span class="soft">to ${target}</span>`;
  const text = removeMarks((title ?? '').slice(0, 200)) || 'a message without text';
  const message = delivery === null ? text : html`<a href="${call.pathOf(`outbox/${delivery}`)}">${text}</a>`;
  return html`${target === null ? null : html`<span class="break">${shortTarget(target)}</span> in `}${event.event === 'sent' && channel !== null && channel !== 'email' ? `${channelWord(channel)} ` : null}${message}`;
}

async function profile(call: CompanyPageRequest, id: number): Promise<Html> {
  const data = await call.find('subscriberProfileData', { subscriber_id: id });
  if (data.length === 0)
    return emptyPageNotice(
      'The profile fields are empty.',
      call.command`subscriber-data create --subscriber ${id} --field 1 --value Bristol`,
    );
  const names = new Map((await call.ask('field list', {})).map(({ id, name }) => [id, name]));
  return html`<dl class="told">${data.map(
    (each) =>
      html`<dt>${names.get(each.subscriberprofilefield_id) ?? `Field ${each.subscriberprofilefield_id}`}</dt><dd>${each.value}</dd>`,
  )}</dl><p>${call.command`subscriber-data list --subscriber ${id}`}</p>`;
}

/** Draws the form for joining a list, which triggers rules. `on`: names of the subscriber's lists, by id. */
async function joinForm(call: CompanyPageRequest, on: ReadonlyMap<number, string>): Promise<Html> {
  const others = (await call.find('list', { sort: 'name' })).filter(({ id }) => !on.has(id));
  if (others.length === 0) return html`<span class="soft">There is no other list to join.</span>`;
  return html`<form method="post" class="inline-fields"><input type="hidden" name="do" value="subscribe"><label>Joins <select name="list">${others.map((each) => html`<option value="${each.id}">${nameIn(each) ?? `List ${each.id}`}</option>`)}</select></label> <button type="submit">Subscribe</button></form>`;
}

async function subscribe(call: CompanyPageRequest): Promise<PageActionResult> {
  const { id } = await recordOfPath(call, 'subscriber', 'Subscriber');
  const list = Number(call.form.get('list'));
  const outcome = await call.ask('event subscribe', { list, subscriber: id });
  const matched = outcome.automations.filter((rule) => rule.matched);
  return {
    said: `Subscriber ${id} joined list ${list}. ${matched.length === 0 ? 'No rule was triggered.' : `Triggered ${formatCountWithNoun(matched.length, 'rule')}:`}`,
    more: html`<ul>${matched.map((rule) => html`<li><a href="${call.pathOf(`automations/${rule.rule}`)}">${nameIn(rule) ?? rule.rule}</a>${rule.queued === null ? null : html`, queued for ${renderTime(call, rule.queued)} (${formatRelativeToNow(call, rule.queued)})`}${rule.why === null ? null : html`, ${rule.why}`}</li>`)}</ul>`,
  };
}
