/** Runs the HTTP server, and repeats work on a timer. Requests are checked before they are routed. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { assertNever } from '../kit/schema/resource.ts';
import { INJECTABLE_FAULTS } from '../service/protocol/control/faults.ts';
import type { Naming } from '../service/protocol/naming.ts';
import { createInternalError, ServiceError } from '../service/protocol/service-errors.ts';
import type { WireRequest, WireResponse } from '../service/protocol/wire.ts';
import { createFaultError, type FaultInjection } from './fault-injection.ts';
import type { RequestHandler } from './handle.ts';
import type { Certificate } from './http/certificate.ts';
import { limitConnections, sendResponseAndCloseSocket } from './http/connections.ts';
import { checkRequestIsNotCrossSite, type PublicOrigins } from './http/guard.ts';
import type { LoggedRequest, RequestLog } from './http/request-log.ts';
import {
  type BodyMemoryLimit,
  createBodyMemoryLimit,
  decodeUtf8,
  hasBody,
  isBodyUnread,
  MAX_SMALL_BODY_OCTETS,
  maxBodyOctets,
  readBody,
  readReceivedBody,
  readRequestWithoutBody,
  refusalResponse,
  writeResponse,
} from './http/wire.ts';
import { isBodyIgnored } from './request/body.ts';
import { isApiPath } from './request/route.ts';

export interface ServerOptions {
  readonly handle: RequestHandler;
  /** Serves all paths that are not under /v1: the control plane, the sandbox's pages, and the links in messages. */
  readonly pages: Hono<{ Bindings: HttpBindings }>;
  readonly naming: Naming;
  readonly faultInjection: FaultInjection;
  readonly requests: RequestLog;
  readonly report: (requestId: string, error: unknown) => void;
  /** Address of this machine to listen on, or a name that resolves to one. */
  readonly host: string;
  /** Port to listen on. 0 chooses a free port. */
  readonly port: number;
  /** The certificate; undefined for plain HTTP. */
  readonly certificate?: Pick<Certificate, 'cert' | 'key'> | undefined;
  /** Returns the scheme, port and host names by which clients reach the server that listens on this port. */
  readonly originsAt: (port: number) => PublicOrigins;
}

export interface RunningServer {
  readonly port: number;
  /** Replaces the certificate for new connections. Existing connections keep theirs. */
  readonly replaceCertificate: (certificate: Pick<Certificate, 'cert' | 'key'>) => void;
  /** Accepts no more requests. Resolves when the requests in progress are answered. */
  readonly close: () => Promise<void>;
}

/** Throws the system's error: `EADDRINUSE` if another program uses the port, `EACCES` if this process may not use it. */
export async function listen(options: ServerOptions): Promise<RunningServer> {
  const pages = getRequestListener(options.pages.fetch, { overrideGlobalObjects: false });
  const { certificate } = options;
  const secure =
    certificate &&
    createSecureServer({ ...LIMITS, handshakeTimeout: LIMITS.headersTimeout, ...pemOf(certificate) });
  const server = secure ?? createServer(LIMITS);
  const connections = limitConnections(server, MAX_CONNECTIONS);
  const held = createBodyMemoryLimit(MAX_HELD_OCTETS, HELD_WAIT_MS);
  let origins = options.originsAt(options.port);
  const take = (incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void => {
    const { socket } = incoming;
    if (!connections.beginRequest(socket)) return;
    const logged = options.requests.begin(incoming);
    const answer = (response: WireResponse): void => {
      if (logged) options.requests.end(logged, response.status, response.body);
      if (isBodyUnread(incoming)) connections.markAsClosing(socket);
      writeResponse(incoming, outgoing, response);
    };
    const exchange = { incoming, outgoing, awaitsContinue, origins, pages, held, logged, answer };
    respond(exchange, options)
      .catch((error: unknown) => {
        const refused = error instanceof ServiceError ? error : ownFailure(error, options);
        if (logged) logged.refused = { error: refused };
        answer(refusalResponse(refused));
      })
      .finally(() => connections.endRequest(socket));
  };
  server.on('request', (incoming, outgoing) => take(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => take(incoming, outgoing, true));
  // Malformed HTTP: answer if the socket is writable; never end the process.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else sendResponseAndCloseSocket(socket, `HTTP/1.1 ${statusOf(error)}\r\nConnection: close\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port, backlog: 511 }, () => {
      server.off('error', reject);
      server.on('error', (error) => options.report('server', error));
      resolve();
    });
  });
  const port = portOf(server);
  origins = options.originsAt(port);
  return {
    port,
    replaceCertificate: (shown) => secure?.setSecureContext(pemOf(shown)),
    close: () => close(server),
  };
}

