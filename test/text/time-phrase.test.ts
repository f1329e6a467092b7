import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTimePhrase } from '../../src/kit/text/time-phrase.ts';
import { formatTime } from '../../src/kit/text/timezone.ts';
import { depth } from '../support/depth.ts';

const berlin = 'Europe/Berlin';
// Tuesday 2026-06-16 12:00:00 in Berlin.
const now = Date.UTC(2026, 5, 16, 10) / 1000;
const utc = (iso: string): number => Date.parse(iso) / 1000;
const parse = (text: string, zone = berlin, at = now) => parseTimePhrase(text, { now: at, zone });

// Contract, 'Flags for attributes', Times.
describe('parseTimePhrase reads', () => {
  it.each([
    ['1796000000', 1_796_000_000],
    ['0', 0],
    ['99999999999', 99_999_999_999],
    ['now', now],
    [' NOW ', now],
    ['+2h', now + 7200],
    ['+2d', now + 172_800],
    ['+1h30m', now + 5400],
    ['+ 90s', now + 90],
    ['+500ms', now + 1],
    ['2026-12-01T09:00:00Z', utc('2026-12-01T09:00:00Z')],
    ['2026-12-01T09:00Z', utc('2026-12-01T09:00:00Z')],
    ['2026-12-01t09:00:00z', utc('2026-12-01T09:00:00Z')],
    ['2026-12-01T09:00:00.999Z', utc('2026-12-01T09:00:00Z')],
    ['2026-12-01T09:00:00+02:00', utc('2026-12-01T07:00:00Z')],
    ['2026-12-01T09:00-0530', utc('2026-12-01T14:30:00Z')],
    ['2026-12-01 09:00:00 +02', utc('2026-12-01T07:00:00Z')],
    ['2026-12-01T09:00+14:00', utc('2026-11-30T19:00:00Z')],
    ['2026-12-01 09:00', utc('2026-12-01T08:00:00Z')],
    ['2026-12-01T09:00', utc('2026-12-01T08:00:00Z')],
    ['2026-12-01T09:00:30', utc('2026-12-01T08:00:30Z')],
    ['2026-07-01 9:00', utc('2026-07-01T07:00:00Z')],
    ['2028-02-29 00:00', utc('2028-02-28T23:00:00Z')],
    ['today 15:00', utc('2026-06-16T13:00:00Z')],
    ['today 00:00', utc('2026-06-15T22:00:00Z')],
    ['tomorrow 09:00', utc('2026-06-17T07:00:00Z')],
    ['Tomorrow at 09:00:15', utc('2026-06-17T07:00:15Z')],
    ['wednesday 09:00', utc('2026-06-17T07:00:00Z')],
    ['Wed 09:00', utc('2026-06-17T07:00:00Z')],
    ['sunday 23:59', utc('2026-06-21T21:59:00Z')],
    ['monday 09:00', utc('2026-06-22T07:00:00Z')],
    ['in 3 hours', now + 10_800],
    ['in 90m', now + 5400],
    ['friday 9am', utc('2026-06-19T07:00:00Z')],
    ['Friday 9 AM', utc('2026-06-19T07:00:00Z')],
    ['on friday at 9:30pm', utc('2026-06-19T19:30:00Z')],
    ['9am friday', utc('2026-06-19T07:00:00Z')],
    ['09:00 on friday', utc('2026-06-19T07:00:00Z')],
    ['tomorrow 9am', utc('2026-06-17T07:00:00Z')],
    ['tomorrow 9:00 pm', utc('2026-06-17T19:00:00Z')],
    ['tomorrow 12am', utc('2026-06-16T22:00:00Z')],
    ['tomorrow 12:30 pm', utc('2026-06-17T10:30:00Z')],
    ['next monday 08:00', utc('2026-06-22T06:00:00Z')],
    ['next tuesday 08:00', utc('2026-06-23T06:00:00Z')],
    ['25.12.2026 09:00', utc('2026-12-25T08:00:00Z')],
    ['25/12/2026 9am', utc('2026-12-25T08:00:00Z')],
    ['2026-12-25 9am', utc('2026-12-25T08:00:00Z')],
    ['2026-12-25 at 9:15pm', utc('2026-12-25T20:15:00Z')],
  ])('%s', (text, time) => {
    expect(parse(text)).toEqual({ ok: true, time });
  });

  it('the day in the zone, not in UTC', () => {
    const lateInUtc = utc('2026-06-16T22:30:00Z');
    expect(parse('today 09:00', 'Asia/Tokyo', lateInUtc)).toEqual({
      ok: true,
      time: utc('2026-06-17T00:00:00Z'),
    });
    expect(parse('tomorrow 09:00', 'America/Los_Angeles', lateInUtc)).toEqual({
      ok: true,
      time: utc('2026-06-17T16:00:00Z'),
    });
  });

  // Contract, "The everyday screen": today if that time is still ahead, or else a week later.
  it.each([
    ['tuesday 15:00', '2026-06-16T13:00:00Z', 'took 2026-06-16 15:00, today'],
    ['tuesday 09:00', '2026-06-23T07:00:00Z', 'took 2026-06-23 09:00, a week from now'],
    ['tuesday 12:00', '2026-06-23T10:00:00Z', 'took 2026-06-23 12:00, a week from now'],
  ])('the weekday of today, %s, and says which day', (text, time, note) => {
    expect(parse(text)).toEqual({ ok: true, time: utc(time), note: `today is Tuesday: ${note}` });
  });

  it.each([
    ['09:00', '2026-06-17T07:00:00Z', 'took 2026-06-17 09:00, the next 09:00'],
    ['9am', '2026-06-17T07:00:00Z', 'took 2026-06-17 09:00, the next 9am'],
    ['15:00', '2026-06-16T13:00:00Z', 'took 2026-06-16 15:00, the next 15:00'],
    ['at 15:00', '2026-06-16T13:00:00Z', 'took 2026-06-16 15:00, the next 15:00'],
    ['12:00', '2026-06-17T10:00:00Z', 'took 2026-06-17 12:00, the next 12:00'],
  ])('%s as the next one, and says which day', (text, time, note) => {
    expect(parse(text)).toEqual({ ok: true, time: utc(time), note });
  });

  it('next friday without doubt only after the Friday of the week', () => {
    expect(parse('next friday 9am')).toEqual({
      ok: false,
      reason: '"next friday" is ambiguous: 2026-06-19 or 2026-06-26',
      instead: '2026-06-19 09:00 or 2026-06-26 09:00',
    });
    const onFriday = now + 3 * 86_400;
    expect(parse('next friday 9am', berlin, onFriday)).toMatchObject({ time: utc('2026-06-26T07:00:00Z') });
    const onSaturday = now + 4 * 86_400;
    expect(parse('next friday 9am', berlin, onSaturday)).toMatchObject({ time: utc('2026-06-26T07:00:00Z') });
  });

  it('whole seconds from a fractional now', () => {
    expect(parse('+2m', berlin, now + 0.25)).toEqual({ ok: true, time: now + 121 });
    expect(parse('now', berlin, now + 0.75)).toEqual({ ok: true, time: now });
  });

  it('+2d over a clock change as 48 hours', () => {
    const before = utc('2026-10-24T10:00:00Z');
    expect(parse('+2d', berlin, before)).toEqual({ ok: true, time: before + 172_800 });
    expect(parse('tomorrow 12:00', berlin, before)).toEqual({ ok: true, time: before + 90_000 });
  });
});

