import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { machineTimer } from '../../../src/client/ports.ts';
import { exchange } from '../../../src/client/transport/exchange.ts';

const REQUEST = { method: 'POST', path: '/v1/sms', query: '', headers: {} } as const;
const ROUTE = { origin: 'http://127.0.0.1', peer: { host: '127.0.0.1:80' } };
const LIMITS = { timeouts: { total: 60_000 }, maxAnswerOctets: 100, timer: machineTimer };

/** A dispatcher that hands its handler over, to be driven by hand. */
function byHand() {
  const handlers: Dispatcher.DispatchHandler[] = [];
  const aborted: string[] = [];
  const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler): boolean => {
    handlers.push(handler);
    return true;
  };
  const start = (name: string): void => {
    const controller = { abort: () => aborted.push(name) } as unknown as Dispatcher.DispatchController;
    handlers[0]?.onRequestStart?.(controller, undefined);
  };
  return { dispatcher: { dispatch } as unknown as Dispatcher, start, aborted };
}

// undici: "may be invoked multiple times when a request is retried", with the same nonce and Date.
it('a request that undici would send a second time is not', async () => {
  const { dispatcher, start, aborted } = byHand();
  void exchange(dispatcher, ROUTE, REQUEST, LIMITS, AbortSignal.timeout(5)).catch(() => undefined);
  start('first');
  expect(aborted).toEqual([]);
  start('second');
  expect(aborted).toEqual(['second']);
});

it('a request whose time is over before it was written is not written later', async () => {
  const { dispatcher, start, aborted } = byHand();
  const time = new AbortController();
  const call = exchange(dispatcher, ROUTE, REQUEST, LIMITS, time.signal);
  time.abort();
  await expect(call).rejects.toMatchObject({ sent: 'not-sent', timedOut: true });
  start('late');
  expect(aborted).toEqual(['late']);
});
