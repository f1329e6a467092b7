/** Formats text for people: counts, lists and names in sentences, and commands quoted and wrapped for a shell. */

/**
 * Returns a number with its noun: `1 row`, `3 rows`.
 * @param formattedCount the number as it is shown, such as `3,000`
 */
export const formatCountWithNoun = (count: number, noun: string, formattedCount = String(count)): string =>
  `${formattedCount} ${noun}${count === 1 ? '' : 's'}`;

export const groupThousands = (count: number): string => String(count).replace(/\B(?=([0-9]{3})+$)/g, ',');

export const capitalizeFirstLetter = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const joinAnd = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' and ');

export const joinOr = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');

/** Returns `a, b and 3 more` for more than `most` words. */
export const joinFirst = (words: readonly string[], most: number): string =>
  `${words.slice(0, most).join(', ')}${words.length > most ? ` and ${words.length - most} more` : ''}`;

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

/** Returns flags of a command line, each with a space before it: ` --set city=Oslo`. Leaves out those without a value. */
export const formatFlags = (flags: readonly (readonly [name: string, value: unknown])[]): string =>
  flags
    .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${quoteShellWord(String(value))}`]))
    .join('');

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

const MAX_LIST_NAME_LENGTH = 60;

/** Returns why the text cannot name a list, or undefined. A number is no name, because `--list 3` must always be the list with that id. */
export function listNameProblem(name: string): string | undefined {
  if (name.trim() === '') return 'is empty';
  if (name !== name.trim()) return 'begins or ends with a blank';
  if ([...name].length > MAX_LIST_NAME_LENGTH) return `has more than ${MAX_LIST_NAME_LENGTH} characters`;
  if (/^[+-]?[0-9.,]+$/.test(name)) return 'is a number; a number is always the id of a list';
  if (name.startsWith('-') || /\p{Cc}/u.test(name)) return 'has a character that a name cannot have';
  return unstorableTextReason(name);
}

/**
 * Breaks a command into lines that a shell still reads as one command. Each line but the last ends in a backslash, and text in quotes is
 * never broken.
 * @param columns width of the terminal; a longer word exceeds it
 */
export function wrapShellCommand(command: string, columns: number): string {
  if (command.length <= columns) return command;
  const indent = /^ */.exec(command)?.[0] ?? '';
  const [first = '', ...words] = command.match(/(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|[^ "'\\])+|["'\\]/g) ?? [];
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

/**
 * Returns up to three words of `known` that are similar to `word`, the most similar first. A word is similar if it differs in at most two
 * letters (one letter if `word` has fewer than six letters). A word that contains `word` is also similar if `word` has at least three
 * letters.
 */
export function similarWords(word: string, known: readonly string[]): readonly string[] {
  const wanted = word.toLowerCase().slice(0, MAX_WORD_LENGTH);
  if (wanted === '') return [];
  return [...new Set(known)]
    .map((each) => ({ each, away: distanceTo(each.toLowerCase(), wanted) }))
    .filter(({ away }) => away <= Math.min(MAX_DISTANCE, Math.max(1, Math.floor(wanted.length / 3))))
    .sort((a, b) => a.away - b.away)
    .slice(0, 3)
    .map(({ each }) => each);
}

/** Maximum number of letters in which a suggestion may differ from the word. A suggestion that differs in more letters would mislead. */
const MAX_DISTANCE = 2;

/**
 * Maximum number of letters that are compared. No known name is longer, and the time of a comparison grows with the square of the length.
 */
const MAX_WORD_LENGTH = 64;

/**
 * Returns the number of letters in which the words differ. Returns less than 1 if `wanted` has at least three letters and `known` contains
 * `wanted`. `known` then comes before the other suggestions.
 */
function distanceTo(known: string, wanted: string): number {
  if (wanted.length >= 3 && known.includes(wanted)) return known.startsWith(wanted) ? 0.5 : 0.75;
  return changesBetween(known, wanted);
}

/** Returns how many letters are added, missing, replaced, or swapped with their neighbor, from `a` to `b`. */
function changesBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const same = a[row - 1] === b[at - 1];
      const swapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      line.push(
        Math.min(
          (above[at] ?? 0) + 1,
          (line[at - 1] ?? 0) + 1,
          (above[at - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = above;
    above = line;
  }
  return above[b.length] ?? 0;
}
