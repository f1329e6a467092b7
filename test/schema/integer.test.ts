/** Whole numbers and ids of any size (src/service/protocol/README.md, "Large numbers"). */
import { describe, expect, it } from 'vitest';
import {
  compareNumbers,
  idNumber,
  isId,
  parseIntegerDigits,
  readIdText,
} from '../../src/kit/schema/integer.ts';

const LARGE = '9007199254740993';

describe('the value of digits', () => {
  it.each<readonly [string, number | bigint]>([
    ['0', 0],
    ['12', 12],
    ['+12', 12],
    ['-12', -12],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', 9007199254740992n],
    [LARGE, 9007199254740993n],
    [`+${LARGE}`, 9007199254740993n],
    [`-${LARGE}`, -9007199254740993n],
  ])('%s', (digits, expected) => {
    expect(parseIntegerDigits(digits)).toBe(expected);
  });
});

// "An id has at most 40 digits, and beyond 15 no zeros in front."
describe('the id in a text', () => {
  it.each<readonly [string, number | bigint | undefined]>([
    ['7', 7],
    ['007', 7],
    ['0'.repeat(15), 0],
    [`${'0'.repeat(14)}7`, 7],
    [`${'0'.repeat(15)}7`, undefined],
    ['1'.repeat(16), 1111111111111111],
    [LARGE, 9007199254740993n],
    ['1'.repeat(40), 1111111111111111111111111111111111111111n],
    ['1'.repeat(41), undefined],
    ['', undefined],
    ['-7', undefined],
    ['+7', undefined],
    ['7a', undefined],
    ['a7', undefined],
    [' 7', undefined],
  ])('%s', (text, expected) => {
    expect(readIdText(text)).toBe(expected);
  });
});

describe('the order of two numbers', () => {
  it.each<readonly [number | bigint, number | bigint, number]>([
    [1, 2, -1],
    [2, 1, 1],
    [2, 2, 0],
    [9007199254740992n, 9007199254740993n, -1],
    [9007199254740993n, 9007199254740992n, 1],
    [2n, 2, 0],
    [1.5, 2n, -1],
  ])('%s and %s', (a, b, expected) => {
    expect(compareNumbers(a, b)).toBe(expected);
  });
});

describe('a value', () => {
  it.each<readonly [string, unknown, boolean]>([
    ['whole number', 7, true],
    ['large number', 9007199254740993n, true],
    ['text', '2_1', true],
    ['fraction', 7.5, false],
    ['number that a double does not hold', 2 ** 53, false],
    ['null', null, false],
    ['boolean', true, false],
    ['nothing', undefined, false],
  ])('%s can be an id', (_name, value, expected) => {
    expect(isId(value)).toBe(expected);
  });

  it.each<readonly [string, unknown, number | bigint]>([
    ['number', 7, 7],
    ['large number', 9007199254740993n, 9007199254740993n],
    ['text', '7', 7],
    ['large number as text', LARGE, 9007199254740993n],
    ['text of a composite id', '2_1', Number.NaN],
    ['null', null, Number.NaN],
    ['boolean', true, Number.NaN],
    ['nothing', undefined, Number.NaN],
  ])('%s as an id to compare with', (_name, id, expected) => {
    expect(idNumber({ id })).toBe(expected);
  });
});
