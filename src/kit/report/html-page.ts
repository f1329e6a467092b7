/**
 * Writes a report as HTML that is complete in one file: no script, no external address. A long table is written row by row, so that it may
 * be larger than memory: `htmlPageStart`, `htmlTableStart`, `htmlTableRow` and so on.
 */
import { capitalizeFirstLetter } from '../text/words.ts';
import {
  linesOfCell,
  type MessagePreview,
  type Report,
  type ReportBlock,
  type ReportCell,
  type ReportColumn,
  type ReportFinding,
  type ReportSection,
  type ReportTable,
  type Severity,
  type TermWithText,
} from './report.ts';
import { formatTextBlock } from './text-page.ts';

/** Text in HTML, with special characters escaped. Only `html` and functions that use `html` create such values. */
export interface Html {
  readonly html: string;
}

type Piece = Html | string | number | bigint | null | undefined | readonly Piece[];

/** Tag of a template literal. Escapes the inserted values, except `Html`. In the template, values of attributes must be in double quotes. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const parts = strings.map((text, at) => text + (at < pieces.length ? textOf(pieces[at]) : ''));
  return { html: parts.join('') };
}

function textOf(piece: Piece): string {
  if (piece === null || piece === undefined) return '';
  if (Array.isArray(piece)) return piece.map(textOf).join('');
  if (typeof piece === 'object' && 'html' in piece) return piece.html;
  return escapeHtml(String(piece));
}

/** Control characters and lone surrogates, which HTML forbids, become U+FFFD. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\p{Cs}/gu, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Findings come first, right after the verdict. */
export function htmlPage(report: Report): string {
  const { sections } = report;
  const hasFindings = ({ blocks }: ReportSection): boolean => blocks.some(({ kind }) => kind === 'findings');
  const ordered = [...sections.filter(hasFindings), ...sections.filter((each) => !hasFindings(each))];
  return html`${htmlPageStart(report)}${ordered.map(htmlSection)}${htmlPageEnd}`.html;
}

const CSS = `:root{color-scheme:light dark;--text:#1c2126;--soft:#59626c;--back:#f7f7f5;--card:#fff;--line:#dfe2e0;--band:#f0f1ef;--mark:#0b6b5d;--good:#1b6e3c;--good-back:#e3f3e8;--warn:#855400;--warn-back:#fbefd8;--bad:#ab2430;--bad-back:#fbe6e7}
@media (prefers-color-scheme:dark){:root{--text:#e4e8e6;--soft:#9aa5a2;--back:#111615;--card:#191f1e;--line:#2d3735;--band:#202826;--mark:#5fc4b1;--good:#74cf95;--good-back:#16321f;--warn:#e2b25e;--warn-back:#38290d;--bad:#f28b92;--bad-back:#431c20}}
html{background:var(--back)}
body{box-sizing:border-box;margin:2rem auto;width:52rem;max-width:calc(100% - 2rem);padding:1.5rem 2rem;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:10px;font:1rem/1.5 system-ui,sans-serif}
body.broad{width:80rem;font-size:.875rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
h1,h3,dd,li,p,caption{overflow-wrap:anywhere}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
h3{font-size:1rem;margin:0}
caption,small,dt{color:var(--soft)}
table{border-collapse:collapse;width:100%}
caption{text-align:left;padding:.5rem 0}
th,td{padding:.4rem .5rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;unicode-bidi:isolate}
thead th,tfoot{background:var(--band)}
tbody th,td{min-width:4.5rem;overflow-wrap:anywhere}
tbody th{min-width:7rem;font-weight:500}
tfoot{font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums}
.n>span,.t{white-space:nowrap}
td>span{display:block;min-height:1lh}
small{display:block;white-space:normal;font-size:.8125rem;font-weight:400}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:1rem 0}
dd{margin:0}
ul{padding-left:1.25rem}
.findings{list-style:none;padding:0}
.findings li,.verdict{padding:.5rem .75rem;margin:.5rem 0;border-radius:6px;background:var(--band)}
.findings li{display:flex;gap:.75rem}
.findings b{white-space:nowrap}
.verdict{font-size:1.125rem}
.error b,.verdict.error{color:var(--bad)}
.warning b,.verdict.warning{color:var(--warn)}
.verdict.good{color:var(--good)}
.findings .error,.verdict.error{background:var(--bad-back)}
.findings .warning,.verdict.warning{background:var(--warn-back)}
.verdict.good{background:var(--good-back)}
details{margin:1.5rem 0;border-top:1px solid var(--line);padding-top:.75rem}
summary{cursor:pointer;font-weight:600}
article{margin:1rem 0;padding:1rem;border:1px solid var(--line);border-radius:8px;break-inside:avoid}
iframe{box-sizing:border-box;display:block;width:100%;height:24rem;border:1px solid var(--line);border-radius:4px;background:#fff;color-scheme:light;resize:vertical}
.sms{white-space:pre-wrap;max-width:24rem;margin:0;padding:.75rem 1rem;border-radius:12px;background:var(--band)}
code{font-size:.8125rem}
pre{overflow-wrap:anywhere;white-space:pre-wrap}
ins,del{display:block;text-decoration:none}
ins{color:var(--good);background:var(--good-back)}
del{color:var(--bad);background:var(--bad-back)}
svg{display:block}
.bars{min-width:2.5rem;margin-top:.25rem}
.key{display:inline-block;margin-left:1rem;white-space:nowrap}
.key svg{display:inline-block;width:2.5rem;margin:0 .4rem 0 0;vertical-align:middle}
.track{fill:var(--band)}
.bar{fill:var(--mark)}
.other{fill:var(--soft)}
@media (max-width:60rem){body.broad{padding:1rem}.broad th,.broad td{padding-inline:.25rem}.broad td{min-width:3.5rem}}
@media (max-width:48rem){body,body.broad{margin:0;width:auto;max-width:none;padding:1rem;border:0;border-radius:0}}
@media (max-width:46rem){table,tbody,tfoot,tr,th,td,caption{display:block}thead{position:absolute;clip-path:inset(50%)}tr{padding:.5rem 0;border-bottom:1px solid var(--line)}th,td{padding:.15rem 0;border:0}td{display:grid;grid-template-columns:auto 1fr;gap:0 1rem}td::before{content:attr(data-title);color:var(--soft);text-align:left;white-space:nowrap}.n>span{white-space:normal}td>span{text-align:right}td>svg{grid-column:1/-1}dl{display:block}dd{margin-bottom:.5rem}.key{margin-left:0;margin-right:1rem}}
@media print{body,body.broad{margin:0;max-width:none;width:auto;padding:0;border:0}details::details-content{content-visibility:visible;display:block;height:auto}iframe{height:40rem;resize:none}tr,li{break-inside:avoid}}`;

