/** "100k raw byte-level requests: 0 exits" (acceptance, X7). */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { depth, tried } from '../../support/depth.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const MALFORMED = depth('SVC_MALFORMED', { few: 150, full: 2_000 });
const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);
/** Half of the connections that the sandbox accepts. */
const TOGETHER = 1_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path);
});
afterAll(async () => {
  await sandbox.stop();
  await folder.remove();
});

const octets = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
/** Generates mostly valid values, so that requests also get past the parser. */
const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong });
const lineEnd = mostly(fc.constant('\r\n'), fc.constantFrom('\n', '\r', '\r\n ', '\0'));
const method = mostly(
  fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD'),
  fc.oneof(fc.constantFrom('OPTIONS', 'TRACE', 'CONNECT', 'PRI', 'get', ''), octets),
);
const target = mostly(
  fc.constantFrom(
    '/v1/folder',
    '/v1/folder/1',
    '/control/status',
    '/t/c/1/t1-1',
    '/',
    '*',
    '//',
    '/%',
    '/%zz',
    '/v1/%ff%fe',
    '/..',
    'http://evil.example/',
    '/v1/folder?count=%',
    `/${'a'.repeat(17_000)}`,
    '',
  ),
  octets,
);
const version = mostly(
  fc.constant('HTTP/1.1'),
  fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', ''),
);
const header = mostly(
  fc.constantFrom(
    'Content-Length: 5',
    'Content-Length: -1',
    'Content-Length: 5, 5',
    'Content-Length: 99999999999999999999',
    'Content-Length: 0x5',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: gzip',
    'Transfer-Encoding : chunked',
    'Connection: upgrade',
    'Upgrade: websocket',
    'Upgrade: h2c',
    'Expect: 100-continue',
    'Expect: something else',
    '__proto__: x',
    'constructor: x',
    'Authorization: SvcHash signature="',
    `Authorization: SvcHash signature="${'0'.repeat(40)}"`,
    'Date: never',
    'X-Svc-CID: 1',
    'X-Svc-UID: 1',
    'X-Svc-Nonce: \u00e9',
    'Content-Type: application/json',
    ': no name',
    'no colon',
    ' folded',
    `Cookie: ${'c'.repeat(9_000)}`,
  ),
  octets,
);
const body = fc.oneof(
  fc.constantFrom(
    '',
    'hello',
    '5\r\nhello\r\n0\r\n\r\n',
    'zz\r\n',
    'ffffffffffffffff\r\n',
    '5;x=y\r\nhel',
    '0\r\nTrailer: x\r\n\r\n',
  ),
  octets,
);
const request = fc.oneof(
  { weight: 1, arbitrary: octets },
  {
    weight: 9,
    arbitrary: fc
      .record({
        method,
        target,
        version,
        headers: fc.array(header, { maxLength: 3 }),
        hasHost: mostly(fc.constant(true), fc.constant(false)),
        lineEnd,
        body,
      })
      .map(({ headers, hasHost, ...each }) => {
        const host = hasHost ? [`Host: localhost:PORT`] : [];
        const lines = [`${each.method} ${each.target} ${each.version}`, ...host, ...headers];
        return `${lines.join(each.lineEnd)}${each.lineEnd}${each.lineEnd}${each.body}`;
      }),
  },
);

/** Some requests are never answered. So each batch ends when none of its connections has heard anything for this time. */
const QUIET_MS = 300;

async function sendTogether(texts: readonly string[], from: number): Promise<readonly string[]> {
  let onActivity = (): void => undefined;
  const quiet = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, QUIET_MS);
    onActivity = () => {
      timer.refresh();
    };
  });
  return Promise.all(texts.map((text, at) => send(text, from + at, { onActivity, quiet })));
}

interface Batch {
  readonly onActivity: () => void;
  readonly quiet: Promise<void>;
}

/** Sends the octets whole or in two pieces. Closes the connection after a while, with or without waiting for the response. */
function send(text: string, at: number, { onActivity, quiet }: Batch): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect({ host: '127.0.0.1', port: sandbox.port }, () => {
      onActivity();
      const whole = Buffer.from(text.replace('PORT', String(sandbox.port)), 'latin1');
      const cut = at % 3 === 0 ? Math.floor(whole.length / 2) : whole.length;
      socket.write(whole.subarray(0, cut));
      socket.write(whole.subarray(cut));
      if (at % 11 === 0) socket.resetAndDestroy();
      else if (at % 7 === 0) socket.end();
    });
    void quiet.then(() => socket.destroy());
    socket.on('data', (chunk) => {
      onActivity();
      heard += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      onActivity();
      resolve(heard);
    });
  });
}

/** Requests that random ones seldom include: one for each way of being refused. */
const REFUSED: Readonly<Record<string, string>> = {
  '400': 'no request\r\n\r\n',
  '401': 'GET /v1/folder HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n',
  '403': 'GET /v1/folder HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n',
  '404': 'GET /nothing HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n',
};

it.each(Object.entries(REFUSED))('%s: %j', async (status, text) => {
  const request = text.replace('PORT', String(sandbox.port)).replace(/\r\n$/, 'Connection: close\r\n\r\n');
  expect(await sandbox.raw(request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
});

it(`${MALFORMED} malformed requests: none is performed, and the sandbox stays up (SVC_SEED=${SEED})`, async () => {
  const statuses = new Set<string>();
  for (let from = 0; from < MALFORMED; from += TOGETHER) {
    const texts = fc.sample(request, { seed: SEED + from, numRuns: Math.min(TOGETHER, MALFORMED - from) });
    for (const answer of await sendTogether(texts, from)) {
      const status = /^HTTP\/1\.1 ([0-9]{3})/.exec(answer)?.[1] ?? 'none';
      statuses.add(status);
      expect(answer).not.toMatch(/\n {4}at |sandbox\.db|"code":500/);
    }
  }
  // The tracking picture and the redirects from / to the pages are public. No other request succeeds, and none causes an internal error.
  expect([...statuses].filter((status) => !/^(?:none|100|30[23]|4[0-9][0-9])$/.test(status))).toEqual([]);
  expect(sandbox.reports).toEqual([]);
  expect((await sandbox.api('GET', '/v1/folder')).status).toBe(404);
  expect((await sandbox.api('POST', '/v1/folder', { name: 'Alive' })).status).toBe(202);
  tried('X7', MALFORMED);
}, 3_600_000);
