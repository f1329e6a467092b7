import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tried } from '../support/depth.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path, { clock: 'manual' });
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

const head = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1] ?? 0);

describe('rejects requests that a web page could cause, before routing (acceptance, X4)', () => {
  const hosts = [
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    'localhost.evil.example:PORT',
    '127.0.0.1:1',
    '127.0.0.1',
    '127.0.0.2:PORT',
    '0.0.0.0:PORT',
    '2130706433:PORT',
    '127.1:PORT',
    '[::ffff:127.0.0.1]:PORT',
    'user@127.0.0.1:PORT',
    'localhost:PORT:PORT',
    'localhost.:PORT',
    ' ',
    'localhost:PORT, evil.example',
    'ＬＯＣＡＬＨＯＳＴ:PORT',
  ];
  const paths = [
    '/v1/folder',
    '/control/status',
    '/t/o/t1-1',
    '/',
    '/%76%31/folder',
    '//v1/folder',
    '/control/../v1',
  ];
  const cases = hosts.flatMap((host) => paths.map((path) => [host, path] as const));

  it.each(cases)('Host %s at %s', async (host, path) => {
    const name = host.replaceAll('PORT', String(sandbox.port));
    const answer = await sandbox.raw(head([`GET ${path} HTTP/1.1`, `Host: ${name}`, 'Connection: close']));
    expect(statusOf(answer)).toBe(403);
    expect(answer.toLowerCase()).not.toContain('access-control-');
    tried('X4', 1);
  });

  const origins = [
    'http://evil.example',
    'https://127.0.0.1:PORT',
    'http://127.0.0.1:1',
    'http://localhost.evil.example:PORT',
    'null',
    'file://',
    '',
  ];
  const targets = ['/v1/folder', '/control/status', '/control/fault/set', '/v1/../t/o/x', '/%2ft/o/t1-1'];
  it.each(origins.flatMap((origin) => targets.map((path) => [origin, path] as const)))(
    'Origin "%s" at %s',
    async (origin, path) => {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await sandbox.raw(
          head([
            `${method} ${path} HTTP/1.1`,
            `Host: 127.0.0.1:${sandbox.port}`,
            `Origin: ${origin.replaceAll('PORT', String(sandbox.port))}`,
            `Authorization: Bearer ${sandbox.ready.controlToken}`,
            'Content-Length: 0',
            'Connection: close',
          ]),
        );
        expect(statusOf(answer)).toBe(403);
        expect(answer.toLowerCase()).not.toContain('access-control-');
      }
    },
  );

  it('also rejects its own origin at /v1 and /control, because programs send none', async () => {
    const own = { origin: sandbox.ready.baseUrl };
    expect((await sandbox.control('status', {}, own)).status).toBe(403);
  });

  it('rejects Sec-Fetch-Site: cross-site at /v1 and /control', async () => {
    for (const path of ['/v1/folder', '/control/status']) {
      const answer = await sandbox.raw(
        head([
          `GET ${path} HTTP/1.1`,
          `Host: localhost:${sandbox.port}`,
          'Sec-Fetch-Site: cross-site',
          'Connection: close',
        ]),
      );
      expect(statusOf(answer)).toBe(403);
    }
  });

  it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])(
    'accepts Host %s with its own port',
    async (name) => {
      const answer = await sandbox.raw(
        head(['GET /v1/folder HTTP/1.1', `Host: ${name}:${sandbox.port}`, 'Connection: close']),
      );
      expect(statusOf(answer)).toBe(401);
    },
  );
});

describe('dot segments: the text of a path decides access, and its meaning the route (X4; attack L2)', () => {
  it.each([
    '/t/../control/status',
    '/t/%2e%2e/control/status',
    '/t/%2E%2e/control/status',
    '/t/.%2e/control/status',
    '/t/./../control/status',
    '/t/%2e/../control/status',
    '/t/o/../../control/status',
    '/t/x%2f..%2f../control/status',
    '/t/..%2fcontrol/status',
    '/t/..%5ccontrol/status',
    '/t/..\\control/status',
    '/t/x\\..\\..\\control\\status',
    '/t/..',
    '/t/../v1/folder',
    '/./control/status',
    '/control/../control/status',
    '/control/./status',
    '/v1/../control/status',
    '/v1/folder/..',
    '/%2e%2e/control/status',
  ])('%s is 403 with its own Origin, another, and none', async (path) => {
    for (const origin of [
      sandbox.ready.baseUrl,
      `http://localhost:${sandbox.port}`,
      'http://evil.example',
      undefined,
    ])
      for (const method of ['POST', 'GET']) {
        const answer = await sandbox.raw(
          head([
            `${method} ${path} HTTP/1.1`,
            `Host: 127.0.0.1:${sandbox.port}`,
            ...(origin === undefined ? [] : [`Origin: ${origin}`]),
            `Authorization: Bearer ${sandbox.ready.controlToken}`,
            'Content-Length: 0',
            'Connection: close',
          ]),
        );
        expect(statusOf(answer)).toBe(403);
      }
  });

  it('accepts other dots in a path', async () => {
    for (const path of ['/t/c/..x', '/t/c/1.5', '/t/...', '/t/o/t1-1?next=/../control/status'])
      expect((await sandbox.get(path)).status).not.toBe(403);
  });
});

