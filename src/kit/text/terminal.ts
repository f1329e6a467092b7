/**
 * Makes text from outside svc safe to print. Escapes every character that a terminal would obey, would show in another order than it is
 * stored, or would not show at all. ESC becomes `␛`; the others become `\x07` or `\u{202e}`. The original text cannot be restored from the
 * result, because a backslash is not escaped. Contract, Output.
 * @param options `newlines`: true to keep LF and TAB; CR is still escaped, because it would overwrite the line
 */
export function escapeForTerminal(text: string, options: { readonly newlines?: boolean } = {}): string {
  return replaceUnsafe(text, (character) => {
    if (options.newlines === true && (character === '\n' || character === '\t')) return character;
    if (character === '\x1b') return '␛';
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length <= 2 ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`;
  });
}

/**
 * Removes unsafe characters, which are those that `escapeForTerminal` escapes. Use it for a text that a program processes before a person
 * sees it. LF and TAB stay.
 */
export const removeUnsafeCharacters = (text: string): string =>
  replaceUnsafe(text, (character) => (character === '\n' || character === '\t' ? character : ''));

// Two names that look the same must be distinguishable, and a name must not hide text. So every character that Unicode calls ignorable or a
// format control is escaped. Joiners and variation selectors stay, because scripts and emoji need them. The signs of category Cf that are
// drawn above a number stay too.
const IGNORABLE = '[\\p{Default_Ignorable_Code_Point}--[\\u200c\\u200d\\p{Variation_Selector}]]';
const FORMAT =
  '[\\p{Cf}--[\\u200c\\u200d\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}]]';
// Characters that fonts draw as nothing, although they are not spaces: braille blank, object replacement, null notehead, and the filler of
// Khitan. The blank letters of Hangul are ignorable.
const BLANK = '\\u2800\\ufffc\\u{1d159}\\u{16fe4}';
const SEPARATORS = '\\u2028\\u2029';
/**
 * Text to put between `[` and `]` in a regular expression with the flag `v`. Matches the characters that `escapeForTerminal` escapes,
 * except control characters below U+0020 and lone surrogates.
 */
export const UNSAFE_CHARACTER_CLASS = `\\x7f-\\x9f${SEPARATORS}${IGNORABLE}${FORMAT}${BLANK}`;

const PLAIN = /^[\x20-\x7e]*$/;

let unsafe: RegExp | undefined;

/**
 * Replaces each unsafe character with the result of `escapeOne`. Creates the pattern at its first use, because that takes half a
 * millisecond and help does not need the pattern.
 */
function replaceUnsafe(text: string, escapeOne: (character: string) => string): string {
  if (PLAIN.test(text)) return text;
  unsafe ??= new RegExp(`[\\0-\\x1f${UNSAFE_CHARACTER_CLASS}\\p{Cs}]`, 'gv');
  return text.replace(unsafe, escapeOne);
}

/** Reports whether svc runs in a pipeline (the variable `CI`), where no person uses the terminal, even if there is one. */
export const isInCi = (env: Readonly<Record<string, string | undefined>>): boolean =>
  !['', '0', 'false'].includes((env['CI'] ?? '').trim().toLowerCase());
