import { parseContent } from '../../kit/text/dynamic-content.ts';
import { findLongLines, findUnmappableCharacters, nameCharacter } from '../../kit/text/windows-1252.ts';
import { type FindingDraft, quoted } from './drafts.ts';

export type MessagePart = 'subject' | 'fromname' | 'html' | 'text';

/** Words for the parts of a message, without an article. Sentences of svc use these words after an article, as in `the text part`. */
export const MESSAGE_PART_NAMES: Readonly<Record<MessagePart, string>> = {
  subject: 'subject',
  fromname: "sender's name",
  html: 'HTML',
  text: 'text part',
};

/** The limit matters for a text in another alphabet, because almost all of its characters are outside Windows-1252. */
const MAX_CHARACTERS = 100_000;

/**
 * Returns one finding for each different character that Windows-1252 does not have, at the place where the character first occurs.
 * Interface, emailMessage, "Content rules".
 */
export function windows1252Findings(part: MessagePart, source: string): readonly FindingDraft[] {
  const counts = new Map<string, number>();
  for (const { character } of findUnmappableCharacters(source, MAX_CHARACTERS))
    counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts].map(([character, count]) => ({
    rule: 'not-windows-1252',
    part,
    at: source.indexOf(character),
    message:
      `The ${MESSAGE_PART_NAMES[part]} contains ${nameCharacter(character)}${count > 1 ? ` ${count} times` : ''}, ` +
      'which is not in Windows-1252.',
    instead: insteadOf(character, part, source),
  }));
}

function insteadOf(character: string, part: MessagePart, source: string): string | undefined {
  const composed = composedWith(character, source);
  if (composed !== undefined)
    return `Replace this accent and the letter before it with one character: ${composed}.`;
  if (INVISIBLE.test(character)) return 'Remove this invisible character.';
  const known = LOOK_ALIKES[character] ?? simplified(character);
  const plain = known === undefined ? undefined : `Use ${known === ' ' ? 'a normal space' : known}.`;
  if (part !== 'html' || character === '\ufffd') return plain;
  const reference = `&#${character.codePointAt(0)};`;
  return known === undefined
    ? `Use ${reference}.`
    : `Use ${reference}, or ${known === ' ' ? 'a normal space' : known}.`;
}

/**
 * Looks only at the first place where `mark` occurs in `source`. Returns undefined if `mark` is not an accent, or if Windows-1252 has no
 * such character.
 */
function composedWith(mark: string, source: string): string | undefined {
  if (!/^\p{M}$/u.test(mark)) return undefined;
  const at = source.indexOf(mark);
  const before = [...source.slice(Math.max(0, at - 2), at)].at(-1) ?? '';
  const composed = (before + mark).normalize('NFC');
  return [...composed].length === 1 && fits(composed) ? composed : undefined;
}

function simplified(character: string): string | undefined {
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
  return plain !== '' && plain !== character && fits(plain) ? plain : undefined;
}

const fits = (text: string): boolean => findUnmappableCharacters(text, 1).length === 0;

const INVISIBLE = /^(?:[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\ufe00-\ufe0f])$/;

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '–',
  '\u2015': '—',
  '\u2032': "'",
  '\u2033': '"',
  '\u2190': '<-',
  '\u2192': '->',
  '\u2212': '-',
  '\u2217': '*',
  '\u25cf': '•',
  '\u2605': '*',
};

/** RFC 5321 4.5.3.1.6, as the interface's content rules quote it. */
const MAX_LINE_OCTETS = 1000;

export function longLineFindings(text: string): readonly FindingDraft[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return findLongLines(text, MAX_LINE_OCTETS).map(({ line, octets }) => ({
    rule: 'long-text-line',
    part: 'text',
    at: starts[line - 1] ?? 0,
    message: `This line of the text part is ${octets} bytes long, including its line end. The maximum is ${MAX_LINE_OCTETS}.`,
    instead: 'Break the line.',
  }));
}

