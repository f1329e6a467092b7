/** Shows one task: its progress, its results, and the recipients that were left out. */

import { htmlTable } from '../../kit/report/html-page.ts';
import type { ReportCell } from '../../kit/report/report.ts';
import { formatDuration } from '../../kit/text/duration.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { capitalizeFirstLetter } from '../../kit/text/words.ts';
import { LEFT_OUT_RECIPIENT_REASONS } from '../../service/protocol/control/records.ts';
import { formatTaskName } from '../../service/resources/task.ts';
import { findTaskClashes, TASK_CLASH_WINDOW_SECONDS } from '../../service/resources/task-clashes.ts';
import {
  describePlaceInSeries,
  findTaskSeries,
  mayBeOfSeries,
  type TaskSeries,
} from '../../service/resources/task-series.ts';
import type { TaskRecord } from '../request/present.ts';
import type { Answer, CompanyPageRequest, Page, PageActionResult, View } from './page.ts';
import {
  badge,
  button,
  campaignBadge,
  drawProportionBar,
  formatCount,
  formatCountWithNoun,
  formatRelativeToNow,
  type Html,
  html,
  idOfPath,
  nameIn,
  pager,
  recordOfPath,
  renderTime,
  statusOf,
  taskStatusBadge,
} from './parts.ts';
import { withoutScheme } from './recipient.ts';

export const taskPage: Page = { path: 'tasks/:id', of: 'tasks', show, acts: { cancel } };

type TaskFacts = Answer<'task show'>;

async function show(call: CompanyPageRequest): Promise<View> {
  const { id, record } = await recordOfPath(call, 'task', 'Task');
  const facts = await call.ask('task show', { id });
  const [message, target, clashes] = [
    await messageOf(call, record),
    await targetOf(call, record),
    await clashesWith(call, record),
  ];
  const place = await placeInSeries(call, record);
  const status = statusIn(call, record, facts);
  return {
    title: formatTaskName(record),
    lead: html`<a href="${call.pathOf('tasks')}">Tasks</a> · task ${id}${campaignBadge(record)}`,
    live: 'here',
    body: html`<div class="two">
<div>
${progress(call, record, facts)}
${record.channel === 'sms' || facts.started ? funnel(record, facts) : null}
${record.channel === 'email' && facts.sent > 0 ? await reactions(call, record, facts) : null}
${await leftOut(call, record, facts)}
</div>
<div class="aside">
<dl class="facts">
<dt>State</dt><dd>${taskStatusBadge(status)}${facts.stopped === null ? null : html` ${facts.stopped}`}</dd>
<dt>${facts.started ? 'Started' : 'Starts'}</dt><dd>${renderTime(call, record.scheduledtime)} <span class="soft">${formatRelativeToNow(call, record.scheduledtime)}</span></dd>
${record.endtime === null ? null : html`<dt>${record.cancelled ? 'Cancelled' : 'Ended'}</dt><dd>${renderTime(call, record.endtime)} <span class="soft">${lasted(record, record.endtime)}</span></dd>`}
<dt>Message</dt><dd>${record.channel === 'sms' ? 'SMS' : 'E-mail'} ${message}</dd>
<dt>Goes to</dt><dd>${target}</dd>
${place.length === 0 ? null : html`<dt>Series</dt><dd>${place.map((each) => html`<div>${each}</div>`)}</dd>`}
${record.rate === null ? null : html`<dt>Rate</dt><dd>at most ${formatCount(record.rate)} an hour</dd>`}
<dt>Credits</dt><dd>${formatCount(facts.credits)}</dd>
<dt>Made</dt><dd>${renderTime(call, record.cdate)}</dd>
${clashes.length === 0 ? null : html`<dt>Clashes</dt><dd>${clashes.map((each) => html`<div>with <a href="${call.pathOf(`tasks/${each.id}`)}">${formatTaskName(each)}</a>, ${apart(record, each)}</div>`)}</dd>`}
</dl>
${actions(call, record, facts)}
</div>
</div>
<footer class="same"><p>${call.command`task get ${id}`}</p><p>${call.command`sandbox task show ${id}`}</p><p>${call.command`task report ${id}`}</p></footer>`,
  };
}

async function cancel(call: CompanyPageRequest): Promise<PageActionResult> {
  const id = idOfPath(call, 'Task');
  await call.change('task', id, { cancelled: true });
  return { said: `Task ${id} is cancelled. The service sends the message to no further recipients.` };
}

const statusIn = (call: CompanyPageRequest, record: TaskRecord, facts: TaskFacts) =>
  record.completed && facts.stopped !== null ? 'stopped' : statusOf(call, record);

