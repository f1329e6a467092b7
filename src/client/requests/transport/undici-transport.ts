/** Sends requests over the network. No other file uses undici, which is loaded when a transport is created. */

import type { Socket } from 'node:net';
import type { buildConnector, Client, Dispatcher } from 'undici';
import { readUrl } from '../../../kit/text/address.ts';
import { hostAndPort, isLoopback, parseBaseUrl, type Transport } from '../../../service/protocol/wire.ts';
import { type StartTimer, startMachineTimer } from '../ports.ts';
import { exchange } from './exchange.ts';

/** All are in milliseconds. */
interface Timeouts {
  readonly connect?: number;
  readonly headers?: number;
  readonly body?: number;
  readonly total?: number;
}

export interface TransportOptions {
  /** The transport connects to no other origin. */
  readonly origin: string;
  readonly timeouts?: Timeouts | undefined;
  /** A response with more octets is not read to its end. */
  readonly maxAnswerOctets?: number | undefined;
  readonly ca?: string | undefined;
  /** `HTTPS_PROXY` and `NO_PROXY`. https goes through a tunnel that the proxy can't look into. */
  readonly proxy?: { readonly url: string; readonly except?: string | undefined } | undefined;
  /** The environment, read for `NODE_TLS_REJECT_UNAUTHORIZED` only. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly timer?: StartTimer | undefined;
  /**
   * Sharing is many times faster. But if the service closes a shared connection while svc sends a POST, the outcome of the POST is unknown.
   * Set it only if a repeated POST does no harm.
   */
  readonly sharePostConnections?: boolean | undefined;
  /** Called once, when the first connection is open, and before undici creates its response parser. */
  readonly onFirstConnection?: (() => void) | undefined;
}

const DEFAULT_TIMEOUTS: Required<Timeouts> = {
  connect: 10_000,
  headers: 60_000,
  body: 30_000,
  total: 300_000,
};
/**
 * Maximum octets of one response. A page of 200 rows fits if each row has at most 80 KiB. If the rows are larger, svc requests pages with
 * fewer rows, down to one row. A single row fits, because the service accepts bodies of at most 10 MiB.
 */
const MAX_ANSWER_OCTETS = 16 * 1024 * 1024;

/**
 * Follows no redirect and retries nothing. A POST has its own connection, unless `sharePostConnections` is set.
 * @throws RangeError with a sentence for the user if the origin or the environment is not safe
 */
export async function createTransport(
  options: TransportOptions,
): Promise<{ readonly transport: Transport; readonly close: () => Promise<void> }> {
  const origin = safeOrigin(options);
  const limits = {
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    maxAnswerOctets: options.maxAnswerOctets ?? MAX_ANSWER_OCTETS,
    timer: options.timer ?? startMachineTimer,
  };
  const proxy = proxyUrlFor(origin, options.proxy);
  const route = {
    origin,
    peer: { host: hostAndPort(origin), proxy: proxy === undefined ? undefined : hostAndPort(proxy) },
  };
  const connect = await connector(origin, options, limits.timeouts);
  /** Connections whose last exchange succeeded: at most as many as there were simultaneous requests. */
  const idle: Dispatcher[] = [];
  let closed = false;
  const transport: Transport = async (request, signal) => {
    const fresh = request.method === 'POST' && !options.sharePostConnections;
    const connection = (fresh ? undefined : idle.pop()) ?? connect();
    try {
      const response = await exchange(connection, route, request, limits, signal);
      if (fresh || closed) await connection.destroy(CLOSED);
      else idle.push(connection);
      return response;
    } catch (error) {
      await connection.destroy();
      throw error;
    }
  };
  const close = async (): Promise<void> => {
    closed = true;
    await Promise.all(idle.splice(0).map((connection) => connection.destroy(CLOSED)));
  };
  return { transport, close };
}

/**
 * The stack is an empty text to save time: Node reads the stack, and computing a real stack is slow when svc runs from one bundled file.
 */
const CLOSED: Error = { name: 'Error', message: 'the connection is no longer needed', stack: '' };

