import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  explainInvalidDuration,
  formatDuration,
  parseDuration,
  relativeTime,
} from '../../src/kit/text/duration.ts';

// Contract, 'Flags for attributes', Durations; 'Forms': `+2d` is 48 hours.
describe('parseDuration', () => {
  it.each([
    ['90s', 90],
    ['10m', 600],
    ['2h', 7200],
    ['2d', 172_800],
    ['1w', 604_800],
    ['500ms', 0.5],
    ['1h30m', 5400],
    ['1h 30m', 5400],
    [' 1 h 30 m ', 5400],
    ['1w2d3h4m5s6ms', 788_645.006],
    ['90', 90],
    ['1.5', 1.5],
    ['1.5h', 5400],
    ['1.1h', 3960],
    ['0', 0],
    ['0s', 0],
    ['2 days 3 hours', 183_600],
    ['1 minute', 60],
    ['5min', 300],
    ['36525d', 3_155_760_000],
  ])('reads %j as %d', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each([
    [''],
    [' '],
    ['-5m'],
    ['+5m'],
    ['-1'],
    ['5x'],
    ['5y'],
    ['1mo'],
    ['2D'],
    ['2H'],
    ['h'],
    ['1h30'],
    ['30m1h'],
    ['1h1h'],
    ['1h,30m'],
    ['1h-30m'],
    ['.5h'],
    ['5.h'],
    ['1.2.3s'],
    ['1e3'],
    ['1e3s'],
    ['0x10'],
    ['Infinity'],
    ['Infinitys'],
    ['NaN'],
    ['٥m'],
    ['36526d'],
    ['3155760001'],
    ['9'.repeat(60)],
    ['9'.repeat(100_000)],
    ['1h'.repeat(50_000)],
    ['constructor'],
    ['1constructor'],
  ])('%# rejects %s', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('explainInvalidDuration', () => {
  it.each([
    ['5y', 'has the unit y, which svc does not know'],
    ['3 moons', 'has the unit moons, which svc does not know'],
    ['100000d', 'is longer than 100 years'],
    ['1h2d', 'is not a length of time'],
    ['soon', 'is not a length of time'],
    ['0s', 'is not a length of time'],
    ['', 'is not a length of time'],
  ])('says that %j %s', (text, reason) => expect(explainInvalidDuration(text)).toBe(reason));
});

describe('formatDuration', () => {
  it.each([
    [0, '0 seconds'],
    [0.5, '0.5 seconds'],
    [1, '1 second'],
    [1.2345, '1.235 seconds'],
    [9.9999, '10 seconds'],
    [45, '45 seconds'],
    [45.6, '46 seconds'],
    [59.9, '1 minute'],
    [60, '1 minute'],
    [61, '1 minute 1 second'],
    [600, '10 minutes'],
    [3599.9, '1 hour'],
    [3600, '1 hour'],
    [3900, '1 hour 5 minutes'],
    [3929, '1 hour 5 minutes'],
    [3931, '1 hour 6 minutes'],
    [7170, '2 hours'],
    [86_399, '1 day'],
    [86_400, '1 day'],
    [183_600, '2 days 3 hours'],
    [86_400 + 59 * 60, '1 day 1 hour'],
    [10 * 86_400, '10 days'],
    [-3900, '-1 hour 5 minutes'],
  ])('writes %d as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  it.each([[Number.NaN], [Number.POSITIVE_INFINITY]])('rejects %d', (seconds) => {
    expect(() => formatDuration(seconds)).toThrow(RangeError);
  });

  it('writes text that parseDuration reads, within half of the smaller unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000_000_000 }), (seconds) => {
        const read = parseDuration(formatDuration(seconds)) ?? Number.NaN;
        const unit = seconds >= 86_400 ? 3600 : seconds >= 3600 ? 60 : 1;
        expect(Math.abs(read - seconds)).toBeLessThanOrEqual(unit / 2);
      }),
    );
  });
});

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
const NOW = 1_796_115_600;

describe('relativeTime', () => {
  it.each([
    [0, 'now', 'now'],
    [0.4, 'now', 'now'],
    [1, 'in 1 second', '1 second ago'],
    [59, 'in 59 seconds', '59 seconds ago'],
    [59.6, 'in 1 minute', '1 minute ago'],
    [90, 'in 2 minutes', '2 minutes ago'],
    [59 * MINUTE + 29, 'in 59 minutes', '59 minutes ago'],
    [59 * MINUTE + 31, 'in 1 hour', '1 hour ago'],
    [47 * HOUR, 'in 47 hours', '47 hours ago'],
    [48 * HOUR, 'in 2 days', '2 days ago'],
    [3 * DAY - 1, 'in 3 days', '3 days ago'],
    [60 * DAY, 'in 60 days', '60 days ago'],
    [61 * DAY, 'in 2 months', '2 months ago'],
    [400 * DAY, 'in 13 months', '13 months ago'],
    [730.5 * DAY, 'in 2 years', '2 years ago'],
    [20_000 * DAY, 'in 55 years', '55 years ago'],
  ])('%d seconds', (seconds, ahead, behind) => {
    expect([relativeTime(NOW + seconds, NOW), relativeTime(NOW - seconds, NOW)]).toEqual([ahead, behind]);
  });

  it('prints nothing for an invalid time', () => {
    expect(relativeTime(Number.NaN, NOW)).toBe('now');
  });
});
