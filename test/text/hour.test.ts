import { describe, expect, it } from 'vitest';
import { formatActionHour, parseActionHour } from '../../src/text/hour.ts';

// Interface, Limits, 'actionhour': format `HH:00:00`.
describe('actionhour', () => {
  it.each(Array.from({ length: 24 }, (_, hour) => [hour]))('%i goes there and back', (hour) => {
    expect(parseActionHour(formatActionHour(hour))).toBe(hour);
  });

  it('is written with two digits', () => {
    expect([0, 9, 23].map(formatActionHour)).toEqual(['00:00:00', '09:00:00', '23:00:00']);
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
  ])('%# refuses %s', (text) => {
    expect(parseActionHour(text)).toBeUndefined();
  });

  it.each([[-1], [24], [1.5], [Number.NaN]])('does not write %d', (hour) => {
    expect(() => formatActionHour(hour)).toThrow(RangeError);
  });
});
