/** Lists the requests to the service, and says which faults are injected. */
import { INJECTABLE_FAULTS } from '../../service/protocol/control/faults.ts';
import type { Answer, CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  breakable,
  button,
  emptyPageNotice,
  formatCountWithNoun,
  type Html,
  html,
  linkWith,
  pager,
  searchForm,
  tabs,
} from './parts.ts';

export const requestsPage: Page = {
  path: 'requests',
  name: 'Requests',
  show,
  acts: { 'clear-faults': clearFaults },
};

export type LoggedRequest = Answer<'requests'>[number];

const ROWS = 100;
const GROUPS = [
  ['', 'All'],
  ['2xx', '2xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
] as const;
const SENDERS = [
  ['', 'Clients'],
  ['all', 'With doctor and completion'],
] as const;

async function show(call: CompanyPageRequest): Promise<View> {
  const { query } = call;
  const status = /^[1-5][0-9]{2}$/.test(query.get('status') ?? '') ? query.get('status') : null;
  const group = (['2xx', '4xx', '5xx'] as const).find((each) => each === query.get('group'));
  const path = query.get('search')?.trim().slice(0, 200) ?? '';
  const place = /^[0-9]{1,15}$/.test(query.get('before') ?? '') ? query.get('before') : null;
  const isAll = query.get('by') === 'all';
  const found = await call.ask('requests', {
    limit: ROWS + 1,
    people: !isAll,
    ...(status === null ? {} : { status: Number(status) }),
    ...(group === undefined ? {} : { group }),
    ...(path === '' ? {} : { path }),
    ...(place === null ? {} : { before: Number(place) }),
  });
  const rows = found.slice(-ROWS).toReversed();
  const link = (changes: Readonly<Record<string, string | undefined>>): string =>
    linkWith(call, 'requests', { before: undefined, ...changes });
  const after = found.length > ROWS ? link({ before: String(rows.at(-1)?.id) }) : undefined;
  const first = place === null ? undefined : link({});
  const flags = [
    ...(status === null ? [] : ['--status', status]),
    ...(group === undefined ? [] : ['--group', group]),
    ...(path === '' ? [] : ['--path', path]),
  ];
  return {
    title: status === null ? 'Requests' : `Requests with status ${status}`,
    lead: 'Requests to /v1, newest first. Times are in UTC, by the clock of this machine',
    ...(place === null ? { live: 'top' as const } : {}),
    ...{ before: first, after },
    body: html`${faultBanner(call, await call.ask('fault list', {}))}
${searchForm(call.pathOf('requests'), 'Search by path', 'Path or query, such as /v1/task', 'Search', path)}
<div class="filters">${tabs('Status', status === null ? (group ?? '') : undefined, GROUPS, (each) => link({ group: each, status: undefined }))}${statusTabs(rows, status, link)}${tabs('Sender', isAll ? 'all' : '', SENDERS, (by) => link({ by }))}</div>
${rows.length === 0 ? nothing(call, flags.length > 0) : html`<ul class="rows requests">${rows.map((row) => html`<li>${line(call, row)}</li>`)}</ul>`}
${pager('Older and newest', { text: '← Newest', href: first }, { text: 'Older →', href: after, rel: 'next' })}
<footer class="same">${call.command`sandbox requests ${flags}`}</footer>`,
  };
}

/** Draws a choice of the statuses of these rows. A chosen status leads back to all of them. */
function statusTabs(
  rows: readonly LoggedRequest[],
  current: string | null,
  link: (changes: Readonly<Record<string, string | undefined>>) => string,
): Html | null {
  const counts = new Map<string, number>();
  for (const { status } of rows)
    if (status !== null) counts.set(String(status), (counts.get(String(status)) ?? 0) + 1);
  if (current !== null) counts.set(current, counts.get(current) ?? 0);
  if (counts.size < 2 && current === null) return null;
  const choices = [...counts].sort().map(([status, count]) => [status, status, count] as const);
  return tabs('Status of these requests', current ?? '', choices, (each) =>
    link({ status: each === current ? undefined : each, group: undefined }),
  );
}

const nothing = (call: CompanyPageRequest, isFiltered: boolean): Html =>
  isFiltered
    ? emptyPageNotice('None of the last 10,000 requests matches the filters.')
    : emptyPageNotice('No requests yet.', call.command`folder list`);

function line(call: CompanyPageRequest, row: LoggedRequest): Html {
  const { id, why, method, path, who, milliseconds, time: seconds } = row;
  const iso = new Date(seconds * 1000).toISOString();
  return html`<a class="row" data-row id="request-${id}" href="${call.pathOf(`requests/${id}`)}"><span class="method">${method}</span><span class="path">${breakable(path)}${why === null ? null : html`<span class="reason">${why}</span>`}</span><span class="who">${who ?? 'nobody'}</span>${statusBadge(row)}<span class="n">${milliseconds} ms</span><time datetime="${iso}">${iso.slice(5, 19).replace('T', ' ')}</time></a>`;
}

export function statusBadge(row: LoggedRequest): Html {
  const { status } = row;
  if (status === null) return badge('no answer', 'bad');
  if (isEmptyList(row))
    return html`<span title="The service answers an empty list with 404">${badge('404')}</span>`;
  return badge(String(status), status < 400 ? 'good' : status < 500 ? 'warn' : 'bad');
}

/** Reports whether the request asked for a list and found no records. The service answers such a request with 404. */
const isEmptyList = ({ method, path, status }: LoggedRequest): boolean =>
  status === 404 && method === 'GET' && /^\/v1\/[A-Za-z]+(\?(?!.*\bid=).*)?$/.test(path);

/** Lists the injected faults with a button that removes all of them. */
function faultBanner(call: CompanyPageRequest, faults: Answer<'fault list'>): Html | null {
  if (faults.length === 0) return null;
  const rows = faults.map(({ kind, rate, times, match, delay }) => {
    const share = rate === 1 ? '' : `${Math.round(rate * 1000) / 10} % of `;
    const slow = kind === 'slow' ? ` by ${delay / 1000} s` : '';
    const left = times === null ? '' : `, ${formatCountWithNoun(times, 'more time')}`;
    return html`<li><b>${kind}</b>: ${INJECTABLE_FAULTS[kind].does}${slow}, for ${share}${match === null ? 'all requests' : html`requests to <code>${match}</code>`}${left}</li>`;
  });
  return html`<section class="faults" aria-label="Injected faults"><p><b>Faults are active.</b> Requests fail on purpose.</p><ul>${rows}</ul>${button('Clear all faults', 'clear-faults')}${call.command`sandbox fault clear`}</section>`;
}

async function clearFaults(call: CompanyPageRequest): Promise<PageActionResult> {
  const { cleared } = await call.ask('fault clear', {});
  return { said: `Cleared ${formatCountWithNoun(cleared, 'fault')}.` };
}
