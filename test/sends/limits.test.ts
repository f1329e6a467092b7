/**
 * Contract, "Safety": a task outside the range is cancelled, with both numbers; "Campaigns as files": the same applies to `max-credits`.
 */
import { describe, expect, it } from 'vitest';
import { findExceededLimit } from '../../src/client/sends/cost.ts';

const NONE = { expectSize: null, maxCredits: null };
const size = (from: number, to = from) => ({ ...NONE, expectSize: { from, to } });
const cost = (maxCredits: number) => ({ ...NONE, maxCredits });

describe('an exceeded limit', () => {
  it.each([
    [size(1), 3, 3, 'has 3 subscriptions, expected 1'],
    [size(2), 3, 3, 'has 3 subscriptions, expected 2'],
    [size(9000, 11000), 8999, 8999, 'has 8999 subscriptions, expected 9000 to 11000'],
    [size(1), null, null, 'has an unknown number of subscriptions, expected 1'],
    [cost(2), 3, 3, 'would cost 3 credits, but the maximum is 2'],
    [cost(2), 3, null, 'would cost an unknown number of credits, but the maximum is 2'],
    [{ ...size(1), maxCredits: 2 }, 3, 3, 'has 3 subscriptions, expected 1'],
  ])('%j of %j subscriptions and %j credits: %s', (limits, found, credits, words) => {
    expect(findExceededLimit(limits, { size: found, credits })?.words).toBe(words);
  });

  it.each([
    [NONE, null, null],
    [size(3), 3, null],
    [size(1, 3), 1, null],
    [size(1, 3), 3, null],
    [cost(3), 3, 3],
    [cost(0), 0, 0],
  ])('is not reported for %j of %j and %j', (limits, found, credits) => {
    expect(findExceededLimit(limits, { size: found, credits })).toBeUndefined();
  });
});