const isOver = ({ cancelled, completed }: TaskRecord): boolean => cancelled || completed;

const lasted = ({ scheduledtime, completed }: TaskRecord, endtime: number): string => {
  const seconds = Math.round(endtime - scheduledtime);
  return seconds > 0 && completed ? `after ${formatDuration(seconds)}` : '';
};

async function messageOf(call: CompanyPageRequest, { channel, message_id: id }: TaskRecord): Promise<Html> {
  const [found] = await call.find(channel === 'sms' ? 'smsMessage' : 'emailMessage', { id });
  return found === undefined
    ? html`which is gone <span class="soft">${id}</span>`
    : html`<a href="${call.pathOf(`messages/${channel}:${id}`)}">${nameIn(found) ?? `Message ${id}`}</a> <span class="soft">${id}</span>`;
}

async function targetOf(
  call: CompanyPageRequest,
  { list_id: list, search_id: search }: TaskRecord,
): Promise<Html> {
  if (list !== null) {
    const [found] = await call.find('list', { id: list });
    return found === undefined
      ? html`list ${list}, which no longer exists`
      : html`<a href="${call.pathOf(`lists/${list}`)}">${nameIn(found) ?? `List ${list}`}</a> <span class="soft">list ${list}</span>`;
  }
  const searches = await call.ask('search list', {});
  const found = searches.find(({ id }) => id === search);
  return html`${nameIn(found) ?? ''} <span class="soft">search ${search}</span>`;
}

/** Limit of the tasks that a page reads. If it reaches the limit, it shows no series, because numbers could be wrong. */
const MAX_TASKS_WITH_SERIES = 200;

/** Returns the series of each task to the same list or search as this one. */
export async function seriesOfRecipients(
  call: CompanyPageRequest,
  { list_id }: TaskRecord,
): Promise<ReadonlyMap<TaskRecord, TaskSeries<TaskRecord>>> {
  const found = await call.find('task', {
    count: MAX_TASKS_WITH_SERIES,
    ...(list_id === null ? {} : { list_id }),
  });
  return found.length === MAX_TASKS_WITH_SERIES ? new Map() : findTaskSeries(found, call.company.timezone);
}

async function placeInSeries(call: CompanyPageRequest, record: TaskRecord): Promise<readonly string[]> {
  if (!mayBeOfSeries(record)) return [];
  const all = await seriesOfRecipients(call, record);
  const [own, series] = [...all].find(([each]) => each.id === record.id) ?? [];
  if (own === undefined || series === undefined) return [];
  const zone = call.company.timezone;
  return describePlaceInSeries(own, series, call.clock.time, (time) => formatTime(time, zone, 'weekday'));
}

/** Returns the other tasks that go to the same audience less than an hour before or after this one. */
async function clashesWith(call: CompanyPageRequest, record: TaskRecord): Promise<readonly TaskRecord[]> {
  const around = await call.find('task', {
    ...{ sort: 'scheduledtime', start: Math.max(0, record.scheduledtime - TASK_CLASH_WINDOW_SECONDS + 1) },
    ...(record.list_id === null ? {} : { list_id: record.list_id }),
  });
  const own = around.find(({ id }) => id === record.id);
  return own === undefined ? [] : (findTaskClashes(around).get(own) ?? []);
}

function apart(record: TaskRecord, other: TaskRecord): string {
  const seconds = Math.round(other.scheduledtime - record.scheduledtime);
  if (seconds === 0) return 'at the same time';
  return `${formatDuration(Math.abs(seconds))} ${seconds > 0 ? 'later' : 'earlier'}`;
}

// Progress.

function progress(call: CompanyPageRequest, record: TaskRecord, facts: TaskFacts): Html {
  const { sent, skipped, size } = facts;
  const left = Math.max(0, size - sent - skipped);
  const over = isOver(record);
  const words = record.cancelled
    ? 'Cancelled'
    : over
      ? facts.stopped === null
        ? 'Sent'
        : 'Stopped'
      : facts.started
        ? 'Being sent'
        : `Starts ${formatRelativeToNow(call, record.scheduledtime)}`;
  return html`<section class="card"><h2>${words}</h2>
${drawProportionBar(`${sent} of ${size} sent, ${skipped} left out`, [
  { label: 'sent', count: sent, kind: 'done' },
  { label: 'left out', count: skipped, kind: 'out' },
  { label: over ? 'not sent to' : 'to go', count: left, kind: 'ahead' },
])}</section>`;
}

