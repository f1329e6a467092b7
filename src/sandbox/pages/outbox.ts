/** Lists all deliveries, newest first: both channels and the notices, each with its cause. */
import type { ControlRequest } from '../../protocol/control.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { formatTime } from '../../text/timezone.ts';
import { type Cause, causeWords } from './causes.ts';
import type { Page, PageCall, View } from './page.ts';
import { badge, command, empty, type Html, html, NONE, queryWith, tabs } from './parts.ts';

const ROWS = 50;
const CHANNELS = [
  ['', 'Everything'],
  ['email', 'E-mail'],
  ['sms', 'SMS'],
  ['notification', 'Notices'],
] as const;

export const outbox: Page = { path: 'outbox', name: 'Outbox', show };

async function show(call: PageCall): Promise<View> {
  const { query } = call;
  const filter = filterIn(query);
  const { entries, newer, older } = await pageOf(call, filter);
  const words = await causeWords(call, entries.map(causeIn));
  const isFiltered = Object.keys(filter).length > 0;
  const isFirst = newer === undefined;
  const link = (changes: Readonly<Record<string, string | undefined>>): string =>
    call.pathOf(`outbox${queryWith(query, { done: undefined, ...changes })}`);
  const before = newer === undefined ? undefined : link({ before: undefined, ...newer });
  const after = older === undefined ? undefined : link({ after: undefined, before: older });
  return {
    title: isFiltered ? `Outbox: ${[...filterWords(filter)].join(', ')}` : 'Outbox',
    lead: 'Every message that was delivered, and what caused it',
    ...(isFirst ? { live: 'top' as const } : {}),
    ...{ before, after },
    body: html`${filters(call, filter, link)}
${entries.length === 0 ? nothing(call, isFiltered) : days(call, entries, words)}
${
  before === undefined && after === undefined
    ? NONE
    : html`<nav class="pager" aria-label="Older and newer">${
        before === undefined ? html`<span></span>` : html`<a href="${before}" rel="prev">← Newer</a>`
      }${after === undefined ? NONE : html`<a href="${after}" rel="next">Older →</a>`}</nav>`
}
<footer class="same">${command(call, 'sandbox', 'outbox', 'list', ...flagsOf(filter))}</footer>`,
  };
}

type Filter = Omit<ControlRequest<'outbox list'>, 'after' | 'before' | 'limit'>;

/** Reads the filter from the query. Ignores an invalid channel or task. Free text comes in `search`. */
function filterIn(query: URLSearchParams): Filter {
  const text = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  const channel = CHANNELS.map(([value]) => value).find((each) => each === text('channel'));
  const task = /^[1-9][0-9]{0,14}$/.test(text('task') ?? '') ? Number(text('task')) : undefined;
  const rule = text('rule');
  const search = text('search')?.slice(0, 200);
  const to = text('to');
  return {
    ...(search === undefined ? {} : { search }),
    ...(to === undefined ? {} : { to }),
    ...(channel ? { channel } : {}),
    ...(task === undefined ? {} : { task }),
    ...(rule === undefined ? {} : { rule }),
  };
}

const flagsOf = (filter: Filter): readonly string[] =>
  Object.entries(filter).flatMap(([name, value]) => [`--${name}`, String(value)]);

function* filterWords({ search, to, channel, task, rule }: Filter): Generator<string> {
  if (search !== undefined) yield `“${search}”`;
  if (to !== undefined) yield `to ${to}`;
  const named = CHANNELS.find(([value]) => value === channel)?.[1];
  if (channel !== undefined && named !== undefined) yield named;
  if (task !== undefined) yield `task ${task}`;
  if (rule !== undefined) yield `rule ${rule}`;
}

interface Rows {
  /** The entries, newest first. */
  readonly entries: readonly JsonObject[];
  /** The place of newer entries; undefined if there are none. */
  readonly newer: { readonly before?: undefined; readonly after?: string | undefined } | undefined;
  /** The id of the last entry on the page, before which there are older entries; undefined if there are none. */
  readonly older: string | undefined;
}

