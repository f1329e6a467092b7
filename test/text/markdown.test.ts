/**
 * src/cli/README, "Markdown": "escapes all text of others", also characters that change the order of others, as tables do
 * (second attack L9).
 */
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, markdownCodeBlock } from '../../src/kit/text/markdown.ts';

describe('Markdown (2-L9)', () => {
  it.each([
    ['a\u202eb', 'a\\\\u\\{202e\\}b'],
    ['a\u2066b\u200b', 'a\\\\u\\{2066\\}b\\\\u\\{200b\\}'],
    ['\x1b[31mred\x07', '␛\\[31mred\\\\x07'],
    ['two\n\n# lines\r\n', 'two \\# lines '],
    ['<b>&lt;|`*_~@x', '\\<b\\>\\&lt;\\|\\`\\*\\_\\~\\@x'],
    ['::add-mask::x', '::add-mask::x'],
    ['Ünïcode 日本 👩‍👧', 'Ünïcode 日本 👩‍👧'],
  ])('%j is %j', (text, markdown) => {
    expect(escapeMarkdown(text)).toBe(markdown);
  });

  it('has no such characters in a code block, whose fence is longer than those of the text', () => {
    expect(markdownCodeBlock('+a\u202eb\n ````\n-\tc\n', 'diff')).toEqual([
      '`````diff',
      '+a\\u{202e}b',
      ' ````',
      '-\tc',
      '`````',
    ]);
  });
});
