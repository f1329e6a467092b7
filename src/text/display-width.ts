/** How wide text stands on a terminal. What a terminal would obey is escaped before (`terminal.ts`). */
import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Columns that the text takes on a terminal: East Asian wide characters and emoji two, combining, control and
 * zero-width characters none.
 */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** The text in at most `width` columns, with `…` for what was cut; a grapheme is never split. */
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

/** What stands first in the text and fits `width` columns: whole graphemes, one at least. */
export function pieceOfWidth(text: string, width: number): string {
  let used = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > width && index > 0) return text.slice(0, index);
  }
  return text;
}

const PLAIN = /^[\x20-\x7e]*$/;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
const NO_WIDTH = /^[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]$/u;

let segmenter: Intl.Segmenter | undefined;

/** Made at its first use: that takes 10 ms, and most runs print plain text. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

// Not string-width: it makes its segmenter when it is loaded, and counts the first character of a grapheme alone, where
// terminals give Thai's SARA AM and the second consonant of an Indic cluster columns of their own.
function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!NO_WIDTH.test(character)) width += eastAsianWidth(character.codePointAt(0) ?? 0);
  }
  return width;
}
