/**
 * Contract, "The sandbox, for people and teams": `sandbox start --tls-cert F --tls-key F`. Its own commands know the certificate from the
 * data folder, and no option turns verification off for other clients.
 */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readCertificate } from '../../../src/sandbox/http/certificate.ts';
import { type Authority, authorityIn, type Issued } from '../../support/certificates.ts';
import { NOBODY, runCli } from '../../support/run-cli.ts';
import { runSandbox, type SocketSandbox } from '../../support/running-sandbox.ts';
import { NOW } from '../../support/sandbox.ts';
import { signing } from '../../support/signing.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
let authority: Authority;
let pair: Issued;
let sandbox: SocketSandbox | undefined;
beforeAll(async () => {
  folder = await makeTemporaryFolder('secure');
  authority = authorityIn(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(async () => {
  const reports = sandbox?.reports ?? [];
  await sandbox?.stop();
  sandbox = undefined;
  expect(reports).toEqual([]);
});

let count = 0;
const dataOf = (): string => join(folder, `data-${count}`);
async function start(): Promise<SocketSandbox> {
  count += 1;
  pair = authority.issue(`pair-${count}`, 'DNS:sandbox.test,IP:127.0.0.1');
  const options = { certificate: pair, allowHosts: ['sandbox.test'], machineNow: () => NOW * 1000 };
  // This is the current day, whatever day the sandbox shows.
  sandbox = await runSandbox(dataOf(), { ...options, machineNow: () => Date.now() });
  return sandbox;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function ask(
  port: number,
  headers: Readonly<Record<string, string>>,
  path = '/v1/folder',
  ca = authority.ca,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const target = {
      host: '127.0.0.1',
      port,
      path,
      headers,
      servername: 'sandbox.test',
      agent: false as const,
    };
    const sent = request({ ...target, ca: readFileSync(ca) }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
      incoming.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

const svc = (...argv: readonly string[]) => runCli(['sandbox', ...argv, '--data', dataOf()], { env: NOBODY });

describe('over HTTPS', () => {
  it('its URL, links of messages and own commands use https, and a client that trusts the authority is served', async () => {
    const { ready, port, service } = await start();
    expect(ready.baseUrl).toBe(`https://sandbox.test:${port}`);
    expect(service.environment.trackingBaseUrl()).toBe(ready.baseUrl);
    const { company } = ready;
    const signed = signing({
      cid: company.id,
      uid: company.adminUserId,
      key: company.apiKey,
      date: Math.round(Date.now() / 1000) - NOW,
    });
    const host = { host: `sandbox.test:${port}` };
    expect((await ask(port, { ...signed.headers, ...host })).text).toContain(
      '"status":"error","response":{"code":404',
    );
    const status = await svc('status', '-o', 'json');
    expect([status.exitCode, JSON.parse(status.stdout).baseUrl]).toEqual([0, ready.baseUrl]);
    expect((await svc('list', 'create', '--name', 'Over TLS', '-o', 'json')).exitCode).toBe(0);
  });

  it('answers another Host with 403, and plain HTTP with nothing', async () => {
    const { port } = await start();
    expect((await ask(port, { host: 'evil.test' })).status).toBe(403);
    const text = await new Promise<string>((resolve) => {
      let heard = '';
      const socket: Socket = connectPlain(port, '127.0.0.1', () =>
        socket.write(`GET /v1/folder HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
      );
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1');
      });
      socket.on('error', () => resolve(heard)).on('close', () => resolve(heard));
    });
    expect(text).not.toContain('HTTP/1.1 2');
    expect(text).not.toContain('"status"');
  });

  it('a fault that closes the connection closes it', async () => {
    const { port } = await start();
    for (const kind of ['reset', 'lost-answer']) {
      expect((await svc('fault', 'set', '--kind', kind, '--times', '1')).exitCode).toBe(0);
      await expect(ask(port, { host: `127.0.0.1:${port}` })).rejects.toMatchObject({ code: 'ECONNRESET' });
    }
    expect((await ask(port, { host: `127.0.0.1:${port}` })).status).toBe(401);
  });

  it('many unfinished TLS handshakes do not block others', async () => {
    const { port } = await start();
    const idle: Socket[] = [];
    for (let at = 0; at < 60; at += 1) {
      const socket = connectPlain(port, '127.0.0.1').on('error', () => undefined);
      idle.push(socket);
    }
    expect((await ask(port, { host: `127.0.0.1:${port}` })).status).toBe(401);
    for (const socket of idle) socket.destroy();
  });
});

describe('its own commands', () => {
  it('trust no other certificate, not even of the same authority for the same name, and send it nothing', async () => {
    const { port } = await start();
    const file = join(dataOf(), 'sandbox.json');
    const endpoint = JSON.parse(readFileSync(file, 'utf8'));
    expect(endpoint).toMatchObject({ host: '127.0.0.1', port });
    const other = authority.issue(`other-${count}`, 'DNS:sandbox.test,IP:127.0.0.1');
    const { fingerprint } = readCertificate(other, Date.now());
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(file, JSON.stringify({ ...endpoint, fingerprint }));
    const run = await svc('clock', 'show');
    expect([run.exitCode, run.stdout]).toEqual([7, '']);
    expect(run.stderr).toContain('no sandbox is running');
    writeFileSync(file, JSON.stringify(endpoint));
    expect((await svc('clock', 'show')).exitCode).toBe(0);
  });
});

/** Returns the SHA-256 of the certificate that a new connection gets. */
const shownAt = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      ca: readFileSync(authority.ca),
      servername: 'sandbox.test',
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase());
      socket.destroy();
    });
  });

describe('reading the certificate again', () => {
  it('serves the new pair from then on, and its own commands trust it', async () => {
    const running = await start();
    const next = authority.issue(`next-${count}`, 'DNS:sandbox.test,IP:127.0.0.1');
    copyFileSync(next.cert, pair.cert);
    copyFileSync(next.key, pair.key);
    const { fingerprint } = readCertificate(next, Date.now());
    expect(await shownAt(running.port)).not.toBe(fingerprint);
    expect(running.reloadCertificate()?.fingerprint).toBe(fingerprint);
    expect(await shownAt(running.port)).toBe(fingerprint);
    expect((await svc('clock', 'show')).exitCode).toBe(0);
  });

  it('refuses a mismatched pair, and keeps the previous one', async () => {
    const running = await start();
    const before = await shownAt(running.port);
    const next = authority.issue(`half-${count}`, 'DNS:sandbox.test');
    copyFileSync(next.cert, pair.cert);
    expect(() => running.reloadCertificate()).toThrow(/the key .* does not belong to the certificate/);
    expect(await shownAt(running.port)).toBe(before);
    expect((await svc('clock', 'show')).exitCode).toBe(0);
  });
});

describe('unusable files are rejected before anything is done: exit 2', () => {
  const refused = async (cert: string, key: string) => {
    const data = join(folder, 'never');
    const flags = ['--port', '0', '--tls-cert', cert, '--tls-key', key, '--profile', 'none'];
    const run = await runCli(['sandbox', 'start', ...flags, '--data', data], {
      env: NOBODY,
      now: Math.floor(Date.now() / 1000),
    });
    expect([run.exitCode, run.stdout, existsSync(data)]).toEqual([2, '', false]);
    expect(run.stderr).not.toContain('PRIVATE');
    return run.stderr;
  };

  it('because a file is missing, invalid, mismatched, expired or encrypted', async () => {
    const good = authority.issue('good', 'DNS:sandbox.test');
    const other = authority.issue('another', 'DNS:sandbox.test');
    const old = authority.issue('old', 'DNS:sandbox.test', -1);
    const text = join(folder, 'text.pem');
    writeFileSync(text, 'hello');
    const locked = join(folder, 'locked.pem');
    writeFileSync(
      locked,
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
    );
    expect(await refused(join(folder, 'nosuch.pem'), good.key)).toContain('nosuch.pem (ENOENT)');
    expect(await refused(text, good.key)).toContain('text.pem holds no certificate');
    expect(await refused(good.cert, text)).toContain('text.pem');
    expect(await refused(good.cert, other.key)).toContain('does not belong to the certificate');
    expect(await refused(old.cert, old.key)).toContain(', not now');
    expect(await refused(good.cert, locked)).toContain('is encrypted');
  });
});

describe('flags that cannot be combined are rejected: exit 2', () => {
  it.each<readonly [readonly string[], string]>([
    [['--listen', '0.0.0.0:0'], '--listen: 0.0.0.0 is not a loopback address and needs TLS'],
    [['--listen', '10.0.0.5:0'], '--listen: 10.0.0.5 is not a loopback address and needs TLS'],
    [['--listen', '10.0.0.5'], 'is not a host and a port'],
    [['--tls-cert', 'a.pem'], '--tls-cert is missing'],
    [['--tls-key', 'a.pem'], '--tls-key is missing'],
    [['--behind-proxy'], '--behind-proxy needs the host name of the proxy'],
    [
      ['--behind-proxy', '--allow-host', 'a.test', '--tls-cert', 'a', '--tls-key', 'b'],
      'leave out --behind-proxy or --tls-cert',
    ],
    [['--listen', '127.0.0.1:0', '--port', '1'], 'cannot combine --listen with --port'],
    [['--listen', '0.0.0.0:0', '--behind-proxy'], '--allow-host NAME'],
    [['--allow-host', 'a b'], 'is not a host'],
  ])('%j', async (flags, says) => {
    const data = join(folder, 'never');
    const run = await runCli(['sandbox', 'start', ...flags, '--data', data, '--profile', 'none'], {
      env: NOBODY,
    });
    expect([run.exitCode, run.stdout, existsSync(data)]).toEqual([2, '', false]);
    expect(run.stderr).toContain(says);
  });
});