async function pageOf(call: PageCall, filter: Filter): Promise<Rows> {
  const [before, after] = [call.query.get('before') ?? undefined, call.query.get('after') ?? undefined];
  if (after !== undefined && after !== '') {
    const found = await call.ask('outbox list', { ...filter, after, limit: ROWS + 1 });
    // Fewer rows are the newest ones: the first page is shown in full instead.
    if (found.length > ROWS) {
      const entries = found.slice(0, ROWS).toReversed();
      return { entries, newer: { after: idIn(entries[0]) }, older: idIn(entries.at(-1)) };
    }
  }
  const place = before === undefined || before === '' || after ? {} : { before };
  const found = await call.ask('outbox list', { ...filter, ...place, limit: ROWS + 1 });
  const entries = found.slice(-ROWS).toReversed();
  const isFirst = !('before' in place);
  return {
    entries,
    newer: isFirst ? undefined : entries.length === 0 ? {} : { after: idIn(entries[0]) },
    older: found.length > ROWS ? idIn(entries.at(-1)) : undefined,
  };
}

const idIn = (entry: JsonObject | undefined): string => String(entry?.['id'] ?? '');
const causeIn = (entry: JsonObject): Cause => entry['cause'] as unknown as Cause;

function filters(
  call: PageCall,
  filter: Filter,
  link: (changes: Readonly<Record<string, string | undefined>>) => string,
): Html {
  const away = { before: undefined, after: undefined };
  const kept = Object.entries(filter).filter(([name]) => name !== 'search');
  const chips = kept.filter(([name]) => name !== 'channel');
  return html`<div class="filters">
<form method="get" action="${call.pathOf('outbox')}" role="search" class="search" data-search>
<label class="visually-hidden" for="search">Search the outbox</label>
<input id="search" type="search" name="search" value="${filter.search ?? ''}" placeholder="Recipient, subject, text, task or rule" maxlength="200" autocomplete="off">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`)}
<button type="submit">Search</button>
</form>
${tabs(
  'Channel',
  filter.channel ?? '',
  CHANNELS.map(([value, label]) => ({ value, label, href: link({ ...away, channel: value }) })),
)}
${chips.map(
  ([name, value]) =>
    html`<a class="chip" href="${link({ ...away, [name]: undefined })}">${name} ${String(value)} <span aria-hidden="true">×</span><span class="visually-hidden">: take away</span></a>`,
)}
</div>`;
}

/** Groups rows by day in the company's zone. */
function days(call: PageCall, entries: readonly JsonObject[], words: (cause: Cause) => string): Html {
  const byDay = new Map<string, JsonObject[]>();
  for (const entry of entries) {
    const day = dayOf(call, Number(entry['time']));
    byDay.set(day, [...(byDay.get(day) ?? []), entry]);
  }
  return html`${[...byDay].map(
    ([day, rows]) => html`<h2 class="day">${day}</h2>
<ul class="rows outbox">${rows.map((entry) => row(call, entry, words(causeIn(entry))))}</ul>`,
  )}`;
}

const dayOf = ({ company }: PageCall, seconds: number): string =>
  formatTime(seconds, company.timezone, 'long').slice(0, 'Tue 2026-12-01'.length);

const STATES = { bounced: 'bad', failed: 'bad', pending: 'warn' } as const;

function row(call: PageCall, entry: JsonObject, cause: string): Html {
  const id = idIn(entry);
  const { channel, state } = entry;
  const seconds = Number(entry['time']);
  const what = String(entry['subject'] ?? entry['text'] ?? '');
  const bad = Object.entries(STATES).find(([name]) => name === state);
  return html`<li><a class="row" data-row id="row-${id}" href="${call.pathOf(`outbox/${id}`)}">
<span class="channel ${String(channel)}">${channelWord(String(channel))}</span>
<span class="who">${String(entry['to'])}</span>
<span class="what">${what.slice(0, 200)}${bad ? html` ${badge(String(state), bad[1])}` : NONE}</span>
<span class="cause">${cause}</span>
<time datetime="${new Date(seconds * 1000).toISOString()}">${formatTime(seconds, call.company.timezone, 'table').slice(-5)}</time>
</a></li>`;
}

const channelWord = (channel: string): string =>
  channel === 'email' ? 'E-mail' : channel === 'sms' ? 'SMS' : 'Notice';

function nothing(call: PageCall, isFiltered: boolean): Html {
  if (isFiltered) return empty('No delivered message matches.');
  const ahead =
    call.clock.mode === 'manual'
      ? [command(call, 'sandbox', 'clock', 'run')]
      : [command(call, 'sandbox', 'queue')];
  return empty(
    'Nothing has been delivered yet. A task fills it, and the clock has to reach the time of the task.',
    command(call, 'task', 'create', '--help'),
    ...ahead,
  );
}
