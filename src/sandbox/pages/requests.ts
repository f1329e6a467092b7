/** Lists the requests to the service. A request with status 401 shows its explanation. */
import type { Answer, CompanyPageRequest, Page, View } from './page.ts';
import { badge, emptyPageNotice, type Html, html, linkWith, pager, tabs } from './parts.ts';

export const requestsPage: Page = { path: 'requests', name: 'Requests', show };

type LoggedRequest = Answer<'requests'>[number];

const ROWS = 100;
/** Statuses that the filter of the page offers: those that authors of clients look for most. */
const STATUSES = ['', '200', '202', '400', '401', '403', '404', '409', '423'].map(
  (status) => [status, status || 'All'] as const,
);
const SENDERS = [
  ['', 'Clients'],
  ['all', 'With doctor and completion'],
] as const;

async function show(call: CompanyPageRequest): Promise<View> {
  const status = /^[1-5][0-9]{2}$/.test(call.query.get('status') ?? '') ? call.query.get('status') : null;
  const place = /^[0-9]{1,15}$/.test(call.query.get('before') ?? '') ? call.query.get('before') : null;
  const isAll = call.query.get('by') === 'all';
  const found = await call.ask('requests', {
    limit: ROWS + 1,
    people: !isAll,
    ...(status === null ? {} : { status: Number(status) }),
    ...(place === null ? {} : { before: Number(place) }),
  });
  const rows = found.slice(-ROWS).toReversed();
  const link = (changes: Readonly<Record<string, string | undefined>>): string =>
    linkWith(call, 'requests', { before: undefined, ...changes });
  const after = found.length > ROWS ? link({ before: String(rows.at(-1)?.id) }) : undefined;
  const first = place === null ? undefined : link({});
  return {
    title: status === null ? 'Requests' : `Requests with status ${status}`,
    lead: 'Requests to /v1, newest first. Times are in UTC, by the clock of this machine',
    ...(place === null ? { live: 'top' as const } : {}),
    ...{ before: first, after },
    body: html`<div class="filters">${tabs('Status', status ?? '', STATUSES, (each) => link({ status: each }))}${tabs('Sender', isAll ? 'all' : '', SENDERS, (by) => link({ by }))}</div>
${rows.length === 0 ? nothing(call, status) : table(rows, status)}
${pager('Older and newest', { text: '← Newest', href: first }, { text: 'Older →', href: after, rel: 'next' })}
<footer class="same">${call.command`sandbox requests ${status === null ? [] : ['--status', status]}`}</footer>`,
  };
}

const nothing = (call: CompanyPageRequest, status: string | null): Html =>
  status === null
    ? emptyPageNotice('No requests yet.', call.command`folder list`)
    : emptyPageNotice('None of the last 10,000 requests matches the filters.');

/** Number of newest rows whose details are open if a status filter is set. */
const OPEN_ROWS = 3;

const table = (rows: readonly LoggedRequest[], status: string | null): Html =>
  html`<ul class="rows requests">${rows.map((row, at) => html`<li>${line(row, status !== null && at < OPEN_ROWS)}</li>`)}</ul>`;

function line(row: LoggedRequest, isOpen: boolean): Html {
  const { id, why, method, path, status, who, milliseconds, time: seconds } = row;
  const cells = html`<span class="method">${method}</span><span class="path">${path}${why === null ? null : html` <span class="why-mark">why?</span>`}</span><span class="who">${who ?? 'nobody'}</span>${
    status === null
      ? badge('no answer', 'bad')
      : isEmptyList(row)
        ? html`<span title="The service answers an empty list with 404">${badge('404')}</span>`
        : badge(String(status), status < 400 ? 'good' : status < 500 ? 'warn' : 'bad')
  }<span class="n">${milliseconds} ms</span><time datetime="${new Date(seconds * 1000).toISOString()}">${new Date(seconds * 1000).toISOString().slice(5, 19).replace('T', ' ')}</time>`;
  if (why === null) return html`<div class="row" data-row tabindex="-1" id="request-${id}">${cells}</div>`;
  return html`<details id="why-${id}"${isOpen ? html` open` : null}><summary class="row" data-row id="request-${id}">${cells}</summary>${explanation(row)}</details>`;
}

/** Reports whether the request asked for a list and found no records. The service answers such a request with 404. */
const isEmptyList = ({ method, path, status }: LoggedRequest): boolean =>
  status === 404 && method === 'GET' && /^\/v1\/[A-Za-z]+(\?(?!.*\bid=).*)?$/.test(path);

/** Returns the explanation that `svc sandbox requests` prints under its table. */
function explanation({ why, signed, signature, expected }: LoggedRequest): Html {
  const said = html`<p>${why}.</p>`;
  if (signed === null) return html`<div class="why">${said}</div>`;
  const lines = html`<pre class="plain-text" tabindex="0">${signed.replaceAll('\r\n', '\\r\\n\n')}</pre>`;
  if (expected === null)
    return html`<div class="why">${said}<p>The string to sign for this request:</p>${lines}</div>`;
  if (signature === expected)
    return html`<div class="why">${said}<p>The signature is correct. It is the SHA-1 of these lines:</p>${lines}</div>`;
  return html`<div class="why">${said}<p>The service computed the signature from these lines. <code>\\r\\n</code> is CR LF, and no line end follows the key:</p>${lines}<p>Their SHA-1 begins with <code>${expected}</code>, but the signature of the request begins with <code>${signature}</code>.</p></div>`;
}
