import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasOnlyGsmCharacters, MAX_SMS_PARTS, measureSms } from '../../src/kit/text/gsm.ts';

const a = (count: number): string => 'a'.repeat(count);
const euro = (count: number): string => '€'.repeat(count);
const zhe = (count: number): string => 'ж'.repeat(count);
const smile = (count: number): string => '😀'.repeat(count);

// Interface, Limits, 'SMS parts': 1, 2 or 3 parts; about 160, 306, 459 GSM characters; 1, 2, 3 credits.
describe('measureSms in the GSM alphabet', () => {
  it.each([
    ['nothing', '', 0, 0],
    ['one character', 'a', 1, 1],
    ['160', a(160), 160, 1],
    ['161', a(161), 161, 2],
    ['306', a(306), 306, 2],
    ['307', a(307), 307, 3],
    ['459', a(459), 459, 3],
    ['460', a(460), 460, 4],
    ['CR LF is two', '\r\n', 2, 1],
    ['80 extension characters', euro(80), 160, 1],
    ['81 extension characters', euro(81), 162, 2],
    ['158 and an extension character', `${a(158)}€`, 160, 1],
    ['159 and an extension character', `${a(159)}€`, 161, 2],
    // 153 is odd: a part of extension characters alone ends one septet short, with 76 of them in each part.
    ['152 extension characters', euro(152), 304, 2],
    ['153 extension characters', euro(153), 306, 3],
    ['228 extension characters', euro(228), 456, 3],
    ['229 extension characters', euro(229), 458, 4],
    // A pair across the boundary moves to the next part.
    ['astride 153, filled to 305', `${a(152)}€${a(151)}`, 305, 2],
    ['astride 153, filled to 306', `${a(152)}€${a(152)}`, 306, 3],
    ['ending at 153', `${a(151)}€${a(153)}`, 306, 2],
    ['starting at 154', `${a(153)}€${a(151)}`, 306, 2],
    ['astride 306', `${a(305)}€`, 307, 3],
    ['astride 306, filled to 458', `${a(305)}€${a(151)}`, 458, 3],
    ['astride 306, filled to 459', `${a(305)}€${a(152)}`, 459, 4],
    ['astride 459', `${a(458)}€`, 460, 4],
    ['astride both', `${a(152)}€${a(150)}€${a(151)}`, 457, 3],
    ['astride both, one more', `${a(152)}€${a(150)}€${a(152)}`, 458, 4],
  ])('%s', (_name, text, septets, parts) => {
    const characters = [...text].length;
    expect(measureSms(text)).toEqual({ alphabet: 'GSM', characters, septets, parts, credits: parts });
  });
});

// wire.md, 'SMS outside the GSM alphabet': UCS-2, 70, then 67 a part; one credit a part.
describe('measureSms in UCS-2', () => {
  it.each([
    ['one character', 'ж', 1, 1],
    ['70', zhe(70), 70, 1],
    ['71', zhe(71), 71, 2],
    ['134', zhe(134), 134, 2],
    ['135', zhe(135), 135, 3],
    ['201', zhe(201), 201, 3],
    ['202', zhe(202), 202, 4],
    ['one character outside turns the rest', `${a(69)}ç`, 70, 1],
    ['and at 71', `${a(70)}ç`, 71, 2],
    ['an extension character is one unit', `${euro(69)}ж`, 70, 1],
    ['35 emoji', smile(35), 70, 1],
    ['36 emoji', smile(36), 72, 2],
    // 67 is odd: each part has 33 surrogate pairs.
    ['66 emoji', smile(66), 132, 2],
    ['67 emoji', smile(67), 134, 3],
    ['a pair astride 67, filled to 133', `${zhe(66)}😀${zhe(65)}`, 133, 2],
    ['a pair astride 67, filled to 134', `${zhe(66)}😀${zhe(66)}`, 134, 3],
    ['a pair astride 134', `${zhe(133)}😀`, 135, 3],
    ['lone surrogates', '\ud83d'.repeat(70), 70, 1],
  ])('%s', (_name, text, septets, parts) => {
    const characters = [...text].length;
    expect(measureSms(text)).toEqual({ alphabet: 'UCS-2', characters, septets, parts, credits: parts });
  });
});