const pemOf = ({ cert, key }: Pick<Certificate, 'cert' | 'key'>) => ({ cert, key });

/** Time limits in milliseconds. A slower client is disconnected. */
const LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
};

const MAX_CONNECTIONS = 2_000;

/** Maximum octets of request bodies that are held in memory at once. */
const MAX_HELD_OCTETS = 64 * 1024 * 1024;

const HELD_WAIT_MS = 10_000;

/** Milliseconds after which a closing server cuts off the requests that are still in progress. */
const GRACE_MS = 5_000;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Reports whether the client waits for permission to send its body (`Expect: 100-continue`). */
  readonly awaitsContinue: boolean;
  readonly origins: PublicOrigins;
  readonly pages: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
  readonly held: BodyMemoryLimit;
  readonly logged: LoggedRequest | undefined;
  readonly answer: (response: WireResponse) => void;
}

async function respond(exchange: Exchange, options: ServerOptions): Promise<void> {
  const { incoming, outgoing, awaitsContinue, origins, pages, logged, answer } = exchange;
  checkRequestIsNotCrossSite(incoming, origins, options.naming.headerPrefix);
  if (!isApiPath(incoming.url ?? '')) {
    if (awaitsContinue) outgoing.writeContinue();
    return pages(incoming, outgoing);
  }
  const request = readRequestWithoutBody(incoming);
  const injected = options.faultInjection.next(request.method, request.path);
  const effect = injected && INJECTABLE_FAULTS[injected.kind].effect;
  if (injected && logged) logged.injected = `Injected fault: ${injected.kind}`;
  switch (effect?.kind) {
    case 'cut-before':
      reset(incoming.socket);
      if (logged) options.requests.end(logged, null);
      return;
    case 'refuse':
      answer(refusalResponse(createFaultError(effect)));
      return;
    case 'wait':
      await new Promise((resolve) => setTimeout(resolve, injected?.delay));
      break;
    case 'cut-after':
    case undefined:
      break;
    default:
      assertNever(effect);
  }
  const response = await handled(exchange, request, options);
  if (effect?.kind !== 'cut-after') answer(response);
  else {
    incoming.socket.destroy();
    if (logged) options.requests.end(logged, null);
  }
}

/** Passes a request to the service, which asks for its body. A large body counts towards `MAX_HELD_OCTETS` until the response. */
async function handled(
  { incoming, outgoing, awaitsContinue, held, logged }: Exchange,
  request: WireRequest,
  { handle }: ServerOptions,
): Promise<WireResponse> {
  const onRefused = (error: ServiceError): void => {
    if (logged) logged.refused = { error, request };
  };
  if (!hasBody(incoming) || isBodyIgnored(request.method)) return handle(request, undefined, onRefused);
  let releaseRoom: (() => void) | undefined;
  const hasArrived = (): boolean => incoming.complete && maxBodyOctets(incoming) <= MAX_SMALL_BODY_OCTETS;
  let octets: Uint8Array | undefined;
  const keep = (body: string): string => {
    if (logged?.details) logged.details.body = body;
    return body;
  };
  const readHere = (): string => {
    octets ??= readReceivedBody(incoming);
    return keep(decodeUtf8(octets));
  };
  const readLate = async (): Promise<string> => {
    releaseRoom = await held.take(maxBodyOctets(incoming));
    if (awaitsContinue) outgoing.writeContinue();
    return keep(await readBody(incoming));
  };
  let coming: Promise<string> | undefined;
  const read = (): string | Promise<string> => {
    if (octets === undefined && !hasArrived()) coming ??= readLate();
    return coming ?? readHere();
  };
  try {
    return await handle(request, { read, hasArrived }, onRefused);
  } finally {
    releaseRoom?.();
  }
}

function ownFailure(error: unknown, { report }: ServerOptions): ServiceError {
  report('server', error);
  return createInternalError('server', error);
}

/** Resets the connection. Node can't reset a TLS connection, so a TLS socket is closed without an alert, which looks the same. */
function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function statusOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  return '400 Bad Request';
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Busy connections become idle one by one.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}

/**
 * Runs `work` repeatedly, never twice at a time, with pauses in milliseconds, and reports errors. Does not keep the process alive. Returns a
 * function that stops this; its promise resolves when the current run is done.
 */
export function repeatWithPauses(
  work: () => Promise<void>,
  pause: number,
  report: (error: unknown) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let turn: Promise<void> = Promise.resolve();
  const next = (): void => {
    turn = work()
      .catch(report)
      .then(() => {
        if (!ended) timer = setTimeout(next, pause).unref();
      });
  };
  next();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await turn;
  };
}
