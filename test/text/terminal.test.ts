import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeForTerminal } from '../../src/kit/text/terminal.ts';
import { anyText } from '../support/any-text.ts';
import { depth, SEED, tried } from '../support/depth.ts';

/**
 * Acceptance, L9. Returns whether a code point must never reach a terminal. The ranges are copied from Unicode's tables (Cf,
 * Default_Ignorable_Code_Point), and not taken from the properties that the source uses.
 */
const isForbidden = (code: number): boolean =>
  FORBIDDEN.some(([first, last = first]) => code >= first && code <= last);

const FORBIDDEN: readonly (readonly [number, number?])[] = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0xad],
  [0x34f],
  [0x61c],
  // The blank letters of Hangul: initial filler, medial filler, filler, half-width filler.
  [0x115f, 0x1160],
  [0x3164],
  [0xffa0],
  // Inherent vowels of Khmer.
  [0x17b4, 0x17b5],
  [0x180e],
  [0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800],
  [0xd800, 0xdfff],
  [0xfeff],
  [0xfff0, 0xfffc],
  // Egyptian and Duployan format controls, the filler of Khitan, the beams of music.
  [0x13430, 0x1343f],
  [0x16fe4],
  [0x1bca0, 0x1bca3],
  [0x1d159],
  [0x1d173, 0x1d17a],
  // Tags encode an invisible text. Variation selectors are in the middle of their range.
  [0xe0000, 0xe00ff],
  [0xe01f0, 0xe0fff],
];

// Contract, Output: text that came from the service never reaches the terminal as control sequences.
describe('escapeForTerminal', () => {
  it.each([
    ['\x1b[31mred\x1b[0m', '␛[31mred␛[0m'],
    ['\x1b]0;title\x07', '␛]0;title\\x07'],
    ['\x9b31m', '\\x9b31m'],
    ['a\rb\bc\0d\x7f', 'a\\x0db\\x08c\\x00d\\x7f'],
    ['a\nb\tc', 'a\\x0ab\\x09c'],
    ['\u202egpj.exe\u202c', '\\u{202e}gpj.exe\\u{202c}'],
    ['\u2066\u2069\u200e\u200f\u061c', '\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}'],
    ['a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
    ['\ud83d x \ude00', '\\u{d83d} x \\u{de00}'],
    ['😀 ä € 漢 👩‍👩‍👧 שלום', '😀 ä € 漢 👩‍👩‍👧 שלום'],
    ['\u00a0\u200d', '\u00a0\u200d'],
    ['a\u200bb\u2060\ufeff', 'a\\u{200b}b\\u{2060}\\u{feff}'],
    ['so\xadft\u180e', 'so\\xadft\\u{180e}'],
    ['Sale\u{e0041}\u{e0042}\u{e007f}', 'Sale\\u{e0041}\\u{e0042}\\u{e007f}'],
    ['a\u2061b\ufff9c', 'a\\u{2061}b\\u{fff9}c'],
    ['A\u3164B\uffa0C\u115fD\u1160', 'A\\u{3164}B\\u{ffa0}C\\u{115f}D\\u{1160}'],
    ['a\u034fb\u2800\ufffc', 'a\\u{34f}b\\u{2800}\\u{fffc}'],
    ['❤\ufe0f \u0600١٢ \u06dd١', '❤\ufe0f \u0600١٢ \u06dd١'],
    ['葛\u{e0100} \u200c', '葛\u{e0100} \u200c'],
    ['back\\slash', 'back\\slash'],
    ['', ''],
  ])('%j', (text, shown) => {
    expect(escapeForTerminal(text)).toBe(shown);
  });

  it('keeps LF and TAB if lines are allowed, but not CR', () => {
    expect(escapeForTerminal('a\r\n\tb\x1b\v', { newlines: true })).toBe('a\\x0d\n\tb␛\\x0b');
    expect(escapeForTerminal('a\nb', { newlines: false })).toBe('a\\x0ab');
  });

  const TEXTS = depth('SVC_TERMINAL_TEXTS', { few: 500, full: 10_000 });
  it(`leaves no forbidden code point in ${TEXTS} strings (SVC_SEED=${SEED})`, () => {
    const dangerous = fc.constantFrom(
      '\x1b',
      '\x1b[2J',
      '\x9b',
      '\x90',
      '\r',
      '\b',
      '\u202e',
      '\u2066',
      '\u{e0041}',
      '\xad',
      '\ud800',
      '\udc00',
    );
    const piece = fc.oneof(
      dangerous,
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      anyText({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, newlines) => {
        const shown = escapeForTerminal(pieces.join(''), { newlines });
        const left = [...shown].filter((character) => isForbidden(character.codePointAt(0) ?? 0));
        expect(left.filter((character) => !newlines || !'\n\t'.includes(character))).toEqual([]);
        expect(escapeForTerminal(shown, { newlines })).toBe(shown);
      }),
      { numRuns: TEXTS, seed: SEED },
    );
    tried('F5', TEXTS);
  });

  const BLOCK = 0x100;
  it('escapes each forbidden code point and no other of all 1,114,112', () => {
    const forbidden = new Uint8Array(0x110000);
    for (const [first, last = first] of FORBIDDEN) forbidden.fill(1, first, last + 1);
    const wrong: number[] = [];
    for (let first = 0; first < 0x110000; first += BLOCK) {
      const block = Array.from({ length: BLOCK }, (_, at) => String.fromCodePoint(first + at));
      const escaped = block.map((character, at) =>
        forbidden[first + at] === 1 ? escapeForTerminal(character) : character,
      );
      for (let at = 0; at < BLOCK; at += 1)
        if (forbidden[first + at] === 1 && escaped[at] === block[at]) wrong.push(first + at);
      // One call for the block is much faster than one for each of its characters.
      if (escapeForTerminal(block.join(' ')) !== escaped.join(' ')) wrong.push(first);
    }
    expect(wrong).toEqual([]);
  });

  it('escapes every code point that Unicode calls ignorable, except joiners and variation selectors', () => {
    const passed: string[] = [];
    for (let code = 0; code < 0x110000; code += 1) {
      const character = String.fromCodePoint(code);
      if (/\p{Default_Ignorable_Code_Point}/u.test(character) && escapeForTerminal(character) === character)
        passed.push(character);
    }
    const kept = (character: string) => /[\u200c\u200d]|\p{Variation_Selector}/u.test(character);
    expect(passed.filter((character) => !kept(character))).toEqual([]);
    expect(passed).toHaveLength(2 + 4 + 16 + 240);
  });
});
