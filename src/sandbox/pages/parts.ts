/** Pieces that several pages are made of. */
import { distanceOf } from '../../text/distance.ts';
import { type Html, html } from '../../text/html-page.ts';
import { shellWord } from '../../text/shell-word.ts';
import { formatTime } from '../../text/timezone.ts';
import type { PageCall } from './page.ts';

export type { Html } from '../../text/html-page.ts';
export { html } from '../../text/html-page.ts';

export const NONE: Html = html``;

/** A moment in the company's zone: `2026-12-01 09:00`, and on hovering all of it. */
export function time(call: Pick<PageCall, 'company'>, seconds: number): Html {
  const { timezone } = call.company;
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}" title="${formatTime(seconds, timezone, 'long')}">${formatTime(seconds, timezone, 'table')}</time>`;
}

/** `in 3 days` by the sandbox's clock. */
export const away = ({ clock }: Pick<PageCall, 'clock'>, seconds: number): string =>
  distanceOf(seconds, clock.time);

/** The command line that does the same, to copy: the words are quoted as a shell needs them. */
export function command(call: Pick<PageCall, 'commandEnd'>, ...words: readonly (string | number)[]): Html {
  const text = ['svc', ...words.map((word) => shellWord(String(word)))].join(' ') + call.commandEnd;
  // A line may end between words, and never after the hyphens of a flag.
  const shown = text
    .split(' ')
    .flatMap((word, at) => [
      at === 0 ? '' : ' ',
      word.length > 30 ? word : html`<span class="word">${word}</span>`,
    ]);
  return html`<span class="command"><code>${shown}</code><button type="button" class="copy" data-copy="${text}" hidden>Copy</button></span>`;
}

/** Where there is nothing to show: why, and the command that fills it. */
export const empty = (say: string, ...commands: readonly Html[]): Html =>
  html`<div class="empty"><p>${say}</p>${commands.map((each) => html`<p>${each}</p>`)}</div>`;

/** `1,234` */
export const count = (number: number): string => number.toLocaleString('en-GB');

/** `1 message`, `3 messages` */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`;

/** A word that says how something stands. */
export const badge = (text: string, kind: 'good' | 'bad' | 'warn' | 'plain' = 'plain'): Html =>
  html`<span class="badge ${kind}">${text}</span>`;

/**
 * A button that sends a form to the page itself: `do` says which of its actions, `values` what else.
 * @param asks a question that has to be answered first, where it destroys something
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

/** The query of a page with some of it changed; what is empty is left out. */
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

/** A choice of views as links, of which one is current. */
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
