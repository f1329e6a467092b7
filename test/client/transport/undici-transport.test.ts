import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createTransport,
  proxyUrlFor,
  type TransportOptions,
} from '../../../src/client/requests/transport/undici-transport.ts';
import { METHODS } from '../../../src/kit/schema/resource.ts';
import type { WireRequest } from '../../../src/service/protocol/wire.ts';
import { depth, SEED, tried } from '../../support/depth.ts';

const FORMS = depth('SVC_URL_FORMS', { few: 100, full: 500 });

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Starts a server that handles each connection's bytes with `handle`. `heard` contains all bytes that reached it. */
async function listen(handle: (socket: Socket, text: string, nth: number) => unknown) {
  const heard: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const nth = sockets.length;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      heard.push(chunk.toString('latin1'));
      void handle(socket, chunk.toString('latin1'), nth);
    });
  });
  return { origin: await started(server, sockets), heard, sockets };
}

async function started(server: Server, sockets: readonly Socket[]): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function transportTo(origin: string, options: Partial<TransportOptions> = {}) {
  const { transport, close } = await createTransport({ origin, ...options });
  cleanups.push(close);
  return transport;
}

const request = (method: WireRequest['method'] = 'GET', more: Partial<WireRequest> = {}): WireRequest => ({
  method,
  path: '/v1/folder',
  query: '',
  headers: { date: 'Fri, 20 Nov 2026 09:00:00 GMT', 'x-svc-nonce': 'n' },
  ...more,
});
const post = request('POST', { body: '{"name":"ü"}', headers: { 'content-type': 'application/json' } });
const reply = (body: string, head = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}`;

const both = [request(), post];

/** The time-outs of undici, which checks its timers once a second. So all of them wait together, while other tests run. */
const WAITS: Readonly<Record<string, { readonly answer: (socket: Socket) => unknown; readonly tls?: true }>> =
  {
    // A TLS server that never answers.
    connect: { answer: () => undefined, tls: true },
    headers: { answer: () => undefined },
    body: { answer: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{') },
    total: { answer: () => undefined },
  };
const waiting = new Map<string, Promise<readonly PromiseSettledResult<unknown>[]>>();
let cleanupsOfWaits: typeof cleanups;
beforeAll(async () => {
  for (const [which, { answer, tls }] of Object.entries(WAITS)) {
    const { origin } = await listen((socket) => answer(socket));
    const transport = await transportTo(tls ? origin.replace('http:', 'https:') : origin, {
      timeouts: { [which]: 100 },
    });
    waiting.set(which, Promise.allSettled(both.map((each) => transport(each))));
  }
  cleanupsOfWaits = cleanups.splice(0);
});
afterAll(async () => {
  for (const cleanup of cleanupsOfWaits.reverse()) await cleanup();
});

describe('a sent request', () => {
  it('has method, path, query, headers and body unchanged', async () => {
    const { origin, heard } = await listen((socket) => socket.write(reply('{"a":"ü"}', 'X-Svc-Time: 5\r\n')));
    const transport = await transportTo(origin);
    const got = await transport(
      request('PUT', { path: '/v1/folder/a%2Fb', query: 'x=1&y=%20', body: 'ü', headers: { date: 'now' } }),
    );
    expect(got).toMatchObject({ status: 200, headers: { 'x-svc-time': '5' }, body: '{"a":"ü"}' });
    expect(heard.join('')).toMatch(/^PUT \/v1\/folder\/a%2Fb\?x=1&y=%20 HTTP\/1\.1\r\n/);
    expect(heard.join('')).toMatch(/\r\ndate: now\r\n/);
    expect(heard.join('')).toMatch(/\r\ncontent-length: 2\r\n/);
  });

  it('shares connections for POSTs if requested, as for a bulk job', async () => {
    const { origin, sockets } = await listen((socket) => socket.write(reply('{}')));
    const transport = await transportTo(origin, { sharePostConnections: true });
    for (let count = 0; count < 5; count += 1) await transport(post);
    expect(sockets).toHaveLength(1);
    await Promise.all([transport(post), transport(post)]);
    expect(sockets).toHaveLength(2);
  });

  it('uses a new connection for every POST, and keeps one for other requests', async () => {
    const { origin, sockets } = await listen((socket) => socket.write(reply('{}')));
    const transport = await transportTo(origin);
    for (const each of [request(), request(), post, request('DELETE'), post]) await transport(each);
    expect(sockets).toHaveLength(3);
  });

  // Acceptance, A4: "5 codes x 2 origins x 5 verbs".
  it('returns a redirect as a response, and does not follow it, within the origin or across', async () => {
    const trap = await listen((socket) => socket.write(reply('{}')));
    let sent = 0;
    for (const status of [301, 302, 303, 307, 308])
      for (const target of [`${trap.origin}/v1/trap`, '/v1/trap']) {
        const { origin, heard } = await listen((socket) =>
          socket.write(`HTTP/1.1 ${status} Moved\r\nLocation: ${target}\r\nContent-Length: 0\r\n\r\n`),
        );
        const transport = await transportTo(origin);
        for (const method of METHODS) {
          heard.length = 0;
          const body = method === 'POST' || method === 'PUT' ? { body: '{}' } : {};
          expect(await transport(request(method, body))).toMatchObject({
            status,
            headers: { location: target },
          });
          expect(heard.join('').match(/^[A-Z]+ \/\S* HTTP/gm)).toEqual([`${method} /v1/folder HTTP`]);
          sent += 1;
        }
      }
    expect(trap.heard).toEqual([]);
    tried('A4', sent);
  });

  // Acceptance, A4: "500 URL tricks". A path is sent as it was signed, or not at all.
  it(`${FORMS} paths that name another host reach no other host (SVC_SEED=${SEED})`, async () => {
    const trap = await listen((socket) => socket.write(reply('{}')));
    const { origin, heard } = await listen((socket) => socket.write(reply('{}')));
    const [own, other] = [new URL(origin).host, new URL(trap.origin).host];
    const piece = fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        '/\\',
        '\\\\',
        'http://',
        'https://',
        'HTTP:',
        '//user:word@',
        '@',
        '#',
        '?',
        ':',
        ';',
      ],
      ...[
        '/..',
        '/.',
        '/%2e%2e',
        '%2f',
        '%2F%2f',
        '%5c',
        '%00',
        '%0d%0a',
        '/v1',
        '/v1/folder',
        '%20',
        '[::1]',
      ],
      ...['\r\n', '\t', ' ', '\0', 'Host: ', 'é', '\u2215', '\uff0f', '\u3002', '/x\r\nHost: '],
      ...[
        own,
        other,
        other,
        other,
        `${own}@${other}`,
        `${other}#@${own}`,
        `2130706433:${other.split(':')[1]}`,
      ],
    );
    const forms = fc.sample(fc.array(piece, { minLength: 1, maxLength: 6 }), { seed: SEED, numRuns: FORMS });
    const transport = await transportTo(origin);
    let reached = 0;
    for (const path of forms.map((pieces) => pieces.join(''))) {
      heard.length = 0;
      const outcome = await transport(request('GET', { path })).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(heard.join('')).toBe('');
      else {
        reached += 1;
        expect(heard.join('').split('\r\n')[0]).toBe(`GET ${path} HTTP/1.1`);
        expect(heard.join('').match(/^host: .*$/gim)).toEqual([`host: ${own}`]);
      }
    }
    // A small sample may have few of them.
    expect(reached).toBeGreaterThan(FORMS < 500 ? 0 : FORMS / 20);
    expect(trap.heard).toEqual([]);
    tried('A4', forms.length);
  });
});

