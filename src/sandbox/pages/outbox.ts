/** Shows the outbox, newest first, in one of two views: one row for each send, or one row for each message or notice with its cause. */

import { formatTime } from '../../kit/text/timezone.ts';
import type { ControlRequest } from '../../service/protocol/control.ts';
import { removeMarks } from '../../service/resources/shown-name.ts';
import type { Answer, CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  button,
  channelWord,
  describeMessageCauses,
  emptyPageNotice,
  formatCausingRuleAsFilter,
  formatCountWithNoun,
  type Html,
  html,
  linkWith,
  pager,
  readRecordId,
  sendKeyOfMessage,
  tabs,
} from './parts.ts';

type Entry = Answer<'outbox list'>[number];
type Send = Answer<'outbox send list'>['sends'][number];

const ROWS = 50;
const CHANNELS = [
  ['', 'Everything'],
  ['email', 'E-mail'],
  ['sms', 'SMS'],
  ['notification', 'Notices'],
] as const;

const ROW_VIEWS = [
  ['', 'By send'],
  ['all', 'Every message'],
] as const;

export const outboxPage: Page = { path: 'outbox', name: 'Outbox', show, acts: { read } };

async function show(call: CompanyPageRequest): Promise<View> {
  const { query } = call;
  const filter = filterIn(query);
  const isBySend = query.get('view') !== 'all' && Object.keys(filter).every((name) => name === 'channel');
  return isBySend ? bySend(call, filter) : eachMessage(call, filter);
}

async function read(call: CompanyPageRequest): Promise<PageActionResult> {
  call.unreadMessages.markAllAsRead(call.clock.time);
  return { said: 'All messages are marked as read.' };
}

/** Shows a row for each task and each rule that has sent messages, and a row for each other message. */
async function bySend(call: CompanyPageRequest, filter: Filter): Promise<View> {
  const { channel } = filter;
  const before = call.query.get('before') ?? undefined;
  const { total, sends: found } = await call.ask('outbox send list', {
    limit: SENDS_PER_PAGE + 1,
    ...(channel === undefined ? {} : { channel }),
    ...(before === undefined ? {} : { before }),
  });
  const sends = found.slice(0, SENDS_PER_PAGE);
  const words = await describeMessageCauses(call, sends);
  const unread = sends.filter((send) => isUnreadSend(call, send)).length;
  const first = before === undefined ? undefined : linkWith(call, 'outbox', { before: undefined });
  const after =
    found.length > SENDS_PER_PAGE ? linkWith(call, 'outbox', { before: sends.at(-1)?.place }) : undefined;
  return {
    title: titleOf(filter),
    unread,
    lead: html`${formatCountWithNoun(total, 'message')}${unread === 0 ? null : html` · <b>${formatCountWithNoun(unread, 'unread send')}</b> ${button('Mark all as read', 'read')}`}`,
    ...(before === undefined ? { live: 'top' as const } : {}),
    ...{ before: first, after },
    body: html`${filters(call, filter, true)}
${
  sends.length === 0
    ? nothing(call, channel !== undefined)
    : days(
        call,
        sends.map((send) => [send.last, sendRow(call, send, words(send.cause))]),
      )
}
${pager('Older and newer', { text: '← Newest', href: first, rel: 'prev' }, { text: 'Older →', href: after, rel: 'next' })}
<footer class="same">${call.command`sandbox outbox list ${flagsOf(filter)}`}</footer>`,
  };
}

const SENDS_PER_PAGE = 30;

const keyOfSend = ({ cause, id }: Entry): string => sendKeyOfMessage(cause, id);

const isUnreadSend = (call: CompanyPageRequest, send: Send): boolean =>
  call.unreadMessages.isUnread(keyOfSend(send), send.time);