describe('requests with two possible meanings', () => {
  it.each([
    ['Date', 'Fri, 20 Nov 2026 08:00:00 GMT'],
    ['Authorization', 'SvcHash signature="x"'],
    ['X-Svc-CID', '1'],
    ['x-svc-nonce', 'abc'],
    ['Content-Type', 'application/json'],
    ['Host', 'localhost:PORT'],
  ])('are 400 with a second %s', async (name, value) => {
    const line = `${name}: ${value.replace('PORT', String(sandbox.port))}`;
    const host = name === 'Host' ? [] : [`Host: localhost:${sandbox.port}`];
    const answer = await sandbox.raw(
      head(['GET /v1/folder HTTP/1.1', ...host, line, line.toUpperCase(), 'Connection: close']),
    );
    expect(statusOf(answer)).toBe(400);
  });

  it('are rejected with an absolute request target', async () => {
    const answer = await sandbox.raw(
      head([
        `GET http://localhost:${sandbox.port}/v1/folder HTTP/1.1`,
        `Host: localhost:${sandbox.port}`,
        'Connection: close',
      ]),
    );
    expect(statusOf(answer)).toBe(400);
  });

  it('do no harm if they are not HTTP', async () => {
    const oddities = [
      'hello\r\n\r\n',
      '\u0000\u0001\u0002',
      'GET / HTTP/9.9\r\n\r\n',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost:${sandbox.port}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: localhost:${sandbox.port}\r\n__proto__: x\r\nConnection: close\r\n\r\n`,
      'POST /v1/folder HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello',
      `POST /v1/folder HTTP/1.1\r\nHost: localhost:${sandbox.port}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      `CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:${sandbox.port}\r\n\r\n`,
      `GET /v1/folder HTTP/1.1\r\nHost: localhost:${sandbox.port}\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`,
      `TRACE /v1/folder HTTP/1.1\r\nHost: localhost:${sandbox.port}\r\nConnection: close\r\n\r\n`,
    ];
    const answers = await Promise.all(oddities.map((octets) => sandbox.raw(octets)));
    for (const answer of answers) expect(statusOf(answer)).not.toBe(200);
    expect((await sandbox.api('GET', '/v1/user')).status).toBe(200);
    expect(sandbox.reports).toEqual([]);
  });
});

