/** Lists the subscribers of a list, or all of them, in order of their ids. */
import { renderSubscriberFinder } from './lists.ts';
import type { Answer, CompanyPageRequest, Page, View } from './page.ts';
import {
  badge,
  breakable,
  emptyPageNotice,
  formatCount,
  formatCountWithNoun,
  type Html,
  html,
  nameIn,
  pager,
  recordOfPath,
} from './parts.ts';
import { showPersonByAddress } from './person.ts';

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

async function all(call: CompanyPageRequest): Promise<View | Response> {
  const address = call.query.get('address')?.trim().slice(0, 255) ?? '';
  if (address !== '') return showPersonByAddress(call, address);
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
  return html`<li><a class="row" data-row id="subscriber-${id}" href="${call.pathOf(`subscribers/${id}`)}"><span class="what">${breakable(email ?? msisdn ?? '')}</span><span>${email === null ? null : msisdn}</span><span class="state">${each.emailsuspended ? badge('no e-mail', 'warn') : null} ${each.smssuspended ? badge('no SMS', 'warn') : null}</span><span class="soft n">${id}</span></a></li>`;
}

const nobody = (call: CompanyPageRequest, listId: number | undefined): Html =>
  emptyPageNotice(
    listId === undefined ? 'There are no subscribers yet.' : 'This list has no subscribers.',
    call.command`sandbox subscriber create --list ${listId ?? 1} --email amelia@example.com`,
    call.command`sandbox subscriber import --list ${listId ?? 1} people.csv`,
  );
