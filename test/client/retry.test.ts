import { describe, expect, it } from 'vitest';
import {
  type AttemptOutcome,
  classify,
  createRetryQuota,
  delayAfter,
  mayRepeat,
  retryAfter,
} from '../../src/client/retry.ts';
import { METHODS } from '../../src/schema/resource.ts';
import { answer, BEGIN, lost, notSent, timedOut } from './fakes.ts';

const answered = (status: number, headers: Readonly<Record<string, string>> = {}): AttemptOutcome => ({
  kind: 'answer',
  response: answer(status, '', headers),
});
const failed = (error: typeof lost): AttemptOutcome => ({ kind: 'failure', error });
const highest = () => new Uint8Array([255, 255, 255, 255]);
const lowest = () => new Uint8Array(4);

// Contract, "Safety": what is retried, and a POST only when it certainly did not arrive or was refused.
describe('outcomes that may be repeated, by method', () => {
  const all = METHODS.join(' ');
  const allButPost = METHODS.filter((method) => method !== 'POST').join(' ');
  it.each([
    ['nothing sent', failed(notSent), all],
    ['cut after sending', failed(lost), allButPost],
    ['time-out', failed(timedOut), allButPost],
    ['429', answered(429), all],
    ['502', answered(502), allButPost],
    ['503', answered(503), allButPost],
    ['504', answered(504), allButPost],
    ['500', answered(500), ''],
    ['501', answered(501), ''],
    ['401', answered(401), ''],
    ['409', answered(409), ''],
    ['423', answered(423), ''],
    ['200', answered(200), ''],
  ])('%s', (_name, outcome, methods) => {
    expect(METHODS.filter((method) => mayRepeat(method, classify(outcome))).join(' ')).toBe(methods);
  });
});

describe('delayAfter', () => {
  it('is full jitter: from 0 to 500 ms, doubled by every failure, at most 20 s', () => {
    const most = [1, 2, 3, 6, 7, 40].map((failures) => delayAfter(failures, failed(lost), highest, BEGIN));
    expect(most).toEqual([500, 1000, 2000, 16_000, 20_000, 20_000]);
    expect(delayAfter(9, failed(lost), lowest, BEGIN)).toBe(0);
  });

  it('is never shorter than Retry-After, and never longer than 5 minutes', () => {
    expect(delayAfter(1, answered(429, { 'retry-after': '7' }), lowest, BEGIN)).toBe(7000);
    expect(delayAfter(1, answered(503, { 'retry-after': '7' }), highest, BEGIN)).toBe(7500);
    expect(delayAfter(9, answered(429, { 'retry-after': '299' }), highest, BEGIN)).toBe(300_000);
  });
});

describe('retryAfter', () => {
  const date = (offset: number) => new Date(BEGIN + offset).toUTCString();
  it.each([
    ['seconds', { 'retry-after': '12' }, 12_000],
    ['no seconds', { 'retry-after': '0' }, 0],
    ['very many', { 'retry-after': '1000000000' }, 300_000],
    // Relative to the service's own clock, which may be hours off from ours.
    ['a date', { 'retry-after': date(3_620_000), date: date(3_600_000) }, 20_000],
    ['a date, without Date', { 'retry-after': date(20_000) }, 20_000],
    ['a date that has passed', { 'retry-after': date(-20_000), date: date(0) }, 0],
    ['a date far away', { 'retry-after': date(9e9), date: date(0) }, 300_000],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['junk', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('%s', (_name, headers, expected) => {
    expect(retryAfter(answer(429, '', headers), BEGIN)).toBe(expected);
  });
});

describe('the retry quota', () => {
  it('pays for 100 retries, or 50 after a time-out', () => {
    const quota = createRetryQuota();
    let paid = 0;
    while (quota.pay(failed(lost))) paid += 1;
    expect(paid).toBe(100);
    const other = createRetryQuota();
    let slow = 0;
    while (other.pay(failed(timedOut))) slow += 1;
    expect(slow).toBe(50);
  });

  it('earns one token for each success, and holds at most 500', () => {
    const quota = createRetryQuota();
    for (let n = 0; n < 1000; n += 1) quota.earn();
    let paid = 0;
    while (quota.pay(failed(lost))) paid += 1;
    expect(paid).toBe(100);
    for (let n = 0; n < 4; n += 1) quota.earn();
    expect(quota.pay(failed(lost))).toBe(false);
    quota.earn();
    expect(quota.pay(failed(lost))).toBe(true);
  });
});