// Acceptance, "What a failure says": a request was not sent, or is in doubt. Only a request that was not sent may be repeated.
describe('a failed request', () => {
  it('was not sent if the connection was refused', async () => {
    const server = createServer();
    const origin = await started(server, []);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    cleanups.pop();
    const transport = await transportTo(origin);
    for (const each of both) {
      await expect(transport(each)).rejects.toMatchObject({ name: 'TransportError', sent: 'not-sent' });
    }
  });

  it('was not sent if the name is unknown', async () => {
    const transport = await transportTo('https://host.invalid');
    for (const each of both) await expect(transport(each)).rejects.toMatchObject({ sent: 'not-sent' });
  });

  it('was not sent if TLS fails, and no byte of it was written', async () => {
    const { origin, heard } = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const transport = await transportTo(origin.replace('http:', 'https:'));
    for (const each of both) await expect(transport(each)).rejects.toMatchObject({ sent: 'not-sent' });
    expect(heard.join('')).not.toContain('/v1/folder');
  });

  it('was not sent if no connection was ready in time', async () => {
    const failed = { status: 'rejected', reason: { sent: 'not-sent', timedOut: true } };
    expect(await waiting.get('connect')).toMatchObject([failed, failed]);
  });

  it.each([
    ['cut at once', (socket: Socket) => socket.resetAndDestroy()],
    ['closed at once', (socket: Socket) => socket.end()],
    ['cut within the head', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')],
    [
      'cut within the body',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status":"ok"'),
    ],
    [
      'reset after the head',
      (socket: Socket) =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{', () => socket.resetAndDestroy()),
    ],
    ['no HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    [
      'a chunked body cut',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'),
    ],
  ])('%s has an unknown outcome, and was sent once', async (_name, answerWith) => {
    const { origin, heard } = await listen((socket) => {
      answerWith(socket);
    });
    const transport = await transportTo(origin);
    for (const each of both) {
      heard.length = 0;
      await expect(transport(each)).rejects.toMatchObject({ name: 'TransportError', sent: 'unknown' });
      expect(heard.join('').split('/v1/folder').length - 1).toBe(1);
    }
  });

  it('on a kept connection that the service closed has an unknown outcome for a GET, and POSTs do not use it', async () => {
    const { origin } = await listen((socket, text, nth) => {
      if (nth === 1 && text.includes('second')) socket.destroy();
      else socket.write(reply('{}'));
    });
    const transport = await transportTo(origin);
    await transport(request());
    expect(await transport(post)).toMatchObject({ status: 200 });
    await expect(transport(request('GET', { query: 'second' }))).rejects.toMatchObject({ sent: 'unknown' });
  });

  it.each(['headers', 'body', 'total'])(
    'without an end in time (%s) has an unknown outcome',
    async (which) => {
      const failed = { status: 'rejected', reason: { sent: 'unknown', timedOut: true } };
      expect(await waiting.get(which)).toMatchObject([failed, failed]);
    },
  );

  it('after the time-out of the call has an unknown outcome if it was written, or else was not sent', async () => {
    const written = new AbortController();
    const { origin } = await listen(() => written.abort());
    const transport = await transportTo(origin);
    await expect(transport(post, written.signal)).rejects.toMatchObject({ sent: 'unknown', timedOut: true });
    const { heard, origin: other } = await listen((socket) => socket.write(reply('{}')));
    const second = await transportTo(other);
    await expect(second(post, AbortSignal.abort())).rejects.toMatchObject({ sent: 'not-sent' });
    const connecting = new AbortController();
    const call = second(request(), connecting.signal);
    connecting.abort();
    await expect(call).rejects.toMatchObject({ sent: 'not-sent' });
    await second(request('GET', { query: 'later' }));
    expect(heard.join('').match(/GET [^ ]+/g)).toEqual(['GET /v1/folder?later']);
  });

  it('with a response that is too large stops reading', async () => {
    let written = 0;
    const server = createHttpServer((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && written < 50e6 && response.write('x'.repeat(65_536))) written += 65_536;
      };
      response.on('drain', more);
      more();
    });
    const transport = await transportTo(await started(server, []), { maxAnswerOctets: 1024 * 1024 });
    cleanups.push(() => server.closeAllConnections());
    await expect(transport(request())).rejects.toMatchObject({
      message: 'the response is larger than 1 MiB',
      isFinal: true,
      isTooLarge: true,
    });
    expect(written).toBeLessThan(50e6);
  });

  it('with a response that announces too much is not read at all', async () => {
    const { origin } = await listen((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n'),
    );
    const transport = await transportTo(origin);
    await expect(transport(request())).rejects.toMatchObject({ isFinal: true, isTooLarge: true });
  });

  // M2: values are counted while the octets arrive, because parsed values would take 50 times as much memory.
  it.each([
    ['brackets', '['.repeat(300), 'nested more than 260 levels deep', false],
    ['braces', '{"a":'.repeat(300), 'nested more than 260 levels deep', false],
    ['objects', `[${'{},'.repeat(600_000)}`, 'more than 1000000 values', true],
  ])('with a bomb of %s stops reading', async (_name, body, problem, isTooLarge) => {
    const { origin } = await listen((socket) => socket.write(reply(body)));
    const transport = await transportTo(origin);
    await expect(transport(request())).rejects.toMatchObject({
      sent: 'unknown',
      message: expect.stringContaining(problem),
      isFinal: true,
      isTooLarge,
    });
  });

  it('does not count brackets in texts, and in data that is not JSON', async () => {
    const text = JSON.stringify({ a: `${'['.repeat(500)}\\"{`, b: ['\\', '"'.repeat(9)] });
    for (const body of [text, `<p>${'['.repeat(500)}`]) {
      // The text is cut into single octets, to show that no state is lost between two parts.
      const { origin } = await listen((socket) => {
        for (const octet of Buffer.from(reply(body))) socket.write(Buffer.of(octet));
      });
      expect(await (await transportTo(origin))(request())).toMatchObject({ body });
    }
  });

  // L8, RFC 9110 15.2: undici treats an unrequested 100 as the end of the connection.
  const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-Why: none\r\n\r\n';
  it.each([
    ['one', CONTINUE],
    ['two, and 103', `${CONTINUE}HTTP/1.1 100\r\n\r\nHTTP/1.1 103 Early\r\nX: 1\r\n\r\n`],
  ])('accepts an unrequested 100 Continue: %s, whole and octet by octet', async (_name, before) => {
    for (const write of ['whole', 'octets', 'two parts'] as const) {
      const { origin } = await listen(async (socket) => {
        const all = Buffer.from(before + reply('{"a":"HTTP/1.1 100 Continue\\r\\n"}'));
        if (write === 'whole') socket.write(all);
        else if (write === 'octets')
          for (const octet of all) {
            socket.write(Buffer.of(octet));
            await new Promise((resolve) => setImmediate(resolve));
          }
        else {
          socket.write(all.subarray(0, before.length));
          setTimeout(() => socket.write(all.subarray(before.length)), 20);
        }
      });
      const transport = await transportTo(origin);
      for (const each of [request(), request(), post, request('DELETE')])
        expect(await transport(each)).toMatchObject({
          status: 200,
          body: '{"a":"HTTP/1.1 100 Continue\\r\\n"}',
        });
    }
  });

  it('with 100 Continue and then nothing has no response, and a POST has an unknown outcome', async () => {
    const { origin } = await listen((socket) => socket.end(CONTINUE));
    await expect((await transportTo(origin))(post)).rejects.toMatchObject({ sent: 'unknown' });
    const endless = await listen((socket) => socket.end(CONTINUE.slice(0, 30) + 'x'.repeat(100_000)));
    await expect((await transportTo(endless.origin))(post)).rejects.toMatchObject({ sent: 'unknown' });
  });

  it('gets its response after informational ones', async () => {
    const { origin } = await listen((socket) =>
      socket.write(`HTTP/1.1 103 Early\r\nX: 1\r\n\r\n${reply('{}')}`),
    );
    expect(await (await transportTo(origin))(request())).toMatchObject({ status: 200, body: '{}' });
  });
});

/** Makes a self-signed certificate for 127.0.0.1 and api.example.com, in PEM. */
function selfSigned(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = 'subjectAltName=IP:127.0.0.1,DNS:api.example.com';
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      ...curve,
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '2',
      '-subj',
      '/CN=test',
      '-addext',
      names,
    ],
    { stdio: 'ignore' },
  );
  const pem = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(folder, { recursive: true });
  return pem;
}

