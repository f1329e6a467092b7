/** "The signature does not cover the body, so authentication is judged before a body is read" (wire; attack M8). */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signRequest } from '../../../src/service/auth/sign.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: SocketSandbox;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = await runSandbox(folder.path);
});
afterAll(async () => {
  expect(sandbox.reports).toEqual([]);
  await sandbox.stop();
  await folder.remove();
});

const nonce = (): string => randomBytes(20).toString('hex');

/** Returns the signed headers of the admin's request, as lines. */
function signedLines(used = nonce(), path = '/v1/folder', method = 'POST'): readonly string[] {
  const { company } = sandbox.ready;
  const credentials = {
    kind: 'company',
    companyId: company.id,
    userId: company.adminUserId,
    apiKey: company.apiKey,
  } as const;
  const headers = signRequest({ method, path }, credentials, {
    nonce: used,
    date: new Date().toUTCString(),
  });
  return [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
  ];
}

const head = (more: readonly string[], path = '/v1/folder', method = 'POST'): string =>
  `${[`${method} ${path} HTTP/1.1`, `Host: localhost:${sandbox.port}`, ...more].join('\r\n')}\r\n\r\n`;

interface Line {
  readonly socket: Socket;
  /** Resolves with all received text when it contains `pattern`. Fails after 2.5 s. */
  readonly heard: (pattern: RegExp) => Promise<string>;
  readonly closed: Promise<string>;
}

function line(): Line {
  const socket = connect({ host: '127.0.0.1', port: sandbox.port });
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  const heard = async (pattern: RegExp): Promise<string> => {
    const until = Date.now() + 30_000;
    while (!pattern.test(text)) {
      if (Date.now() > until) throw new Error(`heard only ${JSON.stringify(text)}`);
      await pass(5);
    }
    return text;
  };
  return { socket, heard, closed };
}

const folders = async (): Promise<number> => {
  const answer = await sandbox.api('GET', '/v1/folder');
  return answer.status === 404 ? 0 : answer.json.response.count;
};

