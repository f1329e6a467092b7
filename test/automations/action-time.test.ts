import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActionTiming,
  computeActionTime,
  computeActionTimeWithReasons,
} from '../../src/service/automations/action-time.ts';

const seconds = (iso: string): number => Date.parse(iso) / 1000;
const iso = (time: number): string => new Date(time * 1000).toISOString().replace('.000Z', 'Z');

/** Returns when the action of an event happens. The zone is London, weekends are allowed, and there is no hour unless `more` sets one. */
function act(event: string, more: Partial<ActionTiming> = {}): string {
  const at = seconds(event);
  return iso(
    computeActionTime({
      event: at,
      offset: 0,
      now: at,
      hour: null,
      onWeekend: true,
      zone: 'Europe/London',
      ...more,
    }),
  );
}

const DAY = 86_400;
const weekdays = { onWeekend: false };

describe('rule 2 and 3: event + actiontimediff', () => {
  it.each([
    ['at once', '2026-12-01T09:00:00Z', {}, '2026-12-01T09:00:00Z'],
    ['90 seconds later', '2026-12-01T09:00:00Z', { offset: 90 }, '2026-12-01T09:01:30Z'],
    ['a day later is 24 hours', '2026-10-24T12:00:00Z', { offset: DAY }, '2026-10-25T12:00:00Z'],
    ['no later than the year 9999', '2026-12-01T09:00:00Z', { offset: 1e15 }, '9999-12-31T23:59:59Z'],
  ])('%s', (_, event, more, expected) => {
    expect(act(event, more)).toBe(expected);
  });
});

describe('rule 5, wire `actionhour`: "the first such hour, in the company\'s zone, at or after"', () => {
  it.each([
    ['later that day', '2026-12-01T08:59:59Z', { hour: 9 }, '2026-12-01T09:00:00Z'],
    ['at that hour', '2026-12-01T09:00:00Z', { hour: 9 }, '2026-12-01T09:00:00Z'],
    ['a second after it', '2026-12-01T09:00:01Z', { hour: 9 }, '2026-12-02T09:00:00Z'],
    ['after the offset', '2026-12-01T09:30:00Z', { hour: 9, offset: DAY }, '2026-12-03T09:00:00Z'],
    ['in summer time', '2026-07-01T08:30:00Z', { hour: 10 }, '2026-07-01T09:00:00Z'],
    ['in another zone', '2026-12-01T09:00:00Z', { hour: 9, zone: 'Asia/Tokyo' }, '2026-12-02T00:00:00Z'],
    ['midnight', '2026-12-01T09:00:00Z', { hour: 0 }, '2026-12-02T00:00:00Z'],
  ])('%s', (_, event, more, expected) => {
    expect(act(event, more)).toBe(expected);
  });
});

/**
 * Contract, "Insight": "A day without that `actionhour` (clock change) is passed over; where it comes twice, the first
 * at or after".
 */
describe('clock changes', () => {
  it.each([
    // London: 01:00 becomes 02:00 on 28 March 2027, and 02:00 becomes 01:00 on 25 October 2026, at 01:00 UTC.
    ['skipped', '2027-03-28T00:30:00Z', { hour: 1 }, '2027-03-29T00:00:00Z'],
    ['skipped, and past', '2027-03-28T01:00:01Z', { hour: 1 }, '2027-03-29T00:00:00Z'],
    ['after the change', '2027-03-27T23:00:00Z', { hour: 9 }, '2027-03-28T08:00:00Z'],
    ['twice', '2026-10-24T23:30:00Z', { hour: 1 }, '2026-10-25T00:00:00Z'],
    ['twice, the first past', '2026-10-25T00:00:01Z', { hour: 1 }, '2026-10-25T01:00:00Z'],
    ['twice, both past', '2026-10-25T01:00:01Z', { hour: 1 }, '2026-10-26T01:00:00Z'],
    // New York: 02:00 becomes 03:00 on 14 March 2027, and 02:00 becomes 01:00 on 1 November 2026.
    [
      'New York, skipped',
      '2027-03-14T05:00:00Z',
      { hour: 2, zone: 'America/New_York' },
      '2027-03-15T06:00:00Z',
    ],
    [
      'New York, twice',
      '2026-11-01T04:30:00Z',
      { hour: 1, zone: 'America/New_York' },
      '2026-11-01T05:00:00Z',
    ],
    // Lord Howe changes by half an hour: 02:00 becomes 02:30 on 4 October 2026, and 02:00 becomes 01:30 on 4 April 2027.
    [
      'Lord Howe, skipped',
      '2026-10-03T12:00:00Z',
      { hour: 2, zone: 'Australia/Lord_Howe' },
      '2026-10-04T15:00:00Z',
    ],
    [
      'Lord Howe, beside',
      '2026-10-03T12:00:00Z',
      { hour: 3, zone: 'Australia/Lord_Howe' },
      '2026-10-03T16:00:00Z',
    ],
    [
      'Lord Howe, once',
      '2027-04-03T12:00:00Z',
      { hour: 2, zone: 'Australia/Lord_Howe' },
      '2027-04-03T15:30:00Z',
    ],
    // Kathmandu is always 5:45 ahead. São Paulo skipped midnight until 2018.
    ['Kathmandu', '2026-12-01T09:00:00Z', { hour: 9, zone: 'Asia/Kathmandu' }, '2026-12-02T03:15:00Z'],
    [
      'midnight skipped',
      '2018-11-03T12:00:00Z',
      { hour: 0, zone: 'America/Sao_Paulo' },
      '2018-11-05T02:00:00Z',
    ],
    // Apia skipped 30 December 2011.
    ['a day skipped', '2011-12-30T00:00:00Z', { hour: 0, zone: 'Pacific/Apia' }, '2011-12-30T10:00:00Z'],
  ])('%s', (_, event, more, expected) => {
    expect(act(event, more)).toBe(expected);
  });
});

