/** Contract, "Insight", `task calendar`: days follow the company's zone. */
import { describe, expect, it } from 'vitest';
import { addDays, dayText, readDay, weekdayOf } from '../../src/kit/text/calendar.ts';
import { beginningOfDay } from '../../src/kit/text/day-span.ts';

const day = (text: string) => {
  const read = readDay(text);
  if (read === undefined) throw new Error(`${text} is no day`);
  return read;
};

describe('readDay', () => {
  it.each(['2026-12-01', '2024-02-29', '1970-01-01', '9999-12-31'])('%s', (text) => {
    expect(dayText(day(text))).toBe(text);
  });

  it.each([
    '',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '1969-12-31',
    '2026-1-1',
    'today',
    '2026-12-01 09:00',
    '20261201',
  ])('%j is not a day', (text) => {
    expect(readDay(text)).toBeUndefined();
  });
});

it('continues days over months, leap days and years', () => {
  expect(dayText(addDays(day('2026-12-31'), 1))).toBe('2027-01-01');
  expect(dayText(addDays(day('2024-02-28'), 1))).toBe('2024-02-29');
  expect(dayText(addDays(day('2026-12-01'), -1))).toBe('2026-11-30');
  expect(['2026-12-01', '2026-12-06'].map((text) => weekdayOf(day(text)))).toEqual(['Tue', 'Sun']);
});

// By the TZ database, clocks go forward over midnight in Beirut and back over it in Havana; Samoa had no 30 December
// 2011.
describe('beginningOfDay', () => {
  it.each([
    ['Europe/London', '2026-10-25', '2026-10-24T23:00:00Z'],
    ['Europe/London', '2026-10-26', '2026-10-26T00:00:00Z'],
    ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00Z'],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z'],
  ])('%s, %s', (zone, text, utc) => {
    expect(new Date(beginningOfDay(day(text), zone) * 1000).toISOString()).toBe(utc.replace('Z', '.000Z'));
  });

  it('rejects an unknown zone', () => {
    expect(() => beginningOfDay(day('2026-12-01'), 'Mars/Base')).toThrow(RangeError);
  });
});
