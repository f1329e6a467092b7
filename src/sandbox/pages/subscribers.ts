/** Lists the subscribers of a list, or all of them, in order of their ids. */
import type { JsonObject } from '../../protocol/json.ts';
import { createNotFoundError } from '../../protocol/service-errors.ts';
import { nameIn } from './causes.ts';
import { renderSubscriberFinder } from './lists.ts';
import type { CompanyPageRequest, Page, View } from './page.ts';
import {
  badge,
  copyableCommand,
  EMPTY_HTML,
  emptyPageNotice,
  formatCount,
  formatCountWithNoun,
  type Html,
  html,
} from './parts.ts';

export const subscriberListPage: Page = { path: 'lists/:id', of: 'lists', show: ofList };
export const subscribersPage: Page = { path: 'subscribers', of: 'lists', show: all };

const ROWS = 50;

async function ofList(call: CompanyPageRequest): Promise<View> {
  const id = Number(/^[1-9][0-9]{0,14}$/.exec(call.params['id'] ?? '')?.[0] ?? 0);
  const [record] = id === 0 ? [] : await call.find('list', { id });
  if (record === undefined) throw createNotFoundError(`List ${call.params['id']}`);
  const page = await pageOf(call, `lists/${id}`, id);
  const [size, rules] = [
    Number(record['subscription_count']),
    Number(record['automation_count']) + Number(record['smsautomation_count']),
  ];
  return {
    ...page,
    title: nameIn(record) ?? `List ${id}`,
    lead: html`<a href="${call.pathOf('lists')}">Lists</a> · list ${id} · ${formatCountWithNoun(size, 'subscriber')}${rules === 0 ? EMPTY_HTML : html` · <a href="${call.pathOf('automations')}">${formatCountWithNoun(rules, 'rule')}</a>`}${record['deletable'] === false ? html` ${badge('permanent')}` : EMPTY_HTML}${typeof record['note'] === 'string' && record['note'] !== '' ? html` · ${record['note']}` : EMPTY_HTML}`,
    body: html`${page.body}
<footer class="same">${copyableCommand(call, 'sandbox', 'subscriber', 'list', '--list', id)}</footer>`,
  };
}

async function all(call: CompanyPageRequest): Promise<View> {
  const page = await pageOf(call, 'subscribers', undefined);
  const [account] = await call.find('account', { id: call.company.id });
  return {
    ...page,
    title: 'Subscribers',
    lead: html`<a href="${call.pathOf('lists')}">Lists</a> · ${formatCount(Number(account?.['subscriber_count'] ?? 0))} of them`,
    body: html`${renderSubscriberFinder(call, '')}${page.body}
<footer class="same">${copyableCommand(call, 'sandbox', 'subscriber', 'list')}</footer>`,
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
  const back = isMoreBefore && first ? link(`before=${String(first['id'])}`) : undefined;
  const on = isMoreAfter && last ? link(`after=${String(last['id'])}`) : undefined;
  return {
    before: back,
    after: on,
    live: 'here',
    body: html`${rows.length === 0 ? nobody(call, listId) : html`<ul class="rows people">${rows.map((each) => row(call, each))}</ul>`}
${
  back === undefined && on === undefined
    ? EMPTY_HTML
    : html`<nav class="pager" aria-label="More subscribers">${back === undefined ? html`<span></span>` : html`<a href="${back}" rel="prev">← Before</a>`}${on === undefined ? EMPTY_HTML : html`<a href="${on}" rel="next">After →</a>`}</nav>`
}`,
  };
}

function row(call: CompanyPageRequest, each: JsonObject): Html {
  const id = Number(each['id']);
  const [email, msisdn] = [each['email'], each['msisdn']];
  return html`<li><a class="row" data-row id="subscriber-${id}" href="${call.pathOf(`subscribers/${id}`)}"><span class="what">${String(email ?? msisdn)}</span><span>${email === null ? EMPTY_HTML : String(msisdn ?? '')}</span><span class="state">${each['emailsuspended'] === true ? badge('no e-mail', 'warn') : EMPTY_HTML} ${each['smssuspended'] === true ? badge('no SMS', 'warn') : EMPTY_HTML}</span><span class="soft n">${id}</span></a></li>`;
}

const nobody = (call: CompanyPageRequest, listId: number | undefined): Html =>
  emptyPageNotice(
    listId === undefined ? 'There are no subscribers yet.' : 'This list has no subscribers.',
    copyableCommand(
      call,
      'sandbox',
      'subscriber',
      'create',
      '--list',
      listId ?? 1,
      '--email',
      'amelia@example.com',
    ),
    copyableCommand(call, 'sandbox', 'subscriber', 'import', '--list', listId ?? 1, 'people.csv'),
  );
