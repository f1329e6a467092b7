/** Draws the frame around a page: head, search, navigation, breadcrumbs, table of contents, previous and next page. */
import { type Html, html } from '../../src/kit/report/html-page.ts';
import { plainText } from './markdown.ts';
import { linkBetween, type Page, SECTIONS, type SectionName } from './page.ts';

/**
 * Allows only files of the site itself. `file:` is for a copy on a disk, where `'self'` matches nothing in some browsers. A page from a
 * server still cannot load local files.
 */
const POLICY =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; base-uri 'none'; form-action 'none'";

interface Frame {
  readonly page: Page;
  /** All pages in the order of the navigation. */
  readonly pages: readonly Page[];
  readonly version: string;
  /** Address that the links to edit begin with. */
  readonly edit?: string | undefined;
  /** Address of the published site. */
  readonly url?: string | undefined;
}

/** Returns the whole page. */
export function wholePage({ page, pages, version, edit, url }: Frame): string {
  const at = pages.indexOf(page);
  const link = (to: Page, text: string, kind: string): Html =>
    html`<a class="${kind}" rel="${kind}" href="${linkBetween(page.path, to.path)}"><span>${text}</span> ${nameOf(to)}</a>`;
  const [before, after] = [pages[at - 1], pages[at + 1]];
  return documentOf({
    title: page.path === 'index.html' ? 'svc: documentation' : `${page.title} · svc`,
    lead: leadOf(page),
    ...(url === undefined ? {} : { address: addressOf(url, page) }),
    to: (path) => linkBetween(page.path, path),
    body: html`${navigation(page, pages)}
<main id="main" tabindex="-1">
${breadcrumbs(page, pages)}
<h1>${page.title}</h1>
${contents(page)}
<article>
${page.body}</article>
<nav class="turn" aria-label="Previous and next page">${before === undefined ? html`<span></span>` : link(before, 'Previous:', 'prev')}${after === undefined ? '' : link(after, 'Next:', 'next')}</nav>
<footer><p>svc ${version}. ${page.source === undefined ? 'Made from the declarations of the commands.' : html`Made from <code>${page.source}</code>.${edit === undefined || !page.source.endsWith('.md') ? '' : html` <a href="${`${edit}/${page.source}`}">Edit this page</a>`}`}</p></footer>
</main>`,
  });
}

/** Returns the address of a published page. Search engines then know it under one address, whichever copy they read. */
const addressOf = (url: string, { path }: Page): string =>
  `${url.replace(/\/$/, '')}/${path === 'index.html' ? '' : path}`;

/** Returns the list of pages for search engines (https://www.sitemaps.org/protocol.html). */
export const sitemap = (url: string, pages: readonly Page[]): string =>
  html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${pages.map((page) => html`<url><loc>${addressOf(url, page)}</loc></url>\n`)}</urlset>
`.html;

/**
 * Returns the page for addresses that do not exist. A server shows it under any path, so its links begin with `base`.
 * @param base path of the site on its server, such as `/svc`. Empty for relative links
 */
export function missingPage(base: string, pages: readonly Page[]): string {
  const to = (path: string): string => (base === '' ? path : `${base.replace(/\/$/, '')}/${path}`);
  const first = (section: SectionName): string =>
    pages.find((page) => page.section === section)?.path ?? 'index.html';
  return documentOf({
    title: 'Page not found · svc',
    to,
    hasMenu: false,
    body: html`<main id="main" tabindex="-1" class="alone">
<h1>Page not found</h1>
<p>For everybody who followed an old or broken link. The documentation of svc has no page at this address.</p>
<ul>
<li><a href="${to('index.html')}">Start page</a></li>
${SECTIONS.slice(1).map((section) => html`<li><a href="${to(first(section))}">${section}</a></li>\n`)}</ul>
</main>`,
  });
}

interface Document {
  readonly title: string;
  /** Returns the address of a file of the site. */
  readonly to: (path: string) => string;
  readonly body: Html;
  readonly hasMenu?: boolean;
  /** The first sentences, for previews of links to the page. */
  readonly lead?: string;
  /** Where the page is published. */
  readonly address?: string;
}

const documentOf = ({ title, to, body, hasMenu = true, lead, address }: Document): string =>
  html`<!doctype html>
