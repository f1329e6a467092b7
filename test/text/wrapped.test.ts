import { expect, it } from 'vitest';
import { wrapLinesBreakingWords } from '../../src/kit/text/display-width.ts';
import { wrapWithHangingIndent } from '../../src/kit/text/wrapped.ts';

/** If a question breaks within a name, the name can be read as another one: `Harb` / `our Coffee`. */
it.each([
  ['Really delete it?', 40, 'Really delete it?'],
  ['Really delete folder 1, of Harbour Coffee?', 24, 'Really delete folder 1,\n  of Harbour Coffee?'],
  // A word that needs the whole width is not indented.
  ['one two', 3, 'one\ntwo'],
  ['averylongwordthatfitsnowhere at all', 10, 'averylongwordthatfitsnowhere\n  at all'],
  // East Asian characters take two columns.
  ['ab 日本語 cd', 9, 'ab 日本語\n  cd'],
  ['', 10, ''],
])('wraps %j in %i columns', (text, width, lines) => {
  expect(wrapWithHangingIndent(text, width)).toBe(lines);
});

it.each([
  ['one two three', 7, ['one two', 'three']],
  ['averylongword at all', 6, ['averyl', 'ongwor', 'd at', 'all']],
  ['日本語日本語', 7, ['日本語', '日本語']],
  // Not even one character fits, so each is alone and complete.
  ['日本', 1, ['日', '本']],
  ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']],
  ['', 10, ['']],
])('folds %j to %i columns', (text, width, lines) => {
  expect(wrapLinesBreakingWords(text, width)).toEqual(lines);
});
