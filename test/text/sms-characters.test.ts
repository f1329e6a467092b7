/**
 * Contract, "Insight": `costly` lists characters that force UCS-2 and, in GSM, those that count twice. `instead` is null if no
 * replacement is suitable.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasOnlyGsmCharacters, measureSms } from '../../src/kit/text/gsm.ts';
import {
  cheaperText,
  costlyCharacters,
  costlyPlaces,
  formatCharacterWithCode,
  replaceCostlyCharacters,
} from '../../src/kit/text/sms-characters.ts';

const insteadOf = (character: string) => costlyCharacters(character).map(({ instead }) => instead);

describe('costlyCharacters', () => {
  it('counts each once in the order in which they appear', () => {
    expect(costlyCharacters('It’s “on” – it’s 😀')).toEqual([
      { character: '’', count: 2, instead: "'" },
      { character: '“', count: 1, instead: '"' },
      { character: '”', count: 1, instead: '"' },
      { character: '–', count: 1, instead: '-' },
      { character: '😀', count: 1, instead: null },
    ]);
  });

  it('in the GSM alphabet lists characters that count twice', () => {
    expect(costlyCharacters('5 € [or] €')).toEqual([
      { character: '€', count: 2, instead: null },
      { character: '[', count: 1, instead: '(' },
      { character: ']', count: 1, instead: ')' },
    ]);
    expect(costlyCharacters("It's on\r\n@ 5 £")).toEqual([]);
    // Beside a character of UCS-2 these count once.
    expect(costlyCharacters('5 € ж')).toEqual([{ character: 'ж', count: 1, instead: null }]);
  });

  it.each([
    ['quotes', '‘’‚“”„«»', [...`'''"""""`]],
    ['dashes', '‐‑‒–—−', [...'------']],
    ['an ellipsis', '…', ['...']],
    ['blanks', '\u00a0\u202f\u2009\t', [' ', ' ', ' ', ' ']],
    ['invisible characters', '\u200b\ufeff\u00ad\u2060', ['', '', '', '']],
    ['signs', '©®™•→', ['(c)', '(R)', 'TM', '*', '->']],
    ['full width', 'Ａ！', ['A', '!']],
    ['ligatures', 'œŒﬁ', ['oe', 'OE', 'fi']],
    ['the other case', 'çÀẞ', ['Ç', 'à', 'ß']],
    ['Greek', 'καλά', ['K', 'A', 'Λ', 'A']],
    ['signs that NFC makes letters of the alphabet', '\u212b\u2126\u212a', ['Å', 'Ω', 'K']],
  ])('%s', (_, text, instead) => {
    expect(insteadOf(text)).toEqual(instead);
  });

  it.each([
    // Replacements would change the meaning.
    ...['ı', 'û', 'ê', 'ã', 'ő', 'ł', 'š', 'ж', '漢', '½', 'µ', '°'],
    ...['😀', '❤️', '👨‍👩‍👧', '🇬🇧', '1️⃣'],
  ])('%s has no replacement with the same meaning', (character) => {
    expect(costlyCharacters(character)).toEqual([{ character, count: 1, instead: null }]);
  });

  it.each([
    ['e\u0301', 'é'],
    ['n\u0303', 'ñ'],
    ['A\u030a', 'Å'],
    // The composed form is still outside the alphabet, but shorter.
    ['и\u0306', 'й'],
    ['u\u0302', 'û'],
    // If another letter means the same, that letter is used.
    ['c\u0327', 'Ç'],
  ])('composes first: %s', (character, instead) => {
    expect(costlyCharacters(character)).toEqual([{ character, count: 1, instead }]);
    expect(character).not.toBe(instead);
  });
});

describe('replacements', () => {
  const outside = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => !hasOnlyGsmCharacters(character) && !/\p{Surrogate}/u.test(character),
  );

  it('are in the GSM alphabet, unless they only become shorter', () => {
    // No character joins one of another line.
    const served = costlyCharacters(outside.join('\n'));
    expect(served).toHaveLength(outside.length);
    const replaced = served.filter(({ instead }) => instead !== null);
    expect(replaced.length).toBeGreaterThan(200);
    const wrong = replaced.filter(
      ({ character, instead }) =>
        instead === character ||
        (!hasOnlyGsmCharacters(String(instead)) && String(instead).length >= character.length),
    );
    expect(wrong).toEqual([]);
  });

  it('remove every character that they replace, and do not change the text between', () => {
    const unit = fc.constantFrom(
      'a',
      ' ',
      '’',
      '–',
      '😀',
      'e\u0301',
      'ç',
      '\r\n',
      '€',
      '[',
      'и\u0306',
      '\u200d',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 200 }), (units) => {
        const text = units.join('');
        const places = [...costlyPlaces(text)];
        for (const { character, at } of places) expect(text.startsWith(character, at)).toBe(true);
        expect(replaceCostlyCharacters(text, ({ character }) => character)).toBe(text);
        const kept = replaceCostlyCharacters(text, () => '');
        expect(measureSms(kept).alphabet).toBe('GSM');
        const counted = costlyCharacters(text).reduce((sum, { count }) => sum + count, 0);
        expect(counted).toBe(places.length);
      }),
    );
  });
});

it('decomposes like the whole text, however long it is', () => {
  const unit = fc.constantFrom(
    '’',
    '😀',
    '👨\u200d👩\u200d👧',
    '🇬🇧',
    'и\u0306',
    '\u0301',
    '\u200d',
    'ж',
    '\ud83d',
  );
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  fc.assert(
    fc.property(fc.array(unit, { minLength: 300, maxLength: 1500 }), (units) => {
      const text = units.join('');
      const whole = Array.from(segmenter.segment(text), ({ segment, index }) => [index, segment]);
      expect(Array.from(costlyPlaces(text), ({ at, character }) => [at, character])).toEqual(whole);
    }),
    { numRuns: 50 },
  );
});

describe('cheaperText', () => {
  it('returns the text, how it is sent, and the savings for each recipient', () => {
    const text = `It’s on – ${'x'.repeat(130)}`;
    expect(cheaperText(text)).toEqual({
      text: `It's on - ${'x'.repeat(130)}`,
      measure: { alphabet: 'GSM', characters: 140, septets: 140, parts: 1, credits: 1 },
      saves: 2,
    });
  });

  it('includes the text that the service adds', () => {
    const text = `’${'x'.repeat(69)}`;
    expect(cheaperText(text)?.saves).toBe(0);
    expect(cheaperText(text, 30)?.saves).toBe(1);
  });

  it('is undefined if nothing would change', () => {
    expect(cheaperText('Hello')).toBeUndefined();
    expect(cheaperText('It’s 😀')).toBeUndefined();
    expect(cheaperText('[x]')).toBeUndefined();
    expect(cheaperText('')).toBeUndefined();
  });

  it('never offers a more expensive text', () => {
    // Written out, these are three times as long: 160 characters of GSM, and 35 too many.
    const text = '…'.repeat(67);
    expect(measureSms(text).parts).toBe(1);
    expect(cheaperText(text)).toBeUndefined();
  });
});

it('handles 100 kB of hostile text without slowing down, and shows no long part of it', () => {
  for (const unit of ['\u0301', 'e\u0301', '\u200d', '😀\u200d', '’', '\ud83d', '€']) {
    const text = `a${unit.repeat(100_000 / unit.length)}`;
    const costly = costlyCharacters(text);
    expect(costly.length).toBeGreaterThan(0);
    expect(cheaperText(text)?.text.length ?? 0).toBeLessThanOrEqual(text.length);
    for (const { character } of costly) expect(formatCharacterWithCode(character).length).toBeLessThan(200);
  }
});
