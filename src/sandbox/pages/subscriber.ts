/** Shows one subscriber: addresses, lists, profile, and whether messages can be sent. */
import type { JsonObject } from '../../protocol/json.ts';
import { createInvalidRequestError, createNotFoundError } from '../../protocol/service-errors.ts';
import { domainOf } from '../../text/address.ts';
import { nameIn } from './causes.ts';
import type { CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  copyableCommand,
  EMPTY_HTML,
  emptyPageNotice,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  renderTime,
} from './parts.ts';

export const subscriberPage: Page = { path: 'subscribers/:id', of: 'lists', show, act };

async function show(call: CompanyPageRequest): Promise<View> {
  const { id, record } = await subscriberIn(call);
  const email = typeof record['email'] === 'string' ? record['email'] : undefined;
  const msisdn = typeof record['msisdn'] === 'string' ? record['msisdn'] : undefined;
  const subscriptions = await call.find('subscription', { subscriber_id: id });
  const lists = new Map<number, string>();
  for (const each of subscriptions) {
    const [found] = await call.find('list', { id: Number(each['list_id']) });
    lists.set(Number(each['list_id']), nameIn(found) ?? `List ${String(each['list_id'])}`);
  }
  return {
    title: email ?? msisdn ?? `Subscriber ${id}`,
    lead: html`<a href="${call.pathOf('lists')}">Lists</a> · subscriber ${id}`,
    live: 'here',
    body: html`<div class="two">
<div>
<section class="card"><h2>Lists</h2>${
      subscriptions.length === 0
        ? html`<p class="soft">On no list.</p>`
        : html`<ul class="rows pairs">${subscriptions.map((each) => {
            const list = Number(each['list_id']);
            return html`<li><a class="row" data-row id="on-${list}" href="${call.pathOf(`lists/${list}`)}"><span class="what">${lists.get(list)}</span><span class="soft">since ${renderTime(call, Number(each['cdate']))} ${each['confirmed'] === false ? badge('not confirmed', 'warn') : EMPTY_HTML}</span></a></li>`;
          })}</ul>`
    }</section>
<section class="card"><h2>Profile</h2>${await profile(call, id)}</section>
</div>
<div class="aside">
<dl class="facts">
${email === undefined ? EMPTY_HTML : html`<dt>E-mail</dt><dd>${email} ${await state(call, record['emailsuspended'], email, [email, domainOf(email)])}</dd>`}
${msisdn === undefined ? EMPTY_HTML : html`<dt>Mobile</dt><dd>${msisdn} ${await state(call, record['smssuspended'], msisdn, [msisdn])}</dd>`}
<dt>Confirmed</dt><dd>${record['confirmed'] === false ? badge('no', 'warn') : 'yes'}</dd>
<dt>Made</dt><dd>${renderTime(call, Number(record['cdate']))}</dd>
</dl>
<section class="card deeds"><h2>Actions</h2><ul>
${[email, msisdn].map((to) =>
  to === undefined
    ? EMPTY_HTML
    : html`<li><a href="${call.pathOf(`outbox?to=${encodeURIComponent(to)}`)}">Messages to ${to}</a>${copyableCommand(call, 'sandbox', 'outbox', 'list', '--to', to)}</li>`,
)}
<li>${await joinForm(call, lists)}${copyableCommand(call, 'sandbox', 'event', 'subscribe', '--list', '<id>', '--subscriber', id)}</li>
</ul></section>
</div>
</div>
<footer class="same">${copyableCommand(call, 'sandbox', 'subscriber', 'list')}</footer>`,
  };
}

async function subscriberIn(
  call: CompanyPageRequest,
): Promise<{ readonly id: number; readonly record: JsonObject }> {
  const text = call.params['id'] ?? '';
  const id = /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0;
  const [record] = id === 0 ? [] : await call.find('subscriber', { id });
  if (record === undefined) throw createNotFoundError(`Subscriber ${text}`);
  return { id, record };
}

/** Shows whether messages are sent to the address, with the reason if not. */
async function state(
  call: CompanyPageRequest,
  suspended: unknown,
  address: string,
  entries: readonly string[],
): Promise<Html> {
  for (const contactdata of entries) {
    const [found] = await call.find('doNotContact', { contactdata });
    if (found)
      return html`${badge(contactdata === address ? 'Do Not Contact' : `${contactdata} is on Do Not Contact`, 'bad')}`;
  }
  return suspended === true ? badge('suspended', 'warn') : badge('active', 'good');
}

async function profile(call: CompanyPageRequest, id: number): Promise<Html> {
  const data = await call.find('subscriberProfileData', { subscriber_id: id });
  if (data.length === 0)
    return emptyPageNotice(
      'The profile fields are empty.',
      copyableCommand(
        call,
        'subscriber-data',
        'create',
        '--subscriber',
        id,
        '--field',
        1,
        '--value',
        'Bristol',
      ),
    );
  const names = new Map(
    (await call.ask('field list', {})).map((field) => [field['id'], String(field['name'])]),
  );
  return html`<dl class="told">${data.map(
    (each) =>
      html`<dt>${names.get(each['subscriberprofilefield_id'] ?? null) ?? `Field ${String(each['subscriberprofilefield_id'])}`}</dt><dd>${String(each['value'])}</dd>`,
  )}</dl><p>${copyableCommand(call, 'subscriber-data', 'list', '--subscriber', id)}</p>`;
}

/**
 * Draws the form for joining a list. Joining is an event, so it triggers rules.
 * @param on names of the lists that the subscriber is on, by the id of the list
 */
async function joinForm(call: CompanyPageRequest, on: ReadonlyMap<number, string>): Promise<Html> {
  const others = (await call.find('list', { sort: 'name' })).filter(({ id }) => !on.has(Number(id)));
  if (others.length === 0) return html`<span class="soft">There is no other list to join.</span>`;
  return html`<form method="post" class="inline-fields"><input type="hidden" name="do" value="subscribe"><label>Joins <select name="list">${others.map((each) => html`<option value="${String(each['id'])}">${nameIn(each) ?? `List ${String(each['id'])}`}</option>`)}</select></label> <button type="submit">Subscribe</button></form>`;
}

async function act(call: CompanyPageRequest): Promise<PageActionResult> {
  const { id } = await subscriberIn(call);
  if (call.form.get('do') !== 'subscribe')
    throw createInvalidRequestError([{ attribute: 'do', reason: 'is not an action of this page' }]);
  const list = Number(call.form.get('list'));
  const outcome = await call.ask('event subscribe', { list, subscriber: id });
  const rules = (
    Array.isArray(outcome['automations']) ? outcome['automations'] : []
  ) as readonly JsonObject[];
  const matched = rules.filter((rule) => rule['matched'] === true);
  return {
    said: `Subscriber ${id} joined list ${list}. ${matched.length === 0 ? 'No rule was triggered.' : `Triggered ${formatCountWithNoun(matched.length, 'rule')}:`}`,
    more: html`<ul>${matched.map((rule) => html`<li><a href="${call.pathOf(`automations/${String(rule['rule'])}`)}">${String(rule['name'] ?? rule['rule'])}</a>${typeof rule['queued'] === 'number' ? html`, queued for ${renderTime(call, rule['queued'])} (${formatRelativeToNow(call, rule['queued'])})` : EMPTY_HTML}${typeof rule['why'] === 'string' ? html`, ${rule['why']}` : EMPTY_HTML}</li>`)}</ul>`,
  };
}
