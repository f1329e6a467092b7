/** Shows the outbox, newest first, in one of two views: one row for each send, or one row for each message or notice with its cause. */

import { formatTime } from '../../kit/text/timezone.ts';
import { removeMarks } from '../../service/resources/campaign-mark.ts';
import { formatTaskName } from '../../service/resources/task.ts';
import { type OutboxFilter, parseOutboxSearch, removeStateOperator, STATES } from './outbox-search.ts';
import type { Answer, CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  breakable,
  button,
  channelWord,
  describeMessageCauses,
  emptyPageNotice,
  formatCausingRuleAsFilter,
  formatCount,
  formatCountWithNoun,
  type Html,
  html,
  linkWith,
  pager,
  readRecordId,
  sendKeyOfMessage,
  tabs,
} from './parts.ts';
import { pathOfPerson } from './person.ts';

type Entry = Answer<'outbox list'>[number];
type Send = Answer<'outbox send list'>['sends'][number];

const ROWS = 50;
const CHANNELS = [
  ['', 'Everything'],
  ['email', 'E-mail'],
  ['sms', 'SMS'],
  ['notification', 'Notices'],
] as const;

const STATE_CHOICES = [
  ['', 'Any state'],
  ['delivered', 'Delivered'],
  ['bounced', 'Bounced'],
  ['failed', 'Failed'],
] as const;

const ROW_VIEWS = [
  ['', 'By send'],
  ['all', 'Every message'],
] as const;

export const outboxPage: Page = { path: 'outbox', name: 'Outbox', show, acts: { read, clear } };

async function show(call: CompanyPageRequest): Promise<View> {
  const search = call.query.get('search')?.trim().slice(0, 200) ?? '';
  const { filter: words, problems } = parseOutboxSearch(search, call);
  const filter = { ...filterIn(call.query), ...words };
  const isBySend =
    call.query.get('view') !== 'all' &&
    problems.length === 0 &&
    Object.keys(filter).every((name) => name === 'channel');
  return isBySend ? bySend(call, filter) : eachMessage(call, filter, problems);
}

async function read(call: CompanyPageRequest): Promise<PageActionResult> {
  call.unreadMessages.markAllAsRead(call.clock.time);
  return { said: 'All messages are marked as read.' };
}

async function clear(call: CompanyPageRequest): Promise<PageActionResult> {
  const { messages } = await call.ask('outbox clear', {});
  return { said: `Removed ${formatCountWithNoun(messages, 'message')} from the outbox.` };
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
    title: titleOf(call, filter),
    unread,
    lead: html`${formatCountWithNoun(total, 'message')}${unread === 0 ? null : html` · <b>${formatCountWithNoun(unread, 'unread send')}</b> ${button('Mark all as read', 'read')}`}`,
    ...(before === undefined ? { live: 'top' as const } : {}),
    ...{ before: first, after },
    beside:
      total === 0
        ? null
        : html`<div class="beside">${button('Clear the outbox', 'clear', {}, 'Remove all messages from the outbox? Results of tasks stay.')}${call.command`sandbox outbox clear`}</div>`,
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
  const counts = [
    [send.opened, 'opened'],
    [send.clicked, 'clicked'],
    [send.bounced, 'bounced'],
  ] as const;
  const shown = counts.flatMap(([count, word]) => (count ? [`${formatCount(count)} ${word}`] : []));
  const who =
    messages === 1
      ? send.to
      : html`${formatCountWithNoun(messages, 'recipient')}${shown.length === 0 ? null : html`<span class="counts">${shown.join(' · ')}</span>`}`;
  return row(call, send, {
    ...{ path, who, cause, seconds: send.last },
    id: keyOfSend(send).replaceAll(':', '-'),
    isUnread: isUnreadSend(call, send),
  });
}

