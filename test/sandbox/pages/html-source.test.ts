/** The source of a message on its page: each line keeps all of its characters, and its parts have classes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeHtml } from '../../../src/kit/report/html-page.ts';
import { markHtmlLines } from '../../../src/sandbox/pages/html-source.ts';
import { tricks } from '../../support/hostile-html.ts';

const marked = (source: string, most = 100): readonly string[] =>
  markHtmlLines(source, most).map((line) => line.html);

const withoutClasses = (line: string): string => line.replaceAll(/<\/?span[^>]*>/g, '');

it('marks tags, attributes, comments and personalisation tags', () => {
  expect(marked('<p class="a" >Hello {{ field.Firstname }}</p><!-- end -->')).toEqual([
    `<span class="tag">&#60;p </span><span class="attribute">class=&#34;a&#34;</span><span class="tag"> &#62;</span>Hello <span class="field">{{ field.Firstname }}</span><span class="tag">&#60;/p&#62;</span><span class="comment">&#60;!-- end --&#62;</span>`,
  ]);
});

it('continues a part of several lines in each of them', () => {
  expect(marked('a<!-- one\ntwo -->b\n\n<br\n>')).toEqual([
    'a<span class="comment">&#60;!-- one</span>',
    '<span class="comment">two --&#62;</span>b',
    '',
    '<span class="tag">&#60;br</span>',
    '<span class="tag">&#62;</span>',
  ]);
});

it('keeps every character of any source', () => {
  const piece = fc.constantFrom(
    ...Object.values(tricks('https://evil.example')),
    ...[
      '<p ',
      '>',
      '\n',
      '\r\n',
      '"',
      "'",
      '<!--',
      '-->',
      '{{ a["b"] }}',
      '{% if %}',
      'x=',
      ' y',
      '</',
      '<![CDATA[',
      '&lt;',
      'é',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const source = pieces.join('');
      expect(marked(source).map(withoutClasses)).toEqual(source.split('\n').map(escapeHtml).slice(0, 100));
    }),
  );
});

it('stops after the given number of lines', () => {
  expect(marked('<p>\n</p>\n<b>', 2)).toEqual([
    '<span class="tag">&#60;p&#62;</span>',
    '<span class="tag">&#60;/p&#62;</span>',
  ]);
});
