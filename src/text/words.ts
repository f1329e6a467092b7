/** Formats text for people: counts, lists and names in sentences, and commands quoted and wrapped for a shell. */

/** Returns a number with its noun: `1 row`, `3 rows`. @param formattedCount the number as it is shown, such as `3,000` */
export const formatCountWithNoun = (count: number, noun: string, formattedCount = String(count)): string =>
  `${formattedCount} ${noun}${count === 1 ? '' : 's'}`;

/** Returns the number with separators between thousands: `12,345`. */
export const groupThousands = (count: number): string => String(count).replace(/\B(?=([0-9]{3})+$)/g, ',');

/** Returns the text with a capital letter at its beginning. */
export const capitalizeFirstLetter = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a list for a sentence: `a`, `a and b`, `a, b and c`. */
export const joinAnd = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');

/** Returns a choice: `a`, `a or b`, `a, b or c`. */
export const joinOr = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');

/** Returns the text cut to at most `maxCharacters` characters, with `…` instead of the rest. Use it for names from outside svc. */
export function truncateText(text: string, maxCharacters: number): string {
  // A character takes at most two code units, so it is enough to split the beginning of the text.
  if (text.length <= maxCharacters) return text;
  const characters = Array.from(text.slice(0, 2 * maxCharacters + 2));
  return characters.length <= maxCharacters && text.length <= 2 * maxCharacters
    ? text
    : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

/** Returns one word of a command line, quoted for a shell: `'it'\''s'`. A text without special characters stays unchanged. */
export function quoteShellWord(text: string): string {
  return /^[\w@.,:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns the reason why a service could not store the text unchanged, or undefined if every service could (wire, "Requests", text).
 * Databases and programs end a text at U+0000, and half of a surrogate pair becomes U+FFFD in UTF-8.
 */
export function unstorableTextReason(text: string): string | undefined {
  if (text.includes('\u0000')) return 'holds U+0000, at which many programs end a text';
  const [half] = /\p{Surrogate}/u.exec(text) ?? [];
  if (half === undefined) return undefined;
  return `holds half of a surrogate pair (U+${half.charCodeAt(0).toString(16).toUpperCase()}), which is not a character`;
}

/**
 * Breaks a command into lines that a shell still reads as one command. Each line but the last ends in a backslash, and text in quotes is
 * never broken.
 * @param columns width of the terminal; a longer word exceeds it
 */
export function wrapShellCommand(command: string, columns: number): string {
  if (command.length <= columns) return command;
  const indent = /^ */.exec(command)?.[0] ?? '';
  const [first = '', ...words] = command.match(/(?:"[^"]*"|'[^']*'|[^ "'])+|["']/g) ?? [];
  const lines: string[] = [];
  let line = `${indent}${first}`;
  for (const [index, word] of words.entries()) {
    const room = columns - (index === words.length - 1 ? 0 : BACKSLASH.length);
    if (line.length + 1 + word.length <= room) line += ` ${word}`;
    else {
      lines.push(`${line}${BACKSLASH}`);
      line = `${indent}  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

const BACKSLASH = ' \\';
