import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/client/requests/connection.ts';
import type { ClientErrorKind } from '../../src/client/requests/errors.ts';
import { METHODS, type Method } from '../../src/kit/schema/resource.ts';
import { readSignatureHeaders, verifyRequestSignature } from '../../src/service/auth/verify.ts';
import { folder } from '../../src/service/resources/folder.ts';
import { task } from '../../src/service/resources/task.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { answer, BEGIN, clientOn, KEY, lost, no, notSent, ok, type Reply, timedOut } from './fakes.ts';

const httpDate = (offset: number) => new Date(BEGIN + offset).toUTCString();
const settled = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: unknown) => error);

/** Makes a call of the given method, so that a table can cover all methods. */
const using = (replies: readonly Reply[], method: Method, options = {}) => {
  const setting = clientOn(replies, options);
  const { client } = setting;
  const start = (): Promise<unknown> => {
    switch (method) {
      case 'GET':
        return client.get(folder, 5);
      case 'HEAD':
        return client.exists(folder, { id: 5 });
      case 'POST':
        return client.create(folder, { name: 'News' }, { ifOutcomeUnknown: 'give-up' });
      case 'PUT':
        return client.update(folder, 5, { name: 'News' });
      case 'DELETE':
        return client.remove(folder, { id: 5 });
    }
  };
  return { ...setting, start };
};

const GOOD: Readonly<Record<Method, Reply>> = {
  GET: ok({ id: 5 }),
  HEAD: answer(200),
  POST: ok({ id: 5 }, null, 202),
  PUT: ok({ id: 5 }),
  DELETE: ok({ id: 5 }),
};

// Contract, "Safety": a POST is sent again only when it certainly did not arrive or was refused before it was processed.
describe('a failure, then a successful response', () => {
  const failures: readonly (readonly [string, Reply, ClientErrorKind])[] = [
    ['cut after sending', lost, 'unknown'],
    ['time-out', timedOut, 'unknown'],
    ['502', answer(502, '<html>'), 'unknown'],
    ['503', no(503), 'unknown'],
    ['504', answer(504), 'unknown'],
  ];
  const rows = failures.flatMap(([name, reply, kind]) =>
    METHODS.map((method) => [name, method, reply, kind] as const),
  );
  it.each(rows)('%s: %s', async (_name, method, reply, kind) => {
    const { sent, start } = using([reply, GOOD[method]], method);
    if (method === 'POST') {
      await expect(start()).rejects.toMatchObject({ kind, method: 'POST', path: '/v1/folder' });
      expect(sent).toHaveLength(1);
    } else {
      await start();
      expect(sent).toHaveLength(2);
    }
  });

  it.each(METHODS)('nothing sent, then 429: %s is sent again', async (method) => {
    const { sent, start, clock } = using(
      [notSent, no(429, 'slow', { 'retry-after': '3' }), GOOD[method]],
      method,
    );
    await start();
    expect(sent).toHaveLength(3);
    expect(clock.slept[1]).toBeGreaterThanOrEqual(3000);
  });
});