describe('the reason of a time', () => {
  const plan = (event: string, more: Partial<ActionTiming> = {}) => {
    const at = seconds(event);
    const { time, ...how } = computeActionTimeWithReasons({
      ...{ event: at, offset: 0, now: at, hour: null, onWeekend: true, zone: 'Europe/London' },
      ...more,
    });
    return { time: iso(time), ...how };
  };
  const plain = { isPast: false, skippedDays: [], occurrence: undefined, postponedFrom: undefined };

  it('is absent if nothing changed the time', () => {
    expect(plan('2026-12-01T08:00:00Z', { hour: 9 })).toEqual({ ...plain, time: '2026-12-01T09:00:00Z' });
  });

  it('is that the time was past', () => {
    const now = seconds('2026-12-01T09:00:00Z');
    expect(plan('2026-11-30T00:00:00Z', { now })).toEqual({
      ...plain,
      isPast: true,
      time: '2026-12-01T09:00:00Z',
    });
  });

  it('is that a day had no such hour', () => {
    const found = plan('2027-03-28T00:30:00Z', { hour: 1 });
    expect(found).toEqual({ ...plain, skippedDays: ['2027-03-28'], time: '2027-03-29T00:00:00Z' });
    expect(plan('2027-03-28T01:00:01Z', { hour: 1 }).skippedDays).toEqual([]);
  });

  it.each([
    ['2026-10-24T23:30:00Z', 'first'],
    ['2026-10-25T00:00:01Z', 'second'],
  ])('is that an hour occurred twice: %s takes the %s', (event, occurrence) => {
    expect(plan(event, { hour: 1 }).occurrence).toBe(occurrence);
  });

  it('is that a Saturday was postponed', () => {
    const found = plan('2026-12-04T10:00:00Z', { ...weekdays, hour: 9 });
    const weekend = seconds('2026-12-05T09:00:00Z');
    expect(found).toEqual({ ...plain, postponedFrom: weekend, time: '2026-12-07T09:00:00Z' });
  });
});

describe('actiononweekend false: "An action on a Saturday or Sunday in that zone moves to the Monday, same time"', () => {
  it.each([
    ['Friday stays', '2026-12-04T23:59:59Z', weekdays, '2026-12-04T23:59:59Z'],
    ['Saturday', '2026-12-05T00:00:00Z', weekdays, '2026-12-07T00:00:00Z'],
    ['Sunday', '2026-12-06T13:14:15Z', weekdays, '2026-12-07T13:14:15Z'],
    ['Monday stays', '2026-12-07T00:00:00Z', weekdays, '2026-12-07T00:00:00Z'],
    ['Saturday with weekends', '2026-12-05T10:00:00Z', {}, '2026-12-05T10:00:00Z'],
    [
      'by way of the offset',
      '2026-12-04T22:00:00Z',
      { ...weekdays, offset: 3 * 3600 },
      '2026-12-07T01:00:00Z',
    ],
    ['by way of the hour', '2026-12-04T10:00:00Z', { ...weekdays, hour: 9 }, '2026-12-07T09:00:00Z'],
    [
      'Saturday in Auckland only',
      '2026-12-04T12:00:00Z',
      { ...weekdays, zone: 'Pacific/Auckland' },
      '2026-12-06T12:00:00Z',
    ],
    [
      'Monday in Auckland already',
      '2026-12-06T12:00:00Z',
      { ...weekdays, zone: 'Pacific/Auckland' },
      '2026-12-06T12:00:00Z',
    ],
    ['over the change to winter', '2026-10-24T08:00:00Z', weekdays, '2026-10-26T09:00:00Z'],
    ['over the change to summer', '2027-03-27T09:00:00Z', weekdays, '2027-03-29T08:00:00Z'],
    [
      'from an hour that the Sunday skips',
      '2027-03-28T00:30:00Z',
      { ...weekdays, hour: 1 },
      '2027-03-29T00:00:00Z',
    ],
  ])('%s', (_, event, more, expected) => {
    expect(act(event, more)).toBe(expected);
  });
});

describe('date rules: a negative offset, and past dates', () => {
  const now = seconds('2026-12-01T09:00:00Z');
  it.each([
    ['before the date', '2026-12-25T00:00:00Z', { now, offset: -1440 }, '2026-12-24T23:36:00Z'],
    ['past: at once', '2026-11-30T00:00:00Z', { now }, '2026-12-01T09:00:00Z'],
    ['past by the offset', '2026-12-01T12:00:00Z', { now, offset: -DAY }, '2026-12-01T09:00:00Z'],
    ['past: the hour holds', '2026-11-30T00:00:00Z', { now, hour: 8 }, '2026-12-02T08:00:00Z'],
  ])('%s', (_, event, more, expected) => {
    expect(act(event, more)).toBe(expected);
  });
});

it('never acts early or on an excluded weekend, and acts within five days, in every zone', async () => {
  const zones = ['Europe/London', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC'];
  const timing = fc.record({
    event: fc.integer({ min: 1_700_000_000, max: 2_000_000_000 }),
    hour: fc.option(fc.integer({ min: 0, max: 23 })),
    zone: fc.constantFrom(...zones),
  });
  await fc.assert(
    fc.property(timing, ({ event, hour, zone }) => {
      const time = computeActionTime({ event, offset: 0, now: event, hour, onWeekend: false, zone });
      const weekday = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'short' }).format(time * 1000);
      expect(['Sat', 'Sun']).not.toContain(weekday);
      expect(time).toBeGreaterThanOrEqual(event);
      expect(time).toBeLessThanOrEqual(event + 5 * DAY);
    }),
  );
});
