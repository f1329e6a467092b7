/** Shows lists, searches and profile fields, and searches for a subscriber. */
import { isEmailAddress, normaliseMsisdn } from '../../kit/text/address.ts';
import type { RecordNamed } from '../request/present.ts';
import { type CompanyPageRequest, type Page, redirect, type View } from './page.ts';
import {
  badge,
  emptyPageNotice,
  formatCount,
  formatCountWithNoun,
  type Html,
  html,
  nameIn,
  pager,
  readRecordId,
  searchForm,
} from './parts.ts';

export const subscriberListsPage: Page = { path: 'lists', name: 'Lists', show };

const ROWS = 100;

async function show(call: CompanyPageRequest): Promise<View | Response> {
  const wanted = call.query.get('search')?.trim().slice(0, 200) ?? '';
  if (wanted !== '') {
    const id = await subscriberBy(call, wanted);
    return id === undefined ? nobody(call, wanted) : redirect(call.pathOf(`subscribers/${id}`));
  }
  const start = readRecordId(call.query.get('start'));
  const found = await call.find('list', { sort: 'id', count: ROWS + 1, ...(start ? { start } : {}) });
  const shown = found.slice(0, ROWS);
  const next = found[ROWS];
  const after = next === undefined ? undefined : call.pathOf(`lists?start=${next.id}`);
  return {
    title: 'Lists',
    lead: html`Lists, saved searches and profile fields · <a href="${call.pathOf('subscribers')}">all subscribers</a>`,
    live: 'here',
    before: start === undefined ? undefined : call.pathOf('lists'),
    after,
    body: html`${renderSubscriberFinder(call, '')}
${
  shown.length === 0
    ? emptyPageNotice('There are no lists yet.', call.command`sandbox list create --name Newsletter`)
    : html`<ul class="rows lists">${shown.map((each) => row(call, each))}</ul>`
}
${pager('More lists', undefined, { text: 'More →', href: after, rel: 'next' })}
<div class="halves">${await searches(call)}${await fields(call)}</div>
<footer class="same">${call.command`sandbox list list`}</footer>`,
  };
}

/** Returns the id of the subscriber with this address, number or id. */
export async function subscriberBy(call: CompanyPageRequest, wanted: string): Promise<number | undefined> {
  const msisdn = normaliseMsisdn(wanted);
  const id = readRecordId(wanted);
  const ways = [
    ...(isEmailAddress(wanted) ? [{ email: wanted }] : []),
    ...(msisdn === undefined ? [] : [{ msisdn }]),
    ...(id === undefined ? [] : [{ id }]),
  ];
  for (const way of ways) {
    const [found] = await call.find('subscriber', way);
    if (found) return found.id;
  }
  return undefined;
}

export const renderSubscriberFinder = (call: CompanyPageRequest, searchText: string): Html =>
  searchForm(
    call.pathOf('lists'),
    'Find a subscriber',
    'Address, number or id of a subscriber',
    'Find',
    searchText,
  );

const nobody = (call: CompanyPageRequest, wanted: string): View => ({
  title: `Lists: “${wanted}”`,
  lead: html`<a href="${call.pathOf('lists')}">Lists</a>`,
  body: html`${renderSubscriberFinder(call, wanted)}${emptyPageNotice(
    'No subscriber has this e-mail address, mobile number or id.',
    html`<a href="${call.pathOf(`dnc?search=${encodeURIComponent(wanted)}`)}">Search Do Not Contact for it</a>`,
    call.command`sandbox subscriber create --list 1 ${isEmailAddress(wanted) ? '--email' : '--msisdn'} ${wanted}`,
  )}`,
});

function row(call: CompanyPageRequest, list: RecordNamed<'list'>): Html {
  const { id } = list;
  const rules = list.automation_count + list.smsautomation_count;
  return html`<li><a class="row" data-row id="list-${id}" href="${call.pathOf(`lists/${id}`)}"><span class="what">${nameIn(list) ?? `List ${id}`} ${list.deletable ? null : badge('permanent')}</span><span class="soft">list ${id}${rules === 0 ? null : ` · ${formatCountWithNoun(rules, 'rule')}`}</span><span class="n">${formatCount(list.subscription_count)}</span></a></li>`;
}

async function searches(call: CompanyPageRequest): Promise<Html> {
  const found = await call.ask('search list', {});
  const named = new Map((await call.ask('field list', {})).map(({ id, name }) => [id, name]));
  const rows = found.map(
    ({ id, name, field_id, equals }) =>
      html`<dt>${name} <span class="soft">search ${id}</span></dt><dd>${named.get(field_id) ?? ''} is ${equals}</dd>`,
  );
  return card(
    'Saved searches',
    rows,
    call.command`sandbox search create --help`,
    call.command`sandbox search list`,
  );
}

async function fields(call: CompanyPageRequest): Promise<Html> {
  const found = await call.ask('field list', {});
  const rows = found.map(({ id, name }) => html`<dt>${name}</dt><dd class="soft">field ${id}</dd>`);
  return card(
    'Profile fields',
    rows,
    call.command`sandbox field create --name Postcode`,
    call.command`sandbox field list`,
  );
}

const card = (title: string, rows: readonly Html[], create: Html, list: Html): Html =>
  html`<section class="card"><h2>${title}</h2>${
    rows.length === 0
      ? html`<p class="soft">There are none yet.</p><p class="only">${create}</p>`
      : html`<dl class="told">${rows}</dl><p>${list}</p>`
  }</section>`;
