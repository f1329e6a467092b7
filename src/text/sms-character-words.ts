/** Describes characters in words, for people who can't tell them apart by looking. The caller escapes them for a terminal. */
import { joinAnd } from './words.ts';

const MOST_NAMED = 5;

/** Returns a list: `a`, `a and b`, `a, b, c, d, e and 4 more`. */
export function listed(words: readonly string[]): string {
  if (words.length > MOST_NAMED)
    return `${words.slice(0, MOST_NAMED).join(', ')} and ${words.length - MOST_NAMED} more`;
  return joinAnd(words);
}

/** Returns `’ (U+2019)`, or only the code of an invisible character. */
export const shownCharacter = (character: string): string =>
  isSeen(character) ? `${shortened(character)} (${codesOf(character)})` : codesOf(character);

/** Returns `’`, or the code of an invisible character. */
export const briefCharacter = (character: string): string =>
  isSeen(character) ? shortened(character) : codesOf(character);

/** Maximum code points shown. An emoji has at most a dozen. A letter may have any number of accents. */
const LONGEST = 16;

function shortened(character: string): string {
  const codes = [...character];
  return codes.length > LONGEST ? `${codes.slice(0, LONGEST).join('')}…` : character;
}

export const isSeen = (character: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(character);

/** Returns the codes: `U+0065 U+0301`. */
export function codesOf(text: string): string {
  const codes = Array.from(
    text,
    (each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  return codes.length > LONGEST ? `${codes.slice(0, LONGEST).join(' ')} …` : codes.join(' ');
}

/** Returns `once` or `3 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** Returns the replacement of a character for display. It is in words if the replacement is invisible or looks the same. */
export function shownInstead(character: string, instead: string): string {
  if (instead === '') return 'nothing';
  if (instead === character.normalize('NFC')) return `${instead} as one character (${codesOf(instead)})`;
  if (instead === '\n') return 'a line break';
  return instead === ' ' ? 'a plain blank' : instead;
}
