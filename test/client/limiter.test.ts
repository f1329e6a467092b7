import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/client/requests/connection.ts';
import { ClientError } from '../../src/client/requests/errors.ts';
import { createConcurrencyLimiter } from '../../src/client/requests/limiter.ts';
import { folder } from '../../src/service/resources/folder.ts';
import { clientOn, no, ok, virtualClock } from './fakes.ts';

const failed = (status: number) =>
  new ClientError(status === 429 ? 'throttled' : status >= 500 ? 'failed' : 'refused', 'no', {
    method: 'POST',
    path: '/v1/doNotContact',
    status,
  });
const answered = (status: number, headers = {}): TraceEvent => ({
  kind: 'answer',
  method: 'POST',
  path: '/v1/doNotContact',
  query: '',
  attempt: 1,
  status,
  headers,
  ms: 1,
});
const tick = () => new Promise(setImmediate);

/** Makes tasks that end when the test releases them. */
function gate() {
  const open: (() => void)[] = [];
  const task = () => new Promise<void>((resolve) => open.push(resolve));
  const letAll = async () => {
    for (const each of open.splice(0)) each();
    await tick();
  };
  return { task, open, letAll };
}

// Acceptance, "How many at once": concurrency 4, rising additively to 16, halved on 429/503.
describe('the number of running tasks', () => {
  it('starts at 4, and grows by one for every window of successes, to at most 16', async () => {
    const limiter = createConcurrencyLimiter({ clock: virtualClock() });
    const { task, open, letAll } = gate();
    const all = Promise.all(Array.from({ length: 200 }, () => limiter.run(task)));
    const seen: number[] = [];
    await tick();
    while (open.length > 0) {
      seen.push(open.length);
      await letAll();
    }
    await all;
    expect(seen.slice(0, 14)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16]);
    expect(Math.max(...seen)).toBe(16);
  });

  it('keeps the order of the tasks, and settles as each task does', async () => {
    const limiter = createConcurrencyLimiter({ clock: virtualClock(), start: 1, max: 1 });
    const begun: number[] = [];
    const results = [1, 2, 3].map((n) =>
      limiter.run(async () => {
        begun.push(n);
        if (n === 2) throw failed(400);
        return n;
      }),
    );
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(begun).toEqual([1, 2, 3]);
  });

  it.each([
    [429, 4],
    [503, 4],
    [400, 8],
    [500, 8],
  ])('after a %i with a limit of 8 is %i', async (status, expected) => {
    const limiter = createConcurrencyLimiter({ clock: virtualClock(), start: 8 });
    await limiter.run(() => Promise.reject(failed(status))).catch(() => undefined);
    expect(limiter.limit()).toBe(expected);
  });

  it('halves once for an overload that all calls report, then for the next one, never below 1', async () => {
    const clock = virtualClock();
    const limiter = createConcurrencyLimiter({ clock, start: 16 });
    for (let n = 0; n < 16; n += 1) limiter.trace(answered(503));
    expect(limiter.limit()).toBe(8);
    for (let n = 0; n < 10; n += 1) {
      clock.advance(1000);
      limiter.trace(answered(429));
    }
    expect(limiter.limit()).toBe(1);
    await limiter.run(async () => undefined);
    expect(limiter.limit()).toBe(2);
  });

  it('includes no new task before Retry-After is over', async () => {
    const clock = virtualClock();
    const limiter = createConcurrencyLimiter({ clock });
    const begin = clock.now();
    limiter.trace(answered(429, { 'retry-after': '30' }));
    expect(await limiter.run(async () => clock.now() - begin)).toBe(30_000);
  });

  it('excludes waiting tasks after Ctrl-C', async () => {
    const interrupt = new AbortController();
    const limiter = createConcurrencyLimiter({ clock: virtualClock(), start: 1, signal: interrupt.signal });
    const { task, letAll } = gate();
    const first = limiter.run(task);
    let started = false;
    const second = limiter
      .run(async () => {
        started = true;
      })
      .catch((error: unknown) => error);
    await tick();
    interrupt.abort();
    await letAll();
    await first;
    expect(await second).toMatchObject({ name: 'AbortError' });
    expect(started).toBe(false);
  });
});

it('shrinks after a 429 that the client has already retried', async () => {
  const limiter = createConcurrencyLimiter({ clock: virtualClock() });
  const { client } = clientOn([no(429), ok({ id: 1 }), ok({ id: 1 })], { trace: limiter.trace });
  await limiter.run(() => client.get(folder, 1));
  expect(limiter.limit()).toBe(2);
});
