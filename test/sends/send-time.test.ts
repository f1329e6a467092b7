import { describe, expect, it } from 'vitest';
import {
  findSendTimeFault,
  SEND_TIME_MARGINS,
  SEND_TIME_MARGINS_IF_CANCELLABLE,
  sendTimeSummary,
} from '../../src/client/sends/send-time.ts';

/** Tue 2026-12-01 09:00:00 UTC. */
const NOW = 1_796_115_600;
const DAY = 86_400;

/** Contract, "Safety": past, less than 2 minutes ahead, more than 2 years ahead, or looks like milliseconds. */
describe('rejects a time', () => {
  const LATER = 'give a later time, or use --now to send at once';
  const FUTURE = 'give a future time, or use --now to send at once';
  it.each([
    [-1, 'was 1 second ago, so the service would send at once', FUTURE],
    [-0.2, 'was 1 second ago, so the service would send at once', FUTURE],
    [-3600, 'was 1 hour ago, so the service would send at once', FUTURE],
    [0, 'is less than 2 minutes ahead', LATER],
    [119, 'is less than 2 minutes ahead', LATER],
    [732 * DAY, 'is more than 2 years ahead', 'check the year'],
    [NOW * 999, 'looks like milliseconds; use Unix seconds', `write ${NOW}`],
  ])('%s seconds from now: %s', (ahead, reason, instead) => {
    const value = NOW + ahead;
    expect(findSendTimeFault('scheduledtime', value, NOW)).toEqual({
      attribute: 'scheduledtime',
      value,
      reason,
      instead,
    });
  });

  it.each([120, DAY, 730 * DAY])('but not %i seconds from now', (ahead) => {
    expect(findSendTimeFault('scheduledtime', NOW + ahead, NOW)).toBeUndefined();
  });

  it('less than 5 minutes ahead if there must be time to cancel', () => {
    const fault = (ahead: number) =>
      findSendTimeFault('scheduledtime', NOW + ahead, NOW, SEND_TIME_MARGINS_IF_CANCELLABLE.minSecondsAhead);
    expect(fault(299)?.reason).toBe('is less than 5 minutes ahead');
    expect(fault(300)).toBeUndefined();
  });
});

// Contract, "Safety": a retry leaves 60 seconds, or 3 minutes if there must be time to cancel.
it('leaves less time before a retry than before the first attempt', () => {
  expect([SEND_TIME_MARGINS, SEND_TIME_MARGINS_IF_CANCELLABLE]).toEqual([
    { minSecondsAhead: 120, minSecondsLeftAtRequest: 60 },
    { minSecondsAhead: 300, minSecondsLeftAtRequest: 180 },
  ]);
});

describe('the summary of a send time', () => {
  const zones = { company: 'Europe/London', operator: 'America/New_York' };
  it('shows it in UTC, for the company and for the operator, with the weekday and the time left', () => {
    expect(sendTimeSummary(NOW + 200 * DAY, NOW, zones)).toEqual([
      'Sends Sat 2027-06-19 09:00:00 +00:00 (UTC), in 200 days',
      '      Sat 2027-06-19 10:00:00 +01:00 (Europe/London), the company',
      '      Sat 2027-06-19 05:00:00 -04:00 (America/New_York), here',
    ]);
  });

  it('shows it once if all clocks agree, and in each zone if one differs', () => {
    expect(sendTimeSummary(NOW + 90, NOW, { company: 'UTC', operator: 'Europe/London' })).toEqual([
      'Sends Tue 2026-12-01 09:01:30 +00:00 (UTC), in 1 minute 30 seconds',
      '      the same for the company and here',
    ]);
    expect(sendTimeSummary(NOW + 90, NOW, { company: 'UTC', operator: 'Asia/Tokyo' })).toContain(
      '      Tue 2026-12-01 18:01:30 +09:00 (Asia/Tokyo), here',
    );
  });

  it('also shows it in the zone that was typed, unless that is shown already', () => {
    const summary = (typed: string) => sendTimeSummary(NOW + DAY, NOW, { ...zones, typed });
    expect(summary('Asia/Tokyo').slice(2)).toEqual([
      '      Wed 2026-12-02 04:00:00 -05:00 (America/New_York), here',
      '      Wed 2026-12-02 18:00:00 +09:00 (Asia/Tokyo), as --tz says',
    ]);
    for (const zone of ['UTC', 'Europe/London', 'America/New_York']) expect(summary(zone)).toHaveLength(3);
  });

  it('says that svc does not know the zone of the company', () => {
    expect(sendTimeSummary(NOW + DAY, NOW, { ...zones, company: undefined })[1]).toBe(
      "      svc does not know the company's time zone",
    );
  });

  it.each([0, -5])('says that a time %i seconds from now is sent at once', (ahead) => {
    expect(sendTimeSummary(NOW + ahead, NOW, zones)[0]).toMatch(/ \(UTC\), at once$/);
  });
});
