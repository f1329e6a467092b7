import { describe, expect, it } from 'vitest';
import { isSender, normaliseSender } from '../../src/text/sender.ts';

// wire.md, 'sender': `[A-Za-z0-9]{1,11}` or an MSISDN `[1-9][0-9]{6,14}` (a leading `+` is taken and
// dropped).
describe('sender', () => {
  it.each([
    ['A', 'A'],
    ['Rehearsal11', 'Rehearsal11'],
    ['0', '0'],
    ['12345', '12345'],
    ['00000000000', '00000000000'],
    ['+1234567', '1234567'],
    ['491701234567', '491701234567'],
    ['+491701234567', '491701234567'],
    ['123456789012345', '123456789012345'],
  ])('takes %s as %s', (text, stored) => {
    expect(isSender(text)).toBe(true);
    expect(normaliseSender(text)).toBe(stored);
  });

  it.each([
    [''],
    ['TwelveLetter'],
    ['My Shop'],
    ['Caf\u00e9'],
    ['Shop!'],
    ['+Shop'],
    ['+12345'],
    ['000000000000'],
    ['1234567890123456'],
    ['Shop\n'],
    ['A'.repeat(100_000)],
  ])('%# refuses %s', (text) => {
    expect(isSender(text)).toBe(false);
    expect(normaliseSender(text)).toBeUndefined();
  });
});
