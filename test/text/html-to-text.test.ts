/** The text part that svc derives from HTML, and its view on a terminal. */
import { describe, expect, it } from 'vitest';
import { replaceHtmlLinks, replaceTextLinks } from '../../src/kit/text/html-links.ts';
import { htmlToText } from '../../src/kit/text/html-to-text.ts';
import { tried } from '../support/depth.ts';

const WORDS = { linkElement: 'svc_link', nameElement: 'svc_name' };

describe('the text of HTML', () => {
  it.each([
    ['a paragraph and entities', '<p>Caf&eacute; &amp; more</p>', 'Café & more\n'],
    [
      'a link, with its address',
      '<a href="https://a.example/x">Read on</a>',
      'Read on <https://a.example/x>\n',
    ],
    [
      'a link that is its address',
      '<a href="https://a.example">https://a.example</a>',
      'https://a.example\n',
    ],
    ['a heading, underlined', '<h1>Spring</h1><p>Now</p>', 'Spring\n======\n\nNow\n'],
    ['an image, by its alt', '<img src="x.png" alt="A cup"><img src="y.png" alt="">', 'A cup\n'],
    ['a list', '<ul><li>One</li><li>Two</li></ul>', ' * One\n * Two\n'],
    [
      'lists in lists, and their numbers',
      '<ol start="9"><li>One<li value="20">Two<ul><li>In<p>it</p></ul><li>Three</ol><p>End',
      ' 9. One\n 20. Two\n     * In\n\n       it\n\n 21. Three\n\nEnd\n',
    ],
    ['a list that counts down', '<ol reversed start="2"><li>A<li>B</ol>', ' 2. A\n 1. B\n'],
    ['a quotation', '<blockquote>One<p>Two</blockquote>Three', '> One\n\n> Two\n\nThree\n'],
    ['text with its own lines', '<pre>\na\n  b\n\nc</pre>', 'a\n  b\n\nc\n'],
    ['line breaks', 'a<br>b<br><br>c<br>', 'a\nb\n\nc\n'],
    ['a rule', 'a<hr>b', `a\n\n${'-'.repeat(40)}\n\nb\n`],
    ['white space as one space', '<p> a \n <b> b</b>\tc </p>', 'a b c\n'],
    [
      'words that elements divide',
      '<p>sp<b>ri</b>ng <a href="https://a.example">sa</a>le now</p>',
      'spring sale <https://a.example> now\n',
    ],
    [
      'text of a table in the order in which it is shown',
      '<table>a<tr><td>b</td></tr>c</table>',
      'ac\n\nb\n',
    ],
    [
      'a link without text, by its address',
      '<a href="https://a.example"><img src="x" alt=""></a>',
      'https://a.example\n',
    ],
    [
      'a mail link',
      '<a href="mailto:a@a.example">Write</a> <a href="#top">Up</a>',
      'Write <a@a.example> Up\n',
    ],
    [
      'no text that most mail programs hide',
      '<svg><text>a</text></svg><template>b</template><video>c</video><p>d</p>',
      'd\n',
    ],
    ['fill characters as nothing', '<p>a&zwnj;&nbsp;&zwnj;&nbsp;&zwnj;&nbsp;</p><p>b&shy;c</p>', 'a\n\nbc\n'],
    [
      'a table of layout, cell by cell',
      '<table><tr><td>One</td></tr><tr><td>Two</td></tr></table>',
      'One\nTwo\n',
    ],
    [
      'nothing of title, style, script and comments',
      '<title>T</title><style>p{}</style><script>1</script><!--c--><p>Hi</p>',
      'Hi\n',
    ],
    ['no text', '<p> </p>', ''],
    // src/service/protocol/README.md, "Dynamic content".
    [
      'unchanged personalisation',
      '<p>Dear {{ field["First name"] | "there" }},</p>',
      'Dear {{ field["First name"] | "there" }},\n',
    ],
    [
      'personalisation in an address',
      '<a href="https://a.example/{{ field["City"] }}">Go</a>',
      'Go <https://a.example/{{ field["City"] }}>\n',
    ],
  ])('%s', (_, html, text) => {
    expect(htmlToText(html, { width: 78 })).toBe(text);
  });

  it('breaks lines at the width, and never an address', () => {
    const address = `https://a.example/${'x'.repeat(60)}`;
    const text = htmlToText(`<p>${'word '.repeat(20)}${address}</p>`, { width: 40 });
    const lines = text.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 40)).toEqual([address]);
    expect(lines.length).toBeGreaterThan(2);
  });

  it('breaks no tag of personalisation', () => {
    const mark = '{{ field["A rather long name of a field"] | "and something else" }}';
    expect(htmlToText(`<p>Some words before it ${mark}</p>`, { width: 30 })).toContain(mark);
  });

  // Interface, emailMessage, "Content rules": the text part has another element than the HTML.
  it('has the opt-in element of a text instead of the link in the HTML', () => {
    const html = '<p><svc_link value="%svc_optin%" name="opt-in">Confirm</svc_link></p>';
    expect(htmlToText(html, { width: 78, optIn: WORDS })).toBe('Confirm: <svc_name value="optin" alt="">\n');
    expect(htmlToText(html, { width: 78 })).toBe('Confirm\n');
  });

  it('is read from ten thousand elements that are never closed', () => {
    expect(htmlToText('<div>'.repeat(10_000), { width: 78 }).length).toBeLessThan(100);
  });

  // Acceptance, F4: HTML and its links.
  it.each([
    ...[
      '<',
      '<a ',
      '<a href=',
      '<a href="',
      '<!--',
      '</',
      '<p',
      '&',
      '&#',
      '&amp',
      '"',
      "'",
      '=',
      ' ',
      '\u2003',
      '\n',
      '\u00a0 ',
    ],
    ...[
      '{{',
      '{%',
      '{{ field["',
      '%svc_',
      '[',
      'http://',
      'https://a.b/',
      'www.',
      '@',
      '<svc_link ',
      '<![CDATA[',
      '\u200c',
    ],
  ])('100 kB of %j end, in its text and in its links', (unit) => {
    const html = `x${unit.repeat(100_000 / unit.length)}y`;
    expect(typeof htmlToText(html, { width: 78, optIn: WORDS })).toBe('string');
    expect(typeof replaceHtmlLinks(html, () => 'https://b.example')).toBe('string');
    expect(typeof replaceTextLinks(html, () => 'https://b.example')).toBe('string');
    tried('F4', 1);
  });
});
