/** Shows the tasks of four weeks, each on its day in the company's zone, and the tasks that are being sent. */

import {
  addDays,
  type CalendarDay,
  dayText,
  formatShortDay,
  readDay,
  weekdayOf,
} from '../../kit/text/calendar.ts';
import { beginningOfDay } from '../../kit/text/day-span.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { isPartOfShownName } from '../../service/resources/campaign-mark.ts';
import { formatTaskName } from '../../service/resources/task.ts';
import { findTaskClashes } from '../../service/resources/task-clashes.ts';
import { formatPlaceInSeries, mayBeOfSeries } from '../../service/resources/task-series.ts';
import type { TaskRecord } from '../request/present.ts';
import type { CompanyPageRequest, Page, View } from './page.ts';
import {
  badge,
  campaignBadge,
  drawThinProgressBar,
  emptyPageNotice,
  formatCount,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  pager,
  readRecordId,
  renderTime,
  searchForm,
  statusOf,
  tabs,
  taskStatusBadge,
} from './parts.ts';
import { seriesOfRecipients } from './task.ts';

export const tasksPage: Page = { path: 'tasks', name: 'Tasks', show };

const WEEKS = 4;
const WEEK = 7;
/** Maximum number of tasks that a day shows. The page links to the other tasks. */
const MAX_TASKS_A_DAY = 6;
/** Maximum number of records in one response of the interface. */
const MAX_RECORDS = 200;
const SENDING = 10;

async function show(call: CompanyPageRequest): Promise<View> {
  const wanted = call.query.get('search')?.trim().slice(0, 200) ?? '';
  if (wanted !== '') return found(call, wanted);
  if (call.query.get('view') === 'list') return newestTasks(call);
  const day = readDay(call.query.get('day') ?? '');
  return day === undefined ? weeks(call) : oneDay(call, day);
}

// Calendar.

async function weeks(call: CompanyPageRequest): Promise<View> {
  const zone = call.company.timezone;
  const today = formatTime(call.clock.time, zone, 'table').slice(0, 10);
  const from = mondayOf(readDay(call.query.get('from') ?? '') ?? readDay(today) ?? EPOCH);
  const days = Array.from({ length: WEEKS * WEEK }, (_, at) => addDays(from, at));
  const starts = [...days, addDays(from, days.length)].map((each) => beginningOfDay(each, zone));
  const [start = 0, end = 0] = [starts[0], starts.at(-1)];
  const planned = await tasksOf(call, starts);
  const all = planned.flatMap(({ records }) => records);
  const [clashes, places] = [findTaskClashes(all), await placesInSeries(call, all)];
  const moved = (by: number): string => call.pathOf(`tasks?from=${dayText(addDays(from, by * WEEK))}`);
  const last = addDays(from, days.length - 1);
  const isEmpty = planned.every(({ records }) => records.length === 0);
  return {
    title: `Tasks, ${formatShortDay(from)} to ${formatShortDay(last)}`,
    lead: `Times in ${zone}`,
    live: 'here',
    before: moved(-WEEKS),
    after: moved(WEEKS),
    body: html`${tools(call, '', 'calendar')}
${await sending(call)}
<nav class="pager weeks-pager" aria-label="Weeks"><a href="${moved(-WEEKS)}" rel="prev">← Earlier</a><a href="${call.pathOf('tasks')}">Today</a><a href="${moved(WEEKS)}" rel="next">Later →</a></nav>
${
  isEmpty
    ? await noneHere(call, start, end)
    : Array.from({ length: WEEKS }, (_, week) => {
        const its = days.slice(week * WEEK, (week + 1) * WEEK);
        const records = its.flatMap((_, at) => planned[week * WEEK + at]?.records ?? []);
        const isQuiet = records.length === 0 && !its.some((each) => dayText(each) === today);
        return html`<section class="week-of${isQuiet ? ' quiet' : ''}" aria-label="Week of ${dayText(its[0] ?? from)}"><ol class="week">${its.map(
          (each, at) => dayCell(call, { day: each, today, of: planned[week * WEEK + at], clashes, places }),
        )}</ol></section>`;
      })
}
<footer class="same">${call.command`task calendar --from ${dayText(from)} --weeks ${WEEKS}`}</footer>`,
  };
}

const EPOCH: CalendarDay = { year: 1970, month: 1, day: 5 };

function mondayOf(day: CalendarDay): CalendarDay {
  const back = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(weekdayOf(day));
  return addDays(day, -back);
}

interface OfDay {
  readonly records: readonly TaskRecord[];
  /** True if the day has more tasks than those that are shown. */
  readonly isCut: boolean;
}

