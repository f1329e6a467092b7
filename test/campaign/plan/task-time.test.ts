/** Contract, "Sends and campaigns, once more": the text of a relative time belongs to the item; other times always mean the same moment. */
import { describe, expect, it } from 'vitest';
import {
  isImplausibleSendTime,
  relativeTimeText,
  sendTimeRefusal,
} from '../../../src/features/campaign/plan/task-time.ts';
import { isRelativeTime } from '../../../src/kit/text/time-phrase.ts';
import { NOW } from '../../support/sandbox.ts';
import { task } from '../support.ts';

const YEAR = 365.25 * 86_400;

describe('a time', () => {
  it.each([
    ['1796115600', false],
    [' 1796115600 ', false],
    ['2027-03-01 09:00', false],
    ['2027/03/01', false],
    ['1/3/2027 09:00', false],
    ['01.03.2027', false],
    ['31-12-2027', false],
    ['+6d', true],
    ['tomorrow 09:00', true],
    ['monday 09:00', true],
    ['09:00', true],
    ['1.3. 09:00', true],
    ['12 march', true],
    ['in 2027-03', true],
  ])('%s is relative: %s', (at, expected) => {
    expect(isRelativeTime(at)).toBe(expected);
    expect(relativeTimeText({ at })).toBe(expected ? at : undefined);
  });

  it.each([
    [NOW - 1, null, 'the send time has passed, so the service would send at once'],
    [NOW + 299, null, 'the send time is less than 5 minutes ahead'],
    [NOW + 300, null, undefined],
    [NOW + 300, 300, undefined],
    [NOW + 300, 301, 'the countdown (hold) of 5 minutes 1 second would end after the send time'],
    [NOW + 2 * YEAR, null, undefined],
    [NOW + 2 * YEAR + 1, null, 'the send time is more than 2 years ahead; check the year'],
    [NOW * 1000, null, 'the send time looks like milliseconds; use Unix seconds'],
  ])('%d with a hold of %d is refused: %s', (time, hold, expected) => {
    expect(sendTimeRefusal(task('sale', { hold }), time, NOW)).toBe(expected);
    expect(isImplausibleSendTime(time, NOW)).toBe(/milliseconds|2 years/.test(expected ?? ''));
  });
});