describe('a response', () => {
  it('belongs to the path exactly as in the request line, because that was signed', async () => {
    const made = await sandbox.api('POST', '/v1/folder', { name: 'News' });
    expect(made.status).toBe(202);
    expect((await sandbox.api('GET', '/v1/%66older')).json.response.data[0].name).toBe('News');
    expect((await sandbox.api('GET', '/v1/folder/')).json.response.count).toBe(1);
    expect((await sandbox.api('HEAD', '/v1/folder?name=News')).status).toBe(200);
    expect((await sandbox.api('HEAD', '/v1/folder?name=Olds')).status).toBe(404);
    expect((await sandbox.api('DELETE', `/v1/folder/${made.json.response.data.id}`)).status).toBe(200);
  });

  it.each(['/v0/folder', '/v2', '/v1', '/v1.2/folder?id=1', '/V1/folder', '/v1/foldr'])(
    'to %s is the error envelope, because other versions belong to the interface, too',
    async (target) => {
      const { status, json } = await sandbox.get(target);
      expect([status, json.status, json.response.code]).toEqual([404, 'error', 404]);
    },
  );

  it.each([
    ['/vendor', 404],
    ['/v', 404],
    ['/version/1', 404],
    // These paths lead to the pages of the sandbox.
    ['/', 303],
  ])('to %s has no envelope, because it is not a version', async (target, code) => {
    const { status, json } = await sandbox.get(target);
    expect([status, json]).toEqual([code, undefined]);
  });

  it('to a body over 10 MiB is 413', async () => {
    const answer = await sandbox.api('POST', '/v1/folder', { name: 'x'.repeat(10 * 1024 * 1024) });
    expect(answer.status).toBe(413);
    expect(answer.json.status).toBe('error');
  });

  it('is always nosniff and no-store', async () => {
    for (const path of ['/v1/folder', '/control/status', '/t/o/none', '/nothing']) {
      const { headers } = await sandbox.get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('the control plane: "Authorization: Bearer <controlToken>"', () => {
  it.each([
    ['none', {}],
    ['another', { authorization: `Bearer ${'0'.repeat(64)}` }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['the bare token', { authorization: 'TOKEN' }],
  ] as const)('rejects %s with 401', async (_, headers) => {
    const given = Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      value.replace('TOKEN', sandbox.ready.controlToken),
    ]);
    const answer = await sandbox.get('/control/status', {
      method: 'POST',
      headers: Object.fromEntries(given),
      body: '{}',
    });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain(sandbox.ready.controlToken);
  });

  it('accepts only POST, only JSON objects, and only existing commands', async () => {
    const authorization = `Bearer ${sandbox.ready.controlToken}`;
    expect((await sandbox.get('/control/status', { headers: { authorization } })).status).toBe(405);
    expect((await sandbox.control('status', [])).status).toBe(400);
    expect((await sandbox.control('constructor')).status).toBe(404);
  });
});

describe('injected faults (contract, "Sandbox": fault set)', () => {
  const clear = () => sandbox.control('fault clear');
  const folders = async (): Promise<number> => {
    const answer = await sandbox.api('GET', '/v1/folder');
    return answer.status === 404 ? 0 : answer.json.response.count;
  };

  it.each([
    ['error', 503],
    ['rate-limit', 429],
  ] as const)('%s responds with %i and does nothing', async (kind, status) => {
    await clear();
    const before = await folders();
    await sandbox.control('fault set', { kind, times: 1, match: 'POST /v1/folder' });
    const answer = await sandbox.api('POST', '/v1/folder', { name: 'Not made' });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe(kind === 'rate-limit' ? '1' : null);
    expect(await folders()).toBe(before);
    expect((await sandbox.api('POST', '/v1/folder', { name: 'Made' })).status).toBe(202);
  });

  it.each([
    ['reset', 0],
    ['lost-answer', 1],
  ] as const)('%s closes the connection and leaves %i created', async (kind, made) => {
    await clear();
    const before = await folders();
    await sandbox.control('fault set', { kind, times: 1, match: 'POST' });
    await expect(sandbox.api('POST', '/v1/folder', { name: kind })).rejects.toThrow();
    expect(await folders()).toBe(before + made);
  });

  it('slow responds late, and performs the request', async () => {
    await clear();
    await sandbox.control('fault set', { kind: 'slow', delay: 50, times: 1 });
    expect((await sandbox.api('POST', '/v1/folder', { name: 'Slow' })).status).toBe(202);
  });

  it('affect their share of requests, the same in each run, and no request that does not match', async () => {
    await clear();
    await sandbox.control('fault set', { kind: 'error', rate: 0.5, match: '/v1/user' });
    const run = async () => {
      const statuses: number[] = [];
      for (let at = 0; at < 20; at += 1) statuses.push((await sandbox.api('GET', '/v1/user')).status);
      return statuses;
    };
    const first = await run();
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect((await sandbox.api('GET', '/v1/account')).status).toBe(200);
    await clear();
    await sandbox.control('fault set', { kind: 'error', rate: 0.5, match: '/v1/user' });
    expect(await run()).toEqual(first);
    await clear();
  });

  it.each([
    { kind: 'other' },
    { kind: 'error', rate: 2 },
    { kind: 'error', times: 0 },
    { kind: 'error', match: 'x' },
  ])('reject %o', async (args) => {
    expect((await sandbox.control('fault set', args)).status).toBe(400);
    expect((await sandbox.control('fault list')).json.data).toEqual([]);
  });
});

it('listens only on the loopback address', async () => {
  const address = await new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port: sandbox.port, path: '/nothing' }, (answer) => {
      resolve(answer.socket.remoteAddress);
      answer.resume();
    });
    sent.end();
  });
  expect(address).toBe('127.0.0.1');
  await expect(
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.2', port: sandbox.port }, resolve).on('error', reject).end();
    }),
  ).rejects.toThrow('ECONNREFUSED');
});

// Interface, "Company hash": the nonce is a "random string of up to 40 characters", and the signature covers its characters. Node sends a
// letter such as é as one octet, and most other clients send it in UTF-8.
describe('a nonce beyond ASCII', () => {
  const send = (nonce: string, octets: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const date = new Date().toUTCString();
      const { id, apiKey, adminUserId } = sandbox.ready.company;
      const lines = ['GET /v1/user', `Date: ${date}`, `X-Svc-CID: ${id}`, `X-Svc-UID: ${adminUserId}`];
      const text = [...lines, `X-Svc-Nonce: ${nonce}`, apiKey].join('\r\n');
      const headers = {
        ...{ date, 'X-Svc-CID': String(id), 'X-Svc-UID': String(adminUserId), 'X-Svc-Nonce': octets },
        authorization: `SvcHash signature="${createHash('sha1').update(text, 'utf8').digest('hex')}"`,
      };
      const call = request({ port: sandbox.port, host: '127.0.0.1', path: '/v1/user', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      call.on('error', reject).end();
    });
  const inUtf8 = (text: string): string => Buffer.from(text).toString('latin1');

  it.each([
    ['in UTF-8', 'café☕', inUtf8('café☕'), 200],
    ['in Latin-1', 'naïve', 'naïve', 200],
    ['of 40 characters and 120 octets', '☕'.repeat(40), inUtf8('☕'.repeat(40)), 200],
    ['of 41 characters', '☕'.repeat(41), inUtf8('☕'.repeat(41)), 401],
  ])('%s', async (_, nonce, octets, status) => {
    expect(await send(nonce, octets)).toBe(status);
  });

  it('is the same nonce in both encodings', async () => {
    expect(await send('déjà', 'déjà')).toBe(200);
    expect([await send('déjà', inUtf8('déjà')), await send('déjà', 'déjà')]).toEqual([401, 401]);
  });
});
