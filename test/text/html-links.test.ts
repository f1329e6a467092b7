import { describe, expect, it } from 'vitest';
import { type FoundLink, replaceHtmlLinks, replaceTextLinks } from '../../src/text/html-links.ts';

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
  ])('%s', (html, expected) => expect(hrefs(html)).toEqual(expected));

  it('reads the name, else data-name', () => {
    expect(seen('<a name="n" data-name="d" href="x"><a data-name="d &amp; e" href="y">')).toEqual([
      { href: 'x', name: 'n' },
      { href: 'y', name: 'd & e' },
    ]);
  });

  it('replaces the address and leaves every other octet', () => {
    const html = "<p>\r\n<A  href='https://a.example/' x>a</A><a href=https://b.example>b</a> &amp;</p>";
    expect(
      replaceHtmlLinks(html, ({ href }) => (href.includes('a.') ? 'https://t/?x=1&y="2"' : undefined)),
    ).toBe(
      '<p>\r\n<A  href="https://t/?x=1&amp;y=&quot;2&quot;" x>a</A><a href=https://b.example>b</a> &amp;</p>',
    );
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
