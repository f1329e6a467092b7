/** Elements that several pages of the sandbox share: times, buttons, badges, and drawings as inline SVG. */

import { type Html, html } from '../../kit/report/html-page.ts';
import { relativeTime } from '../../kit/text/duration.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import { capitalizeFirstLetter } from '../../kit/text/words.ts';
import { createNotFoundError } from '../../service/protocol/service-errors.ts';
import { removeMarks, splitShownName } from '../../service/resources/campaign-mark.ts';
import type { SandboxResource } from '../../service/resources/companions.ts';
import { RULE_KINDS, ruleResource } from '../../service/resources/rule-kinds.ts';
import { type TaskStatus, taskStatus } from '../../service/resources/task.ts';
import type { RecordNamed, TaskRecord } from '../request/present.ts';
import type { CompanyPageRequest } from './page.ts';

export type { Html } from '../../kit/report/html-page.ts';
export { breakable, html } from '../../kit/report/html-page.ts';

/** Shows a time in the company's zone, such as `2026-12-01 09:00`. The tooltip has the long form. */
export function renderTime(call: Pick<CompanyPageRequest, 'company'>, seconds: number): Html {
  const { timezone } = call.company;
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}" title="${formatTime(seconds, timezone, 'long')}">${formatTime(seconds, timezone, 'table')}</time>`;
}

/** Returns the distance of a time from the sandbox's clock, such as `in 3 days`. */
export const formatRelativeToNow = ({ clock }: Pick<CompanyPageRequest, 'clock'>, seconds: number): string =>
  relativeTime(seconds, clock.time);

/** Explains why a page is empty, and shows the commands that add something. */
export const emptyPageNotice = (say: string, ...commands: readonly Html[]): Html =>
  html`<div class="empty"><p>${say}</p>${commands.map((each) => html`<p>${each}</p>`)}</div>`;

export const formatCount = (number: number): string => number.toLocaleString('en-GB');

export const formatCountWithNoun = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;

export const badge = (text: string, kind: 'good' | 'bad' | 'warn' | 'plain' = 'plain'): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

