import fc from 'fast-check';
import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { startMachineTimer } from '../../../src/client/requests/ports.ts';
import {
  createJsonSizeCounter,
  exchange,
  MAX_RESPONSE_JSON_DEPTH,
  MAX_RESPONSE_JSON_VALUES,
} from '../../../src/client/requests/transport/exchange.ts';

const REQUEST = { method: 'POST', path: '/v1/sms', query: '', headers: {} } as const;
const ROUTE = { origin: 'http://127.0.0.1', peer: { host: '127.0.0.1:80' } };
const LIMITS = { timeouts: { total: 60_000 }, maxAnswerOctets: 100, timer: startMachineTimer };

/** Makes a dispatcher that returns its handler, so that the test can call it. */
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
it('prevents undici from sending a request a second time', async () => {
  const { dispatcher, start, aborted } = byHand();
  void exchange(dispatcher, ROUTE, REQUEST, LIMITS, AbortSignal.timeout(5)).catch(() => undefined);
  start('first');
  expect(aborted).toEqual([]);
  start('second');
  expect(aborted).toEqual(['second']);
});

it('does not write a request after its time-out', async () => {
  const { dispatcher, start, aborted } = byHand();
  const time = new AbortController();
  const call = exchange(dispatcher, ROUTE, REQUEST, LIMITS, time.signal);
  time.abort();
  await expect(call).rejects.toMatchObject({ sent: 'not-sent', timedOut: true });
  start('late');
  expect(aborted).toEqual(['late']);
});

// The service chooses the names. None of them may be confused with a property of every object.
it('keeps the headers of a response whatever their names, in lower case', async () => {
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
])('a response that is not UTF-8 (%s) is a final error', async (_, octets) => {
  await expect(answered(200, [octets])).rejects.toMatchObject({
    sent: 'unknown',
    isFinal: true,
    message: 'the response is not UTF-8 text',
  });
});

it('keeps a character that is split over two parts of a response', async () => {
  const octets = Buffer.from('"\u00e9"');
  const { body } = await answered(200, [octets.subarray(0, 2), octets.subarray(2)]);
  expect(body).toBe('"\u00e9"');
});

it("keeps the status of a proxy's page, whatever its encoding", async () => {
  const { status, body } = await answered(503, [Buffer.from('d\u00e9sol\u00e9', 'latin1')]);
  expect([status, body]).toEqual([503, 'd\ufffdsol\ufffd']);
});

// Acceptance, F2: excessive depth and excessive numbers of values are noticed while the response arrives, however it is split.
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** Returns the first complaint about the text, which is given part by part. */
function gauged(text: string, size: number): string | undefined {
  const counter = createJsonSizeCounter();
  const octets = Buffer.from(text);
  for (let at = 0; at < octets.length; at += size) {
    const excess = counter.add(octets.subarray(at, at + size));
    if (excess !== undefined) return excess;
  }
  return undefined;
}

const nested = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.integer({ min: 0, max: 270 }), fc.boolean())
  .map(([inner, levels, inObjects]) =>
    inObjects
      ? `${'{"[{\\"":'.repeat(levels)}${inner}${'}'.repeat(levels)}`
      : `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`,
  );

it('rejects JSON at exactly the depth that is too deep', () => {
  fc.assert(
    fc.property(nested, fc.integer({ min: 1, max: 50 }), (text, size) => {
      const value: unknown = JSON.parse(text);
      const isJson = typeof value === 'object' && value !== null;
      const expected = isJson && depthOf(value) > MAX_RESPONSE_JSON_DEPTH ? 'too-deep' : undefined;
      expect(gauged(text, size)).toBe(expected);
    }),
  );
});

it.each([
  [MAX_RESPONSE_JSON_VALUES, undefined],
  [MAX_RESPONSE_JSON_VALUES + 1, 'too-manifold'],
] as const)('counts %i values over all parts', (values, expected) => {
  // The array itself counts as one value, and each comma as another.
  expect(gauged(`[${'0,'.repeat(values - 1)}0]`, 100_000)).toBe(expected);
});

it.each(['<html>[[[', 'plain [[[ text', ''])('ignores a text that is not JSON: %j', (text) => {
  expect(gauged(text.padEnd(2000, '['), 100)).toBe(text === '' ? 'too-deep' : undefined);
});
