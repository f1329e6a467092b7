/** Contract, "Safety": Ctrl-C finishes the request in flight. An attempt that takes longer than its call may be given up. */
import { expect, it } from 'vitest';
import { createTimeLimits } from '../../src/client/requests/connection.ts';

function withTimers(interrupt?: AbortSignal) {
  const timers: { readonly ms: number; readonly fire: () => void; stopped: boolean }[] = [];
  const limits = createTimeLimits((ms, fire) => {
    const timer = { ms, fire, stopped: false };
    timers.push(timer);
    return () => {
      timer.stopped = true;
    };
  }, interrupt);
  return { limits, timers };
}

it('ends an attempt when its time is over, and notifies remaining listeners once', () => {
  const { limits, timers } = withTimers();
  const { signal, release } = limits.begin(500);
  const told: string[] = [];
  const gone = (): void => void told.push('gone');
  signal.addEventListener('abort', () => void told.push('first'));
  signal.addEventListener('abort', gone);
  signal.removeEventListener('abort', gone);
  expect([signal.aborted, timers.map(({ ms }) => ms)]).toEqual([false, [500]]);
  timers[0]?.fire();
  timers[0]?.fire();
  expect([signal.aborted, told]).toEqual([true, ['first']]);
  release();
  expect(timers.map(({ stopped }) => stopped)).toEqual([true]);
});

it('Ctrl-C gives 10 s more to each attempt in flight, and none to finished ones', () => {
  const interrupt = new AbortController();
  const { limits, timers } = withTimers(interrupt.signal);
  const [first, second, over] = [limits.begin(500), limits.begin(-3), limits.begin(700)];
  over?.release();
  interrupt.abort();
  expect(timers.map(({ ms }) => ms)).toEqual([500, 1, 700, 10_000, 10_000]);
  timers[3]?.fire();
  expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false]);
  first?.release();
  second?.release();
  expect(timers.every(({ stopped }) => stopped)).toBe(true);
});

it('uses one listener for Ctrl-C for any number of attempts, and none when all are over', () => {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const counts: number[] = [];
  let listening = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listening += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listening -= 1;
    remove(...given);
  };
  const { limits } = withTimers(signal);
  const attempts = [limits.begin(1), limits.begin(1), limits.begin(1)];
  for (const { release } of attempts) {
    counts.push(listening);
    release();
  }
  counts.push(listening);
  const { release } = limits.begin(1);
  counts.push(listening);
  release();
  expect([...counts, listening]).toEqual([1, 1, 1, 0, 1, 0]);
});