const STATISTICS = {
  email: [
    ['emailuniqueopens', 'Opened'],
    ['emailuniqueclicks', 'Clicked'],
    ['emailuniqueunsubscriptions', 'Unsubscribed'],
    ['emailuniquebounces', 'Bounced'],
    ['emailuniquecomplaints', 'Complained'],
  ],
  sms: [['smsuniquebounces', 'Bounced']],
} as const;

/** Shows the results of a task, as shares of its sent messages. */
function funnel(record: TaskRecord, facts: TaskFacts): Html {
  const { sent } = facts;
  const figures = STATISTICS[record.channel].map(([attribute, label]) => ({
    label,
    count: record[attribute] ?? 0,
  }));
  const rows = figures.map(({ label, count }) => {
    const share = sent === 0 ? 0 : count / sent;
    return [
      label,
      formatCount(count),
      { lines: [sent === 0 ? '' : `${(100 * share).toFixed(1)}%`], bars: [share] },
    ];
  });
  const columns = [{ title: 'What' }, ...['Count', 'Share'].map((title) => ({ title, isNumber: true }))];
  const caption = `Unique recipients, and their share of all recipients of the task.${record.channel === 'sms' ? ' For SMS, the service counts only bounces.' : ''}`;
  return html`<section class="card funnel"><h2>Results</h2>
${htmlTable({ kind: 'table', caption, columns, rows })}</section>`;
}

// Reactions.

/** Recipients among whom the page of a task counts reactions at once. For a larger task, it links to them. */
const MAX_COUNTED_RECIPIENTS = 100_000;
const MAX_SHOWN_LINKS = 20;

async function reactions(call: CompanyPageRequest, record: TaskRecord, facts: TaskFacts): Promise<Html> {
  const { id } = record;
  if (facts.sent > MAX_COUNTED_RECIPIENTS && !call.query.has('reactions'))
    return html`<section class="card" id="reactions"><h2>Opens and clicks over time</h2><p><a href="${call.pathOf(`tasks/${id}`)}?reactions=1#reactions">Count them for ${formatCountWithNoun(facts.sent, 'recipient')}</a></p></section>`;
  const periods = await call.ask('task activity', { id });
  const links = await call.ask('task clicks', { id, limit: MAX_SHOWN_LINKS + 1 });
  return html`${overTime(call, id, periods)}${await clicksByLink(call, record, facts, links)}`;
}

function overTime(call: CompanyPageRequest, id: number, periods: Answer<'task activity'>): Html {
  const most = Math.max(1, ...periods.map(({ opened, clicked }) => Math.max(opened, clicked)));
  const cell = (count: number): ReportCell => ({ lines: [formatCount(count)], bars: [count / most] });
  const zone = call.company.timezone;
  const rows = withoutQuietPeriods(periods).map(({ time, opened, clicked, until }) => [
    {
      lines: [
        formatTime(time, zone, 'table'),
        ...(until === undefined ? [] : [`until ${formatTime(until, zone, 'table')}`]),
      ],
    },
    ...[opened, clicked].map(cell),
  ]);
  const [first, second] = periods;
  const length = first && second ? `, in periods of ${formatDuration(second.time - first.time)}` : '';
  const caption = `Recipients by the time of their first open and of their first click${length}.`;
  return html`<section class="card funnel" id="reactions"><h2>Opens and clicks over time</h2>
${rows.length === 0 ? html`<p class="soft">No recipient has opened or clicked yet.</p>` : htmlTable({ kind: 'table', caption, columns: ACTIVITY_COLUMNS, rows })}<p>${call.command`sandbox task activity ${id}`}</p></section>`;
}

type Period = Pick<Answer<'task activity'>[number], 'time' | 'opened' | 'clicked'> & {
  /** End of several joined periods without opens and clicks. */
  readonly until?: number;
};

/** Joins neighbouring periods without opens and clicks. */
function withoutQuietPeriods(periods: Answer<'task activity'>): readonly Period[] {
  const joined: Period[] = [];
  for (const [at, { time, opened, clicked }] of periods.entries()) {
    const last = joined.at(-1);
    const isQuiet = opened + clicked === 0;
    const until = periods[at + 1]?.time;
    if (isQuiet && last && last.opened + last.clicked === 0 && until !== undefined)
      joined[joined.length - 1] = { ...last, until };
    else joined.push({ time, opened, clicked });
  }
  return joined;
}

const ACTIVITY_COLUMNS = [
  { title: 'From' },
  ...['Opened', 'Clicked'].map((title) => ({ title, isNumber: true })),
];

