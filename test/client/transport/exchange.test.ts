import fc from 'fast-check';
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

// Names are the service's: none of them may be taken for what every object has.
it('the headers of an answer are kept whatever they are called, in lower case', async () => {
  const name = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'Date', 'toString', 'X-Svc-Time'),
    fc.string(),
  );
  const value = fc.oneof(
    fc.string(),
    fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
    fc.constant(undefined),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (given) => {
      const headers = Object.fromEntries(given);
      const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler): boolean => {
        const controller = {} as Dispatcher.DispatchController;
        handler.onRequestStart?.(controller, undefined);
        handler.onResponseStart?.(controller, 200, headers, 'OK');
        handler.onResponseData?.(controller, Buffer.from('{"a":"\u00e9'));
        handler.onResponseData?.(controller, Buffer.from('"}'));
        handler.onResponseEnd?.(controller, {});
        return true;
      };
      const answer = await exchange({ dispatch } as unknown as Dispatcher, ROUTE, REQUEST, {
        ...LIMITS,
        maxAnswerOctets: Number.POSITIVE_INFINITY,
      });
      const expected = new Map<string, string>();
      for (const [each, text] of Object.entries(headers))
        if (text !== undefined)
          expected.set(each.toLowerCase(), Array.isArray(text) ? text.join(', ') : text);
      expect(new Map(Object.entries(answer.headers))).toEqual(expected);
      expect(Object.getPrototypeOf(answer.headers)).toBe(Object.prototype);
      expect(answer.body).toBe('{"a":"\u00e9"}');
    }),
  );
});
