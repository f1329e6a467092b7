import fc from 'fast-check';
import { expect, it } from 'vitest';
import { computeMaxMessagesSentUntil, nextSendTime } from '../../../src/sandbox/engine/sending.ts';

/** Returns the times, in seconds after the start, at which each of `count` messages is sent. */
function timesOf(rate: number, count: number): readonly number[] {
  const times: number[] = [];
  for (let now = 0; times.length < count; now = nextSendTime(rate, 0, times.length)) {
    const allowed = computeMaxMessagesSentUntil(rate, 0, now);
    expect(allowed).toBeGreaterThan(times.length);
    while (times.length < Math.min(allowed, count)) times.push(now);
  }
  return times;
}

it('"Maximum send rate in messages per hour": no hour has more, and no full hour has fewer', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (rate) => {
      const times = timesOf(rate, rate * 3);
      for (let index = 0; index + rate < times.length; index += 1)
        expect((times[index + rate] ?? 0) - (times[index] ?? 0)).toBe(3600);
    }),
  );
});

it('sends the first at once', () => {
  expect(timesOf(1, 2)).toEqual([0, 3600]);
});