function sendRow(call: CompanyPageRequest, send: Send, cause: string): Html {
  const { messages } = send;
  const { id: causeId, kind } = send.cause;
  const rule = formatCausingRuleAsFilter(send.cause);
  const path =
    messages === 1 ? `outbox/${send.id}` : kind === 'task' ? `outbox?task=${causeId}` : `outbox?rule=${rule}`;
  const who = messages === 1 ? send.to : formatCountWithNoun(messages, 'recipient');
  return row(call, send, {
    ...{ path, who, cause, seconds: send.last },
    id: keyOfSend(send).replaceAll(':', '-'),
    isUnread: isUnreadSend(call, send),
  });
}

async function eachMessage(call: CompanyPageRequest, filter: Filter): Promise<View> {
  const { entries, newer, older } = await pageOf(call, filter);
  readSend(call, filter, entries);
  const words = await describeMessageCauses(call, entries);
  const isFiltered = Object.keys(filter).length > 0;
  const isFirst = newer === undefined;
  const before = newer === undefined ? undefined : linkWith(call, 'outbox', { before: undefined, ...newer });
  const after =
    older === undefined ? undefined : linkWith(call, 'outbox', { after: undefined, before: older });
  return {
    title: titleOf(filter),
    lead: 'Every message that was delivered, and what caused it',
    ...(isFirst ? { live: 'top' as const } : {}),
    ...{ before, after },
    body: html`${filters(call, filter, false)}
${
  entries.length === 0
    ? nothing(call, isFiltered)
    : days(
        call,
        entries.map((entry) => [entry.time, messageRow(call, entry, words(entry.cause))]),
      )
}
${pager('Older and newer', { text: '← Newer', href: before, rel: 'prev' }, { text: 'Older →', href: after, rel: 'next' })}
<footer class="same">${call.command`sandbox outbox list ${flagsOf(filter)}`}</footer>`,
  };
}

function messageRow(call: CompanyPageRequest, entry: Entry, cause: string): Html {
  const { id, to: who, time: seconds } = entry;
  const isUnread = call.unreadMessages.isUnread(id, seconds);
  return row(call, entry, { path: `outbox/${id}`, id, who, cause, seconds, isUnread });
}

const titleOf = (filter: Filter): string =>
  Object.keys(filter).length > 0 ? `Outbox: ${[...filterWords(filter)].join(', ')}` : 'Outbox';

/** Marks a send (all messages of one task or rule) as read. The page calls this function when a user opens the list of these messages. */
function readSend(call: CompanyPageRequest, { task, rule }: Filter, entries: readonly Entry[]): void {
  const [newest] = entries;
  if (newest === undefined || (task === undefined && rule === undefined)) return;
  call.unreadMessages.markAsRead(keyOfSend(newest), newest.time);
}

type Filter = Omit<ControlRequest<'outbox list'>, 'after' | 'before' | 'limit' | 'snippets'>;

/** Reads the filter from the query. Ignores an invalid channel or task. The parameter `search` is free text to search for. */
function filterIn(query: URLSearchParams): Filter {
  const text = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  const channel = CHANNELS.map(([value]) => value).find((each) => each === text('channel'));
  const task = readRecordId(text('task'));
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
  readonly entries: readonly Entry[];
  readonly newer: { readonly before?: undefined; readonly after?: string | undefined } | undefined;
  readonly older: string | undefined;
}

async function pageOf(call: CompanyPageRequest, filter: Filter): Promise<Rows> {
  const [before, after] = [call.query.get('before') ?? undefined, call.query.get('after') ?? undefined];
  if (after !== undefined && after !== '') {
    const found = await call.ask('outbox list', { ...filter, after, limit: ROWS + 1, snippets: true });
    // Fewer rows are the newest ones: the first page is shown in full instead.
    if (found.length > ROWS) {
      const entries = found.slice(0, ROWS).toReversed();
      return { entries, newer: { after: entries[0]?.id }, older: entries.at(-1)?.id };
    }
  }
  const place = before === undefined || before === '' || after ? {} : { before };
  const found = await call.ask('outbox list', { ...filter, ...place, limit: ROWS + 1, snippets: true });
  const entries = found.slice(-ROWS).toReversed();
  const isFirst = !('before' in place);
  return {
    entries,
    newer: isFirst ? undefined : entries.length === 0 ? {} : { after: entries[0]?.id },
    older: found.length > ROWS ? entries.at(-1)?.id : undefined,
  };
}