async function clicksByLink(
  call: CompanyPageRequest,
  { id, message_id }: TaskRecord,
  { sent }: TaskFacts,
  links: Answer<'task clicks'>,
): Promise<Html> {
  const rows = links.slice(0, MAX_SHOWN_LINKS).map(({ link, name, target, clicks }) => [
    {
      lines: [
        name || withoutScheme(target ?? `Link ${link}, which was deleted`),
        name && target ? target : '',
      ],
    },
    formatCount(clicks),
    { lines: [`${((100 * clicks) / sent).toFixed(1)}%`], bars: [clicks / sent] },
  ]);
  const all = await call.find('emailMessageLink', { message_id, count: MAX_LINKS });
  const count =
    all.length === MAX_LINKS
      ? `more than ${formatCount(MAX_LINKS - 1)} links`
      : formatCountWithNoun(all.length, 'link');
  const columns = [{ title: 'Link' }, ...['Recipients', 'Share'].map((title) => ({ title, isNumber: true }))];
  const caption = 'Recipients who clicked each link, and their share of all recipients of the task.';
  return html`<section class="card funnel" id="links"><h2>Clicks by link</h2>
${rows.length === 0 ? html`<p class="soft">No recipient has clicked a link yet.</p>` : htmlTable({ kind: 'table', caption, columns, rows })}
<p class="soft small">${links.length > MAX_SHOWN_LINKS ? `The ${MAX_SHOWN_LINKS} links with the most clicks. ` : ''}The message has <a href="${call.pathOf(`messages/email:${message_id}?view=links`)}">${count}</a>.</p><p>${call.command`sandbox task clicks ${id}`}</p></section>`;
}

const MAX_LINKS = 1_000;

// Left-out recipients.

/** Recipients among whom the page of a task finds those left out at once. For a larger task, it links to the search. */
const MAX_CHECKED_RECIPIENTS = 20_000;
const ROWS = 25;

async function leftOut(call: CompanyPageRequest, record: TaskRecord, facts: TaskFacts): Promise<Html> {
  const { id } = record;
  const asked = call.query.get('left');
  const after = /^[0-9]{1,15}$/.test(asked ?? '') ? Number(asked) : 0;
  const here = call.pathOf(`tasks/${id}`);
  const title = isOver(record) || facts.started ? 'Left out' : 'Subscribers whom the task would leave out';
  const card = (body: Html): Html =>
    html`<section class="card" id="left-out"><h2>${title}</h2>${body}<p>${call.command`sandbox task skipped ${id}`}</p></section>`;
  if (asked === null && facts.size > MAX_CHECKED_RECIPIENTS)
    return card(
      html`<p>${facts.started ? html`${formatCountWithNoun(facts.skipped, 'recipient')} so far. ` : null}<a href="${here}?left=0#left-out">Check all ${formatCount(facts.size)} recipients</a></p>`,
    );
  const found = await call.ask('task skipped', { id, after, limit: ROWS + 1 });
  if (found.length === 0) return card(html`<p class="soft">${after === 0 ? 'No one.' : 'No one else.'}</p>`);
  const rows = found.slice(0, ROWS);
  const last = rows.at(-1);
  return card(html`<ul class="rows pairs">${rows.map((row) => html`<li><a class="row" href="${call.pathOf(`subscribers/${row.subscriber}`)}"><span class="what">${row.email ?? row.msisdn ?? row.subscriber}</span><span class="soft">${whyOf(row)}</span></a></li>`)}</ul>
${pager(
  'Others who were left out',
  { text: '← First', href: after > 0 ? `${here}#left-out` : undefined },
  { text: 'More →', href: found.length > ROWS ? `${here}?left=${last?.subscriber}#left-out` : undefined },
)}`);
}

function whyOf({ reason, entry }: Answer<'task skipped'>[number]): Html {
  const words = capitalizeFirstLetter(LEFT_OUT_RECIPIENT_REASONS[reason]);
  return entry === null ? html`${words}` : html`${words} ${badge(entry)}`;
}

function actions(call: CompanyPageRequest, record: TaskRecord, facts: TaskFacts): Html | null {
  const { id } = record;
  const messages = facts.started
    ? html`<li><a href="${call.pathOf(`outbox?task=${id}`)}">Messages of the task</a>${call.command`sandbox outbox list --task ${id}`}</li>`
    : null;
  const cancel = isOver(record)
    ? null
    : html`<li>${button('Cancel the task', 'cancel', {}, 'Cancel the task for good? Sent messages cannot be recalled.')}${call.command`task cancel ${id}`}</li>`;
  return isOver(record) && !facts.started
    ? null
    : html`<section class="card deeds"><h2>Actions</h2><ul>${messages}${cancel}</ul></section>`;
}
