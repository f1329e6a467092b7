import { describe, expect, it } from 'vitest';
import { isMsisdn, normaliseMsisdn } from '../../src/text/msisdn.ts';

// wire.md, 'sender': an MSISDN `[1-9][0-9]{6,14}` (a leading `+` is taken and dropped).
describe('isMsisdn', () => {
  it.each([
    ['1234567', true],
    ['123456789012345', true],
    ['+491701234567', true],
    ['123456', false],
    ['1234567890123456', false],
    ['0491701234567', false],
    ['+0491701234567', false],
    ['++491701234567', false],
    ['491701234567+', false],
    ['', false],
    ['+', false],
    [' 491701234567', false],
    ['491701234567\n', false],
    ['49 170 1234567', false],
    ['4917012345ab', false],
    ['١٢٣٤٥٦٧', false],
    ['1.5e10', false],
    ['9'.repeat(100_000), false],
  ])('%# %s: %s', (text, expected) => {
    expect(isMsisdn(text)).toBe(expected);
  });
});

describe('normaliseMsisdn', () => {
  it.each([
    ['491701234567', '491701234567'],
    ['+491701234567', '491701234567'],
    ['  +49 170 123-45.67 \n', '491701234567'],
    ['+49 (170) 1234567', '491701234567'],
    ['+1 (202) 555\u20110143', '12025550143'],
    ['49\u00a0170\u00a01234567', '491701234567'],
    ['+ 491701234567', '491701234567'],
    ['1-2-3-4-5-6-7', '1234567'],
  ])('reads %j as %s', (text, expected) => {
    expect(normaliseMsisdn(text)).toBe(expected);
  });

  it.each([
    [''],
    ['   '],
    ['+'],
    ['()'],
    ['123456'],
    ['0170 1234567'],
    ['00491701234567'],
    ['+49 (0)170 1234567'],
    ['+49 ( 0 ) 170 1234567'],
    ['+49+1701234567'],
    ['49/170/1234567'],
    ['+49 170 CALLNOW'],
    ['tel:+491701234567'],
    ['491701234567;ext=1'],
    [`491701234567${' '.repeat(60)}`],
    ['-'.repeat(100_000)],
    ['1 '.repeat(50_000)],
  ])('%# refuses %s', (text) => {
    expect(normaliseMsisdn(text)).toBeUndefined();
  });
});
