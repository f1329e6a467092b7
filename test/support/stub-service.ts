/** A service on loopback with the responses that a test chooses, and real svc processes that use it. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  /** The path of the request line, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  /** Written unchanged. A test makes its JSON by hand, so that no double changes its digits. */
  readonly body: string | Iterable<string>;
}

export interface StubService extends AsyncDisposable {
  readonly port: number;
  /** Every request, in order of arrival. */
  readonly asked: Asked[];
}

export async function startStub(answer: (asked: Asked) => Answer): Promise<StubService> {
  const asked: Asked[] = [];
  const server = createServer((incoming, outgoing) => {
    respond(incoming, outgoing, (request) => {
      asked.push(request);
      return answer(request);
    }).catch((error: unknown) => outgoing.destroy(error as Error));
  });
  const port = await listening(server);
  return { port, asked, [Symbol.asyncDispose]: () => stopped(server) };
}

/** Returns `{"status":"ok",…}` around rows that are already JSON. */
export const okText = (data: string, next = 'null', count = 1): string =>
  `{"status":"ok","response":{"count":${count},"next":${next},"data":${data}}}`;

export const errorText = (code: number, message: string, subcode = 'null'): string =>
  `{"status":"error","response":{"code":${code},"subcode":${subcode},"message":"${message}"}}`;

export async function listening(server: Server): Promise<number> {
  // A connection that is closed during a request loses that request.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function stopped(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (asked: Asked) => Answer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stub');
  const { status = 200, body } = answer({
    method: incoming.method ?? '',
    path: pathname,
    query: searchParams,
    body: Buffer.concat(chunks).toString('utf8'),
  });
  outgoing.writeHead(status, {
    'content-type': 'application/json',
    'x-svc-time': String(Math.floor(Date.now() / 1000)),
  });
  if (incoming.method === 'HEAD') {
    outgoing.end();
    return;
  }
  for (const part of typeof body === 'string' ? [body] : body) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(part)) await drained(outgoing);
  }
  outgoing.end();
}

const drained = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off('drain', settle).off('close', settle);
      resolve();
    };
    outgoing.on('drain', settle).on('close', settle);
  });

export interface SvcRun {
  readonly stdout: string;
  readonly stderr: string;
  /** Null if a signal ended the process. */
  readonly code: number | null;
}

export interface SvcOutside {
  readonly port: number;
  /** The home folder, which also contains the journal. */
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly nodeFlags?: readonly string[];
  /** The milliseconds after which it is killed, which fails the test. */
  readonly patience?: number;
}

/** Runs the bundled command line in a separate process. */
export async function runSvc(svc: string, args: readonly string[], outside: SvcOutside): Promise<SvcRun> {
  const { port, home, env = {}, stdin = '', nodeFlags = [], patience = 300_000 } = outside;
  const child = spawn(process.execPath, [...nodeFlags, svc, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      SVC_CONFIG_DIR: `${home}/config`,
      SVC_STATE_DIR: `${home}/state`,
      SVC_BASE_URL: `http://127.0.0.1:${port}`,
      SVC_COMPANY_ID: '7',
      SVC_USER_ID: '3',
      SVC_API_KEY: '0123456789abcdef0123456789abcdef',
      CI: 'true',
      ...env,
    },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), patience);
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const [stdout, stderr, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  clearTimeout(timer);
  return { stdout, stderr, code };
}

async function textOf(
  stream: NodeJS.ReadableStream & { setEncoding(encoding: 'utf8'): unknown },
): Promise<string> {
  stream.setEncoding('utf8');
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** Returns a seeded source of numbers in [0, 1): mulberry32. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