/** Returns the tasks of each day, or the first few if one response can't hold all. `starts`: Unix seconds of each day and of the end. */
async function tasksOf(call: CompanyPageRequest, starts: readonly number[]): Promise<readonly OfDay[]> {
  const spans = starts.slice(0, -1).map((start, at) => ({ start, end: starts[at + 1] ?? start }));
  const [first = 0, last = 0] = [starts[0], starts.at(-1)];
  const all = await between(call, first, last, MAX_RECORDS);
  if (all.length < MAX_RECORDS)
    return spans.map(({ start, end }) => {
      const records = all.filter((each) => each.scheduledtime >= start && each.scheduledtime < end);
      return { records, isCut: false };
    });
  const each: OfDay[] = [];
  for (const { start, end } of spans) {
    const records = await between(call, start, end, MAX_TASKS_A_DAY + 1);
    each.push({ records: records.slice(0, MAX_TASKS_A_DAY), isCut: records.length > MAX_TASKS_A_DAY });
  }
  return each;
}

async function between(
  call: CompanyPageRequest,
  start: number,
  end: number,
  most: number,
): Promise<readonly TaskRecord[]> {
  const query = { sort: 'scheduledtime', start: Math.max(0, start), count: most };
  return (await call.find('task', query)).filter((each) => each.scheduledtime < end);
}

/** The calendar looks for series among the tasks of at most this number of lists. */
const MAX_LISTS_WITH_SERIES = 10;

/** Returns the place of each task in its series, by id: `series, 3 of 6`. */
async function placesInSeries(
  call: CompanyPageRequest,
  records: readonly TaskRecord[],
): Promise<ReadonlyMap<number, string>> {
  const targets = new Map(records.filter(mayBeOfSeries).map((each) => [targetKey(each), each]));
  const places = new Map<number, string>();
  for (const record of [...targets.values()].slice(0, MAX_LISTS_WITH_SERIES))
    for (const [each, series] of await seriesOfRecipients(call, record))
      places.set(each.id, formatPlaceInSeries(each, series));
  return places;
}

const targetKey = ({ list_id, search_id }: TaskRecord): string => `${list_id} ${search_id}`;

interface Cell {
  readonly day: CalendarDay;
  readonly today: string;
  readonly of: OfDay | undefined;
  readonly clashes: ReadonlyMap<TaskRecord, readonly TaskRecord[]>;
  readonly places: ReadonlyMap<number, string>;
}

function dayCell(call: CompanyPageRequest, { day, today, of, clashes, places }: Cell): Html {
  const { records, isCut } = of ?? { records: [], isCut: false };
  const text = dayText(day);
  const names = [...(text === today ? ['today'] : []), ...(records.length === 0 ? ['none'] : [])];
  const shown = records.slice(0, MAX_TASKS_A_DAY);
  const isMore = isCut || records.length > shown.length;
  const more = isCut ? 'All tasks of this day' : `${formatCount(records.length - shown.length)} more`;
  return html`<li class="${['day-cell', ...names].join(' ')}"><h2><time datetime="${text}"><span class="weekday">${weekdayOf(day)}</span> ${formatShortDay(day)}</time>${text === today ? html` <span class="now">today</span>` : null}</h2>
${shown.length === 0 ? null : html`<ul>${shown.map((each) => html`<li>${taskEntry(call, each, clashes.get(each) ?? [], places.get(each.id))}</li>`)}</ul>`}${
  isMore ? html`<a class="more" href="${call.pathOf(`tasks?day=${text}`)}">${more}</a>` : null
}</li>`;
}

function taskEntry(
  call: CompanyPageRequest,
  record: TaskRecord,
  clashes: readonly TaskRecord[],
  place: string | undefined,
): Html {
  const status = statusOf(call, record);
  const { id } = record;
  const clash = clashes.map((each) => `task ${each.id} (${formatTaskName(each)})`).join(', ');
  return html`<a class="plan ${status}" data-row id="task-${id}" href="${call.pathOf(`tasks/${id}`)}">
<span class="at">${timeOfDay(call, record)}</span>${
    clashes.length === 0
      ? null
      : html` <span class="clash" title="Less than an hour from ${clash}, to the same people">clash</span>`
  }
<b>${formatTaskName(record)}</b>
<span class="about">${record.channel === 'sms' ? 'SMS' : 'E-mail'} · ${formatCount(record.size)}${status === 'scheduled' || status === 'completed' ? null : html` · ${status}`}${place === undefined ? null : html` · ${place}`}${campaignBadge(record)}</span></a>`;
}

const timeOfDay = ({ company }: CompanyPageRequest, record: TaskRecord): string =>
  formatTime(record.scheduledtime, company.timezone, 'table').slice(11);