describe('an unsigned body', () => {
  it.each(['Content-Length: 3000000', 'Transfer-Encoding: chunked'])(
    'is not awaited: 401 after the head (%s)',
    async (length) => {
      const client = line();
      client.socket.write(head([length]));
      const answer = await client.heard(/\r\n\r\n\{.*\}$/s);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toMatch(/\r\nconnection: close\r\n/i);
      expect(answer).toMatch(/\r\nx-svc-time: [0-9]+\r\n/i);
      client.socket.destroy();
    },
  );

  it.each([
    [
      'a wrong signature',
      (lines: readonly string[]) =>
        lines.map((each) => each.replace(/"[0-9a-f]{40}"/, `"${'0'.repeat(40)}"`)),
      401,
    ],
    ['a path that was not signed', () => signedLines(nonce(), '/v1/task'), 401],
  ] as const)('%s is also refused after the head', async (_, change, status) => {
    const client = line();
    client.socket.write(head([...change(signedLines()), 'Content-Length: 100']));
    expect(await client.heard(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    client.socket.destroy();
  });

  it('a used nonce is refused after the head, and so is an unknown resource', async () => {
    const used = nonce();
    const once = line();
    once.socket.write(
      `${head([...signedLines(used), 'Content-Length: 12', 'Connection: close'])}{"name":"A"}`,
    );
    expect(await once.closed).toMatch(/^HTTP\/1\.1 202 /);
    const again = line();
    again.socket.write(head([...signedLines(used), 'Content-Length: 100']));
    expect(await again.heard(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 401 /);
    again.socket.destroy();
    const nowhere = line();
    nowhere.socket.write(
      head([...signedLines(nonce(), '/v1/nothing'), 'Content-Length: 100'], '/v1/nothing'),
    );
    expect(await nowhere.heard(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 404 /);
    nowhere.socket.destroy();
  });

  it('is not read if it came with the head: 401, whatever its content', async () => {
    for (const body of [Buffer.from([0xff, 0xfe]), Buffer.from('{"name":"A"}'), Buffer.from('[[[[')]) {
      const client = line();
      client.socket.write(
        Buffer.concat([Buffer.from(head([`Content-Length: ${body.length}`, 'Connection: close'])), body]),
      );
      expect(await client.closed).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('a client that sends everything before it reads gets the response, not a reset', async () => {
    for (let times = 0; times < 5; times += 1) {
      const answer = await sandbox.get('/v1/folder', { method: 'POST', body: 'x'.repeat(3_000_000) });
      expect(answer.status).toBe(401);
    }
  });

  it('ends the connection, so that its rest is never treated as a request', async () => {
    const inner = head([...signedLines(), 'Content-Length: 12', 'Connection: close']);
    const before = await folders();
    const client = line();
    const smuggled = `${inner}{"name":"S"}`;
    client.socket.write(head([`Content-Length: ${smuggled.length + 1}`]));
    await client.heard(/\r\n\r\n\{/);
    client.socket.write(`${smuggled}x`);
    client.socket.write(smuggled);
    const answers = await client.closed;
    expect(answers.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(await folders()).toBe(before);
  });

  it('also ends the connection for a request that arrives in one piece with the rest of the body', async () => {
    const inner = `${head([...signedLines(), 'Content-Length: 12', 'Connection: close'])}{"name":"S"}`;
    const before = await folders();
    const client = line();
    client.socket.write(head(['Content-Length: 100']));
    await client.heard(/\r\n\r\n\{/);
    client.socket.write(`${'x'.repeat(100)}${inner}`);
    expect((await client.closed).match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(await folders()).toBe(before);
  });

  it('is abandoned after two seconds if it is slow', async () => {
    // The server's own timers are the only ones that the test replaces: Node's sockets do not use the global functions.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const client = line();
      client.socket.write(head(['Content-Length: 3000000']));
      await client.heard(/\r\n\r\n\{/);
      vi.advanceTimersByTime(1_999);
      await folders();
      expect(client.socket.closed).toBe(false);
      vi.advanceTimersByTime(1);
      await client.closed;
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('every client knows the end of a response (wire: HEAD is "Its framing makes no client wait for a body")', () => {
  const asked = (method: 'GET' | 'HEAD', more: readonly string[] = [], path = '/v1/user') =>
    head([...signedLines(nonce(), path, method), ...more], path, method);

  it.each([
    ['/v1/user', 200],
    ['/v1/task', 404],
  ])('HEAD %s has a length, and the connection stays open', async (path, status) => {
    const client = line();
    client.socket.write(asked('HEAD', [], path));
    const first = await client.heard(/\r\n\r\n/);
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(first).toMatch(/\r\ncontent-length: 0\r\n/i);
    expect(first).not.toMatch(/transfer-encoding/i);
    client.socket.write(asked('HEAD', ['Connection: close'], path));
    const answers = await client.closed;
    expect(answers.match(/HTTP\/1\.1 /g)).toHaveLength(2);
    expect(answers.endsWith('\r\n\r\n')).toBe(true);
  });

  it.each(['GET', 'HEAD'] as const)(
    '%s skips a body, early or late, and the connection stays open',
    async (method) => {
      const client = line();
      client.socket.write(`${asked(method, ['Content-Length: 4'])}null`);
      client.socket.write(asked(method, ['Content-Length: 4']));
      // Both requests are answered before the second body has arrived.
      expect(await client.heard(/HTTP\/1\.1 200 .*HTTP\/1\.1 200 .*\r\n\r\n/s)).not.toMatch(
        /\r\nconnection: close/i,
      );
      client.socket.write('nu');
      client.socket.write(`ll${asked(method, ['Connection: close'])}`);
      expect((await client.closed).match(/HTTP\/1\.1 200 /g)).toHaveLength(3);
    },
  );

  it('a request within the body of a GET is never treated as a request', async () => {
    const inner = `${head([...signedLines(), 'Content-Length: 12'])}{"name":"S"}`;
    const before = await folders();
    const client = line();
    client.socket.write(asked('GET', [`Content-Length: ${inner.length}`]));
    await client.heard(/\r\n\r\n\{/);
    client.socket.write(`${inner}${asked('GET', ['Connection: close'])}`);
    expect((await client.closed).match(/HTTP\/1\.1 /g)).toHaveLength(2);
    expect(await folders()).toBe(before);
  });

  it.each([
    'Content-Length: 3000000',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue\r\nContent-Length: 4',
  ])(
    'a GET whose body is long, of unknown length, or waits for permission ends the connection: %j',
    async (more) => {
      const client = line();
      client.socket.write(asked('GET', [more]));
      expect(await client.heard(/\r\n\r\n\{/)).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
      client.socket.destroy();
    },
  );
});

describe('Expect: 100-continue', () => {
  it('gets 401 without a valid signature, and no permission to send the body', async () => {
    const client = line();
    client.socket.write(head(['Expect: 100-continue', 'Content-Length: 12']));
    const answer = await client.heard(/\r\n\r\n/);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    client.socket.destroy();
  });

  it('gets permission to send the body after the head is verified', async () => {
    const client = line();
    client.socket.write(
      head([...signedLines(), 'Expect: 100-continue', 'Content-Length: 12', 'Connection: close']),
    );
    expect(await client.heard(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    client.socket.write('{"name":"E"}');
    expect(await client.closed).toMatch(/HTTP\/1\.1 202 /);
  });
});

describe('a body that arrives late', () => {
  it('is read, and the connection stays open', async () => {
    const client = line();
    client.socket.write(head([...signedLines(), 'Content-Length: 12']));
    await pass(50);
    client.socket.write('{"name":');
    await pass(20);
    client.socket.write('"L"}');
    await client.heard(/HTTP\/1\.1 202 .*\}$/s);
    client.socket.write(`${head([...signedLines(), 'Content-Length: 12', 'Connection: close'])}{"name":"M"}`);
    expect((await client.closed).match(/HTTP\/1\.1 202 /g)).toHaveLength(2);
  });

  it('gets 400 if it is not UTF-8', async () => {
    const client = line();
    client.socket.write(head([...signedLines(), 'Content-Length: 2', 'Connection: close']));
    client.socket.write(Buffer.from([0xff, 0xfe]));
    expect(await client.closed).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('has no effect if it is incomplete, and leaves its nonce unused ("a failed request does not use up its nonce")', async () => {
    const before = await folders();
    const used = nonce();
    const cut = line();
    cut.socket.write(`${head([...signedLines(used), 'Content-Length: 12'])}{"name"`);
    await pass(50);
    cut.socket.destroy();
    const again = line();
    again.socket.write(
      `${head([...signedLines(used), 'Content-Length: 12', 'Connection: close'])}{"name":"N"}`,
    );
    expect(await again.closed).toMatch(/^HTTP\/1\.1 202 /);
    expect(await folders()).toBe(before + 1);
  });

  it('performs only one of two requests with one nonce that wait for their bodies', async () => {
    const before = await folders();
    const used = nonce();
    const both = [line(), line()];
    for (const { socket } of both)
      socket.write(head([...signedLines(used), 'Content-Length: 12', 'Connection: close']));
    await pass(100);
    for (const { socket } of both) socket.write('{"name":"T"}');
    const answers = await Promise.all(both.map(({ closed }) => closed));
    expect(answers.map((text) => Number(text.slice(9, 12))).sort()).toEqual([202, 401]);
    expect(await folders()).toBe(before + 1);
  });
});
