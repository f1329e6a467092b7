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

// What is invisible too (soft hyphen, zero-width spaces, tags): two names that look the same and are not must not pass
// for one another, and nothing may be hidden in one. U+200C and U+200D stay, which scripts and emoji are written with.
const INVISIBLE =
  '\\xad\\u180e\\u200b\\u2060-\\u2065\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}';
const REORDERING = '\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
/** Everything that is escaped but C0 and lone surrogates, as the inside of a character class with the flag `u`. */
export const UNSAFE_CLASS = `\\x7f-\\x9f${REORDERING}${INVISIBLE}`;
const UNSAFE = new RegExp(`[\\0-\\x1f${UNSAFE_CLASS}\\p{Cs}]`, 'gu');
