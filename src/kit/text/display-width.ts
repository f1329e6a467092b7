/** Measures the width of text on a terminal, and breaks text into lines. The caller escapes control characters first (`terminal.ts`). */
import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Returns the columns that the text takes on a terminal. East Asian wide characters and emoji take two; combining, control and zero-width
 * characters take none.
 */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** Returns the text shortened to at most `width` columns, with `…` instead of the rest. Never splits a grapheme. */
export function truncateToWidth(text: string, width: number): string {
  if (width < 1) return '';
  let kept = 0;
  let used = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > width) return `${text.slice(0, kept)}…`;
    if (used < width) kept = index + segment.length;
  }
  return text;
}

/**
 * Returns the beginning of the text that fits into `width` columns. The result consists of whole graphemes, and has at least one grapheme.
 */
function pieceOfWidth(text: string, width: number): string {
  let used = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > width && index > 0) return text.slice(0, index);
  }
  return text;
}

/**
 * Matches texts in which every character takes one column and none combines with another: ASCII, Latin letters, dashes and quotation marks,
 * and the line and block characters of charts.
 */
const PLAIN = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027\u2500-\u259f]*$/;
// Inside functions, so that their sets of characters are built at the first use.
const startsWithEmoji = (text: string): boolean => /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u.test(text);
const hasNoWidth = (character: string): boolean =>
  /^[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]$/u.test(character);

let segmenter: Intl.Segmenter | undefined;

/** Number of UTF-16 units that the segmenter takes at once. On a long text, its time grows with the square of the length. */
const MAX_SEGMENTED_UNITS = 1000;

/** Splits text into graphemes. The segmenter is created at its first use: that takes 10 ms, and most runs print plain text. */
function* graphemesOf(text: string): Generator<{ readonly segment: string; readonly index: number }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let start = 0; start < text.length; ) {
    // The piece has no half of a character at its end.
    const piece = text.slice(start, start + MAX_SEGMENTED_UNITS).replace(/(?<=.)[\ud800-\udbff]$/s, '');
    const graphemes = [...segmenter.segment(piece)];
    // The last grapheme may continue after the piece, so the next piece begins with it.
    if (start + piece.length < text.length && graphemes.length > 1) graphemes.pop();
    for (const { segment, index } of graphemes) yield { segment, index: start + index };
    const { segment = '', index = 0 } = graphemes.at(-1) ?? {};
    start += index + segment.length;
  }
}

// string-width does not fit. It creates its segmenter when it is loaded, and counts only the first character of a grapheme. Terminals give
// Thai's SARA AM and the second consonant of an Indic cluster columns of their own.
function graphemeWidth(grapheme: string): number {
  if (startsWithEmoji(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!hasNoWidth(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}

/** Breaks a text into lines of at most `width` columns, at spaces. Breaks a wider word between characters. */
export const wrapLinesBreakingWords = (text: string, width: number): readonly string[] =>
  fillLines(
    text.split(' ').flatMap((each) => piecesOf(each, width)),
    () => width,
  );

/**
 * Joins words with spaces into lines. A word that is wider than its line stays whole, on a line of its own.
 * @param widthOf returns the columns of a line, by its index
 */
export function fillLines(words: readonly string[], widthOf: (index: number) => number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of words) {
    const taken = displayWidth(word);
    if (line !== '' && used + 1 + taken > widthOf(lines.length)) {
      lines.push(line);
      line = '';
    }
    used = line === '' ? taken : used + 1 + taken;
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function piecesOf(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let rest = word;
  while (displayWidth(rest) > width) {
    const piece = pieceOfWidth(rest, width);
    if (piece === rest) break;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}

/** Returns lines of at most `width` columns, broken at spaces. A longer word stays whole, as an address should. */
export function wrapLinesKeepingWords(text: string, width: number): readonly string[] {
  if (text.length <= width && displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const piece of text.split(/(?<= )(?=[^ ])/)) {
    const taken = displayWidth(piece.trimEnd());
    if (used > 0 && used + taken > width) {
      lines.push(line.trimEnd());
      line = '';
      used = 0;
    }
    line += piece;
    used += displayWidth(piece);
  }
  return [...lines, line.trimEnd()];
}

/**
 * Aligns cells in columns with two spaces between them, and without spaces at the end of a line.
 * @param isRightAligned reports whether the column with this index is right-aligned
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  isRightAligned: (column: number) => boolean = () => false,
): readonly string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
  const padded = (cell: string, at: number): string => {
    const gap = ' '.repeat((widths[at] ?? 0) - displayWidth(cell));
    return isRightAligned(at) ? gap + cell : cell + gap;
  };
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}