describe('a repeated failure', () => {
  it.each<readonly [string, Method, Reply, ClientErrorKind, number]>([
    ['nothing sent', 'GET', notSent, 'unreachable', 3],
    ['nothing sent', 'POST', notSent, 'unreachable', 3],
    ['cut', 'GET', lost, 'unreachable', 3],
    ['cut', 'PUT', lost, 'unknown', 3],
    ['cut', 'DELETE', lost, 'unknown', 3],
    ['cut', 'POST', lost, 'unknown', 1],
    ['429', 'POST', no(429), 'throttled', 3],
    ['503', 'GET', no(503), 'failed', 3],
    ['503', 'PUT', no(503), 'failed', 3],
    ['500', 'GET', no(500), 'failed', 1],
    ['500', 'PUT', no(500), 'failed', 1],
    // The service may have committed the change before the error.
    ['500', 'POST', no(500), 'unknown', 1],
    ['501', 'POST', answer(501, '<html>'), 'unknown', 1],
    ['400', 'POST', no(400), 'refused', 1],
    ['401', 'GET', no(401), 'refused', 1],
    ['403', 'HEAD', answer(403), 'refused', 1],
    ['409', 'PUT', no(409), 'refused', 1],
    ['423', 'DELETE', no(423), 'refused', 1],
    ['301', 'GET', answer(301, '', { location: 'https://evil.example/' }), 'redirect', 1],
    ['307', 'POST', answer(307, '', { location: 'https://evil.example/' }), 'redirect', 1],
    ['404 of a proxy', 'GET', answer(404, '<h1>404</h1>'), 'not-ours', 1],
    ['200 of another program', 'GET', answer(200, '<h1>hi</h1>'), 'not-ours', 1],
    ['200 cut short', 'POST', answer(200, '{"status":"ok","resp'), 'unknown', 1],
    ['200 without data', 'POST', answer(200, '{"status":"ok","response":{}}'), 'unknown', 1],
    ['200 with no object', 'POST', ok([]), 'unknown', 1],
    ['200 of another program', 'PUT', answer(200, '<h1>hi</h1>'), 'unknown', 1],
  ])('%s: %s', async (_name, method, reply, kind, attempts) => {
    const { sent, start } = using([reply], method);
    await expect(start()).rejects.toMatchObject({ name: 'ClientError', kind, method });
    expect(sent).toHaveLength(attempts);
  });

  it('names the method, the path and the next check if a POST is in doubt', async () => {
    const { client } = clientOn([lost]);
    const body = { name: 'Spring sale', channel: 'email', message_id: 4, list_id: 7, search_id: null };
    const call = client.create(
      task,
      { ...body, scheduledtime: 1_796_000_000 },
      { ifOutcomeUnknown: 'give-up' },
    );
    await expect(call).rejects.toThrow(
      'POST /v1/task was sent, but it is not known whether it succeeded (cut); before you repeat it, ' +
        'check GET /v1/task?name=Spring+sale&channel=email&message_id=4&list_id=7',
    );
  });

  it('names the target of a redirect', async () => {
    const { client } = clientOn([answer(302, '', { location: 'https://evil.example/v1' })]);
    await expect(client.get(folder, 1)).rejects.toMatchObject({
      location: 'https://evil.example/v1',
      message: expect.stringContaining('redirected to https://evil.example/v1'),
    });
  });

  it('keeps the envelope of a refusal', async () => {
    const { client } = clientOn([no(423, 'Message 4 is locked', {}, { subcode: 10 })]);
    await expect(client.remove(folder, { id: 4 })).rejects.toMatchObject({
      message: 'Message 4 is locked',
      status: 423,
      envelope: { subcode: 10 },
    });
  });
});

describe('the number of attempts and their time', () => {
  it('sends once with 0 retries', async () => {
    const { sent, start } = using([notSent], 'GET', { retries: 0 });
    await settled(start());
    expect(sent).toHaveLength(1);
  });

  it('does not wait for a Retry-After beyond the time of the call', async () => {
    const { sent, start, clock } = using([no(429, 'slow', { 'retry-after': '61' })], 'GET');
    await expect(start()).rejects.toMatchObject({ kind: 'throttled' });
    expect([sent.length, clock.slept]).toEqual([1, []]);
  });

  it('ends an attempt in flight when the time of the call is over', async () => {
    const fires: (() => void)[] = [];
    const waits: number[] = [];
    const { client } = clientOn([ok({ id: 1 })], {
      timeout: 5000,
      timer: (ms, fire) => {
        waits.push(ms);
        fires.push(fire);
        return () => undefined;
      },
      transport: (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(timedOut));
        }),
      retries: 0,
    });
    const call = settled(client.create(folder, { name: 'x' }, { ifOutcomeUnknown: 'give-up' }));
    await new Promise(setImmediate);
    fires[0]?.();
    expect(await call).toMatchObject({ kind: 'unknown' });
    expect(waits).toEqual([5000]);
  });

  it('limits retries to 100 for a service that is down, however many calls there are', async () => {
    const { client, sent } = clientOn([notSent]);
    for (let n = 0; n < 1000; n += 1) await settled(client.get(folder, n));
    expect(sent).toHaveLength(1100);
  });
});

// Wire, "Authentication, where open": every attempt has a new nonce and Date, retries included.
// Acceptance, A3. SVC_SEED chooses which call meets which failure.
const CALLS = depth('SVC_CALLS', { few: 200, full: 20_000 });
it(`${CALLS} calls through a bad network repeat no nonce, and every attempt is signed for its own Date (SVC_SEED=${SEED})`, async () => {
  let request = SEED;
  const replies = [notSent, lost, no(429), no(503), timedOut, ok({ id: 1 })];
  const { client, sent } = clientOn([
    () => {
      request += 1;
      const reply = replies[(request * 7 + Math.floor(request / 5)) % replies.length];
      if (reply instanceof Error) throw reply;
      return reply ?? ok({ id: 1 });
    },
  ]);
  for (let n = 0; n < CALLS; n += 1) {
    await settled(
      n % 3 === 0 ? client.create(folder, { name: 'x' }) : client.update(folder, n, { name: 'x' }),
    );
  }
  const nonces = sent.map(({ headers }) => headers['x-svc-nonce'] ?? '');
  expect(nonces.length).toBeGreaterThan(CALLS);
  expect(new Set(nonces).size).toBe(nonces.length);
  expect(nonces.every((nonce) => /^[0-9a-f]{40}$/.test(nonce))).toBe(true);
  const claims = sent.map((each) => readSignatureHeaders(each));
  expect(claims.every((claim) => claim !== undefined && verifyRequestSignature(claim, KEY))).toBe(true);
  tried('A3', CALLS);
});

