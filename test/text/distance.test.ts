import { describe, expect, it } from 'vitest';
import { distanceOf } from '../../src/text/distance.ts';

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
const NOW = 1_796_115_600;

describe('distanceOf', () => {
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
    expect([distanceOf(NOW + seconds, NOW), distanceOf(NOW - seconds, NOW)]).toEqual([ahead, behind]);
  });

  it('prints nothing wrong for an invalid time', () => {
    expect(distanceOf(Number.NaN, NOW)).toBe('now');
  });
});
