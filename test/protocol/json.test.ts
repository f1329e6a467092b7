/** Contract, "Numbers, ids and names, once more": a JSON number that a double cannot hold is kept digit for digit (M1). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson, mayHoldLargeNumber, parseJson } from '../../src/service/protocol/json.ts';
import { anyText } from '../support/any-text.ts';
import { depth, SEED, tried } from '../support/depth.ts';

const SEEN_FRAMES = 320;
/** The number of frames of `descend` that take as much stack as `parseJson` needs to start, and to read any text. */
const [ENTERED_FRAMES, ENOUGH_FRAMES] = [60, 200];
const SAID: ReadonlySet<string> = new Set(['value', 'SyntaxError']);

describe('whole numbers', () => {
  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['1e20', 100000000000000000000n],
    ['1.5E+20', 150000000000000000000n],
    ['9007199254740993.0', 9007199254740993n],
    ['90071992547409930e-1', 9007199254740993n],
    ['0.9007199254740993e16', 9007199254740993n],
    ['1e2', 100],
    ['0.1234567890123456', 0.1234567890123456],
    ['1796000000.5', 1796000000.5],
    ['1e-20', 1e-20],
  ])('reads %s', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[${text} , null]}`)).toEqual({ a: [value, null] });
  });

  it('writes bigints as digits, at any place', () => {
    const value = { id: 9007199254740993n, in: [1, 18446744073709551615n, '18446744073709551615'] };
    expect(formatJson(value)).toBe(
      '{"id":9007199254740993,"in":[1,18446744073709551615,"18446744073709551615"]}',
    );
    expect(formatJson({ a: -9007199254740993n, b: undefined }, 2)).toBe('{\n  "a": -9007199254740993\n}');
    expect(formatJson(9007199254740993n)).toBe('9007199254740993');
  });

  it('does not change digits in texts and keys, with escapes before and after them', () => {
    const text = String.raw`{"9007199254740993":"9007199254740993","a\"":"\\","b":"\\\"1e20 [12345678901234567890","c":9007199254740993}`;
    expect(parseJson(text)).toEqual({
      '9007199254740993': '9007199254740993',
      'a"': '\\',
      b: '\\"1e20 [12345678901234567890',
      c: 9007199254740993n,
    });
  });

  it('reads no text of the service as a number, whatever private characters it has', () => {
    const text = String.raw`["\ue0009007199254740993","${'\ue001'}9007199254740993",9007199254740995]`;
    expect(parseJson(text)).toEqual(['\ue0009007199254740993', '\ue0019007199254740993', 9007199254740995n]);
    expect(formatJson(['\ue0009007199254740993', 9007199254740995n])).toBe(
      '["\ue0009007199254740993",9007199254740995]',
    );
  });

  it('keeps __proto__ as an ordinary attribute', () => {
    const value = parseJson('{"__proto__":9007199254740993}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.entries(value)).toEqual([['__proto__', 9007199254740993n]]);
  });

  it('takes the last of two equal names, as JSON.parse does', () => {
    expect(parseJson('{"id":9007199254740993,"id":9007199254740995}')).toEqual({ id: 9007199254740995n });
  });

  it.each([
    '09007199254740993',
    '+9007199254740993',
    '9007199254740993.',
    '[9007199254740993 1]',
    '9007199254740993"',
    '"9007199254740993',
    '1e',
    '1e400000',
    `1${'0'.repeat(1000)}`,
    '1e99999999999999999999',
    '9'.repeat(5_000_000),
  ])('rejects %.40s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each([
    ['a value', '{"a":[9007199254740993,"1e20"]}', true],
    ['a long value', `[${'{"a":9007199254740993},'.repeat(100)}1]`, true],
    ['brackets that never close', '['.repeat(5_000), false],
    ['levels', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, false],
    ['digits', '9'.repeat(3_000), false],
    ['words', 'no JSON 9007199254740993', false],
  ])('gives the same result for %s, whatever the depth of the caller: %#', (_, text, isJson) => {
    const seen = seenFromTheEndOfTheStack(text);
    const enough = seen.slice(ENOUGH_FRAMES);
    expect(enough.length).toBeGreaterThan(100);
    expect(new Set(enough)).toEqual(new Set([isJson ? 'value' : 'SyntaxError']));
    // With less stack a text is read or rejected, and no other result is possible.
    expect(seen.slice(ENTERED_FRAMES, ENOUGH_FRAMES).filter((each) => !SAID.has(each))).toEqual([]);
  });

  it('keeps a small number with many digits', () => {
    expect(parseJson(`[0.${'1'.repeat(3000)},9007199254740993]`)).toEqual([1 / 9, 9007199254740993n]);
  });

  it('rejects a text that uses every private character', () => {
    const every = Array.from({ length: 0xf900 - 0xe000 }, (_, at) => String.fromCharCode(0xe000 + at)).join(
      '',
    );
    expect(() => parseJson(`["${every}",9007199254740993]`)).toThrow(SyntaxError);
    expect(parseJson(`["${every}",1]`)).toEqual([every, 1]);
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"\\"[":', '}]'],
  ])('reads a thousand levels of %s, and rejects one more', (open, close) => {
    const levels = 1000 / close.length;
    const nested = (times: number, inner: string): string =>
      `${open.repeat(times)}${inner}${close.repeat(times)}`;
    let value = parseJson(nested(levels, '9007199254740993'));
    while (typeof value === 'object' && value !== null) value = Object.values(value)[0];
    expect(value).toBe(9007199254740993n);
    expect(() => parseJson(nested(levels, '[]'))).toThrow(
      new SyntaxError('the text nests deeper than 1000 levels'),
    );
    expect(() => parseJson(open.repeat(100_000))).toThrow(SyntaxError);
  });

  it('does not count brackets in a text, or closed ones', () => {
    const text = String.raw`["\"${'['.repeat(2000)}",${'[],'.repeat(2000)}{}]`;
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('forgets a cycle or a symbol that JSON.stringify rejected', () => {
    const circle: Record<string, unknown> = { id: 1 };
    circle['self'] = circle;
    expect(() => formatJson(circle)).toThrow(TypeError);
  });
});

/**
 * Returns the results of `parseJson` when it is called one frame above the end of the stack, two frames, three frames,
 * and so on.
 */
function seenFromTheEndOfTheStack(text: string): readonly string[] {
  const seen: string[] = [];
  const look = (): string => {
    try {
      parseJson(text);
      return 'value';
    } catch (error) {
      return error instanceof Error ? error.name : 'no error';
    }
  };
  const descend = (): void => {
    try {
      descend();
    } catch {
      // The end of the stack. From here it is left frame by frame.
    }
    if (seen.length < SEEN_FRAMES) seen.push(look());
  };
  descend();
  return seen;
}

describe('any JSON', () => {
  const scalar = fc.oneof(
    anyText(),
    fc.string({ unit: fc.constantFrom('"', '\\', '1', '9', 'e', '\ue000', 'u', '0', '[', ',') }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      scalar,
      fc.array(tie('value')),
      fc.dictionary(fc.string(), tie('value')),
    ),
  }));
  /** Returns a value as the other end reads it, with whole numbers in their canonical form. */
  const canonical = (each: unknown): unknown => {
    if (typeof each === 'number')
      return Number.isInteger(each) && !Number.isSafeInteger(each)
        ? BigInt(shown(each))
        : each === 0
          ? 0
          : each;
    if (typeof each === 'bigint') return Number.isSafeInteger(Number(each)) ? Number(each) : each;
    if (Array.isArray(each)) return each.map(canonical);
    if (typeof each !== 'object' || each === null) return each;
    const copy: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(each))
      Object.defineProperty(copy, key, {
        value: canonical(inner),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return copy;
  };
  /** Returns the digits that JSON.stringify writes for a double: 1e21 means exactly that. */
  const shown = (number: number): string => {
    const [, sign = '', digits = '', fraction = '', exponent = '0'] =
      /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e\+([0-9]+))?$/.exec(String(number)) ?? [];
    return `${sign}${digits}${fraction}${'0'.repeat(Number(exponent) - fraction.length)}`;
  };

  it('is read back as it was written', () => {
    const runs = depth('SVC_JSON_RUNS', { few: 200, full: 100_000 });
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (given, space) => {
        expect(parseJson(formatJson(given, space))).toEqual(canonical(given));
      }),
      { numRuns: runs, seed: SEED },
    );
    tried('F2', runs);
  }, 3_600_000);

  it('is a value or a SyntaxError if it is cut off or damaged', () => {
    const runs = depth('SVC_JSON_RUNS', { few: 200, full: 100_000 });
    const damage = fc.constantFrom(
      '',
      '"',
      '\\',
      '{',
      ']',
      ',',
      '9'.repeat(20),
      'e',
      '\0',
      '\ud800',
      '[['.repeat(600),
    );
    fc.assert(
      fc.property(value, fc.nat(), damage, (given, place, text) => {
        const whole = formatJson(given);
        const at = place % (whole.length + 1);
        try {
          parseJson(
            place % 2 === 0 ? whole.slice(0, at) + text : whole.slice(0, at) + text + whole.slice(at),
          );
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: runs, seed: SEED },
    );
    tried('F2', runs);
  }, 3_600_000);
});

// Checking every 16th character is a shortcut, and it must find the same as a check of all characters.
it('says for any text whether it may have a large number', () => {
  const every = /[0-9]{16}|[0-9][eE]\+?[0-9]{2}/;
  const piece = fc.oneof(
    fc.integer({ min: 0, max: 40 }).map((length) => '7'.repeat(length)),
    fc.constantFrom('e', 'E', '+', '-', '.', '"', ',', 'x', '/', ':', '\ud800', 'é', '\u0660'.repeat(16)),
    fc.string({ maxLength: 20 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      expect(mayHoldLargeNumber(text)).toBe(every.test(text));
    }),
    { numRuns: 2000 },
  );
});
