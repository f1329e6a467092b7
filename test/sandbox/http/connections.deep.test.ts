/** "500 idle sockets + 1 client: client p99 < 1 s" (acceptance, X7), and connections that ignore FIN (M9). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limitConnections } from '../../../src/sandbox/http/connections.ts';
import { runSandbox, type SocketSandbox, temporaryFolder } from '../../support/running-sandbox.ts';

const sockets: Socket[] = [];
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(port: number): Promise<Socket> {
  // It never closes its own end, whatever the other end does.
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function openMany(port: number, count: number): Promise<readonly Socket[]> {
  const opened: Socket[] = [];
  while (opened.length < count) {
    const together = Math.min(200, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: together }, () => open(port)))));
  }
  return opened;
}

describe('a sandbox', () => {
  let sandbox: SocketSandbox;
  beforeEach(async () => {
    const folder = await temporaryFolder();
    sandbox = await runSandbox(folder.path);
    closers.push(folder.remove, sandbox.stop);
  });

  /** Half of the 30 s for which idle connections used to lock out all clients, and longer than a busy machine takes. */
  const SOON_MS = 15_000;

  /** Returns the milliseconds of the slowest of `count` requests, each over a separate connection. All must be answered. */
  async function slowest(count: number): Promise<number> {
    let most = 0;
    for (let at = 0; at < count; at += 1) {
      const began = performance.now();
      const answer = await new Promise<string>((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: sandbox.port });
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(text));
        socket.write(
          `GET /v1/account HTTP/1.1\r\nHost: localhost:${sandbox.port}\r\nConnection: close\r\n\r\n`,
        );
      });
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      most = Math.max(most, performance.now() - began);
    }
    return most;
  }

  it.each([500, 2_100])('responds soon beside %i idle connections', async (count) => {
    await openMany(sandbox.port, count);
    expect(await slowest(30)).toBeLessThan(SOON_MS);
    expect((await sandbox.api('GET', '/v1/account')).status).toBe(200);
  });

  it('responds beside 2,000 clients that send half a request, or never send their unsigned body', async () => {
    const many = await openMany(sandbox.port, 2_000);
    for (const [at, socket] of many.entries()) {
      const lines = [
        `POST /v1/folder HTTP/1.1`,
        `Host: localhost:${sandbox.port}`,
        'Content-Length: 3000000',
      ];
      socket.write(`${lines.join('\r\n')}\r\n${at % 2 === 0 ? '' : '\r\n'}`);
    }
    expect(await slowest(30)).toBeLessThan(SOON_MS);
  });

  it('closes connections that speak no HTTP and ignore FIN', async () => {
    const count = 50;
    const before = openSockets();
    const many = await openMany(sandbox.port, count);
    for (const socket of many) socket.write('hello\r\n\r\n');
    await pass(100);
    // Both ends are in this process. Here only the clients' ends are left.
    for (let waited = 0; openSockets() - before > count && waited < 60_000; waited += 50) await pass(50);
    expect(openSockets() - before).toBeLessThanOrEqual(count);
  });
});

const openSockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('one connection too many', () => {
  it('replaces the connection that was idle for longest, never an active one', async () => {
    const server = createServer();
    const connections = limitConnections(server, 3);
    const held: (() => void)[] = [];
    server.on('request', (incoming, outgoing) => {
      connections.beginRequest(incoming.socket);
      held.push(() => {
        outgoing.end('done');
        connections.endRequest(incoming.socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const { port } = server.address() as AddressInfo;
    const [first, second, third] = [await open(port), await open(port), await open(port)];
    const gone: string[] = [];
    for (const [name, socket] of Object.entries({ first, second, third })) {
      socket.resume();
      socket.once('end', () => gone.push(name));
      socket.once('error', () => gone.push(name));
    }
    first.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (held.length === 0) await pass(2);
    await open(port);
    await expect.poll(() => gone).toEqual(['second']);
    held[0]?.();
    await pass(10);
    await open(port);
    await open(port);
    // The first connection worked last, so the others are closed before it.
    await expect.poll(() => gone).toEqual(['second', 'third']);
  });
});
