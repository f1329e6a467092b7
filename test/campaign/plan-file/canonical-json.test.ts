/** RFC 8785, with the vectors that it publishes. */
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/features/campaign/plan-file/plan-parts.ts';

const fromBits = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE();

describe('appendix B, number serialization samples', () => {
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('%s is written as %s', (bits, text) => {
    expect(canonicalJson(fromBits(bits))).toBe(text);
  });

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])('%s is an error', (bits) => {
    expect(() => canonicalJson(fromBits(bits))).toThrow(RangeError);
  });
});

it('section 3.2.2, primitive data types', () => {
  const text = `{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`;
  expect(canonicalJson(JSON.parse(text))).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

it('section 3.2.3, sorting of object properties', () => {
  const text = `{
    "\\u20ac": "Euro Sign", "\\r": "Carriage Return", "\\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
    "\\ud83d\\ude00": "Emoji: Grinning Face", "\\u0080": "Control", "\\u00f6": "Latin Small Letter O With Diaeresis"
  }`;
  const order = [...canonicalJson(JSON.parse(text)).matchAll(/:"([^"]+)"/g)].map(([, value]) => value);
  expect(order).toEqual([
    'Carriage Return',
    'One',
    'Control',
    'Latin Small Letter O With Diaeresis',
    'Euro Sign',
    'Emoji: Grinning Face',
    'Hebrew Letter Dalet With Dagesh',
  ]);
});

it('sorts at every level, and keeps the order of arrays', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }, 10, 9], a: { '10': 1, '9': 2 } })).toBe(
    '{"a":{"10":1,"9":2},"b":[{"c":2,"d":1},10,9]}',
  );
});

it.each([
  ['half of a surrogate pair in a value', { a: '\ud800' }],
  ['half of a surrogate pair in a name', { '\udead': 1 }],
  ['a bigint', { a: 1n }],
  ['undefined', { a: undefined }],
])('%s is an error (section 3.2.2.2; I-JSON)', (_, value) => {
  expect(() => canonicalJson(value)).toThrow(RangeError);
});
