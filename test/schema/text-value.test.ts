/** Wire, "Requests": values in queries and form bodies. */

import { describe, expect, it } from 'vitest';
import {
  bool,
  decimal,
  type Field,
  int,
  oneOf,
  orNull,
  type Scalar,
  string,
} from '../../src/kit/schema/field.ts';
import { sayReason } from '../../src/kit/schema/reason.ts';
import { formatQueryValue, parseBooleanText, parseFieldText } from '../../src/kit/schema/text-value.ts';

const WHOLE = 'must be a whole number';
const NUMBER = 'must be a number';

describe('a text as a value', () => {
  const color = oneOf(['red', 2], '');
  it.each<readonly [string, Field, string, Scalar]>([
    ['text', string(''), 'a b', 'a b'],
    ['empty text', string(''), '', ''],
    ['empty text for a value that may be null', orNull(string('')), '', null],
    ['text for a value that may be null', orNull(string('')), 'null', 'null'],
    ['a whole number', int(''), '12', 12],
    ['a whole number with a plus', int(''), '+12', 12],
    ['a whole number below 0', int(''), '-12', -12],
    ['a large number', int(''), '9007199254740993', 9007199254740993n],
    ['40 digits', int(''), '1'.repeat(40), BigInt('1'.repeat(40))],
    ['a whole number of a decimal', decimal(''), '12', 12],
    ['a decimal', decimal(''), '12.25', 12.25],
    ['a decimal below 0', decimal(''), '-0.5', -0.5],
    ['a decimal with a plus', decimal(''), '+1.5', 1.5],
    ['16 digits and 9 after the point', decimal(''), `${'1'.repeat(16)}.123456789`, 1111111111111111.1],
    ['true', bool(''), 'true', true],
    ['True', bool(''), 'True', true],
    ['1', bool(''), '1', true],
    ['false', bool(''), 'FALSE', false],
    ['0', bool(''), '0', false],
    ['a word of several', color, 'red', 'red'],
    ['a number of several', color, '2', 2],
  ])('%s', (_name, field, text, value) => {
    expect(parseFieldText(field, text)).toEqual({ ok: true, value });
  });

  it.each<readonly [string, Field, string, string]>([
    ['U+0000', string(''), 'a\0', 'holds U+0000, at which many programs end a text'],
    ['empty text of a number', int(''), '', WHOLE],
    ['a fraction of a whole number', int(''), '1.5', WHOLE],
    ['41 digits', int(''), '1'.repeat(41), WHOLE],
    ['a word before digits', int(''), 'a1', WHOLE],
    ['a word after digits', int(''), '1a', WHOLE],
    ['two signs', int(''), '--1', WHOLE],
    ['a word of a decimal', decimal(''), 'a', NUMBER],
    ['an exponent', decimal(''), '1e3', NUMBER],
    ['17 digits before the point', decimal(''), `${'1'.repeat(17)}.1`, NUMBER],
    ['10 digits after the point', decimal(''), `1.${'1'.repeat(10)}`, NUMBER],
    ['no digits after the point', decimal(''), '1.', NUMBER],
    ['no digits before the point', decimal(''), '.5', NUMBER],
    ['a word before a decimal', decimal(''), 'a1.5', NUMBER],
    ['a word after a decimal', decimal(''), '1.5a', NUMBER],
    ['another character than a point', decimal(''), '1,5', NUMBER],
    ['yes', bool(''), 'yes', 'must be true or false'],
    ['empty text of a boolean', bool(''), '', 'must be true or false'],
    ['another word than the several', color, 'blue', 'must be one of red, 2'],
  ])('rejects %s', (_name, field, text, reason) => {
    const parsed = parseFieldText(field, text);
    expect(parsed.ok || sayReason(parsed.reason)).toBe(reason);
  });
});

describe('a value as text', () => {
  it.each<readonly [Scalar, string]>([
    [null, ''],
    ['', ''],
    [0, '0'],
    [1.5, '1.5'],
    [9007199254740993n, '9007199254740993'],
    [true, 'true'],
    [false, 'false'],
  ])('%s', (value, text) => {
    expect(formatQueryValue(value)).toBe(text);
  });
});

it('treats other words as text, not as a boolean', () => {
  expect(parseBooleanText('ja')).toBeUndefined();
});
