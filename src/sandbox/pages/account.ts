/** Shows the company: credits, users, senders, limits, and on request its key. */
import { createInvalidRequestError, createNotFoundError } from '../../service/protocol/service-errors.ts';
import type { RecordNamed } from '../request/present.ts';
import type { CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import { badge, breakable, button, formatCount, type Html, html, renderTime } from './parts.ts';

export const accountPage: Page = {
  path: 'account',
  name: 'Account',
  show,
  acts: { key, credits: setCredits },
};

async function show(call: CompanyPageRequest): Promise<View> {
  const { id } = call.company;
  const [record] = await call.find('account', { id });
  if (record === undefined) throw createNotFoundError(`Company ${id}`);
  const users = await call.find('user', { count: 200 });
  const senders = await call.ask('sender list', {});
  return {
    title: 'Account',
    lead: `Company ${id} · ${call.company.timezone}`,
    body: html`<div class="two">
<div>
${credits(call, record)}
${userTable(call, users)}
<section class="card"><h2>Sender addresses</h2>${
      senders.length === 0
        ? html`<p class="soft">There are none yet.</p>`
        : html`<ul class="bare">${senders.slice(0, 100).map((each) => html`<li>${each.email}</li>`)}</ul>`
    }<p class="only">${call.command`sandbox sender add news@example.com`}</p></section>
</div>
<div class="aside">
<dl class="facts">
<dt>Name</dt><dd>${record.name}</dd>
<dt>Contact</dt><dd>${breakable(record.contactemail)}</dd>
<dt>Country</dt><dd>${record.country}</dd>
<dt>Zone</dt><dd>${record.timezone}</dd>
${held('Subscribers', record.subscriber_count, record.subscriber_limit)}
${held('Suspended, e-mail', record.emailsuspended_count)}
${held('Suspended, SMS', record.smssuspended_count)}
${held('Do Not Contact', record.blacklist_count)}
${held('Lists', record.list_count, record.list_limit)}
${held('Folders', record.folder_count)}
${held('Sub-users', record.user_count, record.user_limit)}
</dl>
<section class="card deeds"><h2>API key</h2><ul><li>${button('Show the key', 'key')}<span class="soft small">Shown only once.</span>${call.command`sandbox company key ${id}`}</li></ul></section>
</div>
</div>
<footer class="same"><p>${call.command`account get`}</p><p>${call.command`user list`}</p></footer>`,
  };
}

function held(label: string, number: number | null, most: number | null = null): Html | null {
  if (number === null) return null;
  return html`<dt>${label}</dt><dd>${formatCount(number)}${most === null ? null : html` <span class="soft">of at most ${formatCount(most)}</span>`}</dd>`;
}

function credits(call: CompanyPageRequest, record: RecordNamed<'account'>): Html {
  const kinds = [
    ['email', 'E-mail', record.emailcreditbalance],
    ['sms', 'SMS', record.smscreditbalance],
  ] as const;
  return html`<section class="card credits"><h2>Credits</h2>
<dl class="big">${kinds.map(([, label, balance]) => html`<div><dt>${label}</dt><dd>${formatCount(balance)}</dd></div>`)}</dl>
<form method="post" class="inline-fields"><input type="hidden" name="do" value="credits">${kinds.map(
    ([name, label, balance]) =>
      html`<label>${label} <input name="${name}" inputmode="numeric" pattern="[0-9]{1,10}" required maxlength="10" value="${balance}" autocomplete="off"></label>`,
  )}<button type="submit">Set</button></form>
<p>${call.command`sandbox credits set --email ${kinds[0][2]} --sms ${kinds[1][2]}`}</p></section>`;
}

const userTable = (call: CompanyPageRequest, users: readonly RecordNamed<'user'>[]): Html =>
  html`<section class="card"><h2>Users</h2><ul class="rows pairs">${users.map(
    (each) =>
      html`<li><span class="row"><span class="what">${each.username} ${each.isadmin ? badge('admin') : null} ${each.locked ? badge('locked', 'bad') : null} ${each.active ? null : badge('inactive', 'warn')}</span><span class="soft">${each.firstname} ${each.lastname} · user ${each.id}${each.lastlogon === null ? null : html` · logged in ${renderTime(call, each.lastlogon)}`}</span></span></li>`,
  )}</ul><p>${call.command`user create --help`}</p></section>`;

async function key(call: CompanyPageRequest): Promise<PageActionResult> {
  const { id } = call.company;
  const { apiKey } = await call.ask('company key', { id });
  return {
    said: `The API key of company ${id}, which signs every request:`,
    more: html`<p><code class="secret break">${apiKey}</code></p>`,
    isSecret: true,
  };
}

async function setCredits(call: CompanyPageRequest): Promise<PageActionResult> {
  const read = (name: string): number => {
    const text = call.form.get(name)?.trim() ?? '';
    if (/^[0-9]{1,10}$/.test(text)) return Number(text);
    throw createInvalidRequestError([{ attribute: name, value: text, reason: 'must be a whole number' }]);
  };
  const [email, sms] = [read('email'), read('sms')];
  await call.ask('credits set', { email, sms });
  return { said: `There are ${formatCount(email)} e-mail credits and ${formatCount(sms)} SMS credits now.` };
}
