/**
 * Makes text of others safe to print: whatever a terminal would obey, or would show in another order than it
 * is stored, or not at all, is shown as what it is. ESC becomes `␛`; other C0 and C1 characters, DEL, bidi controls, line
 * and paragraph separators, invisible characters and lone surrogates become `\x07` or `\u{202e}`. Not reversible: a backslash stays
 * one. Contract, Output.
 * @param options with `newlines` LF and TAB pass (CR does not: it would overwrite the line)
 */
export function escapeForTerminal(text: string, options: { readonly newlines?: boolean } = {}): string {
  return text.replace(UNSAFE, (character) => {
    if (options.newlines === true && (character === '\n' || character === '\t')) return character;
    if (character === '\x1b') return '␛';
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
  });
}

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

// What is invisible too (soft hyphen, zero-width spaces, tags): two names that look the same and are not must not pass
// for one another, and nothing may be hidden in one. U+200C and U+200D stay, which scripts and emoji are written with.
const INVISIBLE =
  '\\xad\\u180e\\u200b\\u2060-\\u2065\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const REORDERING = '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
/** Everything that is escaped but C0 and lone surrogates, as the inside of a character class with the flag `u`. */
export const UNSAFE_CLASS = `\\x7f-\\x9f${REORDERING}${INVISIBLE}`;
const UNSAFE = new RegExp(`[\\0-\\x1f${UNSAFE_CLASS}\\p{Cs}]`, 'gu');
const PLAIN = /^[\x20-\x7e]*$/;
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
const NO_WIDTH = /^[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff]$/u;

// Unicode, EastAsianWidth.txt, W and F; the wide emoji are left to EMOJI.
const WIDE = new RegExp(
  `^[${[
    '\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\u4dbf\\u4e00-\\ua4cf\\ua960-\\ua97c',
    '\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6b\\uff01-\\uff60\\uffe0-\\uffe6',
    '\\u{16fe0}-\\u{18cff}\\u{1aff0}-\\u{1b2fb}\\u{1f200}-\\u{1f265}\\u{20000}-\\u{3fffd}',
  ].join('')}]$`,
  'u',
);

let segmenter: Intl.Segmenter | undefined;

/** Made at its first use: that takes 10 ms, and most runs print plain text. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function graphemeWidth(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!NO_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