/** The title is also the heading. */
export function htmlPageStart(
  { title, verdict, facts = [], sections = [] }: Partial<Report>,
  isBroad = false,
): Html {
  const hasMessage = sections.some(({ blocks }) => blocks.some(({ kind }) => kind === 'message'));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'${hasMessage ? '; img-src data:' : ''}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${{ html: CSS }}</style>
</head>
<body${isBroad ? html` class="broad"` : null}>
<main>
<h1>${title}</h1>
${verdict && html`<p class="verdict ${verdict.severity}">${verdict.severity && sign(verdict.severity)} <b>${verdict.strong}</b>${verdict.text}</p>\n`}${termList(facts)}`;
}

export const htmlPageEnd: Html = html`</main>
</body>
</html>
`;

const SIGNS: Readonly<Record<Severity, string>> = { error: '✖', warning: '▲', good: '✔' };
const sign = (severity: Severity): Html => html`<span aria-hidden="true">${SIGNS[severity]}</span>`;

export function htmlSection({ title, blocks, folded }: ReportSection): Html | null {
  if (blocks.every(isEmptyBlock)) return null;
  const shown = blocks.map(htmlBlock);
  return folded === undefined
    ? html`<section>\n<h2>${title}</h2>\n${shown}</section>\n`
    : html`<details>\n<summary>${folded}</summary>\n${shown}</details>\n`;
}

const isEmptyBlock = (block: ReportBlock): boolean =>
  block.kind === 'findings' && block.findings.length === 0;

function htmlBlock(block: ReportBlock): Html | null {
  switch (block.kind) {
    case 'paragraph':
      return html`<p>${withWholeTimes(block.text)}</p>\n`;
    case 'points':
      return html`<ul>${block.texts.map((text) => html`<li>${withWholeTimes(text)}</li>\n`)}</ul>\n`;
    case 'findings':
      return html`<ul class="findings">${bySeverity(block.findings).map(({ severity, text }) => html`<li class="${severity}"><b>${sign(severity)} ${capitalizeFirstLetter(severity)}</b> <span>${withWholeTimes(text)}</span></li>\n`)}</ul>\n`;
    case 'terms':
      return termList(block.terms);
    case 'table':
      return htmlTable(block);
    case 'message':
      return messageHtml(block);
    case 'diff':
      return html`<h3>${block.of}, ${block.part}</h3>\n<pre>${block.unified.trimEnd().split('\n').map(diffLine)}</pre>\n`;
    default:
      return html`<pre>${formatTextBlock(block, 80).join('\n')}</pre>\n`;
  }
}

function diffLine(line: string): Html {
  if (/^\+(?!\+\+ )/.test(line)) return html`<ins>${line}</ins>`;
  return /^-(?!-- )/.test(line) ? html`<del>${line}</del>` : html`${line}\n`;
}

/** Errors come first. */
const bySeverity = (findings: readonly ReportFinding[]): readonly ReportFinding[] =>
  [...findings].sort((one, two) => one.severity.localeCompare(two.severity));

const termList = (terms: readonly TermWithText[]): Html | null =>
  terms.length === 0
    ? null
    : html`<dl>${terms.map(({ term, text }) => html`<dt>${term}</dt><dd>${withWholeTimes(text)}</dd>\n`)}</dl>\n`;

/** The frame inherits the policy of the page. `sandbox` also refuses scripts, forms and navigation. */
const messageHtml = ({ title, headers, content }: MessagePreview): Html =>
  html`<article>\n<h3>${title}</h3>\n${termList(headers)}${
    'html' in content
      ? html`<iframe sandbox="" referrerpolicy="no-referrer" title="${title}" srcdoc="${content.html}"></iframe>`
      : html`<p class="sms">${content.text}</p>`
  }\n</article>\n`;

/** No time is broken between two lines. A long address or target breaks at its signs, and a digest is small. */
const withWholeTimes = (text: string): readonly Piece[] =>
  text
    .split(
      /([0-9]{4}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?|\b[0-9a-f]{64}\b|[^\s0-9]\S{29,})/,
    )
    .map((part, at) => {
      if (at % 2 === 0) return part;
      if (/^[0-9a-f]{64}$/.test(part)) return html`<code>${part}</code>`;
      return /^[0-9]/.test(part) ? html`<span class="t">${part}</span>` : breakable(part);
    });

/** Shows an address or a target, which may break after each `@`, `/`, `?` and `&`. */
export const breakable = (text: string): Html =>
  html`${text.split(/(?<=[@/?&])/).map((part, at) => (at === 0 ? part : html`<wbr>${part}`))}`;

export const htmlTable = (table: ReportTable): Html =>
  html`${htmlTableStart(table)}${table.rows.map((row) => htmlTableRow(table.columns, row))}${htmlTableEnd()}`;

/** The first cell of each row is the row's header. */
export const htmlTableStart = ({ caption, columns, legend = [] }: Omit<ReportTable, 'kind' | 'rows'>): Html =>
  html`<table>
<caption>${caption}${legend.map((name, at) => html` <span class="key">${bars([1], at)}${name}</span>`)}</caption>
<thead><tr>${columns.map(({ title, isNumber }) => html`<th scope="col"${numeric(isNumber)}>${title}</th>`)}</tr></thead>
<tbody>
`;

export const htmlTableRow = (columns: readonly ReportColumn[], cells: readonly ReportCell[]): Html =>
  html`<tr>${columns.map(({ title, isNumber }, at) =>
    at === 0
      ? html`<th scope="row"${numeric(isNumber)}>${htmlCell(cells[at])}</th>`
      : html`<td data-title="${title}"${numeric(isNumber)}>${htmlCell(cells[at])}</td>`,
  )}</tr>
`;

/** @param total last row, with the sums of the other rows */
export const htmlTableEnd = (total?: Html): Html =>
  html`</tbody>${total === undefined ? null : html`<tfoot>${total}</tfoot>`}
</table>
`;

const numeric = (isNumber = false): Html | null => (isNumber ? html` class="n"` : null);

function htmlCell(cell: ReportCell = ''): Html {
  const [first = '', ...others] = linesOfCell(cell);
  const small = others
    .filter((line) => line !== '')
    .map((line) => html`<small>${withWholeTimes(line)}</small>`);
  return html`<span>${withWholeTimes(first)}${small}</span>${typeof cell !== 'string' && cell.bars?.some((share) => share > 0) ? bars(cell.bars) : null}`;
}

const THICK = 6;

/** @param from number of the first bar: each has a color of its own */
const bars = (shares: readonly number[], from = 0): Html =>
  html`<svg class="bars" aria-hidden="true" width="100%" height="${shares.length * (THICK + 2)}">${shares.map(
    (share, at) => {
      const y = at * (THICK + 2);
      return html`<rect class="track" y="${y}" width="100%" height="${THICK}" rx="3"/>${filled(share, y, from + at)}`;
    },
  )}</svg>`;

/** Any value above 0 is visible, and only 100 % fills the bar. */
function filled(share: number, y: number, color: number): Html | undefined {
  if (!(share > 0)) return undefined;
  const width = share >= 1 ? 100 : Math.min(99.5, Math.max(0.5, Math.round(share * 10_000) / 100));
  return html`<rect class="${color === 0 ? 'bar' : 'other'}" x="0" y="${y}" width="${width}%" height="${THICK}" rx="3"/>`;
}