async function eachMessage(
  call: CompanyPageRequest,
  filter: Filter,
  problems: readonly string[],
): Promise<View> {
  const { entries, newer, older } = problems.length > 0 ? NO_ROWS : await pageOf(call, filter);
  const unread = new Set(entries.filter((entry) => isUnreadMessage(call, entry)));
  readSend(call, filter, entries);
  const words = await describeMessageCauses(call, entries);
  const isFiltered = Object.keys(filter).length > 0;
  const isFirst = newer === undefined;
  // The number of the first row is part of the links, because the rows before a key are not counted.
  const first = isFirst ? 1 : (readRecordId(call.query.get('from')) ?? 1);
  const before =
    newer === undefined
      ? undefined
      : linkWith(call, 'outbox', {
          ...{ before: undefined, ...newer },
          from: first <= ROWS ? undefined : String(first - ROWS),
        });
  const after =
    older === undefined
      ? undefined
      : linkWith(call, 'outbox', { after: undefined, before: older, from: String(first + entries.length) });
  const summary = await summaryOf(call, filter);
  const total = await totalOf(call, filter, summary);
  const last = `${formatCount(first)}–${formatCount(first + entries.length - 1)}`;
  const range = entries.length === 0 ? '' : total === undefined ? last : `${last} of ${formatCount(total)}`;
  const others = Object.keys(filter).filter((name) => name !== 'task' && name !== 'rule');
  const [one] = entries;
  // All messages of a task have one subject and one cause, which the title and the line below it show.
  const isUniform = summary !== undefined && entries.every(({ subject }) => subject === one?.subject);
  return {
    title:
      summary !== undefined && others.every((name) => name === 'state')
        ? summary.name
        : titleOf(call, filter),
    ...(isFiltered ? {} : { unread: unread.size }),
    lead: leadOf(call, filter, summary, range),
    ...(isFirst ? { live: 'top' as const } : {}),
    ...{ before, after },
    body: html`${filters(call, filter, false)}
${problems.map((problem) => html`<p class="note" role="alert">${problem}</p>`)}
${isUniform && one !== undefined && one.subject !== null ? html`<p class="subject-of-all"><span class="soft">Subject</span> ${removeMarks(one.subject)}</p>` : null}
${
  entries.length === 0
    ? nothing(call, isFiltered || problems.length > 0)
    : days(
        call,
        entries.map((entry) => [
          entry.time,
          messageRow(call, entry, words(entry.cause), unread.has(entry), isUniform),
        ]),
        isUniform,
      )
}
${pager('Older and newer', { text: '← Newer', href: before, rel: 'prev' }, { text: 'Older →', href: after, rel: 'next' })}
<footer class="same">${call.command`sandbox outbox list ${flagsOf(filter)}`}</footer>`,
  };
}

function messageRow(
  call: CompanyPageRequest,
  entry: Entry,
  cause: string,
  isUnread: boolean,
  isUniform: boolean,
): Html {
  const { id, to, time: seconds } = entry;
  return row(call, entry, {
    path: `outbox/${id}`,
    id,
    who: breakable(to),
    cause,
    seconds,
    isUnread,
    isUniform,
  });
}

const titleOf = (call: CompanyPageRequest, filter: Filter): string =>
  Object.keys(filter).length > 0 ? `Outbox: ${[...filterWords(call, filter)].join(', ')}` : 'Outbox';

/** The task or rule of the list, with its name, its page and the counts of its messages. */
interface SendSummary {
  readonly name: string;
  readonly page: string;
  readonly send: Send | undefined;
}

async function summaryOf(call: CompanyPageRequest, { task, rule }: Filter): Promise<SendSummary | undefined> {
  if (task === undefined && rule === undefined) return undefined;
  const wanted = task === undefined ? { rule: rule ?? '' } : { task };
  const [send] = (await call.ask('outbox send list', { ...wanted, limit: 1 })).sends;
  if (task === undefined) {
    const name =
      send === undefined ? `Rule ${rule}` : (await describeMessageCauses(call, [send]))(send.cause);
    return { name, page: `automations/${rule}`, send };
  }
  const [record] = await call.find('task', { id: task });
  return {
    name: record === undefined ? `Task ${task}` : formatTaskName(record),
    page: `tasks/${task}`,
    send,
  };
}

/** Returns the number of messages that match, or undefined if the sandbox does not count them. */
async function totalOf(
  call: CompanyPageRequest,
  { task, rule, channel, state, ...others }: Filter,
  summary: SendSummary | undefined,
): Promise<number | undefined> {
  if (Object.keys(others).length > 0) return undefined;
  if (summary === undefined)
    return state === undefined
      ? (await call.ask('outbox send list', { limit: 1, ...(channel === undefined ? {} : { channel }) }))
          .total
      : undefined;
  const { messages = 0, bounced = 0 } = summary.send ?? {};
  if (channel !== undefined && channel !== summary.send?.channel) return undefined;
  if (state === undefined) return messages;
  if (task === undefined) return undefined;
  return state === 'bounced' ? (bounced ?? 0) : state === 'delivered' ? messages - (bounced ?? 0) : 0;
}