/** Draws a button that sends a form to the page itself, with the action `do` and further `values`, perhaps after a question. */
export function button(
  label: string,
  action: string,
  values: Readonly<Record<string, string | number>> = {},
  confirmationQuestion?: string,
): Html {
  const hidden = Object.entries({ do: action, ...values }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const confirm = confirmationQuestion === undefined ? null : html` data-asks="${confirmationQuestion}"`;
  return html`<form method="post" class="inline"${confirm}>${hidden}<button type="submit">${label}</button></form>`;
}

/** Returns the id in a parameter of the path or the query. Returns undefined for any other text. */
export const readRecordId = (text: string | null | undefined): number | undefined =>
  /^[1-9][0-9]{0,14}$/.test(text ?? '') ? Number(text) : undefined;

/** @throws ServiceError if the path has no id */
export function idOfPath(call: CompanyPageRequest, title: string): number {
  const id = readRecordId(call.id);
  if (id === undefined) throw createNotFoundError(`${title} ${call.id}`);
  return id;
}

/** Throws `ServiceError` if the path names no record. */
export async function recordOfPath<N extends SandboxResource['name']>(
  call: CompanyPageRequest,
  resource: N,
  title: string,
): Promise<{ readonly id: number; readonly record: RecordNamed<N> }> {
  const id = idOfPath(call, title);
  const [record] = await call.find(resource, { id });
  if (record === undefined) throw createNotFoundError(`${title} ${id}`);
  return { id, record };
}

/** Returns a link to a page with the query of this request, but with some parameters changed. An empty value removes its parameter. */
export function linkWith(
  call: CompanyPageRequest,
  page: string,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams(call.query);
  for (const [name, value] of Object.entries({ done: undefined, ...changes }))
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  return call.pathOf(next.size === 0 ? page : `${page}?${next}`);
}

export const channelWord = (channel: string): string =>
  channel === 'email' ? 'E-mail' : channel === 'sms' ? 'SMS' : 'Notice';

interface PagerLink {
  readonly text: string;
  /** Path of the page with these rows. Undefined if there are none. */
  readonly href: string | undefined;
  readonly rel?: 'prev' | 'next';
}

/** Draws the links to the rows before and after. Draws nothing if there are none. */
export function pager(label: string, before: PagerLink | undefined, after: PagerLink): Html | null {
  if (before?.href === undefined && after.href === undefined) return null;
  return html`<nav class="pager" aria-label="${label}">${pagerLink(before) ?? html`<span></span>`}${pagerLink(after)}</nav>`;
}

const pagerLink = (link: PagerLink | undefined): Html | null =>
  link?.href === undefined
    ? null
    : html`<a href="${link.href}"${link.rel === undefined ? null : html` rel="${link.rel}"`}>${link.text}</a>`;

export const searchForm = (
  path: string,
  label: string,
  placeholder: string,
  button: string,
  text: string,
): Html =>
  html`<div class="filters"><form method="get" action="${path}" role="search" class="search">
<label class="visually-hidden" for="search">${label}</label>
<input id="search" type="search" name="search" value="${text}" placeholder="${placeholder}" maxlength="200" autocomplete="off">
<button type="submit">${button}</button></form></div>`;

/** Draws a choice of views as links, perhaps with counts; one of them is current. */
export const tabs = <V extends string>(
  label: string,
  current: V | undefined,
  choices: readonly (readonly [value: V, label: string, count?: number | undefined])[],
  hrefOf: (value: V) => string,
): Html =>
  html`<nav class="tabs" aria-label="${label}">${choices.map(
    ([value, text, count]) =>
      html`<a href="${hrefOf(value)}"${value === current ? html` aria-current="page"` : null}>${text}${
        count === undefined ? null : html` <span class="count">${formatCount(count)}</span>`
      }</a>`,
  )}</nav>`;

export const statusOf = ({ clock }: CompanyPageRequest, record: TaskRecord): TaskStatus =>
  taskStatus(record, clock.time);

const KINDS = {
  scheduled: 'plain',
  sending: 'warn',
  completed: 'good',
  cancelled: 'plain',
  stopped: 'bad',
} as const;

export const taskStatusBadge = (status: TaskStatus): Html => badge(status, KINDS[status]);

interface Share {
  readonly label: string;
  readonly count: number;
  readonly kind: 'done' | 'out' | 'ahead';
}

/** Draws the parts of a whole as one bar with a legend. Screen readers read the title. */
export function drawProportionBar(title: string, shares: readonly Share[]): Html {
  const whole = shares.reduce((sum, each) => sum + each.count, 0);
  let at = 0;
  const parts = shares.map((each) => {
    const width = whole === 0 ? 0 : (100 * each.count) / whole;
    const x = at;
    at += width;
    return width === 0
      ? null
      : html`<rect class="${each.kind}" x="${x.toFixed(3)}%" width="${width.toFixed(3)}%" height="100%"/>`;
  });
  return html`<svg class="share" role="img" aria-label="${title}"><rect class="ahead" width="100%" height="100%"/>${parts}</svg>
<ul class="legend">${shares.map((each) => html`<li class="${each.kind}"><b>${formatCount(each.count)}</b> ${each.label}</li>`)}</ul>`;
}

/** Draws a thin bar for a row. `share`: 0 to 1. */
export const drawThinProgressBar = (title: string, share: number): Html =>
  html`<svg class="thin" role="img" aria-label="${title}"><rect class="ahead" width="100%" height="100%"/><rect class="done" width="${(
    100 * Math.min(1, Math.max(0, share))
  ).toFixed(2)}%" height="100%"/></svg>`;

export interface MessageCause {
  readonly kind: string;
  readonly id: number | null;
  readonly rule_kind: string | null;
}

/** Maximum number of causes that are shown by name: `Task Spring`, `Click rule Second chance`, `Single SMS`. The rest are shown by id. */
const MAX_NAMED = 30;

const keyOf = ({ kind, id, rule_kind }: MessageCause): string => `${kind}:${rule_kind ?? ''}:${id ?? ''}`;

/** Returns a function that describes the cause of a message, such as `Task Spring`. Looks up each cause of `messages` once. */
export async function describeMessageCauses(
  call: CompanyPageRequest,
  messages: readonly { readonly cause: MessageCause }[],
): Promise<(cause: MessageCause) => string> {
  const words = new Map<string, string>();
  for (const { cause } of messages) {
    const key = keyOf(cause);
    if (words.has(key)) continue;
    words.set(key, await causeText(call, cause, words.size < MAX_NAMED));
  }
  return (cause) => words.get(keyOf(cause)) ?? cause.kind;
}

async function causeText(
  call: CompanyPageRequest,
  { kind, id, rule_kind }: MessageCause,
  isNamed: boolean,
): Promise<string> {
  const rule = kind === 'rule' ? RULE_KINDS.find((each) => each === rule_kind) : undefined;
  const resource = kind === 'task' ? kind : rule && ruleResource(rule).name;
  const [record] = isNamed && resource && id !== null ? await call.find(resource, { id }) : [];
  const name = nameIn(record) ?? (id === null ? '' : String(id));
  if (kind === 'task') return `Task ${name}`;
  if (kind === 'rule')
    return `${rule_kind === 'sms' ? 'SMS' : capitalizeFirstLetter(rule_kind ?? '')} rule ${name}`;
  if (kind === 'opt-in') return `Confirmation of subscription ${name}`.trim();
  return kind === 'sms' ? 'Single SMS' : `${kind} ${name}`;
}

/** Returns the name without the mark of its campaign. Undefined without a name. */
export const nameIn = (record: { readonly name?: string | null } | undefined): string | undefined =>
  record?.name ? removeMarks(record.name) : undefined;

/** Says that a campaign file made the record, and which records belong together. The tooltip has the whole mark. */
export function campaignBadge({ name }: { readonly name?: string | null }): Html | null {
  const { campaign } = splitShownName(name ?? '');
  return campaign === undefined
    ? null
    : html` <span class="badge campaign" title="${campaign.mark}: svc finds this record by the mark at the end of its name">campaign ${campaign.sign}</span>`;
}

/** Returns the rule as filters name it, such as `click:12`. */
export const formatCausingRuleAsFilter = ({ rule_kind, id }: MessageCause): string | undefined =>
  rule_kind === null || id === null ? undefined : `${rule_kind}:${id}`;

/** Returns the key of the send of a message: `task:3` or `click:12`, and otherwise the id of the message. */
export const sendKeyOfMessage = (cause: MessageCause, id: string): string =>
  formatCausingRuleAsFilter(cause) ?? (cause.kind === 'task' && cause.id !== null ? `task:${cause.id}` : id);