describe('parseTimePhrase rejects', () => {
  it.each([
    ['1796000000000', '1796000000000 looks like milliseconds; use Unix seconds', '1796000000'],
    ['100000000000', '100000000000 looks like milliseconds; use Unix seconds', '100000000'],
    ['1796000000000000', '1796000000000000 looks like microseconds; use Unix seconds', '1796000000'],
    ['1796000000000000000', '1796000000000000000 looks like nanoseconds; use Unix seconds', '1796000000'],
    ['2026-12-01', '"2026-12-01" has no time of day', '2026-12-01 09:00'],
    ['25.12.2026', '"25.12.2026" has no time of day', '25.12.2026 09:00'],
    ['next monday', '"next monday" has no time of day', 'next monday 09:00'],
    ['today', '"today" has no time of day', 'today 13:00'],
    ['in 3', 'in 3 has no unit', 'in 3 hours'],
    ['tomorrow', '"tomorrow" has no time of day', 'tomorrow 09:00'],
    ['monday', '"monday" has no time of day', 'monday 09:00'],
    ['+90', '+90 has no unit', '+90s'],
    [
      '01/12/2026',
      '"01/12/2026" is ambiguous: 1 December 2026 or 12 January 2026',
      '2026-12-01 09:00 or 2026-01-12 09:00',
    ],
    [
      '1/12/2026 09:00',
      '"1/12/2026 09:00" is ambiguous: 1 December 2026 or 12 January 2026',
      '2026-12-01 09:00 or 2026-01-12 09:00',
    ],
  ])('%s', (text, reason, instead) => {
    expect(parse(text)).toEqual({ ok: false, reason, instead });
  });

  it.each([
    ['13/12/2026', '13/12/2026 09:00'],
    ['12/13/2026 09:00', '2026-12-13 09:00'],
    ['12.12.2026', '2026-12-12 09:00'],
    ['31-12-2026', '31-12-2026 09:00'],
    ['2026/12/01', '2026-12-01 09:00'],
    ['2026/12/01 09:00', '2026-12-01 09:00'],
  ])('%s, and gives an unambiguous form', (text, instead) => {
    expect(parse(text)).toMatchObject({ ok: false, instead });
  });

  it.each([
    ['99/99/2026', /ambiguous/],
    ['2026/13/01', /ambiguous/],
    ['1/12', /ambiguous/],
    ['2026-13-01 09:00', /^there is no month 13$/],
    ['2026-00-01 09:00', /^there is no month 0$/],
    ['2026-02-29 09:00', /^there is no day 29 in February 2026: it has 28$/],
    ['2026-04-31', /^there is no day 31 in April 2026: it has 30$/],
    ['2026-12-01 24:00', /^there is no time of day 24:00/],
    ['2026-12-01 09:60', /^there is no time of day 09:60/],
    ['tomorrow 09:00:60', /^there is no time of day 09:00:60/],
    ['2026-12-01T09:00+15:00', /^there is no offset \+15:00/],
    ['2026-12-01T09:00+01:60', /^there is no offset \+01:60/],
    ['1969-12-31 09:00', /is before 1970$/],
    ['1800-01-01 09:00', /is before 1970$/],
    ['1970-01-01 00:30', /is before 1970$/],
    ['2026-12-01 09:00.5', /is not a time/],
    ['tomorrow 13pm', /^there is no time of day 13pm; times go from 1am to 12pm$/],
    ['0am', /^there is no time of day 0am/],
    ['25:00', /^there is no time of day 25:00/],
    ['next tomorrow 09:00', /is not a time/],
    ['in', /is not a time/],
    ['+2x', /has the unit x, which svc does not know/],
    ['+', /is not a length of time/],
    ['+-2h', /is not a length of time/],
    ['', /is not a time/],
    ['-2h', /is not a time/],
    ['-5', /is not a time/],
    ['1796000000.5', /is not a time/],
    ['1e9', /is not a time/],
    ['yesterday 09:00', /is not a time/],
    ['2026-12-01 09:00 Europe/Berlin', /is not a time/],
    ['2026-W49-2', /is not a time/],
    ['01/12/26', /ambiguous/],
    ['constructor 09:00', /is not a time/],
  ])('%j', (text, reason) => {
    expect(parse(text)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it.each([
    ['01/12/2026 9am', '2026-12-01 09:00 or 2026-01-12 09:00'],
    ['tomorrow 9', 'tomorrow 09:00'],
    ['tomorrow 9.30', 'tomorrow 9:30'],
    ['friday 9h30', 'friday 9:30'],
    ['tomorow 9am', 'tomorrow 9am'],
    ['tmrw 9am', 'tomorrow 9am'],
    ['firday 09:00', 'friday 09:00'],
    ['noon', 'today 12:00'],
    ['tomorrow noon', 'tomorrow 12:00'],
    ['friday morning', 'friday 09:00'],
    ['tonight', 'today 20:00'],
    ['next week', 'next monday 09:00'],
    ['3 hours', 'in 3 hours'],
    ['3h', 'in 3h'],
    ['2 days from now', 'in 2 days'],
    ['20261201T0900', '2026-12-01 09:00'],
    ['2026-12-01 09:00 utc', '2026-12-01 09:00z'],
    ['25 december 2026 9am', '2026-12-25 9am'],
    ['dec 25th, 9am', '2026-12-25 9am'],
    ['25. Dec 2026', '2026-12-25 09:00'],
    ['2026/12/1', '2026-12-01 09:00'],
  ])('%j, and names the nearest form', (text, instead) => {
    const read = parse(text);
    expect(read).toMatchObject({ ok: false, instead });
    for (const each of instead.split(' or ')) expect(parse(each)).toMatchObject({ ok: true });
  });

  it('and never suggests midnight', () => {
    for (const text of [
      '2026-12-25',
      'tomorrow',
      '25.12.2026',
      '2026/12/25',
      '01/12/2026',
      '25 dec 2026',
      'friday',
    ])
      expect(parse(text)).toMatchObject({ ok: false, instead: expect.not.stringMatching(/00:00/) });
  });

  it.each([['+02:00'], ['Europe/Nowhere'], [''], ['local']])('the zone %j, whatever the phrase', (zone) => {
    expect(parse('1796000000', zone)).toEqual({
      ok: false,
      reason: `"${zone}" is not the name of a time zone`,
    });
  });

  it.each([['9'.repeat(100_000)], [`+${'1h'.repeat(50_000)}`], ['a'.repeat(100_000)], [' '.repeat(100_000)]])(
    '%# 100 kB, and quotes only a short part',
    (text) => {
      const read = parse(text);
      expect(read.ok).toBe(false);
      expect(JSON.stringify(read).length).toBeLessThan(300);
    },
  );
});

// Contract, Times: a local time that does not exist is an error that names the next one that does; one that
// exists twice takes the first and says so.
describe('a clock change', () => {
  it.each([
    ['2026-03-29 02:00', berlin, '2026-03-29 03:00'],
    ['2026-03-29 02:30', berlin, '2026-03-29 03:00'],
    ['2026-03-29 02:59:59', berlin, '2026-03-29 03:00'],
    ['2026-03-08 02:30', 'America/New_York', '2026-03-08 03:00'],
    ['2026-10-04 02:15', 'Australia/Lord_Howe', '2026-10-04 02:30'],
    ['2026-04-24 00:00', 'Africa/Cairo', '2026-04-24 01:00'],
    ['2011-12-30 12:00', 'Pacific/Apia', '2011-12-31 00:00'],
  ])('skips %s in %s: next is %s', (text, zone, instead) => {
    expect(parse(text, zone)).toEqual({ ok: false, reason: expect.stringContaining(zone), instead });
    expect(parse(instead, zone)).toMatchObject({ ok: true });
  });

  it('also skips a time of tomorrow and of a weekday', () => {
    const saturday = utc('2026-03-28T10:00:00Z');
    for (const phrase of ['tomorrow 02:30', 'sunday 02:30']) {
      expect(parse(phrase, berlin, saturday)).toMatchObject({ ok: false, instead: '2026-03-29 03:00' });
    }
  });

  it.each([
    ['2026-03-29 01:59:59', utc('2026-03-29T00:59:59Z')],
    ['2026-03-29 03:00', utc('2026-03-29T01:00:00Z')],
    ['2026-10-25 01:59:59', utc('2026-10-24T23:59:59Z')],
    ['2026-10-25 03:00', utc('2026-10-25T02:00:00Z')],
  ])('does not affect %s', (text, time) => {
    expect(parse(text)).toEqual({ ok: true, time });
  });

  it.each([
    ['2026-10-25 02:00', berlin, '2026-10-25T00:00:00Z', '+02:00'],
    ['2026-10-25 02:30', berlin, '2026-10-25T00:30:00Z', '+02:00'],
    ['2026-10-25 02:59:59', berlin, '2026-10-25T00:59:59Z', '+02:00'],
    ['2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30:00Z', '-04:00'],
    ['2026-04-05 01:45', 'Australia/Lord_Howe', '2026-04-04T14:45:00Z', '+11:00'],
  ])('repeats %s in %s: the first one is taken', (text, zone, first, offset) => {
    expect(parse(text, zone)).toEqual({
      ok: true,
      time: utc(first),
      note: expect.stringMatching(new RegExp(`exists twice in ${zone} .*: took the first, \\${offset}$`)),
    });
  });
});

describe('parseTimePhrase and the output of formatTime', () => {
  it('agree on the same minute, or with a note on the earlier of two', () => {
    const zone = fc.constantFrom(berlin, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
    fc.assert(
      fc.property(zone, fc.integer({ min: 1_000_000, max: 70_000_000 }), (name, minutes) => {
        const time = minutes * 60;
        const read = parse(formatTime(time, name, 'table'), name);
        if (!read.ok) throw new Error(read.reason);
        expect(time - read.time === 0 || (read.note !== undefined && read.time < time)).toBe(true);
        const [, date, clock, offset] = formatTime(time, name, 'long').split(' ');
        expect(parse(`${date} ${clock} ${offset}`, berlin)).toEqual({ ok: true, time });
      }),
      { numRuns: depth('SVC_TIMES', { few: 200, full: 2000 }) },
    );
  });
});