async function sending(call: CompanyPageRequest): Promise<Html | null> {
  const open = await call.find('task', {
    ...{ cancelled: 'false', completed: 'false' },
    ...{ sort: 'scheduledtime', count: SENDING },
  });
  const going = open.filter((each) => statusOf(call, each) === 'sending');
  if (going.length === 0) return null;
  const rows: Html[] = [];
  for (const record of going) {
    const { id } = record;
    const { sent, skipped, size } = await call.ask('task show', { id });
    const share = size === 0 ? 0 : (sent + skipped) / size;
    rows.push(
      html`<li><a class="row" data-row id="sending-${id}" href="${call.pathOf(`tasks/${id}`)}"><span class="what">${formatTaskName(record)}</span><span class="soft">${formatCount(sent)} of ${formatCount(size)}</span>${drawThinProgressBar(
        `${formatTaskName(record)}: ${Math.round(share * 100)}% done`,
        share,
      )}</a></li>`,
    );
  }
  return html`<h2 class="day">Being sent</h2><ul class="rows sending">${rows}</ul>`;
}

/** Explains that these weeks have no task. Links to the nearest tasks, or shows how to create one. */
async function noneHere(call: CompanyPageRequest, start: number, end: number): Promise<Html> {
  const [next] = await call.find('task', { sort: 'scheduledtime', start: end, count: 1 });
  const [last] = await call.find('task', {
    sort: 'scheduledtime',
    reverse: 'true',
    start: start - 1,
    count: 1,
  });
  if (next === undefined && last === undefined)
    return emptyPageNotice(
      'There are no tasks yet. A task sends a message to a list, or to the subscribers that a search finds.',
      call.command`task create --help`,
    );
  const link = (record: TaskRecord | undefined, words: string): Html | null =>
    record === undefined
      ? null
      : html`<p><a href="${call.pathOf(`tasks?from=${formatTime(record.scheduledtime, call.company.timezone, 'table').slice(0, 10)}`)}">${words}: ${formatTaskName(record)}, ${renderTime(call, record.scheduledtime)}</a></p>`;
  return html`<div class="empty"><p>There are no tasks in these weeks.</p>${link(last, 'Last task before')}${link(next, 'Next task')}</div>`;
}

const VIEWS = [
  ['calendar', 'Calendar'],
  ['list', 'List'],
] as const;

const tools = (call: CompanyPageRequest, wanted: string, view?: (typeof VIEWS)[number][0]): Html =>
  html`${searchForm(call.pathOf('tasks'), 'Find a task', 'Id, or part of the name', 'Find', wanted)}<p>${tabs(
    'View',
    view,
    VIEWS,
    (each) => call.pathOf(each === 'list' ? 'tasks?view=list' : 'tasks'),
  )}</p>`;

// Lists of tasks.

const ROWS_PER_PAGE = 100;
/** A search reads no more, so that it takes less than a second. */
const MAX_SEARCHED_TASKS = 5_000;

async function found(call: CompanyPageRequest, wanted: string): Promise<View> {
  const id = readRecordId(wanted);
  const byId = id === undefined ? [] : await call.find('task', { id });
  const named = await withPartOfName(call, wanted);
  const records = [...byId, ...named.filter((each) => each.id !== byId[0]?.id)];
  return {
    title: `Tasks: “${wanted}”`,
    lead: html`<a href="${call.pathOf('tasks')}">Tasks</a> · ${formatCountWithNoun(records.length, 'task')}`,
    body: html`${tools(call, wanted)}
${records.length === 0 ? emptyPageNotice('No task has this id, or this text in its name.', call.command`task list`) : taskRows(call, records)}
<footer class="same">${call.command`task get ${wanted}`}</footer>`,
  };
}

/** Shows all tasks, the latest start first, with their results. */
async function newestTasks(call: CompanyPageRequest): Promise<View> {
  const [, at, id] = /^([0-9]{1,12})-([0-9]{1,15})$/.exec(call.query.get('before') ?? '')?.map(Number) ?? [];
  const answer = await call.find('task', {
    ...{ sort: 'scheduledtime', reverse: 'true', count: MAX_RECORDS },
    ...(at === undefined ? {} : { start: at }),
  });
  const records = answer.filter((each) => at === undefined || each.scheduledtime < at || each.id < (id ?? 0));
  const shown = records.slice(0, LIST_ROWS);
  const last = shown.at(-1);
  const older =
    records.length > shown.length && last !== undefined
      ? call.pathOf(`tasks?view=list&before=${last.scheduledtime}-${last.id}`)
      : undefined;
  const newest = at === undefined ? undefined : call.pathOf('tasks?view=list');
  return {
    title: 'Tasks, latest first',
    lead: `Times in ${call.company.timezone}`,
    live: 'here',
    before: newest,
    after: older,
    body: html`${tools(call, '', 'list')}
${shown.length === 0 ? emptyPageNotice('There are no tasks yet.', call.command`task create --help`) : taskRows(call, shown)}
${pager('More tasks', { text: '← Latest', href: newest, rel: 'prev' }, { text: 'Earlier →', href: older, rel: 'next' })}
<footer class="same">${call.command`task list`}</footer>`,
  };
}

