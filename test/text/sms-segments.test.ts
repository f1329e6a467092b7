/**
 * Interface, Limits, 'SMS parts', and wire.md, 'SMS outside the GSM alphabet', compared with an independent calculator: alphabet, septets
 * and parts of random texts. `SVC_SMS_TEXTS` sets their number.
 *
 * If the two differ, the interface decides:
 * - An empty text: the calculator counts one part. There is no message to send, and the service refuses it
 *   (wire.md, 'SMS outside the GSM alphabet').
 * - A visible character that consists of several (with a separate accent, an emoji of a family): the calculator moves it as a whole to
 *   the next part. 3GPP TS 23.040 cuts between code units, and only an escape or a surrogate pair stays together. The interface counts
 *   characters of a part and knows no such rule. So the expected count is the calculator's count for a text of the same widths with
 *   separate characters.
 * - subinfo: the calculator does not know it. The interface adds 30 bytes, which count as 30 plain characters.
 */
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { describe, expect, it } from 'vitest';
import { hasOnlyGsmCharacters, measureSms } from '../../src/kit/text/gsm.ts';
import { depth, SEED, tried } from '../support/depth.ts';

const TEXTS = depth('SVC_SMS_TEXTS', { few: 60, full: 100_000 });

const GSM = [...'abc XYZ 0123 @£$¥èéùìòÇ\r\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&\'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà'];
const EXTENSION = [...'\f^{}\\[~]|€'];
const UCS2 = [...'жЯç漢字‘’“”–…\u00a0áœ½'];
const ASTRAL = [...'😀🎉𝒳🂡'];
const CLUSTERS = [
  'e\u0301',
  'n\u0303',
  '❤\ufe0f',
  '👨\u200d👩\u200d👧',
  '🇬🇧',
  '👍🏽',
  '1\ufe0f\u20e3',
  '\u1112\u1161\u11ab',
];

const some = (of: readonly string[], most: number) => fc.array(fc.constantFrom(...of), { maxLength: most });

/** Generates long runs of one width, so that pairs fall across the ends of parts: at 70, 134, 160, 306 and so on. */
const run = (of: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...of), fc.constantFrom(0, 1, 2, 33, 65, 66, 67, 69, 70, 76, 151, 152, 153, 159))
    .map(([character, count]) => Array<string>(count).fill(character));

const joined = (...parts: readonly fc.Arbitrary<readonly string[]>[]) =>
  fc.tuple(...parts).map((lists) => lists.flat().join(''));

const texts = {
  GSM: joined(
    some(GSM, 200),
    run(['a', '€']),
    some([...GSM, ...EXTENSION], 200),
    run(['b', '[']),
    some(EXTENSION, 3),
  ),
  'UCS-2': joined(
    some(UCS2, 60),
    run(['ж', '€']),
    some([...GSM, ...UCS2, ...EXTENSION], 120),
    run(['’', 'a']),
  ),
  'surrogate pairs': joined(
    run(['ж', 'a', '😀']),
    some(ASTRAL, 4),
    run(['ж', '😀']),
    some([...ASTRAL, ...UCS2], 60),
  ),
  clusters: joined(
    run(['ж', 'a', '😀']),
    some(CLUSTERS, 5),
    run(['ж', ...CLUSTERS]),
    some([...CLUSTERS, ...GSM], 60),
  ),
};

const calculated = (text: string) => {
  const message = new SegmentedMessage(text);
  return {
    alphabet: message.getEncodingName() === 'GSM-7' ? 'GSM' : 'UCS-2',
    septets: message.messageSize / (message.getEncodingName() === 'GSM-7' ? 7 : 16),
    parts: message.segmentsCount,
  };
};

const measured = (text: string, extraOctets = 0) => {
  const { alphabet, septets, parts } = measureSms(text, extraOctets);
  return { alphabet, septets, parts };
};

/** Returns a text of the same widths in UCS-2, without characters that join the previous one. */
const apart = (text: string): string =>
  Array.from(text, (character) => (character.length === 2 ? '😀' : 'ж')).join('');

const times = { numRuns: Math.ceil(TEXTS / 4), seed: SEED };

describe.each(['GSM', 'UCS-2', 'surrogate pairs'] as const)('texts of %s', (kind) => {
  it('have the same count as the calculator', () => {
    fc.assert(
      fc.property(texts[kind], (text) => {
        fc.pre(text !== '');
        expect(measured(text)).toEqual(calculated(text));
      }),
      times,
    );
    tried('F8', times.numRuns);
  }, 600_000);
});

describe('texts of clusters', () => {
  it('match the calculator if every character is separate, and never count more', () => {
    fc.assert(
      fc.property(texts.clusters, (text) => {
        fc.pre(text !== '');
        const [ours, theirs] = [measured(text), calculated(text)];
        expect({ ...ours, parts: 0 }).toEqual({ ...theirs, parts: 0 });
        expect(ours).toEqual(hasOnlyGsmCharacters(text) ? theirs : calculated(apart(text)));
        expect(ours.parts).toBeLessThanOrEqual(theirs.parts);
      }),
      times,
    );
    tried('F8', times.numRuns);
  }, 600_000);

  // Wire.md, "SMS outside the GSM alphabet": 70 characters fit in one part, and 67 in each of several.
  it('count 134 characters as two parts, where the calculator moves a whole family to a third', () => {
    const text = `${'ж'.repeat(65)}👨\u200d👩\u200d👧${'ж'.repeat(61)}`;
    expect([text.length, measured(text).parts, calculated(text).parts]).toEqual([134, 2, 3]);
  });
});

/** How many of nine characters are tried above U+20AC, the last one of GSM. */
const OF_NINE = depth('SVC_SMS_OF_NINE', { few: 1, full: 9 });
it('has the same alphabet and the same length for every character of the basic plane', () => {
  const different: unknown[] = [];
  for (let code = 0; code < 0x10000; code += 1) {
    if (code > 0x20ac && code % 9 >= OF_NINE) continue;
    const character = String.fromCharCode(code);
    if (/\p{Surrogate}/u.test(character)) continue;
    const [ours, theirs] = [measured(character), calculated(character)];
    const isSame =
      ours.alphabet === theirs.alphabet && ours.septets === theirs.septets && ours.parts === theirs.parts;
    if (!isSame) different.push([code, ours, theirs]);
  }
  expect(different).toEqual([]);
});

it('counts subinfo like 30 plain characters at the end', () => {
  fc.assert(
    fc.property(fc.constantFrom('GSM', 'UCS-2'), fc.nat(500), (kind, length) => {
      const text = kind === 'GSM' ? `€${'a'.repeat(length)}` : `ж${'a'.repeat(length)}`;
      expect(measured(text, 30)).toEqual(calculated(text + 'x'.repeat(30)));
    }),
    { ...times, numRuns: Math.min(100, times.numRuns) },
  );
});

it('differs from the calculator only for an empty text', () => {
  expect([measured('').parts, calculated('').parts]).toEqual([0, 1]);
});