describe('TLS', () => {
  const CONTINUE_FIRST = true;
  let pem: ReturnType<typeof selfSigned>;
  beforeAll(() => {
    pem = selfSigned();
  });
  async function secureServer(continueFirst = false) {
    const heard: string[] = [];
    const server = createHttpsServer(pem, (incoming, response) => {
      heard.push(`${incoming.method} ${incoming.url} ${incoming.headers.host}`);
      if (continueFirst) response.writeContinue();
      response.end('{}');
    });
    const origin = (await started(server, [])).replace('http:', 'https:');
    cleanups.push(() => server.closeAllConnections());
    return { origin, heard, ca: pem.cert };
  }

  it('does not send to an untrusted certificate, whatever the environment says', async () => {
    const { origin, heard, ca } = await secureServer();
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    cleanups.push(() => {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    });
    for (const each of [request(), post]) {
      await expect((await transportTo(origin))(each)).rejects.toMatchObject({
        sent: 'not-sent',
        message: expect.stringContaining('self-signed'),
        // L14: another attempt would meet the same certificate.
        isFinal: true,
        advice: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      });
    }
    expect(heard).toEqual([]);
    expect(await (await transportTo(origin, { ca }))(post)).toMatchObject({ status: 200, body: '{}' });
  });

  it('goes through a proxy in a tunnel, to the intended host', async () => {
    const { origin, heard, ca } = await secureServer(CONTINUE_FIRST);
    const seen: string[] = [];
    const proxy = await listen((socket, text) => {
      seen.push(text);
      socket.removeAllListeners('data');
      const tunnel = connect(Number(new URL(origin).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(tunnel).pipe(socket);
      });
      tunnel.on('error', () => socket.destroy());
      socket.on('close', () => tunnel.destroy());
    });
    const options = { proxy: { url: proxy.origin }, ca };
    const transport = await transportTo('https://api.example.com', options);
    for (const each of [request(), request(), post])
      expect(await transport(each)).toMatchObject({ status: 200 });
    expect(heard).toEqual([
      'GET /v1/folder api.example.com',
      'GET /v1/folder api.example.com',
      'POST /v1/folder api.example.com',
    ]);
    expect(seen.map((text) => text.split('\r\n')[0])).toEqual(
      Array.from({ length: 2 }, () => 'CONNECT api.example.com:443 HTTP/1.1'),
    );
    expect(seen.join('')).not.toContain('/v1/folder');
    const other = await transportTo('https://other.example.com', options);
    await expect(other(post)).rejects.toMatchObject({
      sent: 'not-sent',
      message: expect.stringContaining('the certificate of other.example.com:443 is for another host'),
      isFinal: true,
    });
  });
});