describe('the correction of a wrong clock', () => {
  const wrong = (offset: number) => no(401, 'Authentication failed', { date: httpDate(offset) });

  it.each(METHODS)('signs a %s once more, by the time of the service', async (method) => {
    const { sent, start } = using([wrong(3_600_000), GOOD[method]], method);
    await start();
    expect(sent.map(({ headers }) => headers['date'])).toEqual([httpDate(0), httpDate(3_600_000)]);
  });

  it('uses the time in the body', async () => {
    const body = { additional_information: { time: BEGIN / 1000 - 1000 } };
    const { sent, start } = using([no(401, 'no', {}, body), GOOD.GET], 'GET');
    await start();
    expect(sent[1]?.headers['date']).toBe(httpDate(-1_000_000));
  });

  it('does not happen for a difference of less than 30 s', async () => {
    const { sent, start } = using([wrong(29_000)], 'GET');
    await expect(start()).rejects.toMatchObject({ kind: 'refused', status: 401 });
    expect(sent).toHaveLength(1);
  });

  it('does not use the time of a cached response', async () => {
    const { sent, start } = using([no(401, 'no', { date: httpDate(9e6), age: '100' })], 'GET');
    await settled(start());
    expect(sent).toHaveLength(1);
  });

  it('happens once for all calls in flight, which are all signed again', async () => {
    const good = ok({ id: 1 });
    const { client, sent } = clientOn([wrong(3_600_000), wrong(3_600_000), good]);
    expect(await Promise.all([client.get(folder, 1), client.get(folder, 1)])).toEqual([{ id: 1 }, { id: 1 }]);
    expect(sent).toHaveLength(4);
  });

  // Wire, "Responses", 401: a nonce that was used. A proxy may deliver a request twice.
  it('does not happen for a difference that was accepted before, but for another one', async () => {
    const accepted = { ...ok({ id: 1 }), headers: { date: httpDate(60_000) } };
    const { client, sent } = clientOn([accepted, wrong(62_000), wrong(120_000), ok({ id: 1 })]);
    await client.get(folder, 1);
    await expect(client.get(folder, 1)).rejects.toMatchObject({ kind: 'refused', status: 401 });
    expect(sent).toHaveLength(2);
    expect(await client.get(folder, 1)).toEqual({ id: 1 });
  });

  // Interface, "Limits": three failed logins in a row lock a user.
  it('is not repeated by the same client if it did not help', async () => {
    let offset = 0;
    const { client, sent } = clientOn([
      () => {
        offset += 3_600_000;
        return wrong(offset);
      },
    ]);
    for (let n = 0; n < 3; n += 1) await settled(client.get(folder, 1));
    expect(sent).toHaveLength(4);
  });

  it('is kept if it helped, so that the next call succeeds at once', async () => {
    const { client, sent } = clientOn([wrong(3_600_000), ok({ id: 1 })]);
    await client.get(folder, 1);
    await client.get(folder, 1);
    expect(sent.map(({ headers }) => headers['date'])).toEqual([0, 3_600_000, 3_600_000].map(httpDate));
  });

  // Wire: a sandbox can move the service's own clock. Signatures always use the machine's clock.
  it('ignores the moved clock of a sandbox, which is only reported', async () => {
    const moved = { ...ok({ id: 1 }), headers: { 'x-svc-time': '2000000000', date: httpDate(0) } };
    const { client, sent, clock } = clientOn([moved]);
    expect(client.serviceTime()).toBeUndefined();
    await client.get(folder, 1);
    clock.advance(5000);
    expect(client.serviceTime()).toBe(2_000_000_005);
    await client.get(folder, 1);
    expect(sent[1]?.headers['date']).toBe(httpDate(5000));
  });

  it('takes the service time from Date if the header is missing', async () => {
    const { client } = clientOn([{ ...ok({ id: 1 }), headers: { date: httpDate(-60_000) } }]);
    await client.get(folder, 1);
    expect(client.serviceTime()).toBe(BEGIN / 1000 - 60);
  });
});

