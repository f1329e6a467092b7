/** Contract, "Partners and many companies", `usage`: months follow the company's zone. */
import { describe, expect, it } from 'vitest';
import { isMonth, monthBefore } from '../../src/kit/text/calendar.ts';
import { monthSpan } from '../../src/kit/text/day-span.ts';
import { formatTime } from '../../src/kit/text/timezone.ts';

const utc = (text: string): number => Date.parse(text) / 1000;

it.each(['2026-11', '1970-01', '9999-12'])('%s is a month', (text) => {
  expect(isMonth(text)).toBe(true);
});

it.each([
  '',
  '2026',
  '2026-1',
  '2026-13',
  '2026-00',
  '2026-11-01',
  '11-2026',
  '1969-12',
  '2026-11 ',
  'november',
  '２０２６-11',
])('%j is not a month', (text) => {
  expect(isMonth(text)).toBe(false);
});

describe('a month begins and ends by the clocks of its zone', () => {
  // The offsets come from the TZ database, not from this test.
  it.each([
    ['2026-11', 'UTC', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['2026-12', 'UTC', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['2028-02', 'UTC', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['2026-11', 'Europe/London', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    // Summer time ends and begins within the month: 31 days and an hour, and an hour less.
    ['2026-10', 'Europe/London', '2026-09-30T23:00:00Z', '2026-11-01T00:00:00Z'],
    ['2026-03', 'Europe/London', '2026-03-01T00:00:00Z', '2026-03-31T23:00:00Z'],
    ['2026-11', 'America/New_York', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z'],
    ['2026-11', 'Pacific/Kiritimati', '2026-10-31T10:00:00Z', '2026-11-30T10:00:00Z'],
    ['2026-11', 'Asia/Kathmandu', '2026-10-31T18:15:00Z', '2026-11-30T18:15:00Z'],
    // Havana puts its clocks back from 01:00 to 00:00 on 1 November 2026: midnight occurs twice, and the first one counts.
    ['2026-11', 'America/Havana', '2026-11-01T04:00:00Z', '2026-12-01T05:00:00Z'],
    ['2026-10', 'America/Havana', '2026-10-01T04:00:00Z', '2026-11-01T04:00:00Z'],
    // Asuncion put its clocks forward from 00:00 to 01:00 on 1 October 2017, so that midnight did not exist.
    ['2017-10', 'America/Asuncion', '2017-10-01T04:00:00Z', '2017-11-01T03:00:00Z'],
    ['2017-09', 'America/Asuncion', '2017-09-01T04:00:00Z', '2017-10-01T04:00:00Z'],
  ])('%s in %s', (month, zone, start, end) => {
    expect(monthSpan(month, zone)).toEqual({ month, start: utc(start), end: utc(end) });
  });

  it('and the next month begins at its end', () => {
    for (const zone of ['Europe/London', 'America/Havana', 'Australia/Lord_Howe', 'Africa/Casablanca'])
      for (let year = 2015; year < 2031; year += 1)
        for (let number = 1; number <= 12; number += 1) {
          const month = `${year}-${String(number).padStart(2, '0')}`;
          expect(monthSpan(monthBefore(month), zone).end).toBe(monthSpan(month, zone).start);
        }
  });

  it('and the moment before its start belongs to another month', () => {
    for (const zone of ['Europe/London', 'America/New_York', 'Pacific/Kiritimati', 'America/Asuncion']) {
      const { start, end } = monthSpan('2026-11', zone);
      expect(
        [start - 1, start, end - 1, end].map((each) => formatTime(each, zone, 'table').slice(0, 7)),
      ).toEqual(['2026-10', '2026-11', '2026-11', '2026-12']);
    }
  });
});

it.each([
  ['2026-11', '2026-10'],
  ['2026-01', '2025-12'],
])('before %s comes %s', (month, before) => {
  expect(monthBefore(month)).toBe(before);
});

it('rejects another text, and an unknown zone', () => {
  expect(() => monthSpan('2026-13', 'UTC')).toThrow(RangeError);
  expect(() => monthSpan('2026-11', 'Mars/Base')).toThrow(RangeError);
});
