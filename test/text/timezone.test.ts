import { describe, expect, it } from 'vitest';
import { formatTime, haveSameLocalTime, isTimezone } from '../../src/kit/text/timezone.ts';

// Interface, account, `timezone`: TZ-format zone name.
describe('isTimezone', () => {
  it.each([
    ['Europe/Berlin', true],
    ['America/Argentina/Buenos_Aires', true],
    ['America/Port-au-Prince', true],
    ['Etc/GMT+5', true],
    ['UTC', true],
    ['europe/berlin', true],
    ['+02:00', false],
    ['-0500', false],
    ['Z', false],
    ['Europe/Nowhere', false],
    ['Europe', false],
    ['local', false],
    ['system', false],
    ['', false],
    [' UTC', false],
    ['UTC\n', false],
    ['UTC+2', false],
    ['../../etc/passwd', false],
    ['A'.repeat(100_000), false],
  ])('%# %s: %s', (zone, expected) => {
    expect(isTimezone(zone)).toBe(expected);
  });
});

describe('haveSameLocalTime', () => {
  it.each([
    ['2026-12-01', 'Europe/London', 'UTC', true],
    ['2026-07-01', 'Europe/London', 'UTC', false],
    ['2026-07-01', 'Europe/London', 'Europe/Lisbon', true],
    ['2026-12-01', 'Europe/London', 'Europe/Berlin', false],
  ])('%s %s %s: %s', (day, one, other, expected) => {
    expect(haveSameLocalTime(Date.parse(day) / 1000, one, other)).toBe(expected);
  });
});

// Contract, Output: tables show times in the company's timezone.
describe('formatTime', () => {
  it.each([
    [1_796_108_400, 'Europe/Berlin', '2026-12-01 08:00', 'Tue 2026-12-01 08:00:00 +01:00 (Europe/Berlin)'],
    [1_782_900_000, 'Europe/Berlin', '2026-07-01 12:00', 'Wed 2026-07-01 12:00:00 +02:00 (Europe/Berlin)'],
    [0, 'UTC', '1970-01-01 00:00', 'Thu 1970-01-01 00:00:00 +00:00 (UTC)'],
    [0, 'Asia/Kathmandu', '1970-01-01 05:30', 'Thu 1970-01-01 05:30:00 +05:30 (Asia/Kathmandu)'],
    [0, 'America/New_York', '1969-12-31 19:00', 'Wed 1969-12-31 19:00:00 -05:00 (America/New_York)'],
    [86_399.999, 'UTC', '1970-01-01 23:59', 'Thu 1970-01-01 23:59:59 +00:00 (UTC)'],
    [86_400, 'UTC', '1970-01-02 00:00', 'Fri 1970-01-02 00:00:00 +00:00 (UTC)'],
    // The hour that occurs twice: only the long form distinguishes both.
    [1_792_888_200, 'Europe/Berlin', '2026-10-25 02:30', 'Sun 2026-10-25 02:30:00 +02:00 (Europe/Berlin)'],
    [1_792_891_800, 'Europe/Berlin', '2026-10-25 02:30', 'Sun 2026-10-25 02:30:00 +01:00 (Europe/Berlin)'],
  ])('%d in %s', (time, zone, table, long) => {
    expect([formatTime(time, zone, 'table'), formatTime(time, zone, 'long')]).toEqual([table, long]);
  });

  it.each([[1e15], [Number.NaN], [Number.NEGATIVE_INFINITY]])(
    'returns %d, which is not a date, unchanged',
    (time) => {
      expect(formatTime(time, 'UTC', 'table')).toBe(String(time));
    },
  );

  it('rejects an unknown zone', () => {
    expect(() => formatTime(0, 'Europe/Nowhere', 'table')).toThrow(RangeError);
  });
});