function filters(call: CompanyPageRequest, filter: Filter, isBySend: boolean): Html {
  const away = { before: undefined, after: undefined };
  const link = (changes: Readonly<Record<string, string | undefined>>): string =>
    linkWith(call, 'outbox', { ...away, ...changes });
  const kept = Object.entries(filter).filter(([name]) => name !== 'search');
  const chips = kept.filter(([name]) => name !== 'channel');
  return html`<div class="filters">
<form method="get" action="${call.pathOf('outbox')}" role="search" class="search" data-search>
<label class="visually-hidden" for="search">Search the outbox</label>
<input id="search" type="search" name="search" value="${filter.search ?? ''}" placeholder="Recipient, subject, text, task or rule" maxlength="200" autocomplete="off">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`)}
<button type="submit">Search</button>
</form>
${tabs('Channel', filter.channel ?? '', CHANNELS, (channel) => link({ channel }))}
${
  chips.length > 0 || filter.search !== undefined
    ? null
    : tabs('Rows', isBySend ? '' : 'all', ROW_VIEWS, (view) => link({ view }))
}
${chips.map(
  ([name, value]) =>
    html`<a class="chip" href="${link({ [name]: undefined })}">${name} ${String(value)} <span aria-hidden="true">×</span><span class="visually-hidden">: remove this filter</span></a>`,
)}
</div>`;
}

function days(call: CompanyPageRequest, timed: readonly (readonly [seconds: number, row: Html])[]): Html {
  const byDay = new Map<string, Html[]>();
  for (const [seconds, row] of timed) {
    const day = dayOf(call, seconds);
    byDay.set(day, [...(byDay.get(day) ?? []), row]);
  }
  return html`${[...byDay].map(
    ([day, rows]) => html`<h2 class="day">${day}</h2>
<ul class="rows outbox">${rows}</ul>`,
  )}`;
}

const dayOf = ({ company }: CompanyPageRequest, seconds: number): string =>
  formatTime(seconds, company.timezone, 'long').slice(0, 'Tue 2026-12-01'.length);

const STATES = { bounced: 'bad', failed: 'bad', pending: 'warn' } as const;

interface Row {
  readonly path: string;
  readonly id: string;
  readonly who: string;
  readonly cause: string;
  /** Time of the row in Unix seconds. */
  readonly seconds: number;
  readonly isUnread: boolean;
}

function row(call: CompanyPageRequest, entry: Entry, { path, id, who, cause, seconds, isUnread }: Row): Html {
  const { channel, state, subject, text } = entry;
  const [what, snippet] = subject === null ? [text ?? '', undefined] : [removeMarks(subject), text];
  const bad = Object.entries(STATES).find(([name]) => name === state);
  return html`<li><a class="row${isUnread ? ' unread' : ''}" data-row id="row-${id}" href="${call.pathOf(path)}">
<span class="channel ${channel}">${channelWord(channel)}${isUnread ? html`<span class="visually-hidden"> unread</span>` : null}</span>
<span class="who">${who}</span>
<span class="what">${what.slice(0, 200)}${snippet ? html` <span class="snippet">${snippet}</span>` : null}${bad ? html` ${badge(state, bad[1])}` : null}</span>
<span class="cause">${cause}</span>
<time datetime="${new Date(seconds * 1000).toISOString()}">${formatTime(seconds, call.company.timezone, 'table').slice(-5)}</time>
</a></li>`;
}

function nothing(call: CompanyPageRequest, isFiltered: boolean): Html {
  if (isFiltered) return emptyPageNotice('No delivered message matches.');
  const ahead =
    call.clock.mode === 'manual' ? [call.command`sandbox clock run`] : [call.command`sandbox queue`];
  return emptyPageNotice(
    'Nothing has been delivered yet. Create a task, and move the clock to its time.',
    call.command`task create --help`,
    ...ahead,
  );
}
