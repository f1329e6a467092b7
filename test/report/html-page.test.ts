/** Contract, "Partners and many companies", `usage --html`: a page that loads no other file and runs no script. */
import { describe, expect, it } from 'vitest';
import {
  escapeHtml,
  html,
  htmlPageEnd,
  htmlPageStart,
  htmlTableEnd,
  htmlTableRow,
  htmlTableStart,
} from '../../src/kit/report/html-page.ts';
import { parsePage } from '../support/web-page.ts';

describe('escapeHtml', () => {
  it.each([
    ['<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
    [`" onmouseover='x' \``, '&#34; onmouseover=&#39;x&#39; &#96;'],
    ['&lt; & co', '&#38;lt; &#38; co'],
    ['a\0b\u001bc\u0085d\ud800e', 'a\ufffdb\ufffdc\ufffdd\ufffde'],
    ['two\nlines\tand a tab, 😀', 'two\nlines\tand a tab, 😀'],
  ])('%j', (text, escaped) => {
    expect(escapeHtml(text)).toBe(escaped);
  });
});

describe('html', () => {
  it('escapes inserted text, and leaves HTML unchanged', () => {
    const inner = html`<b>${'<i>'}</b>`;
    expect(html`<p title="${'"'}">${inner} ${[1, inner]}${null}${undefined}${12n}</p>`.html).toBe(
      '<p title="&#34;"><b>&#60;i&#62;</b> 1<b>&#60;i&#62;</b>12</p>',
    );
  });
});

describe('text of a page', () => {
  const digest = 'a1'.repeat(32);
  const address = 'https://shop.example/a?b=<i>&c=d';
  it.each([
    ['a time', '2026-12-07 09:00, or later', '<span class="t">2026-12-07 09:00</span>, or later'],
    ['a digest', `SHA-256 ${digest}`, `SHA-256 <code>${digest}</code>`],
    [
      'a long address, at its signs alone',
      `to ${address}`,
      'to https:/<wbr>/<wbr>shop.example/<wbr>a?<wbr>b=&#60;i&#62;&#38;<wbr>c=d',
    ],
    ['a short address', 'ada@example.com', 'ada@example.com'],
  ])('is broken between two lines without cutting %s', (_, text, shown) => {
    expect(htmlPageStart({ title: 'T', facts: [{ term: 'F', text }] }).html).toContain(`<dd>${shown}</dd>`);
  });
});

const HOSTILE =
  '</title></style><script src="https://example.com/x.js"></script><img src=x onerror=alert(1)>';
const columns = [{ title: HOSTILE }, { title: 'Count', isNumber: true }];
const page = [
  htmlPageStart({ title: HOSTILE, facts: [{ term: HOSTILE, text: HOSTILE }] }),
  htmlTableStart({ caption: HOSTILE, columns, legend: [HOSTILE] }),
  htmlTableRow(columns, [HOSTILE, { lines: ['1', HOSTILE], bars: [0.5] }]),
  htmlTableEnd(htmlTableRow(columns, ['All', '1'])),
  html`<svg viewBox="0 0 1 1" role="img"><title>${HOSTILE}</title></svg>`,
  htmlPageEnd,
]
  .map((piece) => piece.html)
  .join('');

describe('a page of hostile names', () => {
  const { nodes, faults } = parsePage(page);

  it('is valid HTML', () => {
    expect(faults).toEqual([]);
    const names = nodes.map(({ nodeName }) => nodeName);
    expect(names.filter((name) => ['h1', 'table', 'caption', 'tfoot'].includes(name)).sort()).toEqual(
      ['h1', 'table', 'caption', 'tfoot'].sort(),
    );
  });

  it('has no script, and no external address', () => {
    const names = new Set(nodes.map(({ nodeName }) => nodeName));
    for (const name of ['script', 'img', 'link', 'iframe', 'object', 'base', 'a'])
      expect(names.has(name)).toBe(false);
    const attributes = nodes.flatMap(({ attrs = [] }) => attrs);
    expect(attributes.filter(({ name }) => /^(on|src|href|style)/.test(name))).toEqual([]);
    expect(page.match(/url\(|@import/)).toBeNull();
    const policy = attributes.find(({ value }) => value.startsWith('default-src'))?.value;
    expect(policy).toBe("default-src 'none'; style-src 'unsafe-inline'");
  });

  it('has colours for light and dark', () => {
    expect(page).toContain('@media (prefers-color-scheme:dark)');
    expect(page).toContain('<meta name="color-scheme" content="light dark">');
  });
});
