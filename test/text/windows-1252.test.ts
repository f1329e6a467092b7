import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countOctetsInWindows1252,
  encodeWindows1252,
  findLongLines,
  findUnmappableCharacters,
} from '../../src/kit/text/windows-1252.ts';
import { anyText } from '../support/any-text.ts';

const everyOctet = Uint8Array.from({ length: 256 }, (_, octet) => octet);

// https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT, octets 80 to 9F; `----` is undefined there. Not TextDecoder,
// which decodes Latin-1 in Node 20, and maps the undefined octets to control characters.
const HIGH =
  '20ac ---- 201a 0192 201e 2026 2020 2021 02c6 2030 0160 2039 0152 ---- 017d ---- ' +
  '---- 2018 2019 201c 201d 2022 2013 2014 02dc 2122 0161 203a 0153 ---- 017e 0178';
const CHARACTERS = new Map(
  [...everyOctet].map((octet) => {
    const high = HIGH.split(' ')[octet - 0x80];
    return [
      octet,
      high === '----' ? undefined : String.fromCodePoint(high ? Number.parseInt(high, 16) : octet),
    ];
  }),
);
const OCTETS = [...CHARACTERS].filter(([, character]) => character !== undefined).map(([octet]) => octet);
const EVERY_CHARACTER = OCTETS.map((octet) => CHARACTERS.get(octet)).join('');

/** Decodes with a table that was written for the test. */
const decoded = (octets: Uint8Array): string =>
  Array.from(octets, (octet) => CHARACTERS.get(octet) ?? '').join('');

// Interface, emailMessage, 'Content rules': converted to Windows-1252, an invalid conversion results in
// an error.
describe('the conversion', () => {
  it('maps every character of Microsoft’s table to its octet, and no other', () => {
    expect(OCTETS).toHaveLength(251);
    expect([...encodeWindows1252(EVERY_CHARACTER)]).toEqual(OCTETS);
    const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
    expect(all.filter((character) => findUnmappableCharacters(character).length === 0).sort()).toEqual(
      [...EVERY_CHARACTER].sort(),
    );
  });

  it.each([
    ['€', [0x80]],
    ['Ÿ', [0x9f]],
    ['“ä”', [0x93, 0xe4, 0x94]],
    ['\u00a0ÿ', [0xa0, 0xff]],
    ['', []],
  ])('encodes %j', (text, octets) => {
    expect([...encodeWindows1252(text)]).toEqual(octets);
  });

  it.each([
    ...['\u0081', '\u008d', '\u008f', '\u0090', '\u009d'].map((character) => [
      character,
      `U+00${character.charCodeAt(0).toString(16).toUpperCase()} at line 1, column 1 is not in Windows-1252`,
    ]),
    ['\u0080', 'U+0080 at line 1, column 1 is not in Windows-1252'],
    ['a\r\nb😀', 'U+1F600 at line 2, column 2 is not in Windows-1252'],
    ['ж?', 'U+0436 at line 1, column 1 is not in Windows-1252'],
    ['\ud800', 'U+D800 at line 1, column 1 is not in Windows-1252'],
  ])('rejects %j', (text, message) => {
    expect(() => encodeWindows1252(text)).toThrow(new RangeError(message));
  });

  it('round-trips or names the lost characters, and never writes a silent question mark', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 50 }), (text) => {
        const lost = findUnmappableCharacters(text);
        if (lost.length > 0) expect(() => encodeWindows1252(text)).toThrow(RangeError);
        else expect(decoded(encodeWindows1252(text))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it('round-trips octets', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...OCTETS), { maxLength: 200 }), (array) => {
        const octets = Uint8Array.from(array);
        const text = decoded(octets);
        expect(countOctetsInWindows1252(text)).toBe(octets.length);
        expect(encodeWindows1252(text)).toEqual(octets);
      }),
    );
  });
});

describe('octetsInWindows1252', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['€“ä', 3],
    ['😀', 1],
    ['a\r\nb', 4],
    ['a\nb', 3],
  ])('%j: %i', (text, octets) => {
    expect(countOctetsInWindows1252(text)).toBe(octets);
  });
});

// wire, "Responses": 400 naming the characters and where they are.
describe('findUnmappableCharacters', () => {
  it('counts lines and columns from 1, a column for each code point', () => {
    expect(findUnmappableCharacters('😀ж\r\nab\u0416\n\nЖ')).toEqual([
      { character: '😀', line: 1, column: 1 },
      { character: 'ж', line: 1, column: 2 },
      { character: 'Ж', line: 2, column: 3 },
      { character: 'Ж', line: 4, column: 1 },
    ]);
  });

  it('begins no line at a lone CR', () => {
    expect(findUnmappableCharacters('a\rж')).toEqual([{ character: 'ж', line: 1, column: 3 }]);
  });

  it('stops at the limit', () => {
    expect(findUnmappableCharacters('ж'.repeat(100_000))).toHaveLength(20);
    expect(findUnmappableCharacters('жжж', 2)).toHaveLength(2);
    expect(findUnmappableCharacters('жжж', 0)).toEqual([]);
  });

  it('finds nothing in mappable text', () => {
    expect(findUnmappableCharacters('Grüße – 5 €\r\n')).toEqual([]);
  });
});

// wire.md, 'text lines': octets after conversion, CR LF counted; a lone LF counts as CR LF.
describe('findLongLines', () => {
  const a = (count: number): string => 'a'.repeat(count);
  it.each([
    ['nothing', '', []],
    ['998 and CR LF', `${a(998)}\r\n`, []],
    ['999 and CR LF', `${a(999)}\r\n`, [{ line: 1, octets: 1001 }]],
    ['998 and LF', `${a(998)}\n`, []],
    ['999 and LF', `${a(999)}\n`, [{ line: 1, octets: 1001 }]],
    // Wire, "text lines": the last line counts as if it had a CR LF.
    ['a last line of 998', a(998), []],
    ['a last line of 999', a(999), [{ line: 1, octets: 1001 }]],
    ['a lone CR in the middle', `${a(500)}\r${a(497)}\r\n`, []],
    ['a lone CR, one octet more', `${a(500)}\r${a(498)}\r\n`, [{ line: 1, octets: 1001 }]],
    ['CR CR LF', `${a(998)}\r\r\n`, [{ line: 1, octets: 1001 }]],
    ['two octets in UTF-8, one here', `${'ä'.repeat(998)}\n`, []],
    ['an emoji is one', `${'😀'.repeat(999)}\n`, [{ line: 1, octets: 1001 }]],
    [
      'several',
      `x\n${a(1200)}\r\n\n${a(999)}\n${a(2000)}`,
      [
        { line: 2, octets: 1202 },
        { line: 4, octets: 1001 },
        { line: 5, octets: 2002 },
      ],
    ],
  ])('%s', (_name, text, expected) => {
    expect(findLongLines(text)).toEqual(expected);
  });

  it('accepts another limit', () => {
    expect(findLongLines('abc\n', 4)).toEqual([{ line: 1, octets: 5 }]);
  });
});