<html lang="en" data-root="${to('index.html').replace(/index\.html$/, '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
${
  lead === undefined
    ? ''
    : html`<meta name="description" content="${lead}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${lead}">
<meta property="og:type" content="article">
`
}${
  address === undefined
    ? ''
    : html`<link rel="canonical" href="${address}">
<meta property="og:url" content="${address}">
`
}<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('assets/site.css')}">
<script src="${to('assets/site.js')}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
<a class="brand" href="${to('index.html')}"><b>svc</b> documentation</a>
<form class="search" role="search" data-scripted hidden>
<input type="search" id="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" aria-controls="results">
<kbd>/</kbd>
</form>
<button type="button" class="scheme" data-scripted hidden aria-label="Colors: as the system"><span aria-hidden="true">◐</span></button>
${hasMenu ? html`<a class="menu" href="#navigation">Menu</a>` : ''}
<div id="results" class="results" role="region" aria-label="Search results" hidden><p role="status"></p><ol></ol></div>
</header>
<div class="frame">
${body}
</div>
</body>
</html>
`.html;

const LONGEST_LEAD = 200;

/** Returns the first paragraph, cut after a word. */
function leadOf({ body }: Page): string {
  const [, first = ''] = /<p>([\s\S]*?)<\/p>/.exec(body.html) ?? [];
  const text = plainText(first).replaceAll(/\s+/g, ' ').trim();
  return text.length > LONGEST_LEAD ? `${text.slice(0, LONGEST_LEAD).replace(/\s\S*$/, '')} …` : text;
}

const nameOf = ({ name, title }: Page): string => name ?? title;

/** Returns links to all pages. Leaves out pages below a command, unless they are near the current page. */
function navigation(current: Page, pages: readonly Page[]): Html {
  const around = new Set([current.path, ...ancestors(current, pages).map(({ path }) => path)]);
  const isShown = ({ parent }: Page): boolean => parent === undefined || around.has(parent);
  const item = (page: Page): Html =>
    html`<li${depthOf(page, pages) > 0 ? html` class="below"` : ''}><a href="${linkBetween(current.path, page.path)}"${page === current ? html` aria-current="page"` : ''}>${shortName(page)}</a></li>
`;
  const sections = SECTIONS.map((section) => {
    const own = pages.filter((page) => page.section === section);
    const isOpen = current.section === section || section === 'Start' || section === 'Guides';
    return html`<details${isOpen ? html` open` : ''}>
<summary>${section}</summary>
<ul>
${own.filter(isShown).map(item)}</ul>
</details>
`;
  });
  return html`<nav id="navigation" aria-label="Pages">
${sections}</nav>`;
}

/** Returns the name in the navigation. Drops `svc`, which would repeat before each command. */
const shortName = (page: Page): string =>
  page.section === 'Commands' ? nameOf(page).replace(/^svc /, '') : nameOf(page);

const above = ({ parent }: Page, pages: readonly Page[]): Page | undefined =>
  pages.find(({ path }) => path === parent);

/** Returns the pages above a page, the nearest one last. */
function ancestors(page: Page, pages: readonly Page[]): readonly Page[] {
  const parent = above(page, pages);
  return parent === undefined ? [] : [...ancestors(parent, pages), parent];
}

const depthOf = (page: Page, pages: readonly Page[]): number => ancestors(page, pages).length;

function breadcrumbs(page: Page, pages: readonly Page[]): Html {
  if (page.path === 'index.html') return html``;
  const first = pages.find(({ section }) => section === page.section);
  const trail = [
    ...(first === undefined || first === page || first.path === 'index.html'
      ? []
      : [{ ...first, name: page.section }]),
    ...ancestors(page, pages),
  ];
  const link = (each: Page, text: string): Html =>
    html`<li><a href="${linkBetween(page.path, each.path)}">${text}</a></li>`;
  return html`<nav class="trail" aria-label="Breadcrumbs"><ol><li><a href="${linkBetween(page.path, 'index.html')}">svc</a></li>${trail.map((each) => link(each, shortName(each)))}<li aria-current="page">${nameOf(page)}</li></ol></nav>
`;
}

const LEAST_FOR_CONTENTS = 2;
const DEEPEST = 3;

function contents({ headings }: Page): Html {
  const shown = headings.filter(({ level }) => level <= DEEPEST);
  if (shown.length < LEAST_FOR_CONTENTS) return html``;
  return html`<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary><ul>
${shown.map(({ id, text, level }) => html`<li${level === DEEPEST ? html` class="below"` : ''}><a href="#${id}">${text}</a></li>\n`)}</ul></details></nav>
`;
}
