import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FoundLink,
  findHtmlLinks,
  replaceFoundLinks,
  replaceHtmlLinks,
  replaceTextLinks,
} from '../../src/kit/text/html-links.ts';
import { LONG_HTML } from './long-html.ts';

function seen(html: string, scan = replaceHtmlLinks): readonly FoundLink[] {
  const found: FoundLink[] = [];
  scan(html, (link) => {
    found.push(link);
    return undefined;
  });
  return found;
}

const hrefs = (html: string, scan = replaceHtmlLinks) => seen(html, scan).map(({ href }) => href);

describe('the links of HTML', () => {
  it.each([
    ['<a href="https://a.example/">x</a>', ['https://a.example/']],
    ["<A class=x HREF='https://a.example/'>x</A>", ['https://a.example/']],
    ['<a href=https://a.example/x>x</a>', ['https://a.example/x']],
    ['<a\n href = "https://a.example/?a=1&amp;b=2">x</a>', ['https://a.example/?a=1&b=2']],
    ['<area href="&#104;ttps://a.example/">', ['https://a.example/']],
    ['<abbr href="https://a.example/"><b><a name="top">', []],
    ['<!-- <a href="https://a.example/"> --><a href="#top">', ['#top']],
    ['<script>"<a href=1>"</script><style><a href=2></style><a href=3>', ['3']],
    ['<a title="a > b" href="mailto:x@example.com">', ['mailto:x@example.com']],
    [
      `<a href="https://a.example/{{ field["City"] | "x" }}">`,
      ['https://a.example/{{ field["City"] | "x" }}'],
    ],
    ['<a href="https://a.example/', []],
    ['<a href="">x</a><a href>x</a>', ['']],
    // Badly written or deceptive HTML, read as browsers do (WHATWG HTML, 13.2.5 Tokenization).
    ['<a href="?a=1&copy=2&lang=e&nbsp;f">', ['?a=1&copy=2&lang=e\u00a0f']],
    ['<a/href=1/><A HREF=2 href=3>', ['1/', '2']],
    ['<a href=>x</a><a href="1"data-x=2>', ['1']],
    ['<title><a href=1></title><textarea><a href=2></textarea><iframe><a href=3></iframe><a href=4>', ['4']],
    ['<noscript><a href=1></noscript><template><a href=2></template>', ['1', '2']],
    ['<!--><a href=1><!-- --!><a href=2><!-- <a href=3>', ['1', '2']],
    ['<script><!-- <script></script><a href=1> --></script><a href=2>', ['2']],
    ['<script><a href=1></scripture><a href=2>', []],
    ['<img alt="<a href=1>"><p title=\'"<a href=2>\'><a href=3>', ['3']],
    ['<img alt="never closed><a href=1>', []],
    ['</p <a href=1><b<a href=2>', []],
    ['<![CDATA[<a href=1]]><a href=2>', ['2']],
    ['<div><div><b><a href=1><p><a href=2></b></div><a href=3>', ['1', '2', '3']],
    // A tag of personalisation is not markup, wherever it is.
    ['<a {% if field.City > "" %}class="x"{% endif %} href=1>', ['1']],
    ['{{ email | "<a href=1>" }}<a href=2>', ['2']],
    ['<a href={{ field["A > B"] }}>', ['{{ field["A > B"] }}']],
    ['<a href="{{ never closed"><a href=2>', ['{{ never closed', '2']],
  ])('%s', (html, expected) => expect(hrefs(html)).toEqual(expected));

  it('read the name, or else data-name', () => {
    expect(seen('<a name="n" data-name="d" href="x"><a data-name="d &amp; e" href="y">')).toEqual([
      { href: 'x', name: 'n' },
      { href: 'y', name: 'd & e' },
    ]);
  });

  it('are replaced without a change of any other octet', () => {
    const html = "<p>\r\n<A  href='https://a.example/' x>a</A><a href=https://b.example>b</a> &amp;</p>";
    expect(
      replaceHtmlLinks(html, ({ href }) => (href.includes('a.') ? 'https://t/?x=1&y="2"' : undefined)),
    ).toBe(
      '<p>\r\n<A  href="https://t/?x=1&amp;y=&quot;2&quot;" x>a</A><a href=https://b.example>b</a> &amp;</p>',
    );
  });

  it.each([
    ['<a\thref\r\n=\r\n1\r\n>', '<a\thref\r\n=\r\n"T"\r\n>'],
    ['\ufeff\r\r\n😀<a href="\r\n😀" x=\'1\'>\0', '\ufeff\r\r\n😀<a href="T" x=\'1\'>\0'],
    ["{{ a['<'] }}<a HREF='{{ a[\"b\"] }}'name=n>", '{{ a[\'<\'] }}<a HREF="T"name=n>'],
  ])('are replaced for %j', (html, replaced) => expect(replaceHtmlLinks(html, () => 'T')).toBe(replaced));

  it('are the same in slices of any size, with a pause between two of them', async () => {
    const piece = fc.constantFrom(
      ...[
        '<a href="https://a.example/?x=1&amp;y=2">',
        '<area HREF=\'x\' name="n">',
        '<a href=1',
        '>',
        '<',
        '=',
        ' ',
      ],
      ...[
        '&copy',
        '&#104;',
        '&notit;',
        '<!-- ',
        '-->',
        '<script>',
        '</script>',
        '<title>',
        '</title>',
        '<plaintext>',
      ],
      ...['\r\n', '\r', '😀', '\0', '"', "'", '{{ field["A > B"] }}', '{%', '%}', '<![CDATA[', ']]>', 'x'],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 14 }),
        fc.integer({ min: 1, max: 9 }),
        async (pieces, slice) => {
          const html = pieces.join('');
          let pauses = 0;
          const pause = async (): Promise<void> => {
            pauses += 1;
          };
          const search = { isWanted: () => true, maxLinks: 100, pause };
          const found = await findHtmlLinks(html, { ...search, slice });
          expect(pauses).toBe(Math.max(0, Math.ceil(html.length / slice) - 1));
          expect(found.map(({ href, name }) => ({ href, name }))).toEqual(seen(html));
          expect(replaceFoundLinks(html, found, () => 'T')).toBe(replaceHtmlLinks(html, () => 'T'));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are no longer searched after too many were found', async () => {
    const html = '<a href=1>'.repeat(100);
    const search = { isWanted: () => true, maxLinks: 10, pause: async () => undefined, slice: 100 };
    expect(await findHtmlLinks(html, search)).toHaveLength(20);
  });

  // Attack M11: a slow message delays all other requests. Quadratic work would take far longer here. html-links.deep.test.ts has 1.5 MB.
  it.each(LONG_HTML)('are read in 300 kB of %s', (piece, times) => {
    const html = piece.repeat(times / 5);
    const start = performance.now();
    expect(replaceHtmlLinks(html, () => undefined)).toBe(html);
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('are read in a tag of 100,000 attributes', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `a${index}`).join(' ');
    expect(hrefs(`<a ${names} href=1>`)).toEqual(['1']);
  });
});

describe('the links of plain text', () => {
  it.each([
    ['See https://a.example/x. Or (http://b.example)!', ['https://a.example/x', 'http://b.example']],
    ['https://a.example/?e={{ email }}&x=1 end', ['https://a.example/?e={{ email }}&x=1']],
    ['{% if email %}https://a.example{% endif %}', ['https://a.example']],
    ['mailto:x@example.com www.example.com ftp://a.example', []],
  ])('%s', (text, expected) => expect(hrefs(text, replaceTextLinks)).toEqual(expected));
});