// Interface, Limits, 'subinfo overhead': 30 bytes.
describe('measureSms with the text that the service adds', () => {
  it.each([
    ['130 and 30', a(130), 30, 160, 1],
    ['131 and 30', a(131), 30, 161, 2],
    ['276 and 30', a(276), 30, 306, 2],
    ['277 and 30', a(277), 30, 307, 3],
    ['429 and 30', a(429), 30, 459, 3],
    ['430 and 30', a(430), 30, 460, 4],
    ['160 and 30', a(160), 30, 190, 2],
    ['astride 153, 122 and 30', `${a(152)}€${a(121)}`, 30, 305, 2],
    ['astride 153, 123 and 30', `${a(152)}€${a(122)}`, 30, 306, 3],
    ['40 in UCS-2', zhe(40), 30, 70, 1],
    ['41 in UCS-2', zhe(41), 30, 71, 2],
    ['104 in UCS-2', zhe(104), 30, 134, 2],
    ['105 in UCS-2', zhe(105), 30, 135, 3],
    ['nothing, to which nothing is added', '', 30, 0, 0],
    ['more than a part', 'a', 400, 401, 3],
  ])('%s', (_name, text, extra, septets, parts) => {
    expect(measureSms(text, extra)).toMatchObject({ septets, parts, credits: parts });
  });

  it('counts an addition like the same characters at the end of the text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '€', 'é', '\n', '{'), minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(text, fc.nat(400), (written, extra) => {
        const { characters, ...added } = measureSms(written, extra);
        const { characters: _, ...same } = measureSms(written + a(extra));
        expect(added).toEqual(same);
        // Contract, "Insight": characters are those of the text.
        expect(characters).toBe([...written].length);
      }),
    );
  });
});

describe('parts', () => {
  it('are the result of cutting the text greedily, with no pair split', () => {
    const unit = fc.constantFrom('a', 'b', '€', '[');
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 700 }), (text) => {
        const { parts, septets } = measureSms(text);
        expect(parts).toBe(septets <= 160 ? 1 : cut(text.replace(/[€[]/g, '\x1b$&'), 153));
      }),
    );
  });

  it('are at most three', () => {
    expect(MAX_SMS_PARTS).toBe(3);
  });

  it('are counted in a text of 100 kB', () => {
    expect(measureSms(a(100_000)).parts).toBe(Math.ceil(100_000 / 153));
    expect(measureSms(smile(50_000)).parts).toBe(Math.ceil(50_000 / 33));
  });
});

/** Counts in another way: slices of the septets, one shorter if the slice would end in an escape. */
function cut(septets: string, part: number): number {
  let count = 0;
  for (let at = 0; at < septets.length; count += 1) {
    const full = at + part < septets.length && septets[at + part - 1] === '\x1b';
    at += full ? part - 1 : part;
  }
  return count;
}

// 3GPP TS 23.038, 6.2.1 and 6.2.1.1.
describe('the GSM alphabet', () => {
  it.each([
    ['@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ', true],
    [' !"#¤%&\'()*+,-./0123456789:;<=>?', true],
    ['¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà', true],
    ['\f^{}\\[~]|€', true],
    ['', true],
    ['ç', false],
    ['á', false],
    ['`', false],
    ['\t', false],
    ['\x1b', false],
    ['\u00a0', false],
    ['’', false],
    ['e\u0301', false],
    ['😀', false],
  ])('%j: %s', (text, expected) => {
    expect(hasOnlyGsmCharacters(text)).toBe(expected);
  });

  it('has 127 basic characters and 10 in the extension', () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
      hasOnlyGsmCharacters,
    );
    expect(all.filter((character) => measureSms(character).septets === 1)).toHaveLength(127);
    expect(all.filter((character) => measureSms(character).septets === 2)).toHaveLength(10);
  });
});
