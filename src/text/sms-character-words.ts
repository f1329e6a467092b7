/** Characters in words, for who can't tell them apart by looking. What a terminal would obey is escaped by who prints. */

const MOST_NAMED = 5;

/** `a`, `a and b`, `a, b, c, d, e and 4 more` */
export function listed(words: readonly string[]): string {
  if (words.length > MOST_NAMED)
    return `${words.slice(0, MOST_NAMED).join(', ')} and ${words.length - MOST_NAMED} more`;
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');
}

/** `’ (U+2019)`; what can't be seen by its number alone. */
export function shownCharacter(character: string): string {
  const isSeen = /[\p{L}\p{N}\p{P}\p{S}]/u.test(character);
  return isSeen ? `${character} (${codesOf(character)})` : codesOf(character);
}

/** `U+0065 U+0301` */
export function codesOf(text: string): string {
  const codes = Array.from(text, (each) =>
    (each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0'),
  );
  return codes.map((code) => `U+${code}`).join(' ');
}

/** `once`, `3 times` */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** What to write in place of one: itself, or in words where it can't be seen. */
export function shownInstead(instead: string | null): string {
  if (instead === '') return 'nothing';
  return instead?.trim() === '' ? 'a plain blank' : String(instead);
}
