/** Renders the frame of every page, with a style sheet and a script whose names contain a hash of their content. */
import { createHash } from 'node:crypto';
import { type Html, html } from '../../kit/report/html-page.ts';
import { formatTime } from '../../kit/text/timezone.ts';
import type { ControlResult } from '../../service/protocol/control.ts';
import script from './assets/pages.js?text';
import style from './assets/style.css?text';
import views from './assets/views.css?text';
import {
  type CompanyPageRequest,
  commandsEndingWith,
  type Page,
  type PageActionResult,
  type View,
} from './page.ts';

/** An envelope, in the colour of links. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b6b5d"/><path d="M3 5h10v6.5H3zm0 .5 5 3.5 5-3.5" fill="none" stroke="#fff" stroke-width="1.3"/></svg>',
)}`;

const head = (title: string): Html => html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${assetPath(STYLE)}">
<script src="${assetPath(SCRIPT)}" defer></script>
</head>`;

interface Frame {
  readonly call: CompanyPageRequest;
  /** The page that is shown. Undefined for a path that no page has. */
  readonly page: Page | undefined;
  readonly pages: readonly Page[];
}

/** Returns the HTML of a page of a company, with the navigation and the result of the last action. */
export function wholePage({ call, page, pages }: Frame, view: View, acted?: PageActionResult): string {
  const { company, clock } = call;
  const current = page?.of ?? page?.path;
  const links = pages.flatMap((each) => {
    if (each.name === undefined) return [];
    const isCurrent = each.path === current ? html` aria-current="page"` : null;
    return [html`<a href="${call.pathOf(each.path)}"${isCurrent}>${each.name}</a>`];
  });
  const whole = html`<!doctype html>
<html lang="en">
${head(`${view.unread ? `(${view.unread}) ` : ''}${view.title} · ${company.name}`)}
<body data-events="${call.pathOf('events')}"${call.showsCommands ? html` class="commands"` : null}>
<a class="skip" href="#main">Skip to the page</a>
${STOPPED}
<header class="bar">
<span class="brand"><b>svc</b> sandbox</span>
<a class="company" href="/ui" title="Companies of this sandbox">${company.name}</a>
<a class="clock" href="${call.pathOf('clock')}"><span class="visually-hidden">Clock: </span><time datetime="${new Date(clock.time * 1000).toISOString()}">${longTime(call)}</time> <small>${clock.mode === 'manual' ? 'manual' : 'real time'} · ${company.timezone}</small></a>
${commandsSwitch(call)}
<button type="button" class="keys-open" title="Keyboard shortcuts" aria-label="Keyboard shortcuts" data-scripted hidden>?</button>
</header>
<nav class="pages" aria-label="Pages">${links}</nav>
<main id="main" tabindex="-1" data-clock="${longTime(call)}" data-changes="${call.changes}"${view.live === undefined ? null : html` data-live="${view.live}"`}${view.before === undefined ? null : html` data-before="${view.before}"`}${view.after === undefined ? null : html` data-after="${view.after}"`}>
<div class="title"><div><h1>${view.title}</h1>${view.lead === undefined ? null : html`<div class="lead">${view.lead}</div>`}</div>${view.beside ?? null}</div>
${acted === undefined ? null : said(acted)}
${view.body}
</main>
<button type="button" class="news" hidden>Show new entries</button>
${KEYS}
</body>
</html>
`;
  return whole.html;
}

/** Shown by the script while the sandbox does not respond. */
const STOPPED = html`<div class="stopped" role="alert" hidden><p><b>The sandbox does not answer.</b> Nothing on this page works until it runs again; the page then continues by itself.</p>${commandsEndingWith('')`sandbox start`}</div>`;

/** Shows or hides the command lines beside the actions. The choice is a cookie. */
const commandsSwitch = (call: CompanyPageRequest): Html =>
  html`<form method="post" action="${call.pathOf('commands')}" class="inline switch"><input type="hidden" name="show" value="${call.showsCommands ? '' : '1'}"><input type="hidden" name="back" value="${call.here}"><button type="submit" aria-pressed="${call.showsCommands ? 'true' : 'false'}">Show commands</button></form>`;

const said = (acted: PageActionResult): Html =>
  html`<section class="said${acted.isRefused ? ' refused' : ''}" role="status"><p>${acted.said}</p>${acted.more ?? null}</section>`;

const longTime = ({ clock, company }: CompanyPageRequest): string =>
  formatTime(clock.time, company.timezone, 'long').slice(0, 'Tue 2026-12-01 09:00'.length);

/** Dialog that lists the keyboard shortcuts. The page opens this dialog when a person presses `?`. */
const KEYS = html`<dialog class="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl>
<dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>Next and previous row; Enter opens it</dd>
<dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>Newer and older message or page</dd>
<dt><kbd>/</kbd></dt><dd>Search</dd>
<dt><kbd>Esc</kbd></dt><dd>Leave the search, close this list</dd>
<dt><kbd>?</kbd></dt><dd>Show this list of keys</dd>
</dl>
<form method="dialog"><button>Close</button></form></dialog>`;

/** Returns a page that belongs to no company: an error, or the choice of a company. */
export function renderPlainPage(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
${head(title)}
<body>
<header class="bar"><span class="brand"><b>svc</b> sandbox</span></header>
<main id="main" class="plain"><div class="title"><h1>${title}</h1></div>
${body}
</main>
</body>
</html>
`.html;
}

export function renderCompanyChooser(companies: ControlResult<'company list'>): string {
  const rows = companies.map(
    (each) =>
      html`<li><a class="row" data-row href="/ui/${String(each.id)}/outbox"><span class="what">${String(each.name)}</span><span class="soft">company ${String(each.id)} · ${String(each.timezone)}</span></a></li>`,
  );
  return renderPlainPage('Companies', html`<ul class="rows">${rows}</ul>`);
}

const named = (end: string, text: string): string =>
  `pages-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${end}`;

const STYLES = `${style}\n${views}`;

const STYLE = named('css', STYLES);
const SCRIPT = named('js', script);

export const PAGE_ASSETS = new Map([
  [STYLE, { type: 'text/css; charset=utf-8', text: STYLES }],
  [SCRIPT, { type: 'text/javascript; charset=utf-8', text: script }],
]);

const assetPath = (name: string): string => `/ui/assets/${name}`;
