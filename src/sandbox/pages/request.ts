/** Shows one request to the service: its headers and bodies, why it was refused, and how to send it again. */
import { formatJson, parseJson } from '../../service/protocol/json.ts';
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import { buildCurlScript } from './curl.ts';
import type { CompanyPageRequest, Page, View } from './page.ts';
import { type Html, html, pager, readRecordId } from './parts.ts';
import { type LoggedRequest, statusBadge } from './requests.ts';

export const requestPage: Page = { path: 'requests/:id', of: 'requests', show };

type DetailedRequest = Extract<LoggedRequest, { readonly headers: unknown }>;

async function show(call: CompanyPageRequest): Promise<View> {
  const id = readRecordId(call.id);
  if (id === undefined) throw createNotFoundError(`Request ${call.id}`);
  const [row] = await call.ask('requests', { explain: id, limit: 1 });
  if (row === undefined || !('headers' in row)) throw createNotFoundError(`Request ${id}`);
  const { method, path, who, milliseconds, time, headers, body, answer } = row;
  const newer = await neighbour(call, { after: id });
  const older = await neighbour(call, { before: id });
  const at = new Date(time * 1000).toISOString();
  return {
    title: `${method} ${path}`,
    lead: html`<a href="${call.pathOf('requests')}">Requests</a> · ${statusBadge(row)} to ${who ?? 'nobody'}, after ${milliseconds} ms · <time class="nowrap" datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`,
    ...{ before: newer, after: older },
    beside: pager(
      'Newer and older request',
      { text: '← Newer', href: newer, rel: 'prev' },
      { text: 'Older →', href: older, rel: 'next' },
    ),
    body: html`${explanation(row)}
<div class="exchange">
<section><h2>Request</h2>
${headers === null ? html`<p class="soft">The sandbox keeps headers and bodies of the last 1,000 requests only.</p>` : html`${headerTable(headers)}${bodyText('Body', body, 'No body, or the sandbox did not read it.')}`}</section>
<section><h2>Answer</h2>
${headers === null ? html`<p class="soft">No longer kept.</p>` : bodyText('Body of the answer', answer, row.status === null ? 'The connection was closed without an answer.' : 'The answer has no body.')}</section>
</div>
${headers === null ? null : again(call, row, headers)}
<footer class="same">${call.command`sandbox requests --explain ${id}`}</footer>`,
  };
}

async function neighbour(
  call: CompanyPageRequest,
  place: { readonly after: number } | { readonly before: number },
): Promise<string | undefined> {
  const [row] = await call.ask('requests', { ...place, people: true, limit: 1 });
  return row && call.pathOf(`requests/${row.id}`);
}

const headerTable = (headers: Readonly<Record<string, string>>): Html =>
  html`<div class="wide" tabindex="0" role="group" aria-label="Headers of the request"><table class="headers"><tbody>${Object.entries(
    headers,
  ).map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`,
  )}</tbody></table></div>`;

const bodyText = (label: string, text: string | null, none: string): Html =>
  text === null || text === ''
    ? html`<p class="soft">${none}</p>`
    : html`<pre class="plain-text body" tabindex="0" role="group" aria-label="${label}">${indented(text)}</pre>${
        text.endsWith('…') ? html`<p class="soft small">Cut after 8,000 characters.</p>` : null
      }`;

/** Indents JSON. Any other text, such as a body that was cut, stays as it is. */
function indented(text: string): string {
  try {
    return formatJson(parseJson(text), 2);
  } catch {
    return text;
  }
}

function again(
  call: CompanyPageRequest,
  row: DetailedRequest,
  headers: Readonly<Record<string, string>>,
): Html {
  const script = buildCurlScript({ ...row, headers }, call.baseUrl, call.naming);
  return html`<section class="curl"><h2>Send it again</h2>${
    script.includes('$signature')
      ? html`<p class="soft small">The commands sign it again, with the API key in the variable.</p>`
      : null
  }<pre class="plain-text" tabindex="0" role="group" aria-label="Shell commands">${script}</pre><button type="button" class="copy" data-copy="${script}" hidden>Copy</button></section>`;
}

/** Explains a refusal: its message, the wrong parts of the request, and for a 401 the string that was signed. */
function explanation(row: DetailedRequest): Html | null {
  const { why, message, fields, signed } = row;
  const wrong = fields.filter(({ problem }) => problem !== null);
  if (why === null && message === null && signed === null) return null;
  return html`<section class="card why"><h2>Why</h2>${why === null ? (message === null ? null : html`<p>${message}</p>`) : html`<p>${why}.</p>`}${
    wrong.length === 0
      ? null
      : html`<ul>${wrong.map(({ field, problem, sent }) => html`<li><code>${field}</code>: ${problem}${sent === null ? null : html` <span class="soft">Sent: ${sent}</span>`}</li>`)}</ul>`
  }${signedLines(row)}</section>`;
}

/** Returns the explanation that `svc sandbox requests` prints under its table. */
function signedLines({ signed, signature, expected }: DetailedRequest): Html | null {
  if (signed === null) return null;
  const lines = html`<pre class="plain-text" tabindex="0">${signed.replaceAll('\r\n', '\\r\\n\n')}</pre>`;
  if (expected === null) return html`<p>The string to sign for this request:</p>${lines}`;
  if (signature === expected)
    return html`<p>The signature is correct. It is the SHA-1 of these lines:</p>${lines}`;
  return html`<p>The service computed the signature from these lines. <code>\\r\\n</code> is CR LF, and no line end follows the key:</p>${lines}<p>Their SHA-1 begins with <code>${expected}</code>, but the signature of the request begins with <code>${signature}</code>.</p>`;
}