describe('a check before every attempt', () => {
  it('runs before each attempt, and can stop the call', async () => {
    let checks = 0;
    const beforeAttempt = () => {
      checks += 1;
      if (checks === 2) throw new RangeError('too late');
    };
    const { client, sent } = clientOn([notSent]);
    const call = client.create(folder, { name: 'x' }, { beforeAttempt });
    await expect(call).rejects.toThrow(new RangeError('too late'));
    expect(sent).toHaveLength(1);
  });

  it('does not hide that an earlier attempt may have been performed', async () => {
    let checks = 0;
    const beforeAttempt = () => {
      checks += 1;
      if (checks === 2) throw new RangeError('too late');
    };
    const { client } = clientOn([lost]);
    await expect(client.update(task, 1, { scheduledtime: 1 }, { beforeAttempt })).rejects.toMatchObject({
      kind: 'unknown',
      cause: { message: 'too late' },
    });
  });
});

// Contract, "Safety": Ctrl-C finishes the request in flight, writes what is known.
describe('Ctrl-C', () => {
  it('sends nothing if it comes before a call', async () => {
    const { client, sent } = clientOn([ok({ id: 1 })], { signal: AbortSignal.abort() });
    await expect(client.create(folder, { name: 'x' })).rejects.toMatchObject({ kind: 'interrupted' });
    expect(sent).toHaveLength(0);
  });

  it('returns the response of a request in flight, and refuses the next call', async () => {
    const interrupt = new AbortController();
    const { client, sent } = clientOn(
      [
        () => {
          interrupt.abort();
          return ok({ id: 9 }, null, 202);
        },
      ],
      { signal: interrupt.signal },
    );
    expect(await client.create(folder, { name: 'x' })).toEqual({ id: 9 });
    await expect(client.get(folder, 9)).rejects.toMatchObject({ kind: 'interrupted' });
    expect(sent).toHaveLength(1);
  });

  it.each<readonly [Method, Reply, ClientErrorKind]>([
    ['GET', lost, 'interrupted'],
    ['GET', no(503), 'interrupted'],
    ['POST', no(429), 'interrupted'],
    ['POST', notSent, 'interrupted'],
    // The known fact is that the service may have acted.
    ['POST', lost, 'unknown'],
    ['PUT', lost, 'unknown'],
  ])('prevents another attempt after a %s that fails', async (method, reply, kind) => {
    const interrupt = new AbortController();
    const failing = () => {
      interrupt.abort();
      if (reply instanceof Error) throw reply;
      return reply as Awaited<ReturnType<Extract<Reply, (...given: never) => unknown>>>;
    };
    const { sent, start } = using([failing], method, { signal: interrupt.signal });
    await expect(start()).rejects.toMatchObject({ kind });
    expect(sent).toHaveLength(1);
  });

  it('gives a request in flight 10 s', async () => {
    const interrupt = new AbortController();
    const timers: { readonly ms: number; readonly fire: () => void }[] = [];
    const { client } = clientOn([ok({ id: 1 })], {
      signal: interrupt.signal,
      timer: (ms, fire) => {
        timers.push({ ms, fire });
        return () => undefined;
      },
      transport: (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(timedOut));
        }),
    });
    const call = settled(client.get(folder, 1));
    await new Promise(setImmediate);
    interrupt.abort();
    expect(timers.map(({ ms }) => ms)).toEqual([60_000, 10_000]);
    timers[1]?.fire();
    expect(await call).toMatchObject({ kind: 'interrupted' });
  });
});

it('the trace shows every attempt, but never the key or more than 6 characters of a signature', async () => {
  const events: TraceEvent[] = [];
  const { client, sent } = clientOn([no(429), ok({ id: 1 })], { trace: (event) => events.push(event) });
  await client.get(folder, 1);
  expect(events.map(({ kind, attempt }) => `${kind} ${attempt}`)).toEqual([
    'request 1',
    'answer 1',
    'retry 1',
    'request 2',
    'answer 2',
  ]);
  const text = JSON.stringify(events);
  expect(text).not.toContain(KEY);
  for (const { headers } of sent) {
    const signature = headers['authorization']?.slice(19, 59) ?? '';
    expect(signature).toMatch(/^[0-9a-f]{40}$/);
    expect(text).toContain(`SvcHash signature=\\"${signature.slice(0, 6)}…`);
    expect(text).not.toContain(signature.slice(0, 7));
  }
});