const LIST_ROWS = 50;

/** Returns what recipients did, such as `155 opened · 36 clicked`. Empty before a task has results. */
function resultsOf({
  emailuniqueopens,
  emailuniqueclicks,
  emailuniquebounces,
  smsuniquebounces,
}: TaskRecord): string {
  const counts = [
    [emailuniqueopens, 'opened'],
    [emailuniqueclicks, 'clicked'],
    [emailuniquebounces ?? smsuniquebounces, 'bounced'],
  ] as const;
  return counts.flatMap(([count, word]) => (count ? [`${formatCount(count)} ${word}`] : [])).join(' · ');
}

/** Returns the newest tasks whose visible name contains the text, ignoring case. */
async function withPartOfName(call: CompanyPageRequest, part: string): Promise<readonly TaskRecord[]> {
  const found: TaskRecord[] = [];
  let start: number | undefined;
  for (let read = 0; read < MAX_SEARCHED_TASKS; read += MAX_RECORDS) {
    const records = await call.find('task', {
      ...{ sort: 'id', reverse: 'true', count: MAX_RECORDS },
      ...(start === undefined ? {} : { start }),
    });
    found.push(...records.filter(({ name }) => isPartOfShownName(part, name ?? '')));
    const last = records.at(-1)?.id ?? 1;
    if (records.length < MAX_RECORDS || last === 1 || found.length >= ROWS_PER_PAGE) break;
    start = last - 1;
  }
  return found.slice(0, ROWS_PER_PAGE).sort((a, b) => b.scheduledtime - a.scheduledtime);
}

async function oneDay(call: CompanyPageRequest, day: CalendarDay): Promise<View> {
  const zone = call.company.timezone;
  const [start, end] = [beginningOfDay(day, zone), beginningOfDay(addDays(day, 1), zone)];
  const [, at, after] =
    /^([0-9]{1,12})-([0-9]{1,15})$/.exec(call.query.get('after') ?? '')?.map(Number) ?? [];
  const answer = await between(call, at ?? start, end, MAX_RECORDS);
  const following = answer.filter(
    (each) => at === undefined || each.scheduledtime > at || each.id > (after ?? 0),
  );
  // The interface begins a page at a second. If a second has more tasks than one response holds, the page skips to the next second.
  const isSecondCut = answer.length === MAX_RECORDS && following.length === 0 && at !== undefined;
  const records = isSecondCut ? await between(call, at + 1, end, MAX_RECORDS) : following;
  const shown = records.slice(0, ROWS_PER_PAGE);
  const last = shown.at(-1);
  const next =
    records.length > shown.length && last !== undefined
      ? call.pathOf(`tasks?day=${dayText(day)}&after=${last.scheduledtime}-${last.id}`)
      : undefined;
  return {
    title: `Tasks of ${weekdayOf(day)} ${dayText(day)}`,
    lead: html`<a href="${call.pathOf(`tasks?from=${dayText(day)}`)}">The weeks around it</a> · ${zone}`,
    after: next,
    body: html`${isSecondCut ? html`<p class="soft">Only the first ${formatCount(MAX_RECORDS)} tasks at ${renderTime(call, at)} are shown.</p>` : null}${shown.length === 0 ? emptyPageNotice('There are no more tasks on this day.', call.command`task create --help`) : taskRows(call, shown)}
${pager('More tasks', undefined, { text: 'Later →', href: next, rel: 'next' })}
<footer class="same">${call.command`task calendar --from ${dayText(day)} --weeks 1`}</footer>`,
  };
}

const taskRows = (call: CompanyPageRequest, records: readonly TaskRecord[]): Html =>
  html`<ul class="rows tasks">${records.map((record) => {
    const { id } = record;
    return html`<li><a class="row" data-row id="task-${id}" href="${call.pathOf(`tasks/${id}`)}"><span class="at">${renderTime(call, record.scheduledtime)}</span><span class="what">${formatTaskName(record)}${campaignBadge(record)}</span><span class="soft">${record.channel === 'sms' ? 'SMS' : 'E-mail'} · ${formatCount(record.size)}</span><span class="state"><span class="soft">${resultsOf(record)}</span> ${taskStatusBadge(statusOf(call, record))}${
      statusOf(call, record) === 'scheduled'
        ? html` ${badge(formatRelativeToNow(call, record.scheduledtime))}`
        : null
    }</span></a></li>`;
  })}</ul>`;