function safeOrigin({ origin, env }: TransportOptions): string {
  const parsed = parseBaseUrl(origin);
  if ('problem' in parsed) throw new RangeError(`the base URL ${parsed.problem}`);
  if (parsed.basePath !== '') throw new RangeError(`an origin has no path: ${parsed.origin}`);
  if (env?.['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    throw new RangeError(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 would expose signed requests; unset it (to trust a certificate, use NODE_EXTRA_CA_CERTS)',
    );
  return parsed.origin;
}

async function connector(
  origin: string,
  options: TransportOptions,
  timeouts: Required<Timeouts>,
): Promise<() => Dispatcher> {
  const tls = {
    timeout: timeouts.connect,
    rejectUnauthorized: true,
    ...(options.ca === undefined ? {} : { ca: await withRoots(options.ca) }),
  };
  const common = {
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
    allowH2: false,
    pipelining: 1,
  };
  const passingContinue = passingContinueOf(options.onFirstConnection);
  const proxy = proxyUrlFor(origin, options.proxy);
  if (proxy === undefined) {
    const [{ default: Client }, { default: buildConnector }] = await Promise.all([
      import('undici/lib/dispatcher/client.js'),
      import('undici/lib/core/connect.js'),
    ]);
    return () =>
      new Client(origin, { ...common, connect: passingContinue(buildConnector({ allowH2: false, ...tls })) });
  }
  // `ProxyAgent` loaded alone lacks `connect`, which only the whole of undici adds.
  const { Client, ProxyAgent } = await import('undici');
  const factory = (to: string | URL, given: object): Dispatcher => {
    const { connect, ...rest }: Client.Options = given;
    return new Client(
      to,
      typeof connect === 'function' ? { ...rest, connect: passingContinue(connect) } : given,
    );
  };
  const proxyTls = { timeout: timeouts.connect };
  const own = { proxyTunnel: true, requestTls: tls, proxyTls, factory };
  return () => new ProxyAgent({ ...common, connections: 1, uri: proxy, ...own });
}

type Connector = buildConnector.connector;

function passingContinueOf(
  onFirst: TransportOptions['onFirstConnection'],
): (connect: Connector) => Connector {
  let isFirst = true;
  return (connect) => (options, callback) =>
    connect(options, (...[error, socket]) => {
      // On an error there is no socket at all, whatever the types say.
      if (!socket) {
        callback(error ?? new Error('the connection was not opened'), null);
        return;
      }
      if (isFirst) onFirst?.();
      isFirst = false;
      callback(null, withoutContinue(socket));
    });
}

/** Loads `node:tls` only here, because this takes 6 ms, and reading the root certificates takes longer. */
async function withRoots(ca: string): Promise<string[]> {
  const { rootCertificates } = await import('node:tls');
  return [...rootCertificates, ca];
}

/** Returns undefined for origins that are reached directly: this machine, and hosts in `NO_PROXY`. */
export function proxyUrlFor(origin: string, proxy: TransportOptions['proxy']): string | undefined {
  const { protocol, hostname, port } = new URL(origin);
  if (!proxy || proxy.url === '' || protocol !== 'https:' || isLoopback(hostname)) return undefined;
  if (!/^https?:\/\//i.test(proxy.url) || readUrl(proxy.url) === undefined)
    throw new RangeError('HTTPS_PROXY is not a URL that begins with http:// or https://');
  const excepted = (proxy.except ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matchesHost(entry, hostname, port || '443'));
  return excepted ? undefined : proxy.url;
}

/** Reports whether a `NO_PROXY` entry matches: `*`, a host, a domain with or without a leading dot or `*.`, each with or without a port. */
function matchesHost(entry: string, hostname: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = '', onlyPort] = /^(.*?)(?::([0-9]+))?$/.exec(entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return domain !== '' && (hostname === domain || hostname.endsWith(`.${domain}`));
}

interface Stream {
  read(size?: number): Buffer | null;
  write(...args: unknown[]): boolean;
}

const CONTINUE = 'HTTP/1.1 100';
const HEAD_END = '\r\n\r\n';
/** `INTERIM` is the octet of the character "1", with which interim status codes (100 to 199) begin. */
const [STATUS_AT, INTERIM] = ['HTTP/1.1 '.length, 0x31];
/** Octets of an interim head that svc holds back until it is complete. undici gets a longer head unchanged. */
const MAX_HELD = 16 * 1024;

/**
 * A service may send such a response at any time (RFC 9110, 15.2), but undici would close the connection, and the outcome of the POST would
 * be unknown. undici ignores the responses 102 and 103 by itself. The caller must send only one request at a time, so that the first bytes
 * after a request are the beginning of its response.
 */
function withoutContinue<S extends Socket>(socket: S): S {
  const reading: Stream = socket;
  const read = reading.read.bind(socket);
  const write = reading.write.bind(socket);
  let atHead = true;
  let held: Buffer = Buffer.alloc(0);
  reading.write = (...args) => {
    atHead = true;
    return write(...args);
  };
  reading.read = (size) => {
    const chunk = read(size);
    if (chunk === null || !atHead) return chunk;
    if (held.length === 0 && (chunk[STATUS_AT] ?? INTERIM) !== INTERIM) {
      atHead = false;
      return chunk;
    }
    const cut = afterContinue(held.length === 0 ? chunk : Buffer.concat([held, chunk]));
    const isOpen = cut.mayBeContinue && cut.rest.length <= MAX_HELD && !socket.readableEnded;
    atHead = isOpen;
    held = isOpen ? cut.rest : Buffer.alloc(0);
    return isOpen ? null : cut.rest;
  };
  return socket;
}

function afterContinue(octets: Buffer): { readonly rest: Buffer; readonly mayBeContinue: boolean } {
  let rest = octets;
  for (;;) {
    const begin = rest.toString('latin1', 0, CONTINUE.length).replace('HTTP/1.0', 'HTTP/1.1');
    if (begin !== CONTINUE) return { rest, mayBeContinue: CONTINUE.startsWith(begin) };
    const end = rest.indexOf(HEAD_END);
    if (end === -1) return { rest, mayBeContinue: true };
    rest = rest.subarray(end + HEAD_END.length);
  }
}
