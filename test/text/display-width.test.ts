import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignColumns, displayWidth, truncateToWidth } from '../../src/kit/text/display-width.ts';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['äöü', 3],
    ['漢字', 4],
    ['ｆｕｌｌ', 8],
    ['ｶﾅ', 2],
    ['한국', 4],
    ['\u1112\u1161\u11ab', 2],
    ['e\u0301', 1],
    ['\u0301', 0],
    ['a\u200bb', 2],
    ['\u00ad', 0],
    ['กำ', 2],
    ['क्ष', 2],
    ['😀', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['❤', 1],
    ['1️⃣', 2],
    ['©', 1],
    ['…€–', 3],
    ['␛[0m', 4],
    ['\x1b\x07', 0],
    ['𠀀', 2],
    // EastAsianWidth.txt since Unicode 16: signs of the Book of Changes are wide.
    ['☰䷀𝌀', 6],
    // A number in a circle on a black square is ambiguous in that file, and narrow outside of East Asian locales.
    ['㉈', 1],
    ['\u2e9a', 1],
  ])('%# %j takes %i columns', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  // The segmenter gets a long text in pieces. 999 letters before each kind of grapheme move it over the end of a piece.
  it.each([
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['e\u0301', 1],
    ['한', 2],
  ])('counts %j in a long text', (grapheme, columns) => {
    for (let letters = 990; letters <= 1000; letters += 1)
      expect(displayWidth('x'.repeat(letters) + grapheme.repeat(800))).toBe(letters + 800 * columns);
  });

  // Acceptance, F4. With the whole text in one search for graphemes, this takes almost a minute.
  it('counts 100 kB without a space in less than 20 s', () => {
    const start = performance.now();
    expect(displayWidth('\u2003'.repeat(100_000))).toBe(100_000);
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});

// These are counted without a search for graphemes. The character without width forces that search.
it.each([
  [0xa0, 0x2ff],
  [0x2010, 0x2027],
  [0x2500, 0x259f],
])('each character from %i to %i has the same width alone and beside another', (first, last) => {
  const differing = Array.from({ length: last - first + 1 }, (_, at) =>
    String.fromCharCode(first + at),
  ).filter(
    (character) =>
      displayWidth(character) !== displayWidth(`${character}\u200b`) ||
      displayWidth(character.repeat(3)) !== displayWidth(`${character.repeat(3)}\u200b`),
  );
  expect(differing).toEqual([]);
});

describe('truncateToWidth', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['abcd', 1, '…'],
    ['a', 1, 'a'],
    ['abcd', 0, ''],
    ['abcd', -1, ''],
    ['', 0, ''],
    ['漢字', 4, '漢字'],
    ['漢字', 3, '漢…'],
    ['漢字', 2, '…'],
    ['漢字', 1, '…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['e\u0301e\u0301', 2, 'e\u0301e\u0301'],
    ['👩‍👩‍👧a', 3, '👩‍👩‍👧a'],
    ['👩‍👩‍👧ab', 3, '👩‍👩‍👧…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['🇩🇪🇫🇷', 3, '🇩🇪…'],
  ])('%# %j to %i', (text, width, shown) => {
    expect(truncateToWidth(text, width)).toBe(shown);
  });

  it('never exceeds the width, and cuts only wider texts', () => {
    const unit = fc.constantFrom('a', '漢', '😀', 'e\u0301', '\u200b', '👩‍👧', '🇩🇪', '❤️', ' ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 20 }), fc.nat(25), (text, width) => {
        const shown = truncateToWidth(text, width);
        expect(displayWidth(shown)).toBeLessThanOrEqual(width);
        if (width > 0 && displayWidth(text) <= width) expect(shown).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['a\u0301'.repeat(50_000)],
    ['\u0301'.repeat(100_000)],
    ['\u200d'.repeat(100_000)],
    ['😀\u200d'.repeat(30_000)],
  ])('%# ends on 100 kB', (text) => {
    expect(displayWidth(truncateToWidth(text, 10))).toBeLessThanOrEqual(10);
  });
});

describe('alignColumns', () => {
  it('pads cells by their width on a terminal, and leaves no spaces at the end of a line', () => {
    const rows = [
      ['漢字', '1', 'two'],
      ['a', '100', ''],
    ];
    expect(alignColumns(rows)).toEqual(['漢字  1    two', 'a     100']);
    expect(alignColumns(rows, (column) => column === 1)).toEqual(['漢字    1  two', 'a     100']);
  });
});
