/**
 * Contract, "The sandbox, for people and teams": `sandbox requests` has each request to /v1 unchanged. For a 401 it has the failed check
 * and the string that the service signed, without the key. It has the last 10,000 requests, and no secrets.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRequestLog } from '../../../src/sandbox/http/request-log.ts';
import { sql } from '../../../src/sandbox/store/driver/sql.ts';
import { listLoggedRequests } from '../../../src/sandbox/store/logs.ts';
import { openStore } from '../../../src/sandbox/store/open.ts';
import type { Row } from '../../../src/sandbox/store/schema/tables.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';
import { NOW } from '../../support/sandbox.ts';
import { type Signing, signing } from '../../support/signing.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { machineNow: () => NOW * 1000 });
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

async function logged(args: unknown = {}) {
  const { status, json } = await sandbox.control('requests', args);
  expect(status).toBe(200);
  return json.data;
}

/** Sends a request, signed as the company's admin by default, and returns its line in the log. */
async function lineOf(parts: Signing) {
  const { company } = sandbox.ready;
  const request = signing({ cid: company.id, uid: company.adminUserId, key: company.apiKey, ...parts });
  const target = request.query === '' ? request.path : `${request.path}?${request.query}`;
  const answer = await sandbox.get(target, {
    method: request.method,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  const [line] = await logged({ limit: 1 });
  expect(line.status).toBe(answer.status);
  return { line, answer };
}

describe('each request', () => {
  it('has its likely mistake if a client requests a page three times in a row', async () => {
    // Wire, "Requests": "with a sort that is not unique … rows with equal values can be repeated, or never passed".
    for (let at = 0; at < 3; at += 1)
      await lineOf({ method: 'POST', target: '/v1/folder', body: '{"name":"Same"}' });
    const page = { target: '/v1/folder?sort=name&count=2&start=Same' };
    expect((await lineOf(page)).line.why).toBeNull();
    expect((await lineOf(page)).line.why).toBeNull();
    expect((await lineOf(page)).line).toMatchObject({
      status: 200,
      check: null,
      why: expect.stringMatching(/^The client has requested this page 3 times in a row\. .* sort by id/),
    });
    expect((await lineOf({ target: '/v1/folder?sort=id&start=1' })).line.why).toBeNull();
    expect((await lineOf(page)).line.why).toBeNull();
    for (let at = 0; at < 3; at += 1) expect((await lineOf({ target: '/v1/folder' })).line.why).toBeNull();
  });

  it('has time, who, method, path, status and milliseconds', async () => {
    const { line } = await lineOf({ target: '/v1/folder?name=None' });
    expect(line).toEqual({
      id: expect.any(Number),
      time: NOW,
      who: 'company 1 user 1',
      method: 'GET',
      path: '/v1/folder?name=None',
      status: 404,
      milliseconds: expect.any(Number),
      check: null,
      why: null,
      signed: null,
      signature: null,
      expected: null,
    });
  });

  it('includes rejected requests: another method, an unknown resource, a foreign host', async () => {
    await sandbox.get('/v1/folder', { method: 'PATCH' });
    await sandbox.get('/v1/nosuch');
    const raw = ['GET /v1/folder HTTP/1.1', 'Host: evil.example', 'Connection: close', '', ''];
    await sandbox.raw(raw.join('\r\n'));
    const lines = await logged({ limit: 3 });
    expect(
      lines.map(({ method, path, status, who }: Record<string, unknown>) => [method, path, status, who]),
    ).toEqual([
      ['PATCH', '/v1/folder', 405, null],
      ['GET', '/v1/nosuch', 404, null],
      ['GET', '/v1/folder', 403, null],
    ]);
  });

  it('does not include the control plane and links of messages', async () => {
    await sandbox.get('/t/o/x');
    const lines = await logged();
    expect(lines.filter(({ path }: { path: string }) => !path.startsWith('/v1/'))).toEqual([]);
  });

  it('says that a fault was injected', async () => {
    await sandbox.control('fault set', { kind: 'reset', times: 1 });
    await sandbox.api('GET', '/v1/folder').catch(() => undefined);
    await sandbox.control('fault set', { kind: 'error', times: 1 });
    await sandbox.api('GET', '/v1/folder');
    expect(await logged({ limit: 2 })).toMatchObject([
      { status: null, why: 'Injected fault: reset' },
      { status: 503, why: 'Injected fault: error' },
    ]);
  });
});

describe('the failed check of a 401 is only in this log', () => {
  const NONCE = 'a'.repeat(40);
  const signed = (target: string, nonce = NONCE, cid = 1): string =>
    [
      `GET ${target}`,
      `Date: ${new Date(NOW * 1000).toUTCString()}`,
      `X-Svc-CID: ${cid}`,
      'X-Svc-UID: 1',
      `X-Svc-Nonce: ${nonce}`,
      '<API_KEY>',
    ].join('\r\n');

  it.each<readonly [string, Signing, Record<string, unknown>]>([
    [
      'a header',
      { headers: { 'x-svc-nonce': undefined } },
      {
        check: 'headers',
        why: 'The header X-Svc-Nonce is missing',
        signed: expect.stringContaining('\r\nX-Svc-UID: 1\r\nX-Svc-Nonce: <random_string>\r\n<API_KEY>'),
        signature: null,
        expected: null,
      },
    ],
    [
      'the clock',
      { date: -1000, nonce: NONCE },
      {
        check: 'clock',
        why: expect.stringMatching(
          /^The header Date is 16 minutes 40 seconds behind the service's clock, which shows .* GMT; the maximum difference is 15 minutes$/,
        ),
      },
    ],
    [
      'an unknown company',
      { cid: 77, nonce: NONCE },
      {
        check: 'id',
        why: 'This sandbox has no company 77',
        signed: signed('/v1/folder', NONCE, 77),
        expected: null,
      },
    ],
    ['an unknown user', { uid: 77, nonce: 'u77' }, { check: 'id', why: 'Unknown user 77 in company 1' }],
    [
      'the signature',
      { key: 'f'.repeat(32), nonce: NONCE },
      {
        check: 'signature',
        why: 'The signature does not match the key of company 1: no common slip explains it, so most likely it was made with another key',
        signed: signed('/v1/folder'),
        signature: expect.stringMatching(/^[0-9a-f]{6}$/),
        expected: expect.stringMatching(/^[0-9a-f]{6}$/),
      },
    ],
  ])('%s', async (_, parts, expected) => {
    const { line, answer } = await lineOf(parts);
    expect(line).toMatchObject({ status: 401, ...expected });
    // Wire, "Responses": one wording for every cause.
    expect(answer.json.response).toMatchObject({ message: 'Authentication failed' });
    expect(answer.text).not.toContain(line.why);
  });

  it('for a nonce that was used', async () => {
    const parts = { method: 'POST', body: '{"name":"Once"}', nonce: 'once' } as const;
    expect((await lineOf(parts)).line.status).toBe(202);
    const { line } = await lineOf(parts);
    expect(line).toMatchObject({ status: 401, check: 'nonce', signature: line.expected });
    expect(line.why).toContain('The nonce was used before');
  });

  it('--status filters by status', async () => {
    const lines = await logged({ status: 401 });
    expect(lines.length).toBeGreaterThanOrEqual(6);
    expect(new Set(lines.map(({ status }: { status: number }) => status))).toEqual(new Set([401]));
  });
});

describe('explain checks one request field by field', () => {
  async function explained(parts: Signing) {
    const { line } = await lineOf(parts);
    const [row] = await logged({ explain: line.id });
    expect(row.id).toBe(line.id);
    return row;
  }
  const problemsIn = (row: {
    readonly fields: readonly { readonly field: string; readonly problem: string }[];
  }) =>
    Object.fromEntries(
      row.fields.filter(({ problem }) => problem !== null).map(({ field, problem }) => [field, problem]),
    );

  // Interface, "Authentication": each header has a separate value format.
  it.each<readonly [string, Signing, Record<string, unknown>]>([
    [
      'two headers at once',
      { uid: undefined, headers: { date: '2026-12-01' } },
      {
        Date: expect.stringContaining('IMF-fixdate'),
        'X-Svc-UID': 'The header X-Svc-UID is missing',
      },
    ],
    ['an unknown company', { cid: 77 }, { 'X-Svc-CID': 'This sandbox has no company 77' }],
    ['an unknown user', { uid: 77 }, { 'X-Svc-UID': 'Unknown user 77 in company 1' }],
    ['an unknown partner', { pid: 77, uid: undefined }, { 'X-Svc-PID': 'This sandbox has no partner 77' }],
    ['a clock that is off', { date: 1000 }, { Date: expect.stringContaining('ahead of') }],
    ['another key', { key: 'f'.repeat(32) }, { Authorization: expect.stringContaining('another key') }],
    [
      'an upper-case key',
      { key: 'F'.repeat(32), headers: { authorization: 'SvcHash nothing' } },
      { Authorization: expect.stringContaining('40 hexadecimal characters') },
    ],
  ])('%s: 401', async (_, parts, wrong) => {
    const row = await explained(parts);
    expect(row).toMatchObject({ status: 401, message: 'Authentication failed' });
    expect(problemsIn(row)).toEqual(wrong);
    expect(row.fields.map(({ field }: { field: string }) => field)).toEqual([
      'Authorization',
      'Date',
      'X-Svc-Nonce',
      'X-Svc-PID',
      'X-Svc-CID',
      'X-Svc-UID',
    ]);
  });

  it('reports a nonce that was used', async () => {
    await lineOf({ nonce: 'twice' });
    expect(problemsIn(await explained({ nonce: 'twice' }))).toEqual({
      'X-Svc-Nonce': expect.stringContaining('was used before'),
    });
  });

  it.each<readonly [string, Signing, number, Record<string, unknown>]>([
    [
      'all wrong attributes of a body',
      { method: 'POST', target: '/v1/sms', body: '{"msisdn":"x","fromaddress":"Us","colour":1}' },
      400,
      { msisdn: expect.any(String), message: expect.any(String), colour: expect.any(String) },
    ],
    ['a filter', { target: '/v1/folder?mdate=1' }, 400, { mdate: expect.any(String) }],
    [
      'a method',
      { method: 'DELETE', target: '/v1/account' },
      405,
      { method: expect.stringContaining('DELETE') },
    ],
    ['a path', { target: '/v1/Folder' }, 404, { path: expect.stringContaining('Did you mean folder?') }],
    [
      'a content type',
      { method: 'POST', body: 'name=News', contentType: 'text/plain' },
      415,
      { 'Content-Type': expect.stringContaining('application/json') },
    ],
  ])('%s: %#', async (_, parts, status, wrong) => {
    const row = await explained(parts);
    expect(row.status).toBe(status);
    expect(problemsIn(row)).toEqual(wrong);
  });

  it('finds no fault in a successful request', async () => {
    expect(await explained({ target: '/v1/account' })).toMatchObject({
      status: 200,
      message: null,
      fields: [],
    });
  });

  it('is 404 for an unknown request', async () => {
    const { status, json } = await sandbox.control('requests', { explain: 999_999 });
    expect([status, json.error.message]).toEqual([
      404,
      'request 999999 not found among the last 10000 requests',
    ]);
  });
});

it('stores no key, no whole signature and no password, also in headers and bodies', async () => {
  const { company, partner, controlToken } = sandbox.ready;
  const user = {
    username: 'eve',
    password: 'pa55-in-a-body',
    firstname: 'E',
    lastname: 'V',
    email: 'e@example.com',
  };
  await lineOf({ method: 'POST', target: '/v1/user', body: JSON.stringify(user) });
  await lineOf({ method: 'POST', target: '/v1/user', body: '{"password":"pa55-in-a-body","email":"none"}' });
  await lineOf({ method: 'POST', target: '/v1/user', body: '{"password":"pa55-in","email":"none"}' });
  await lineOf({
    method: 'POST',
    target: '/v1/folder',
    body: '{"name":"","pass\\u0077ord":"pa55-in-an-escaped-name"}',
  });
  await lineOf({ method: 'POST', target: '/v1/folder', body: '{"apiKeys":["x","pa55-in-a-list"]}' });
  await lineOf({ method: 'POST', target: '/v1/folder', body: '{"token":"pa55-in-a-text-that-has-no-end' });
  await lineOf({ method: 'POST', target: '/v1/folder', body: 'password=pa55-in-a-form&name=x' });
  await lineOf({ headers: { 'x-api-key': 'pa55-in-another-header', cookie: 'a=pa55-in-a-cookie' } });
  await lineOf({ target: '/v1/user?password=pa55-in-a-query&username=eve' });
  await lineOf({ headers: { authorization: 'SvcHash pa55-in-a-header' } });
  const kept = await sandbox.service.store.db.all(sql<Row<'request_log'>>`select * from request_log`);
  expect(kept.filter(({ headers }) => headers?.includes('SvcHash [left out]')).length).toBeGreaterThan(5);
  expect(kept.some(({ body }) => body?.includes('"password":"[redacted]"'))).toBe(true);
  const text = JSON.stringify([await logged(), kept]);
  expect(text).toContain('/v1/user?password=[redacted]&username=eve');
  for (const secret of [company.apiKey, partner.apiKey, controlToken, 'pa55-in'])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/"(?:signature|expected)":"[^"]{7,}"/);
});

describe('headers and bodies', () => {
  const explained = async (parts: Signing) => (await logged({ explain: (await lineOf(parts)).line.id }))[0];

  it('are those of the request and of the response, for JSON only with --explain', async () => {
    const body = '{"name":"Grüße", "keyword":"SAVE"}';
    const row = await explained({ method: 'POST', target: '/v1/folder', body });
    expect(row).toMatchObject({
      status: 400,
      body,
      headers: { 'content-type': 'application/json', 'x-svc-cid': '1' },
    });
    expect(JSON.parse(row.answer)).toMatchObject({ status: 'error', response: { code: 400 } });
    const [listed] = await logged({ limit: 1 });
    expect(Object.keys(listed)).not.toEqual(expect.arrayContaining(['headers', 'body', 'answer']));
  });

  it.each(['company', 'partner'] as const)(
    'hide the key of the %s at any place, also where the log cuts',
    async (kind) => {
      const { apiKey } = sandbox.ready[kind];
      for (const padding of [0, 7_980, 7_999, 15_970, 15_990])
        for (const key of [
          apiKey,
          apiKey.toUpperCase(),
          apiKey.replace(/^./, (first) => `\\u00${Buffer.from(first).toString('hex')}`),
        ]) {
          const name = `${'n'.repeat(padding)}!${key}${'z'.repeat(20_000 - padding)}`;
          const row = await explained({ method: 'POST', target: '/v1/folder', body: `{"name":"${name}"}` });
          expect(row.body.length).toBe(8_001);
          expect(JSON.stringify(row).toLowerCase()).not.toContain(apiKey.slice(1, 13).toLowerCase());
        }
    },
  );

  it('are those of the last 1,000 requests, however they are written', async () => {
    const store = await openStore(':memory:');
    try {
      const log = createRequestLog(store, DEFAULT_WIRE_NAMING, () => NOW * 1000);
      const came = async (count: number): Promise<void> => {
        for (let at = 0; at < count; at += 1) {
          const begun = log.begin({ url: '/v1/folder', method: 'POST', headers: { 'x-at': 'here' } });
          if (begun?.details) begun.details.body = 'sent';
          if (begun) log.end(begun, 202, 'answered');
        }
        await log.flush();
      };
      for (const count of [700, 700, 1, 2_500, 30]) {
        await came(count);
        const rows = await store.db.all(
          sql<Row<'request_log'>>`select * from request_log where headers is not null order by id`,
        );
        const { last } = Object(await store.db.first(sql`select max(id) as last from request_log`));
        expect(rows.map(({ id }) => id)).toEqual(
          Array.from({ length: Math.min(1_000, last) }, (_, at) => last - Math.min(1_000, last) + 1 + at),
        );
        expect(rows.every(({ body, answer }) => body === 'sent' && answer === 'answered')).toBe(true);
      }
    } finally {
      await store.close();
    }
  });
});

it('is filtered by a group of statuses and by a text of the path', async () => {
  await lineOf({ target: '/v1/smsDestination?keyword=50%25_off' });
  await lineOf({ target: '/v1/account' });
  const paths = async (filter: object): Promise<string[]> =>
    (await logged(filter)).map(({ path }: { readonly path: string }) => path);
  expect(new Set(await paths({ path: 'SMSdest' }))).toEqual(
    new Set(['/v1/smsDestination?keyword=50%25_off']),
  );
  expect(await paths({ path: '%25_OFF' })).toHaveLength(1);
  const statuses = async (group: string): Promise<number[]> =>
    (await logged({ group })).map(({ status }: { readonly status: number }) => status);
  const refused = await statuses('4xx');
  expect(refused.length).toBeGreaterThan(5);
  expect(refused.every((status) => status >= 400 && status < 500)).toBe(true);
  expect((await statuses('5xx')).every((status) => status >= 500)).toBe(true);
});

// Contract, "The sandbox, for people and teams": no secrets. A key counts as a secret at every place, also as an ordinary value.
it.each<readonly [string, (key: string) => Signing]>([
  ['a parameter', (key) => ({ target: `/v1/folder?name=${key}` })],
  ['the name of a parameter', (key) => ({ target: `/v1/folder?${key}=1` })],
  ['a longer value', (key) => ({ target: `/v1/folder?name=key-${key}-1` })],
  ['a value in capitals', (key) => ({ target: `/v1/folder?name=${key.toUpperCase()}` })],
  [
    'a value that is percent-encoded',
    (key) => ({
      target: `/v1/folder?name=${key.replace(/./g, (digit) => `%${Buffer.from(digit).toString('hex')}`)}`,
    }),
  ],
  ['the path', (key) => ({ target: `/v1/folder/${key}` })],
  [
    'the place where the log cuts the path',
    (key) => ({ target: `/v1/folder?name=${'n'.repeat(1970)}${key}` }),
  ],
  [
    'the path of a request that is not authenticated',
    (key) => ({ target: `/v1/folder/${key}`, key: 'wrong' }),
  ],
  ['a header of ids', (key) => ({ headers: { 'x-svc-cid': key } })],
  ['the nonce', (key) => ({ nonce: key, key: 'wrong' })],
  ['the scheme', (key) => ({ headers: { authorization: `a${key} signature=""` } })],
])('a key is redacted in %s', async (_, partsOf) => {
  const { company, partner } = sandbox.ready;
  for (const key of [company.apiKey, partner.apiKey]) {
    const { line } = await lineOf(partsOf(key));
    const shown = decodeURIComponent(JSON.stringify(line)).toLowerCase();
    expect(shown).not.toContain(key.slice(0, 15));
    expect(shown).toMatch(/\[redacted\]|company \?/);
  }
});

it('keeps a long number that is not a key', async () => {
  const { line } = await lineOf({ target: `/v1/folder?name=${'ab12'.repeat(10)}` });
  expect(line.path).toBe(`/v1/folder?name=${'ab12'.repeat(10)}`);
});

it('is stored, and survives a restart and a restored snapshot', async () => {
  const own = await temporaryFolder();
  try {
    const first = await runSandbox(own.path, { machineNow: () => NOW * 1000 });
    await first.control('snapshot save', { name: 'before' });
    await first.api('GET', '/v1/folder');
    await first.control('snapshot restore', { name: 'before' });
    await first.stop();
    const second = await runSandbox(own.path, { machineNow: () => NOW * 1000 });
    try {
      const { json } = await second.control('requests');
      expect(json.data).toMatchObject([{ method: 'GET', path: '/v1/folder', status: 404 }]);
      await second.api('GET', '/v1/sms');
      const more = await second.control('requests', { after: json.data[0].id });
      expect(more.json.data).toMatchObject([{ id: json.data[0].id + 1, path: '/v1/sms' }]);
    } finally {
      await second.stop();
    }
    const files = readdirSync(own.path, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const { name } of files)
      expect(readFileSync(join(own.path, name)).includes(second.ready.controlToken)).toBe(false);
  } finally {
    await own.remove();
  }
});

it('keeps the newest 10,000 in their order, however they are written', async () => {
  const store = await openStore(':memory:');
  try {
    const log = createRequestLog(store, DEFAULT_WIRE_NAMING, () => NOW * 1000);
    const came = (from: number, to: number): void => {
      for (let at = from; at < to; at += 1) {
        const begun = log.begin({ url: `/v1/folder/${at}`, method: 'GET', headers: {} });
        if (begun) log.end(begun, 200);
      }
    };
    came(0, 30);
    await log.flush();
    came(30, 12_345);
    await log.flush();
    came(12_345, 12_350);
    await log.flush();
    const { n } = Object(await store.db.first(sql`select count(*) as n from request_log`));
    expect(n).toBe(10_000);
    const newest = await listLoggedRequests(store.db, { limit: 1_000 });
    expect(newest.map(({ path }) => path)).toEqual(
      Array.from({ length: 1_000 }, (_, at) => `/v1/folder/${11_350 + at}`),
    );
    const [oldest] = await listLoggedRequests(store.db, { after: 0, limit: 1 });
    expect(oldest?.path).toBe('/v1/folder/2350');
  } finally {
    await store.close();
  }
});

// Contract, "Requests": `(doctor)` or `(completion)` for requests that svc itself needs.
describe('requests of svc itself', () => {
  it.each([
    ['svc (doctor)', 'company 1 user 1 (doctor)'],
    ['svc (completion)', 'company 1 user 1 (completion)'],
    ['svc (other)', 'company 1 user 1'],
    ['curl/8.0', 'company 1 user 1'],
  ])('User-Agent %s is %s', async (agent, who) => {
    const { company } = sandbox.ready;
    const request = signing({ cid: company.id, uid: company.adminUserId, key: company.apiKey });
    await sandbox.get(request.path, { headers: { ...request.headers, 'user-agent': agent } });
    const [line] = await logged({ limit: 1 });
    expect(line.who).toBe(who);
    const [shown] = await logged({ limit: 1, people: true });
    expect(shown.id === line.id).toBe(!who.endsWith(')'));
  });
});
