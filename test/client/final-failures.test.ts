/** Failures that another attempt would only repeat: L14 (certificates), M2 (responses beyond the limits). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { explainError } from '../../src/cli/errors/explain-error.ts';
import { ClientError, TransportError } from '../../src/client/requests/errors.ts';
import { failureOf } from '../../src/client/requests/failures.ts';
import { folder } from '../../src/service/resources/folder.ts';
import { anyText } from '../support/any-text.ts';
import { depth, SEED, tried } from '../support/depth.ts';
import { answer, clientOn, lost, no, ok } from './fakes.ts';

const PEER = { host: 'api.example.com:443' };
const codes = [
  ['CERT_HAS_EXPIRED', 'has expired', 'clock of this machine'],
  ['CERT_NOT_YET_VALID', 'not valid yet', 'clock of this machine'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another host', 'base URL'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not signed by an authority', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'not signed by an authority', 'NODE_EXTRA_CA_CERTS'],
] as const;

it.each(codes)('%s is tried once, and the error says what to do', async (code, words, advice) => {
  const failure = failureOf(Object.assign(new Error('tls'), { code }), PEER);
  const { words: problem, ...about } = failure;
  const { client, sent } = clientOn([new TransportError('not-sent', problem, about)]);
  const error = await client.get(folder, 1).catch((each: unknown) => each);
  expect(sent).toHaveLength(1);
  expect(explainError(error)).toMatchObject({
    kind: 'unreachable',
    exit: 7,
    message: expect.stringContaining(words),
    hint: expect.stringContaining(advice),
  });
});

it('recognises a certificate error that undici wraps for a proxy', () => {
  const inner = Object.assign(new Error('altname'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  const outer = Object.assign(new Error('proxy', { cause: inner }), { code: 'UND_ERR_PRX_TLS' });
  expect(failureOf(outer, PEER)).toMatchObject({
    isFinal: true,
    words: expect.stringContaining('another host'),
  });
});

it.each([
  ['ECONNRESET', false],
  ['ETIMEDOUT', true],
])('%s may be tried again', (code, timedOut) => {
  expect(failureOf(Object.assign(new Error('x'), { code }), PEER)).toMatchObject({
    isFinal: false,
    timedOut,
  });
});

// Contract, "Output", exit 7: an error names the failed part, and for a connection the host and its port.
it.each([
  ['ENOTFOUND', 'host not found: api.example.com:443'],
  ['EAI_AGAIN', 'cannot look up the host name: api.example.com:443'],
  ['ECONNREFUSED', 'connection refused by api.example.com:443'],
  ['ECONNRESET', 'api.example.com:443 closed the connection'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timed out connecting to api.example.com:443'],
  ['UND_ERR_HEADERS_TIMEOUT', 'api.example.com:443 did not respond in time'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'api.example.com:443 does not support TLS'],
  ['HPE_INVALID_CONSTANT', 'the response of api.example.com:443 is not HTTP'],
  ['CERT_HAS_EXPIRED', 'TLS: the certificate of api.example.com:443 has expired'],
  ['E_NEW', 'api.example.com:443: x'],
])('%s names the host and its port', (code, words) => {
  expect(failureOf(Object.assign(new Error('x'), { code }), PEER)).toMatchObject({ words });
});

it.each([
  ['ENOTFOUND', 'x', 'host not found: the proxy proxy.example:3128'],
  ['ECONNREFUSED', 'x', 'connection refused by the proxy proxy.example:3128'],
  ['ECONNRESET', 'x', 'api.example.com:443 through the proxy proxy.example:3128 closed the connection'],
  [
    'UND_ERR_ABORTED',
    'Proxy response (407) !== 200 when HTTP Tunneling',
    'the proxy proxy.example:3128 refuses connections to api.example.com:443 (407)',
  ],
])('%s of a proxy names the proxy (%s)', (code, message, words) => {
  const failure = failureOf(Object.assign(new Error(message), { code }), {
    ...PEER,
    proxy: 'proxy.example:3128',
  });
  expect(failure).toMatchObject({ words, isRefused: false });
  // An error on the way to the service names the variable that caused it. A connection that was cut does not.
  const advice = expect.stringMatching(/^HTTPS_PROXY sets this proxy\. .* NO_PROXY=api\.example\.com\.$/);
  expect(failure.advice).toEqual(code === 'ECONNRESET' ? undefined : advice);
});

it('only a refused connection to the service itself counts as no listener', () => {
  const refused = (code: string) => failureOf(Object.assign(new Error('x'), { code }), PEER).isRefused;
  expect(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND'].map(refused)).toEqual([true, false, false]);
});

const tooLarge = () =>
  new TransportError('unknown', 'the response is larger than 16 MiB', { isFinal: true, isTooLarge: true });

it('a response beyond the limits fails a read after one attempt: exit 1', async () => {
  const { client, sent } = clientOn([tooLarge()]);
  const error = await client.get(folder, 1).catch((each: unknown) => each);
  expect(sent).toHaveLength(1);
  expect(error).toBeInstanceOf(ClientError);
  expect(explainError(error)).toMatchObject({
    kind: 'not-ours',
    exit: 1,
    message: expect.stringContaining('larger than 16 MiB'),
    hint: expect.stringContaining('count=10'),
  });
});

it.each(['update', 'remove'] as const)(
  'a response beyond the limits leaves the outcome of a write (%s) open: exit 10',
  async (verb) => {
    const { client, sent } = clientOn([tooLarge()]);
    const call =
      verb === 'update' ? client.update(folder, 1, { name: 'A' }) : client.remove(folder, { id: 1 });
    const error = await call.catch((each: unknown) => each);
    expect(sent).toHaveLength(1);
    expect(explainError(error)).toMatchObject({ kind: 'unknown', exit: 10 });
  },
);

// Wire, "Responses": a part of a response is JSON too, and must not count as the whole response.
it('a 206 is an error for a read that names it and prints no rows', async () => {
  for (const read of ['get', 'list'] as const) {
    const { client, sent } = clientOn([ok([{ id: 1 }], null, 206)]);
    const call = read === 'get' ? client.get(folder, 1) : client.find(folder, {});
    const error = await call.catch((each: unknown) => each);
    expect(sent).toHaveLength(1);
    expect(explainError(error)).toMatchObject({
      kind: 'not-ours',
      exit: 1,
      message: expect.stringContaining('returned 206'),
    });
  }
});

it.each(['create', 'update', 'remove'] as const)(
  'a 206 leaves the outcome of a write (%s) open',
  async (verb) => {
    const { client } = clientOn([ok({ id: 1 }, null, 206)]);
    const call =
      verb === 'create'
        ? client.create(folder, { name: 'A' })
        : verb === 'update'
          ? client.update(folder, 1, { name: 'A' })
          : client.remove(folder, { id: 1 });
    const error = await call.catch((each: unknown) => each);
    expect(explainError(error)).toMatchObject({ kind: 'unknown', exit: 10 });
  },
);

// Wire, "Responses": `count` is "resources in this response".
it.each([
  [3, [{ id: 1 }, { id: 2 }], 'claims 3 records, but holds 2'],
  [1, [], 'claims 1 records, but holds 0'],
])('a page whose count is %i records but that holds fewer is an error', async (count, data, words) => {
  const lying = answer(200, { status: 'ok', response: { count, next: null, data } });
  const { client } = clientOn([lying]);
  const error = await client.find(folder, {}).catch((each: unknown) => each);
  expect(explainError(error)).toMatchObject({
    kind: 'not-ours',
    exit: 1,
    message: expect.stringContaining(words),
  });
  expect(explainError(error).message).toContain('the list is not complete');
});

it.each([0, 1, undefined, 'all'])(
  'a count of %j in a response with two records is ignored',
  async (count) => {
    const { client } = clientOn([
      answer(200, { status: 'ok', response: { count, next: null, data: [{ id: 1 }, { id: 2 }] } }),
    ]);
    expect(await client.find(folder, {})).toHaveLength(2);
  },
);

it('requests a page with fewer rows', async () => {
  const { client, sent } = clientOn([tooLarge(), tooLarge(), ok([{ id: 1 }])]);
  const rows = [];
  for await (const row of client.list(folder)) rows.push(row);
  expect(rows).toEqual([{ id: 1 }]);
  expect(sent.map(({ query }) => new URLSearchParams(query).get('count'))).toEqual(['200', '50', '12']);
});

// Acceptance, Y2, "What a failure says": the lost attempt may have been performed, whatever the service says about the next one.
it.each(['update', 'remove'] as const)(
  'a write (%s) that is throttled after a lost response has an unknown outcome',
  async (method) => {
    const { client, sent } = clientOn([lost, no(429)]);
    const call =
      method === 'update' ? client.update(folder, 1, { name: 'a' }) : client.remove(folder, { id: 1 });
    await expect(call).rejects.toMatchObject({
      kind: 'unknown',
      message: expect.stringContaining('GET /v1/folder/1'),
    });
    expect(sent).toHaveLength(3);
    const other = clientOn([no(429)]);
    await expect(other.client.update(folder, 1, { name: 'a' })).rejects.toMatchObject({ kind: 'throttled' });
  },
);

// Acceptance, F2: "server responses (wrong types, nulls, truncation, 64-bit ids)".
const ANSWERS = depth('SVC_RANDOM_ANSWERS', { few: 200, full: 100_000 });
it(`each of ${ANSWERS} random answers is a result, or an error of the client (SVC_SEED=${SEED})`, async () => {
  const any = fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1.5,
      '',
      '1',
      [],
      {},
      [null],
      [[]],
      { id: null },
      { id: '7' },
      'x'.repeat(500),
    ),
    fc.record({ id: fc.integer(), name: fc.string() }),
    fc.array(fc.record({ id: fc.nat(9) }), { maxLength: 3 }),
  );
  const envelope = fc.record(
    {
      status: fc.oneof({ weight: 6, arbitrary: fc.constantFrom<unknown>('ok', 'error', 'OK') }, any),
      response: fc.oneof(
        {
          weight: 8,
          arbitrary: fc.record(
            {
              count: any,
              next: any,
              data: any,
              code: any,
              subcode: any,
              message: any,
              resource_id: any,
              additional_information: any,
            },
            { requiredKeys: [] },
          ),
        },
        any,
      ),
    },
    { requiredKeys: [] },
  );
  const text = fc.oneof(
    { weight: 6, arbitrary: envelope.map((each) => JSON.stringify(each)) },
    envelope.map((each) => JSON.stringify(each).replace(/[0-9]+/, '9007199254740993')),
    fc.tuple(envelope, fc.nat()).map(([each, at]) => {
      const whole = JSON.stringify(each);
      return whole.slice(0, at % (whole.length + 1));
    }),
    anyText(),
    fc.constantFrom('<html>', '[]', 'null', '"ok"', '{"__proto__":{"x":1}}', '[[['.repeat(400)),
  );
  const status = fc.constantFrom(
    200,
    200,
    202,
    204,
    206,
    301,
    400,
    401,
    403,
    404,
    405,
    409,
    413,
    423,
    429,
    500,
    502,
    503,
    599,
  );
  const header = fc.constantFrom<Readonly<Record<string, string>>>(
    ...[{}, { date: 'never' }, { 'retry-after': '-1' }, { 'retry-after': '9e99' }, { 'x-svc-time': '1e99' }],
    ...[
      { location: '\u0000' },
      { age: 'x', date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
      { 'x-svc-clock': 'manual', 'x-svc-time': '-1' },
    ],
  );
  const kinds = new Set<string>();
  const before = process.memoryUsage().heapUsed;
  await fc.assert(
    fc.asyncProperty(status, text, header, fc.nat(5), async (code, body, headers, method) => {
      const { client } = clientOn([answer(code, body, headers)], { retries: 0 });
      const calls = [
        () => client.get(folder, 5),
        () => client.exists(folder, { id: 5 }),
        () => client.create(folder, { name: 'News' }, { ifOutcomeUnknown: 'give-up' }),
        () => client.update(folder, 5, { name: 'News' }),
        () => client.remove(folder, { id: 5 }),
        async () => {
          let rows = 0;
          for await (const _ of client.list(folder)) {
            rows += 1;
            if (rows === 5) break;
          }
        },
      ] as const;
      try {
        await calls[method]?.();
        kinds.add('result');
      } catch (error) {
        expect(error).toBeInstanceOf(ClientError);
        kinds.add((error as ClientError).kind);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: ANSWERS, seed: SEED },
  );
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(512 * 2 ** 20);
  expect([...kinds]).toEqual(
    expect.arrayContaining(['result', 'refused', 'failed', 'unknown', 'not-ours', 'redirect']),
  );
  tried('F2', ANSWERS);
}, 3_600_000);