describe('unsafe settings are rejected:', () => {
  it.each<readonly [string, TransportOptions, RegExp]>([
    ['http to another machine', { origin: 'http://api.example.com' }, /only for this machine/],
    ['a path', { origin: 'https://api.example.com/api' }, /an origin has no path/],
    ['a password', { origin: 'https://a:b@api.example.com' }, /must not hold a user name or password/],
    [
      'unchecked certificates',
      { origin: 'https://api.example.com', env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
      /unset it/,
    ],
    [
      'a proxy that is not an HTTP proxy',
      { origin: 'https://api.example.com', proxy: { url: 'socks5://proxy.example' } },
      /HTTPS_PROXY is not a URL/,
    ],
  ])('%s', async (_name, options, problem) => {
    await expect(createTransport(options)).rejects.toThrow(problem);
    await expect(createTransport(options)).rejects.toThrow(RangeError);
  });
});

describe('a proxy', () => {
  it.each([
    ['https://api.example.com', undefined, true],
    ['https://api.example.com', 'other.example, api.example.org', true],
    ['https://api.example.com', 'example.com', false],
    ['https://api.example.com', '.example.com', false],
    ['https://api.example.com', '*.example.com', false],
    ['https://api.example.com', 'API.example.com:443', false],
    ['https://api.example.com', 'api.example.com:8443', true],
    ['https://api.example.com', '*', false],
    ['https://badexample.com', 'example.com', true],
    ['https://localhost:4433', undefined, false],
    ['http://127.0.0.1:80', undefined, false],
  ])('is for %s with NO_PROXY %s: %s', (origin, except, used) => {
    const proxy = { url: 'http://proxy.example:3128', ...(except === undefined ? {} : { except }) };
    expect(proxyUrlFor(origin, proxy)).toBe(used ? 'http://proxy.example:3128' : undefined);
  });

  it('sees only the host, and if it refuses, nothing was sent', async () => {
    const { origin: proxy, heard } = await listen((socket) =>
      socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'),
    );
    const transport = await transportTo('https://api.example.com', { proxy: { url: proxy } });
    for (const each of [request(), post]) {
      await expect(transport(each)).rejects.toMatchObject({ sent: 'not-sent' });
    }
    expect(heard.join('')).toMatch(/^CONNECT api\.example\.com:443 HTTP\/1\.1\r\n/);
    expect(heard.join('')).not.toContain('/v1/folder');
    expect(heard.join('')).not.toContain('x-svc-nonce');
  });
});