/** Interface, "Errors": 400 subcode 11. The syntax is that of src/service/protocol/README.md, "Dynamic content". */
export function dynamicContentFindings(part: MessagePart, source: string): readonly FindingDraft[] {
  const parsed = parseContent(source);
  if (parsed.ok) return [];
  const { problem, line, column } = parsed;
  const start = source.split('\n', line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  return [
    {
      rule: 'dynamic-content',
      part,
      at: start + column - 1,
      message: `The ${MESSAGE_PART_NAMES[part]} has a syntax error in its dynamic content: ${problem}.`,
    },
  ];
}

/** Patterns of placeholders of other programs, and of notes that people leave in drafts. The service itself uses none of these patterns. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\*\|[A-Z][A-Z0-9_:]{0,40}\|\*/gi,
  /%%[a-z][\w .-]{0,40}%%/gi,
  /<%[=-]?[^%<>]{0,80}%>/g,
  /\$\{[\w .-]{1,60}\}/g,
  /\[\[[\w .-]{1,60}\]\]/g,
  /\[(?:insert|enter|add|your)\s[^[\]]{1,60}\]/gi,
  /\[(?:(?:first|last|full|company|customer)[\s_-]?name|name|surname|date|time|price|amount|link|url|address|city|phone|e-?mail|code|placeholder|tb[cd]|x{2,})\]/gi,
  /\blorem\s+ipsum\b|\bdolor\s+sit\s+amet\b/gi,
  // These match only in capitals, and TODO only with its colon: without it, it is Spanish for "all".
  /\bTODO:|\b(?:FIXME|TBD|TBC)\b/g,
];

export const placeholderFindings = (part: MessagePart, source: string): readonly FindingDraft[] =>
  placeholdersIn(part, source).map(({ draft, index }) => ({ ...draft, at: index }));

/**
 * @param source the whole HTML of the message
 * @param text one text of the HTML as a reader sees the text, with entities decoded
 * @param at offset in `source` at which this text begins
 */
export function findVisiblePlaceholders(source: string, text: string, at: number): readonly FindingDraft[] {
  let from = at;
  return placeholdersIn('html', text).map(({ draft, found }) => {
    const index = source.indexOf(found, from);
    // A placeholder written with entities is not found in the source, so the finding points at the start of this text.
    if (index === -1 || index > at + 10 * text.length) return { ...draft, at };
    from = index + found.length;
    return { ...draft, at: index };
  });
}

function placeholdersIn(part: MessagePart, text: string) {
  const matches = PLACEHOLDERS.flatMap((pattern) => [...text.matchAll(pattern)]);
  return matches
    .sort((a, b) => a.index - b.index)
    .map(({ 0: found, index }) => {
      const message = `The ${MESSAGE_PART_NAMES[part]} contains the placeholder ${quoted(found)}.`;
      return { draft: { rule: 'unfilled-placeholder' as const, part, message }, found, index };
    });
}

/**
 * Matches UTF-8 text that was read as Windows-1252. A letter such as é has two octets: the first is read as a letter (Ã), the second as a
 * sign (©). A typographic apostrophe becomes three characters. Such sequences occur in no word.
 */
const MISREAD =
  /[\u00c2\u00c3][\u00a0-\u00ba\u00bc-\u00bf\u20ac\u201a\u0192\u201e\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]|\u00e2\u20ac[\u00a0-\u00bf\u2122\u0153\u02dc\u201c\u201d\u0161\u017e\u009d]/g;

export function wrongEncodingFindings(part: MessagePart, source: string): readonly FindingDraft[] {
  const found = [...source.matchAll(MISREAD)];
  const [first] = found;
  if (first === undefined) return [];
  return [
    {
      rule: 'wrong-encoding',
      part,
      at: first.index,
      message: `The ${MESSAGE_PART_NAMES[part]} contains ${quoted(first[0])}${found.length > 1 ? ` and ${found.length - 1} more like it` : ''}: UTF-8 text that was decoded with another character set.`,
      instead: 'Save the file as UTF-8, and convert the text to UTF-8 only once.',
    },
  ];
}
