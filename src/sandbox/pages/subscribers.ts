/** Lists the subscribers of a list, or all of them, in order of their ids. */
import { domainOf } from '../../kit/text/address.ts';
import { renderSubscriberFinder } from './lists.ts';
import type { Answer, CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  emptyPageNotice,
  formatCount,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  nameIn,
  pager,
  recordOfPath,
  renderTime,
} from './parts.ts';

export const subscriberListPage: Page = { path: 'lists/:id', of: 'lists', show: ofList };
export const subscribersPage: Page = { path: 'subscribers', of: 'lists', show: all };

const ROWS = 50;

async function ofList(call: CompanyPageRequest): Promise<View> {
  const { id, record } = await recordOfPath(call, 'list', 'List');
  const page = await pageOf(call, `lists/${id}`, id);
  const rules = record.automation_count + record.smsautomation_count;
  return {
    ...page,
    title: nameIn(record) ?? `List ${id}`,
    lead: html`<a href="${call.pathOf('lists')}">Lists</a> · list ${id} · ${formatCountWithNoun(record.subscription_count, 'subscriber')}${rules === 0 ? null : html` · <a href="${call.pathOf('automations')}">${formatCountWithNoun(rules, 'rule')}</a>`}${record.deletable ? null : html` ${badge('permanent')}`}${record.note ? html` · ${record.note}` : null}`,
    body: html`${page.body}
<footer class="same">${call.command`sandbox subscriber list --list ${id}`}</footer>`,
  };
}

async function all(call: CompanyPageRequest): Promise<View> {
  const page = await pageOf(call, 'subscribers', undefined);
  const [account] = await call.find('account', { id: call.company.id });
  return {
    ...page,
    title: 'Subscribers',
    lead: html`<a href="${call.pathOf('lists')}">Lists</a> · ${formatCount(account?.subscriber_count ?? 0)} of them`,
    body: html`${renderSubscriberFinder(call, '')}${page.body}
<footer class="same">${call.command`sandbox subscriber list`}</footer>`,
  };
}

type Walked = Pick<View, 'body' | 'before' | 'after' | 'live'>;

async function pageOf(call: CompanyPageRequest, path: string, listId: number | undefined): Promise<Walked> {
  const place = (name: string): number | undefined =>
    /^[0-9]{1,15}$/.test(call.query.get(name) ?? '') ? Number(call.query.get(name)) : undefined;
  const [after = 0, before] = [place('after'), place('before')];
  const of = listId === undefined ? {} : { list: listId };
  const isBack = before !== undefined && before > 1;
  const found = await call.ask('subscriber list', {
    ...{ ...of, limit: ROWS + 1 },
    ...(isBack ? { before } : { after }),
  });
  const rows = isBack ? found.slice(-ROWS) : found.slice(0, ROWS);
  const [first, last] = [rows[0], rows.at(-1)];
  const isMoreBefore = isBack ? found.length > ROWS : after > 0;
  const isMoreAfter = isBack || found.length > ROWS;
  const link = (query: string): string => call.pathOf(`${path}?${query}`);
  const back = isMoreBefore && first ? link(`before=${first.id}`) : undefined;
  const on = isMoreAfter && last ? link(`after=${last.id}`) : undefined;
  return {
    before: back,
    after: on,
    live: 'here',
    body: html`${rows.length === 0 ? nobody(call, listId) : html`<ul class="rows people">${rows.map((each) => row(call, each))}</ul>`}
${pager('More subscribers', { text: '← Before', href: back, rel: 'prev' }, { text: 'After →', href: on, rel: 'next' })}`,
  };
}

function row(call: CompanyPageRequest, each: Answer<'subscriber list'>[number]): Html {
  const { id, email, msisdn } = each;
  return html`<li><a class="row" data-row id="subscriber-${id}" href="${call.pathOf(`subscribers/${id}`)}"><span class="what">${email ?? msisdn}</span><span>${email === null ? null : msisdn}</span><span class="state">${each.emailsuspended ? badge('no e-mail', 'warn') : null} ${each.smssuspended ? badge('no SMS', 'warn') : null}</span><span class="soft n">${id}</span></a></li>`;
}

const nobody = (call: CompanyPageRequest, listId: number | undefined): Html =>
  emptyPageNotice(
    listId === undefined ? 'There are no subscribers yet.' : 'This list has no subscribers.',
    call.command`sandbox subscriber create --list ${listId ?? 1} --email amelia@example.com`,
    call.command`sandbox subscriber import --list ${listId ?? 1} people.csv`,
  );

export const subscriberPage: Page = { path: 'subscribers/:id', of: 'lists', show, acts: { subscribe } };

async function show(call: CompanyPageRequest): Promise<View> {
  const { id, record } = await recordOfPath(call, 'subscriber', 'Subscriber');
  const { email, msisdn } = record;
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
<section class="card"><h2>Lists</h2>${
      subscriptions.length === 0
        ? html`<p class="soft">On no list.</p>`
        : html`<ul class="rows pairs">${subscriptions.map(({ list_id: list, cdate, confirmed }) => {
            return html`<li><a class="row" data-row id="on-${list}" href="${call.pathOf(`lists/${list}`)}"><span class="what">${lists.get(list)}</span><span class="soft">since ${renderTime(call, cdate)} ${confirmed ? null : badge('not confirmed', 'warn')}</span></a></li>`;
          })}</ul>`
    }</section>
<section class="card"><h2>Profile</h2>${await profile(call, id)}</section>
</div>
<div class="aside">
<dl class="facts">
${email === null ? null : html`<dt>E-mail</dt><dd>${email} ${await state(call, record.emailsuspended, email, [email, domainOf(email)])}</dd>`}
${msisdn === null ? null : html`<dt>Mobile</dt><dd>${msisdn} ${await state(call, record.smssuspended, msisdn, [msisdn])}</dd>`}
<dt>Confirmed</dt><dd>${record.confirmed === false ? badge('no', 'warn') : 'yes'}</dd>
<dt>Made</dt><dd>${renderTime(call, record.cdate)}</dd>
</dl>
<section class="card deeds"><h2>Actions</h2><ul>
${[email, msisdn].map((to) =>
  to === null
    ? null
    : html`<li><a href="${call.pathOf(`outbox?to=${encodeURIComponent(to)}`)}">Messages to ${to}</a>${call.command`sandbox outbox list --to ${to}`}</li>`,
)}
<li>${await joinForm(call, lists)}${call.command`sandbox event subscribe --list <id> --subscriber ${id}`}</li>
</ul></section>
</div>
</div>
<footer class="same">${call.command`sandbox subscriber list`}</footer>`,
  };
}

/** Shows whether messages are sent to the address, with the reason if not. */
async function state(
  call: CompanyPageRequest,
  suspended: boolean,
  address: string,
  entries: readonly string[],
): Promise<Html> {
  for (const contactdata of entries) {
    const [found] = await call.find('doNotContact', { contactdata });
    if (found)
      return html`${badge(contactdata === address ? 'Do Not Contact' : `${contactdata} is on Do Not Contact`, 'bad')}`;
  }
  return suspended ? badge('suspended', 'warn') : badge('active', 'good');
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
