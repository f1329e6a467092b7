/** Elements that several pages share. */

import { type Html, html } from '../../report/html-page.ts';
import { distanceOf } from '../../text/distance.ts';
import { formatTime } from '../../text/timezone.ts';
import { shellWord } from '../../text/words.ts';
import type { PageCall } from './page.ts';

export type { Html } from '../../report/html-page.ts';
export { html } from '../../report/html-page.ts';

export const NONE: Html = html``;

/** Shows a time in the company's zone, such as `2026-12-01 09:00`. The tooltip has the long form. */
export function time(call: Pick<PageCall, 'company'>, seconds: number): Html {
  const { timezone } = call.company;
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}" title="${formatTime(seconds, timezone, 'long')}">${formatTime(seconds, timezone, 'table')}</time>`;
}

/** Returns the distance from the sandbox's clock, such as `in 3 days`. */
export const away = ({ clock }: Pick<PageCall, 'clock'>, seconds: number): string =>
  distanceOf(seconds, clock.time);

/** Shows the equivalent command line with a copy button. Words are quoted for a shell. */
export function command(call: Pick<PageCall, 'commandEnd'>, ...words: readonly (string | number)[]): Html {
  const text = ['svc', ...words.map((word) => shellWord(String(word)))].join(' ') + call.commandEnd;
  // A line may break between words, but not after the hyphens of a flag.
  const shown = text
    .split(' ')
    .flatMap((word, at) => [
      at === 0 ? '' : ' ',
      word.length > 30 ? word : html`<span class="word">${word}</span>`,
    ]);
  return html`<span class="command"><code>${shown}</code><button type="button" class="copy" data-copy="${text}" hidden>Copy</button></span>`;
}

/** Explains why a page is empty, and shows the commands that add something. */
export const empty = (say: string, ...commands: readonly Html[]): Html =>
  html`<div class="empty"><p>${say}</p>${commands.map((each) => html`<p>${each}</p>`)}</div>`;

/** Formats a number, such as `1,234`. */
export const count = (number: number): string => number.toLocaleString('en-GB');

/** Formats a number with its noun: `1 message`, `3 messages`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`;

/** Draws a label for a state. */
export const badge = (text: string, kind: 'good' | 'bad' | 'warn' | 'plain' = 'plain'): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

/**
 * Draws a button that sends a form to the page itself. The field `do` names the action, and `values` are further fields.
 * @param asks a question that the user must confirm first, for destructive actions
 */
export function button(
  label: string,
  action: string,
  values: Readonly<Record<string, string | number>> = {},
  asks?: string,
): Html {
  const hidden = Object.entries({ do: action, ...values }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const confirm = asks === undefined ? NONE : html` data-asks="${asks}"`;
  return html`<form method="post" class="inline"${confirm}>${hidden}<button type="submit">${label}</button></form>`;
}

/** Returns the query of a page with some parameters changed. Empty ones are removed. */
export function queryWith(
  query: URLSearchParams,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the path of the message that is shown, with some parameters changed. */
export const viewLink = (call: PageCall, changes: Readonly<Record<string, string>>): string =>
  call.pathOf(`outbox/${call.params['id']}${queryWith(call.query, { done: undefined, ...changes })}`);

/** Draws a choice of views as links; one of them is current. */
export function tabs(
  label: string,
  current: string,
  choices: readonly { readonly value: string; readonly label: string; readonly href: string }[],
): Html {
  return html`<nav class="tabs" aria-label="${label}">${choices.map(
    (each) =>
      html`<a href="${each.href}"${each.value === current ? html` aria-current="page"` : NONE}>${each.label}</a>`,
  )}</nav>`;
}