/** Returns the line under the title: the place in the list, and the counts of the task or rule. */
function leadOf(
  call: CompanyPageRequest,
  { to }: Filter,
  summary: SendSummary | undefined,
  range: string,
): Html | string {
  const isPerson = to !== undefined && !to.includes('/');
  if (summary === undefined && isPerson)
    return html`${range === '' ? null : html`<span class="nowrap">${range}</span> · `}<a href="${pathOfPerson(call, to)}">History of this person</a>`;
  if (summary === undefined) return range;
  const { page, send } = summary;
  const { messages = 0, bounced = null } = send ?? {};
  const isTask = page.startsWith('tasks/');
  return html`<a href="${call.pathOf('outbox')}">Outbox</a> · <a href="${call.pathOf(page)}">${isTask ? 'Task' : 'Rule'}</a> · ${formatCountWithNoun(messages, 'message')}${
    bounced === null || bounced === 0
      ? null
      : html` · <a href="${linkWith(call, 'outbox', { state: 'bounced', ...FIRST_PAGE })}">${formatCount(bounced)} bounced</a>`
  }${range === '' ? null : html` · <span class="nowrap">${range}</span>`}`;
}

const FIRST_PAGE = { before: undefined, after: undefined, from: undefined };

/** The list of a send shows which messages are new since it was last opened. */
const isUnreadMessage = ({ unreadMessages }: CompanyPageRequest, entry: Entry): boolean =>
  unreadMessages.isUnread(entry.id, entry.time) && unreadMessages.isUnread(listKeyOf(entry), entry.time);

const listKeyOf = (entry: Entry): string => `list ${keyOfSend(entry)}`;

/** Marks a send (all messages of one task or rule) and its messages as read. The page calls this function when a user opens their list. */
function readSend(call: CompanyPageRequest, { task, rule }: Filter, entries: readonly Entry[]): void {
  const [newest] = entries;
  if (newest === undefined || (task === undefined && rule === undefined)) return;
  for (const key of [keyOfSend(newest), listKeyOf(newest)]) call.unreadMessages.markAsRead(key, newest.time);
}

type Filter = OutboxFilter;

/** Reads the filter from the query, except for the search. Ignores an invalid channel, state or task. */
function filterIn(query: URLSearchParams): Filter {
  const text = (name: string): string | undefined => query.get(name)?.trim() || undefined;
  const channel = CHANNELS.map(([value]) => value).find((each) => each === text('channel'));
  const task = readRecordId(text('task'));
  const rule = text('rule');
  const state = STATES.find((each) => each === text('state'));
  const to = text('to');
  return {
    ...(state === undefined ? {} : { state }),
    ...(to === undefined ? {} : { to }),
    ...(channel ? { channel } : {}),
    ...(task === undefined ? {} : { task }),
    ...(rule === undefined ? {} : { rule }),
  };
}

const flagsOf = (filter: Filter): readonly string[] =>
  Object.entries(filter)
    .filter(([name]) => name !== 'subject' && name !== 'until')
    .flatMap(([name, value]) => [`--${name}`, String(value)]);

function* filterWords(
  { company }: CompanyPageRequest,
  { search, to, channel, task, rule, state, subject, until }: Filter,
): Generator<string> {
  if (search !== undefined) yield `“${search}”`;
  if (subject !== undefined) yield `subject “${subject}”`;
  if (state !== undefined) yield state;
  if (until !== undefined) yield `before ${formatTime(until, company.timezone, 'table')}`;
  if (to !== undefined) yield `to ${to}`;
  const named = CHANNELS.find(([value]) => value === channel)?.[1];
  if (channel !== undefined && named !== undefined) yield named;
  if (task !== undefined) yield `task ${task}`;
  if (rule !== undefined) yield `rule ${rule}`;
}

