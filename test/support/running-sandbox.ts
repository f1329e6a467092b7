/** A sandbox with a socket and a data folder, in this process. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDirAt } from '../../src/sandbox/data/data-dir.ts';
import { type RunningSandbox, type SandboxStartOptions, startSandbox } from '../../src/sandbox/start.ts';
import { signRequest } from '../../src/service/auth/sign.ts';
import { testDatabase } from './store.ts';
import { makeTemporaryFolder, removeFolder } from './temporary-folder.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface SocketSandbox extends RunningSandbox {
  readonly port: number;
  readonly reports: readonly unknown[];
  /** Sends one command to the control plane. */
  readonly control: (operation: string, args?: unknown, headers?: Record<string, string>) => Promise<Reply>;
  /** Sends a signed request of the company's admin. */
  readonly api: (method: string, target: string, body?: unknown) => Promise<Reply>;
  readonly get: (path: string, init?: RequestInit) => Promise<Reply>;
  /** Sends octets unchanged. Returns the response until the other end closes. */
  readonly raw: (octets: string) => Promise<string>;
}

export async function temporaryFolder(): Promise<{
  readonly path: string;
  readonly remove: () => Promise<void>;
}> {
  const path = await makeTemporaryFolder('sandbox');
  return { path: join(path, 'data'), remove: () => removeFolder(path) };
}

export async function runSandbox(
  folder: string,
  options: Partial<SandboxStartOptions> = {},
): Promise<SocketSandbox> {
  const reports: unknown[] = [];
  const machineNow = options.machineNow ?? (() => Date.now());
  const running = await startSandbox({
    dataDir: dataDirAt(folder),
    port: 0,
    seed: 'empty',
    random: (octets) => randomBytes(octets),
    report: (_, error) => reports.push(error),
    ...(await storeOf(folder)),
    ...options,
    machineNow,
  });
  const { baseUrl, controlToken, company } = running.ready;
  const port = Number(new URL(baseUrl).port);
  const get = async (path: string, init: RequestInit = {}): Promise<Reply> => {
    const answer = await fetch(`${baseUrl}${path}`, { redirect: 'manual', ...init });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  return {
    ...running,
    port,
    reports,
    get,
    control: (operation, args = {}, headers = {}) =>
      get(`/control/${operation.replaceAll(' ', '/')}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${controlToken}`, ...headers },
        body: JSON.stringify(args),
      }),
    api: (method, target, body) => {
      const credentials = {
        kind: 'company',
        companyId: company.id,
        userId: company.adminUserId,
        apiKey: company.apiKey,
      } as const;
      const signed = signRequest({ method, path: target.split('?')[0] ?? '' }, credentials, {
        nonce: randomBytes(20).toString('hex'),
        date: new Date(machineNow()).toUTCString(),
      });
      const headers = { ...signed, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      return get(target, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    },
    raw: (octets) => exchange(port, octets),
  };
}

/** Starts the sandbox again on its port, which the system releases a moment after it has stopped. */
export async function restartSandbox(
  folder: string,
  stopped: SocketSandbox,
  options: Partial<SandboxStartOptions> = {},
): Promise<SocketSandbox> {
  for (let tries = 1; ; tries += 1)
    try {
      return await runSandbox(folder, { ...options, port: stopped.port });
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || tries === MOST_TRIES) throw error;
      await sleep(50);
    }
}

/** The number of tries in ten seconds. */
const MOST_TRIES = 200;

/** Returns a separate PostgreSQL database for each folder, which a later start finds again. */
async function storeOf(folder: string): Promise<Pick<SandboxStartOptions, 'store'>> {
  const url = existsSync(dataDirAt(folder).store) ? undefined : await testDatabase();
  return url === undefined ? {} : { store: url };
}

function exchange(port: number, octets: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(octets, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    // The response ends after three seconds of silence. On a busy machine, its first word may come later.
    socket.setTimeout(10_000, () => socket.destroy());
    socket.once('data', () => socket.setTimeout(3000));
  });
}
