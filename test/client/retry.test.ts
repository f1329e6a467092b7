import { describe, expect, it } from 'vitest';
import {
  type AttemptOutcome,
  classifyAttemptOutcome,
  computeRetryDelayMs,
  createRetryQuota,
  mayRetryRequest,
  readRetryAfterMs,
} from '../../src/client/requests/retry.ts';
import { METHODS } from '../../src/kit/schema/resource.ts';
import { folder } from '../../src/service/resources/folder.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { answer, BEGIN, clientOn, lost, no, notSent, ok, timedOut } from './fakes.ts';
import { type Chance, createChance } from './simulation-world.ts';

const answered = (status: number, headers: Readonly<Record<string, string>> = {}): AttemptOutcome => ({
  kind: 'answer',
  response: answer(status, '', headers),
});
const failed = (error: typeof lost): AttemptOutcome => ({ kind: 'failure', error });
const highest = () => new Uint8Array([255, 255, 255, 255]);
const lowest = () => new Uint8Array(4);

// Contract, "Safety": the requests that are retried. A POST is retried only if it certainly did not arrive or was refused.
describe('outcomes that may be repeated, by method', () => {
  const all = METHODS.join(' ');
  const allButPost = METHODS.filter((method) => method !== 'POST').join(' ');
  it.each([
    ['nothing sent', failed(notSent), all],
    ['cut after sending', failed(lost), allButPost],
    ['time-out', failed(timedOut), allButPost],
    ['429 of the service', { kind: 'answer', response: no(429) } as const, all],
    // Second attack L1: a gateway may send a 429 after the service has acted.
    ['429 in a format that the service does not use', answered(429), allButPost],
    [
      '429 with a success of the service',
      { kind: 'answer', response: ok({}, null, 429) } as const,
      allButPost,
    ],
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
    expect(
      METHODS.filter((method) => mayRetryRequest(method, classifyAttemptOutcome(outcome))).join(' '),
    ).toBe(methods);
  });
});

describe('computeRetryDelayMs', () => {
  it('is full jitter: from 0 to 500 ms, doubled by every failure, at most 20 s', () => {
    const most = [1, 2, 3, 6, 7, 40].map((failures) =>
      computeRetryDelayMs(failures, failed(lost), highest, BEGIN),
    );
    expect(most).toEqual([500, 1000, 2000, 16_000, 20_000, 20_000]);
    expect(computeRetryDelayMs(9, failed(lost), lowest, BEGIN)).toBe(0);
  });

  it('is never shorter than Retry-After, and never longer than 5 minutes', () => {
    expect(computeRetryDelayMs(1, answered(429, { 'retry-after': '7' }), lowest, BEGIN)).toBe(7000);
    expect(computeRetryDelayMs(1, answered(503, { 'retry-after': '7' }), highest, BEGIN)).toBe(7500);
    expect(computeRetryDelayMs(9, answered(429, { 'retry-after': '299' }), highest, BEGIN)).toBe(300_000);
  });
});

describe('retryAfter', () => {
  const date = (offset: number) => new Date(BEGIN + offset).toUTCString();
  it.each([
    ['seconds', { 'retry-after': '12' }, 12_000],
    ['no seconds', { 'retry-after': '0' }, 0],
    ['very many seconds', { 'retry-after': '1000000000' }, 300_000],
    // The date is relative to the service's own clock, which may differ from ours by hours.
    ['a date', { 'retry-after': date(3_620_000), date: date(3_600_000) }, 20_000],
    ['a date, without Date', { 'retry-after': date(20_000) }, 20_000],
    ['a date that has passed', { 'retry-after': date(-20_000), date: date(0) }, 0],
    ['a date far in the future', { 'retry-after': date(9e9), date: date(0) }, 300_000],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['junk', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('%s', (_name, headers, expected) => {
    expect(readRetryAfterMs(answer(429, '', headers), BEGIN)).toBe(expected);
  });
});

const VALUES = depth('SVC_RETRY_AFTER', { few: 200, full: 1000 });
const MOST = 300_000;

/** Returns a value of the header, and the minimum delay in milliseconds. Junk requires no delay. */
function randomValue(chance: Chance, offset: number): { readonly text: string; readonly least: number } {
  const whole = (low: number, high: number): number => Math.floor(chance.between(low, high));
  const date = (seconds: number): string => new Date(BEGIN + offset + seconds * 1000).toUTCString();
  switch (chance.pick(['seconds', 'many', 'digits', 'date', 'past', 'junk'] as const)) {
    case 'seconds': {
      const seconds = whole(0, 400);
      return {
        text: `${chance.pick(['', '0', ' '])}${seconds}${chance.pick(['', ' '])}`,
        least: seconds * 1000,
      };
    }
    case 'many':
      return { text: String(10 ** whole(3, 15)), least: MOST };
    case 'digits':
      return { text: '9'.repeat(whole(16, 400)), least: MOST };
    case 'date': {
      const seconds = whole(0, 400);
      return { text: date(seconds), least: seconds * 1000 };
    }
    case 'past':
      return { text: date(-whole(1, 1e6)), least: 0 };
    case 'junk': {
      const junk = [
        '',
        'soon',
        '-5',
        '1e3',
        '0x10',
        '+7',
        '1.5',
        '5s',
        '٣',
        'NaN',
        'Infinity',
        '1, 2',
        date(9).slice(5),
      ];
      return { text: chance.pick(junk), least: 0 };
    }
  }
}

// No attempt is early, no wait is longer than 5 minutes, and there are at most 3 attempts.
it(`Y3: the client obeys ${VALUES} values of Retry-After (SVC_SEED=${SEED})`, async () => {
  const chance = createChance(SEED);
  const counts = { waits: 0, asked: 0, capped: 0 };
  for (let each = 0; each < VALUES; each += 1) {
    // The service's clock may be hours off.
    const offset = chance.pick([0, 3_600_000, -7_200_000]);
    const values = [randomValue(chance, offset), randomValue(chance, offset), randomValue(chance, offset)];
    const status = chance.pick([429, 503]);
    const date = new Date(BEGIN + offset).toUTCString();
    const refusals = values.map(({ text }) => no(status, 'no', { 'retry-after': text, date }));
    const failures = Math.floor(chance.between(1, 4));
    const { client, sent, clock } = clientOn([...refusals.slice(0, failures), ok([{ id: 1, name: 'a' }])], {
      timeout: chance.pick([60_000, 1e9]),
      random: (count) => chance.octets(count),
    });
    const isPost = status === 429 && chance.is(0.5);
    const call = isPost ? client.create(folder, { name: 'a' }) : client.get(folder, 1);
    const isDone = await call.then(
      () => true,
      () => false,
    );
    const words = JSON.stringify([values, status, failures, clock.slept, sent.length]);
    expect(sent.length, words).toBeLessThanOrEqual(3);
    expect(isDone, words).toBe(sent.length === failures + 1);
    expect(clock.slept, words).toHaveLength(sent.length - 1);
    for (const [at, slept] of clock.slept.entries()) {
      // The Date of a response stays the same while this clock advances, so a date requires the same wait each time.
      const least = Math.min(MOST, values[at]?.least ?? 0);
      expect(slept, words).toBeGreaterThanOrEqual(least);
      expect(slept, words).toBeLessThanOrEqual(Math.min(MOST, least + 20_000));
      counts.waits += 1;
      if (least > 0) counts.asked += 1;
      if (least === MOST) counts.capped += 1;
    }
  }
  expect(counts.asked).toBeGreaterThan(VALUES / 4);
  expect(counts.capped).toBeGreaterThan(VALUES / 20);
  tried('Y3', VALUES);
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
