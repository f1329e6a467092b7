/** Shows Do Not Contact: addresses, domains and phone numbers that receive nothing. */
import { removeMarks } from '../../service/resources/campaign-mark.ts';
import type { RecordNamed } from '../request/present.ts';
import type { CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  breakable,
  button,
  emptyPageNotice,
  type Html,
  html,
  pager,
  readRecordId,
  renderTime,
  searchForm,
} from './parts.ts';
import { pathOfPerson } from './person.ts';

type Entry = RecordNamed<'doNotContact'>;

export const doNotContactPage: Page = { path: 'dnc', name: 'Do Not Contact', show, acts: { add, remove } };

const ROWS = 50;

async function show(call: CompanyPageRequest): Promise<View> {
  const wanted = call.query.get('search')?.trim().slice(0, 200).toLowerCase() ?? '';
  const { rows, newer, older } = wanted === '' ? await newest(call) : await beginning(call, wanted);
  const reasons = new Map<number, Html | null>();
  for (const each of rows) reasons.set(each.id, await reasonOf(call, each));
  return {
    title: wanted === '' ? 'Do Not Contact' : `Do Not Contact: “${wanted}”`,
    lead: 'Addresses, domains and numbers that get no messages',
    live: 'here',
    before: newer,
    after: older,
    body: html`${searchForm(call.pathOf('dnc'), 'Search Do Not Contact', 'Beginning of an address, domain or number', 'Search', wanted)}
<section class="card add"><form method="post" class="inline-fields" data-asks="All subscribers with this address, domain or number are deleted. Add it?"><input type="hidden" name="do" value="add"><label for="contactdata">Add</label> <input id="contactdata" name="contactdata" required maxlength="255" autocomplete="off" placeholder="no.thanks@example.org"> <button type="submit">Add to the list</button></form>${call.command`dnc add ${'<address, domain or number>'}`}</section>
${
  rows.length === 0
    ? wanted === ''
      ? emptyPageNotice(
          'Do Not Contact is empty. People who unsubscribe are added to it.',
          call.command`dnc add no.thanks@example.org`,
        )
      : emptyPageNotice('No entry begins with this.', call.command`dnc check ${wanted}`)
    : html`<ul class="rows entries">${rows.map((each) => row(call, each, reasons.get(each.id) ?? null))}</ul>`
}
${pager('More entries', { text: '← Newer', href: newer, rel: 'prev' }, { text: 'Older →', href: older, rel: 'next' })}
<footer class="same">${call.command`dnc list`}</footer>`,
  };
}

interface Found {
  readonly rows: readonly Entry[];
  readonly newer: string | undefined;
  readonly older: string | undefined;
}

async function newest(call: CompanyPageRequest): Promise<Found> {
  const place = (name: string): number | undefined => readRecordId(call.query.get(name));
  const [before, after] = [place('before'), place('after')];
  const link = (query: string): string => call.pathOf(`dnc?${query}`);
  if (after !== undefined) {
    const found = await call.find('doNotContact', { sort: 'id', start: after + 1, count: ROWS + 1 });
    const rows = found.slice(0, ROWS).toReversed();
    if (rows.length > 0)
      return {
        rows,
        newer: found.length > ROWS ? link(`after=${rows[0]?.id}`) : undefined,
        older: link(`before=${rows.at(-1)?.id}`),
      };
  }
  const found = await call.find('doNotContact', {
    ...{ sort: 'id', reverse: 'true', count: ROWS + 1 },
    ...(before === undefined ? {} : { start: before - 1 }),
  });
  const rows = found.slice(0, ROWS);
  return {
    rows,
    newer: before === undefined || rows.length === 0 ? undefined : link(`after=${rows[0]?.id}`),
    older: found.length > ROWS ? link(`before=${rows.at(-1)?.id}`) : undefined,
  };
}

async function beginning(call: CompanyPageRequest, wanted: string): Promise<Found> {
  const from = call.query.get('from') ?? wanted;
  const start = from.startsWith(wanted) ? from : wanted;
  const found = await call.find('doNotContact', { sort: 'contactdata', start, count: ROWS + 1 });
  const matching = found.filter((each) => each.contactdata.startsWith(wanted));
  const next = matching[ROWS];
  const search = `search=${encodeURIComponent(wanted)}`;
  return {
    rows: matching.slice(0, ROWS),
    newer: start === wanted ? undefined : call.pathOf(`dnc?${search}`),
    older:
      next === undefined
        ? undefined
        : call.pathOf(`dnc?${search}&from=${encodeURIComponent(next.contactdata)}`),
  };
}

const REASONS: Readonly<Record<string, string>> = {
  unsubscribed: 'Unsubscribed from',
  complained: 'Complained about',
  wrote: 'Wrote',
};

/** Returns what the person did that put them on the list, or null for an entry that somebody added. */
async function reasonOf(
  call: CompanyPageRequest,
  { contactdata: value, cdate }: Entry,
): Promise<Html | null> {
  if (!isPerson(value)) return null;
  // Few events happen in one second, and each costs a look at its message.
  const events = await call.ask('subscriber history', {
    subscriber: value,
    before: `${cdate + 1}-0-0-0`,
    limit: 10,
  });
  const found = events.find(({ time, event }) => time === cdate && REASONS[event] !== undefined);
  if (found === undefined) return null;
  const title = removeMarks(found.title ?? '');
  return html`${REASONS[found.event]} ${found.delivery === null ? html`<q>${title}</q>` : html`<a href="${call.pathOf(`outbox/${found.delivery}`)}">${title}</a>`}`;
}

const isPerson = (value: string): boolean => value.includes('@') || /^[0-9]+$/.test(value);

function row(call: CompanyPageRequest, { id, contactdata: value, cdate }: Entry, reason: Html | null): Html {
  return html`<li class="entry" data-row tabindex="0" id="entry-${id}"><div><span class="what">${isPerson(value) ? html`<a href="${pathOfPerson(call, value)}">${breakable(value)}</a>` : value}</span>${reason === null ? null : html`<span class="reason soft small">${reason}</span>`}</div><span class="soft">${renderTime(call, cdate)}</span>${call.command`dnc remove ${value}`}${button('Remove', 'remove', { id }, `Remove ${value}? Messages can then be sent to it again.`)}</li>`;
}

async function add(call: CompanyPageRequest): Promise<PageActionResult> {
  const sent = { contactdata: (call.form.get('contactdata') ?? '').trim() };
  const [entry] = await call.create('doNotContact', sent);
  return {
    said: `${entry?.contactdata} is now on Do Not Contact. Subscribers with this address, domain or number were deleted.`,
  };
}

async function remove(call: CompanyPageRequest): Promise<PageActionResult> {
  const id = Number(call.form.get('id'));
  const [entry] = await call.find('doNotContact', { id });
  await call.remove('doNotContact', id);
  return { said: `${entry?.contactdata ?? id} is no longer on Do Not Contact.` };
}