const NO_ROWS: Rows = { entries: [], newer: undefined, older: undefined };

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
  const link = (changes: Readonly<Record<string, string | undefined>>): string =>
    linkWith(call, 'outbox', { ...FIRST_PAGE, ...changes });
  const search = call.query.get('search') ?? '';
  const kept = Object.entries(filterIn(call.query));
  const chips = kept.filter(([name]) => name !== 'channel' && name !== 'state');
  const isOfSend = filter.task !== undefined || filter.rule !== undefined;
  return html`<div class="filters">
<form method="get" action="${call.pathOf('outbox')}" role="search" class="search" data-search>
<label class="visually-hidden" for="search">Search the outbox</label>
<input id="search" type="search" name="search" value="${search}" placeholder="Text, to:… subject:… is:bounced before:…" title="Text, or to:ada@example.com, subject:sale, is:bounced, before:2026-12-01" maxlength="200" autocomplete="off">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${String(value)}">`)}
<button type="submit">Search</button>
</form>
${isOfSend ? null : tabs('Channel', filter.channel ?? '', CHANNELS, (channel) => link({ channel }))}
${
  isBySend
    ? null
    : tabs('State', filter.state ?? '', isOfSend ? STATE_CHOICES.slice(0, 3) : STATE_CHOICES, (state) =>
        link({ state, search: removeStateOperator(search) }),
      )
}
${
  chips.length > 0 || search !== ''
    ? null
    : tabs('Rows', isBySend ? '' : 'all', ROW_VIEWS, (view) => link({ view }))
}
${chips.map(
  ([name, value]) =>
    html`<a class="chip" href="${link({ [name]: undefined })}">${name} ${String(value)} <span aria-hidden="true">×</span><span class="visually-hidden">: remove this filter</span></a>`,
)}
</div>`;
}

function days(
  call: CompanyPageRequest,
  timed: readonly (readonly [seconds: number, row: Html])[],
  isUniform = false,
): Html {
  const byDay = new Map<string, Html[]>();
  for (const [seconds, row] of timed) {
    const day = dayOf(call, seconds);
    byDay.set(day, [...(byDay.get(day) ?? []), row]);
  }
  return html`<div class="days">${[...byDay].map(
    ([day, rows]) => html`<h2 class="day">${day}</h2>
<ul class="rows outbox${isUniform ? ' uniform' : ''}">${rows}</ul>`,
  )}</div>`;
}

const dayOf = ({ company }: CompanyPageRequest, seconds: number): string =>
  formatTime(seconds, company.timezone, 'long').slice(0, 'Tue 2026-12-01'.length);

const STATE_BADGES = { bounced: 'bad', failed: 'bad', pending: 'warn' } as const;

interface Row {
  readonly path: string;
  readonly id: string;
  readonly who: Html | string;
  readonly cause: string;
  /** Time of the row in Unix seconds. */
  readonly seconds: number;
  readonly isUnread: boolean;
  /** True if all rows have the same subject and cause, which the row then omits. */
  readonly isUniform?: boolean;
}

function row(call: CompanyPageRequest, entry: Entry, shown: Row): Html {
  const { path, id, who, cause, seconds, isUnread, isUniform } = shown;
  const { channel, state, subject, text } = entry;
  const [what, snippet] = subject === null ? [text ?? '', undefined] : [removeMarks(subject), text];
  const bad = Object.entries(STATE_BADGES).find(([name]) => name === state);
  const unread = isUnread ? html`<span class="visually-hidden"> unread</span>` : null;
  const badges = bad ? html` ${badge(state, bad[1])}` : null;
  const cells = isUniform
    ? html`<span class="who">${who}${unread}${badges}</span>
<span class="what"><span class="snippet">${snippet ?? what.slice(0, 200)}</span></span>`
    : html`<span class="channel ${channel}">${channelWord(channel)}${unread}</span>
<span class="what"><b>${what.slice(0, 200)}</b>${snippet ? html` <span class="snippet">${snippet}</span>` : null}</span>
<span class="who">${who}${badges}</span>
<span class="cause">${cause}</span>`;
  return html`<li><a class="row${isUnread ? ' unread' : ''}" data-row id="row-${id}" href="${call.pathOf(path)}">
${cells}
<time datetime="${new Date(seconds * 1000).toISOString()}">${formatTime(seconds, call.company.timezone, 'table').slice(-5)}</time>
</a></li>`;
}

function nothing(call: CompanyPageRequest, isFiltered: boolean): Html {
  if (isFiltered) return emptyPageNotice('No delivered message matches.');
  const ahead =
    call.clock.mode === 'manual' ? [call.command`sandbox clock run`] : [call.command`sandbox queue`];
  return emptyPageNotice(
    'The outbox is empty. Create a task, and move the clock to its time.',
    call.command`task create --help`,
    ...ahead,
  );
}
