import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeForTerminal } from '../../src/text/terminal.ts';
import { depth } from '../support/depth.ts';

/** Attack L9: written out, not taken from the source: what must never reach a terminal. */
function isForbidden(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  if ([0xad, 0x180e, 0x200b, 0xfeff].includes(code) || (code >= 0xfff9 && code <= 0xfffb)) return true;
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f)) return true;
  // Tags spell a text that nobody sees.
  if (code >= 0xe0000 && code <= 0xe007f) return true;
  return [0x061c, 0x200e, 0x200f, 0x2028, 0x2029].includes(code) || (code >= 0xd800 && code <= 0xdfff);
}

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
    ['葛\u{e0100} \u200c', '葛\u{e0100} \u200c'],
    ['back\\slash', 'back\\slash'],
    ['', ''],
  ])('%j', (text, shown) => {
    expect(escapeForTerminal(text)).toBe(shown);
  });

  it('lets LF and TAB pass where lines are wanted, CR not', () => {
    expect(escapeForTerminal('a\r\n\tb\x1b\v', { newlines: true })).toBe('a\\x0d\n\tb␛\\x0b');
    expect(escapeForTerminal('a\nb', { newlines: false })).toBe('a\\x0ab');
  });

  it('leaves no forbidden code point in 10,000 strings', () => {
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
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, newlines) => {
        const shown = escapeForTerminal(pieces.join(''), { newlines });
        const left = [...shown].filter((character) => isForbidden(character.codePointAt(0) ?? 0));
        expect(left.filter((character) => !newlines || !'\n\t'.includes(character))).toEqual([]);
        expect(escapeForTerminal(shown, { newlines })).toBe(shown);
      }),
      { numRuns: depth('SVC_TERMINAL_TEXTS', { few: 500, full: 10_000 }) },
    );
  });

  it('escapes each forbidden code point and no other of the first plane', () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => code);
    const changed = all.filter(
      (code) => escapeForTerminal(String.fromCharCode(code)) !== String.fromCharCode(code),
    );
    expect(changed).toEqual(all.filter(isForbidden));
  });
});
