/**
 * HTML pages that are complete in one file: no script, no external address. A page is written piece by piece, so that it may be larger
 * than memory: `htmlPageStart`, pieces made with `html`, `htmlPageEnd`.
 */

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

export interface HtmlTableColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** The first cell of each row is the row's header. */
export const htmlTableStart = (caption: string, columns: readonly HtmlTableColumn[]): Html =>
  html`<div class="wide"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map(({ title, isNumber }) => html`<th scope="col"${numeric(isNumber)}>${title}</th>`)}</tr></thead>
<tbody>
`;

export const htmlTableRow = (columns: readonly HtmlTableColumn[], cells: readonly Piece[]): Html =>
  html`<tr>${columns.map(({ isNumber }, at) =>
    at === 0
      ? html`<th scope="row"${numeric(isNumber)}>${cells[at]}</th>`
      : html`<td${numeric(isNumber)}>${cells[at]}</td>`,
  )}</tr>
`;

/** @param total last row, with the sums of the other rows */
export const htmlTableEnd = (total?: Html): Html =>
  html`</tbody>${total === undefined ? null : html`<tfoot>${total}</tfoot>`}
</table></div>
`;

const numeric = (isNumber = false): Html | null => (isNumber ? html` class="n"` : null);

/** Style sheet of the page. It has the colors of the sandbox's pages (src/sandbox/pages/assets/style.css). */
const CSS = `:root{color-scheme:light dark;--text:#1c2126;--soft:#59626c;--back:#f7f7f5;--card:#fff;--line:#dfe2e0;--band:#f0f1ef;--mark:#0b6b5d}
@media (prefers-color-scheme:dark){:root{--text:#e4e8e6;--soft:#9aa5a2;--back:#111615;--card:#191f1e;--line:#2d3735;--band:#202826;--mark:#5fc4b1}}
html{background:var(--back)}
body{box-sizing:border-box;margin:2rem auto;max-width:46rem;padding:1.5rem 2rem;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:10px;font:1rem/1.5 system-ui,sans-serif}
body.broad{max-width:80rem}
.broad table{font-size:.8125rem}
.broad th,.broad td{padding:.35rem .4rem}
h1{font-size:1.5rem;line-height:1.25}
p,li,small,caption{color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
caption{text-align:left;padding:.5rem 0}
th,td{padding:.4rem .75rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;unicode-bidi:isolate}
thead th,tfoot{background:var(--band)}
tfoot{font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
small{display:block;font-size:.8125rem;font-weight:400;white-space:normal}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:1rem 0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
svg{display:block;max-width:100%;margin:1.5rem 0;color:var(--mark)}
svg text{fill:var(--text);font:.9375rem system-ui,sans-serif}
svg .end{text-anchor:end;font-variant-numeric:tabular-nums}
.track{fill:var(--band);stroke:var(--line)}
.bar{fill:var(--mark)}
.other{fill:var(--soft)}
h1{overflow-wrap:anywhere}
@media (max-width:48rem){body{margin:0;padding:1rem;border:0;border-radius:0}}
@media (max-width:30rem){table{font-size:.875rem}th,td{padding:.4rem .25rem}}
@media print{body{margin:0;max-width:none;border:0}}`;

/** The title is also the heading. @param isBroad true for a table of many columns */
export const htmlPageStart = (title: string, isBroad = false): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${{ html: CSS }}</style>
</head>
<body${isBroad ? html` class="broad"` : null}>
<h1>${title}</h1>
`;

export const htmlPageEnd: Html = html`</body>
</html>
`;

export interface ChartBar {
  readonly label: string;
  readonly value: string;
  /** From 0 to 1. A larger value fills the whole bar. */
  readonly share: number;
  /** The second bar has another color. */
  readonly isSecondOfPair?: boolean;
  readonly isCloseToPrevious?: boolean;
}

const NEAR = 46;
const APART = 58;
const BAR = 14;
const TEXT = 16;

/** Lengths are in pixels, or in percent of the page's width. @param title text for screen readers */
export function barChart(title: string, bars: readonly ChartBar[]): Html {
  let y = 0;
  const rows = bars.map(({ label, value, share, isSecondOfPair = false, isCloseToPrevious = false }, at) => {
    if (at > 0) y += isCloseToPrevious ? NEAR : APART;
    return html`<text x="0" y="${y + TEXT}">${label}</text><text class="end" x="100%" y="${y + TEXT}">${value}</text>
<rect class="track" x="0" y="${y + TEXT + 8}" width="100%" height="${BAR}" rx="3"/>${filled(share, y + TEXT + 8, isSecondOfPair)}
`;
  });
  return html`<svg role="img" aria-label="${title}" width="100%" height="${y + NEAR}">
<title>${title}</title>
${rows}</svg>
`;
}

/** Any value above 0 is visible, and only 100 % fills the bar. */
function filled(share: number, y: number, isOther: boolean): Html | undefined {
  if (!(share > 0)) return undefined;
  const width = share >= 1 ? 100 : Math.min(99.5, Math.max(0.5, Math.round(share * 10_000) / 100));
  return html`<rect class="${isOther ? 'other' : 'bar'}" x="0" y="${y}" width="${width}%" height="${BAR}" rx="3"/>`;
}
