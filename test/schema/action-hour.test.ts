import { describe, expect, it } from 'vitest';
import { parseActionHourOfDay } from '../../src/kit/schema/formats.ts';

// Interface, Limits, 'actionhour': format `HH:00:00`.
describe('actionhour', () => {
  it.each([
    ['00:00:00', 0],
    ['09:00:00', 9],
    ['19:00:00', 19],
    ['23:00:00', 23],
  ])('reads %s as %i', (text, hour) => {
    expect(parseActionHourOfDay(text)).toBe(hour);
  });

  it.each([
    ['24:00:00'],
    ['9:00:00'],
    ['09:00'],
    ['09:01:00'],
    ['09:00:01'],
    ['09:00:00 '],
    ['09:00:00\n'],
    ['-1:00:00'],
    ['09.00.00'],
    ['0٩:00:00'],
    [''],
    ['0'.repeat(100_000)],
  ])('%# rejects %s', (text) => {
    expect(parseActionHourOfDay(text)).toBeUndefined();
  });
});
