/** Contract, "Campaigns as files", "Series". */
import { describe, expect, it } from 'vitest';
import {
  findSeriesFault,
  listOccurrences,
  type Repeat,
  type SeriesTask,
} from '../../src/features/campaign/series.ts';

const series = (at: string, repeat: Partial<Repeat>): SeriesTask => ({
  kind: 'task',
  key: 'news',
  name: 'News',
  channel: null,
  message: { key: 'news' },
  list: '1',
  search: null,
  at,
  rate: null,
  expectSize: null,
  maxCredits: null,
  hold: null,
  repeat: { every: 'week', until: null, times: null, ahead: 4, records: [], ...repeat },
});

const timesOf = (at: string, repeat: Partial<Repeat>, zone: string): readonly string[] =>
  listOccurrences(series(at, repeat), zone).map(
    ({ key, time }) => `${key} ${new Date(time * 1000).toISOString().slice(0, 16)}Z`,
  );

describe('"each later time is the same local time"', () => {
  it('keeps the local time when clocks change', () => {
    expect(timesOf('2027-03-22 09:00', { every: 'week', times: 2 }, 'Europe/Oslo')).toEqual([
      'news@2027-03-22 2027-03-22T08:00Z',
      'news@2027-03-29 2027-03-29T07:00Z',
    ]);
  });

  it('takes the time an hour later on the day on which clocks skip the time', () => {
    expect(timesOf('2027-03-27 02:30', { every: 'day', times: 3 }, 'Europe/Oslo')).toEqual([
      'news@2027-03-27 2027-03-27T01:30Z',
      'news@2027-03-28 2027-03-28T01:30Z',
      'news@2027-03-29 2027-03-29T00:30Z',
    ]);
  });

  it('takes the first of two equal local times', () => {
    expect(timesOf('2026-10-24 02:30', { every: 'day', times: 3 }, 'Europe/Oslo')).toEqual([
      'news@2026-10-24 2026-10-24T00:30Z',
      'news@2026-10-25 2026-10-25T00:30Z',
      'news@2026-10-26 2026-10-26T01:30Z',
    ]);
  });

  it('takes the last day of a month without that day, and then the day itself again', () => {
    expect(timesOf('2026-12-31 09:00', { every: 'month', times: 4 }, 'UTC')).toEqual([
      'news@2026-12-31 2026-12-31T09:00Z',
      'news@2027-01-31 2027-01-31T09:00Z',
      'news@2027-02-28 2027-02-28T09:00Z',
      'news@2027-03-31 2027-03-31T09:00Z',
    ]);
  });

  it('leaves out weekends, and includes the day of until', () => {
    expect(timesOf('2026-12-04 09:00', { every: 'weekday', until: '2026-12-08' }, 'UTC')).toEqual([
      'news@2026-12-04 2026-12-04T09:00Z',
      'news@2026-12-07 2026-12-07T09:00Z',
      'news@2026-12-08 2026-12-08T09:00Z',
    ]);
  });

  it('counts the days of a time with an offset in the company’s zone', () => {
    expect(timesOf('2026-12-06T23:30:00Z', { times: 2 }, 'Europe/Oslo')).toEqual([
      'news@2026-12-07 2026-12-06T23:30Z',
      'news@2026-12-14 2026-12-13T23:30Z',
    ]);
  });
});

describe('faults of a series', () => {
  it.each([
    ['2026-12-05 09:00', { every: 'weekday', times: 3 }, 'at is on a Sat, but the series sends from Monday'],
    ['2026-12-07 09:00', { until: '2026-12-06' }, 'until is before the first time, 2026-12-07'],
    ['2026-01-01 09:00', { every: 'day', until: '2027-01-02' }, 'the series has more than 366 times'],
  ] as const)('%s %j: %s', (at, repeat, reason) => {
    expect(findSeriesFault(series(at, repeat), 'UTC')?.reason).toContain(reason);
  });

  it.each([
    ['2026-12-07 09:00', { until: '2026-12-07' }],
    ['2026-01-01 09:00', { every: 'day', until: '2027-01-01' }],
    ['2026-01-01 09:00', { every: 'day', times: 366 }],
    // The words are a fault of their own. Their day is not known, so nothing follows from it.
    ['friday 09:00', { until: '2027-01-01' }],
  ] as const)('%s %j has none', (at, repeat) => {
    expect(findSeriesFault(series(at, repeat), 'UTC')).toBeUndefined();
  });

  it('refuses a key under which two days have one mark', () => {
    // A mark has five letters for the key, so few keys are refused.
    const daily = { ...series('2026-01-01 09:00', { every: 'day', times: 366 }), key: 'k2529' };
    expect(findSeriesFault(daily, 'UTC')?.reason).toBe(
      'svc cannot distinguish 2026-06-22 and 2026-07-22 of k2529 by their marks; choose another key',
    );
  });
});
