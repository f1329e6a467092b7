/** A character that Windows-1252 does not have, and its position. Lines and columns count from 1, and each code point is one column. */
type UnmappableCharacter = {
  readonly character: string;
  readonly line: number;
  readonly column: number;
};

/** A line that is too long: its number from 1, and its length in octets with its line break. */
type LongLine = { readonly line: number; readonly octets: number };

/**
 * Encodes the text in Windows-1252 by Microsoft's table. The table leaves the octets 81, 8D, 8F, 90 and 9D open, so no character maps to
 * them. Interface, emailMessage, 'Content rules'.
 * @throws RangeError if Windows-1252 does not have a character; the message names the first such character and its position
 */
export function encodeWindows1252(text: string): Uint8Array {
  const bytes = new Uint8Array(countOctetsInWindows1252(text));
  let length = 0;
  for (const character of text) {
    const byte = byteOf(character);
    if (byte === undefined) throw new RangeError(describeFirst(text));
    bytes[length] = byte;
    length += 1;
  }
  return bytes;
}

/**
 * Returns the length of the text in Windows-1252, in octets. A character that Windows-1252 does not have counts as one octet. Line breaks
 * are not converted.
 */
export function countOctetsInWindows1252(text: string): number {
  let octets = 0;
  for (const _ of text) octets += 1;
  return octets;
}

/**
 * Returns the first `limit` characters that Windows-1252 does not have, each with its line and column. A line ends at LF. A CR without LF
 * does not end a line.
 */
export function findUnmappableCharacters(text: string, limit = 20): UnmappableCharacter[] {
  const found: UnmappableCharacter[] = [];
  let line = 1;
  let column = 0;
  for (const character of text) {
    if (found.length >= limit) break;
    column += 1;
    if (byteOf(character) === undefined) found.push({ character, line, column });
    if (character === '\n') {
      line += 1;
      column = 0;
    }
  }
  return found;
}

/**
 * Returns the lines that are longer than `max` octets in Windows-1252. The length includes the CR LF with which every line is sent, even if
 * the line ends in a lone LF or without a line end. A lone CR counts as one octet and ends no line (RFC 5321 section 2.3.8). Interface,
 * Limits, 'Email text line'; wire.md, 'text lines'.
 */
export function findLongLines(text: string, max = 1000): LongLine[] {
  const found: LongLine[] = [];
  let line = 1;
  let octets = 0;
  let previous = '';
  for (const character of text) {
    octets += 1;
    if (character === '\n') {
      if (previous !== '\r') octets += 1;
      if (octets > max) found.push({ line, octets });
      line += 1;
      octets = 0;
    }
    previous = character;
  }
  if (octets > 0 && octets + LINE_END > max) found.push({ line, octets: octets + LINE_END });
  return found;
}

const LINE_END = 2;

/** Characters of the octets 80 to 9F, with U+0000 for those that Microsoft's table leaves open. Other octets are their own code points. */
const CHARACTERS_80_TO_9F =
  '\u20AC\0\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\0\u017D\0' +
  '\0\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\0\u017E\u0178';
export const WINDOWS_1252_CHARACTERS_80_TO_9F = CHARACTERS_80_TO_9F.replaceAll('\0', '');
const BYTES = new Map([...CHARACTERS_80_TO_9F].map((character, index) => [character, 0x80 + index]));

function byteOf(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return code;
  return BYTES.get(character);
}

function describeFirst(text: string): string {
  const [first] = findUnmappableCharacters(text, 1);
  if (first === undefined) return 'not in Windows-1252';
  const code = (first.character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} at line ${first.line}, column ${first.column} is not in Windows-1252`;
}

export const nameCharacter = (character: string): string =>
  `${character} (U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')})`;
