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

it('does not write a request after its time is over', async () => {
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

// Wire, "Requests": JSON is UTF-8. Other octets would reach people and files as U+FFFD.
const answered = (status: number, chunks: readonly Buffer[]) => {
  const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler): boolean => {
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseStart?.(controller, status, {}, '');
    for (const chunk of chunks) handler.onResponseData?.(controller, chunk);
    handler.onResponseEnd?.(controller, {});
    return true;
  };
  return exchange({ dispatch } as unknown as Dispatcher, ROUTE, REQUEST, LIMITS);
};

it.each([
  ['Latin-1', Buffer.from('{"name":"caf\u00e9"}', 'latin1')],
  ['a cut character', Buffer.from('{"name":"caf\u00e9"}').subarray(0, 13)],
  ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['half of a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['UTF-16', Buffer.from('\ufeff{"a":1}', 'utf16le')],
])('an answer that is not UTF-8 (%s) is an error, and final', async (_, octets) => {
  await expect(answered(200, [octets])).rejects.toMatchObject({
    sent: 'unknown',
    isFinal: true,
    message: 'the response is not UTF-8 text',
  });
});

it('a character that two parts of an answer share is whole', async () => {
  const octets = Buffer.from('"\u00e9"');
  const { body } = await answered(200, [octets.subarray(0, 2), octets.subarray(2)]);
  expect(body).toBe('"\u00e9"');
});

it('the page of a proxy keeps its status, whatever its encoding', async () => {
  const { status, body } = await answered(503, [Buffer.from('d\u00e9sol\u00e9', 'latin1')]);
  expect([status, body]).toEqual([503, 'd\ufffdsol\ufffd']);
});
