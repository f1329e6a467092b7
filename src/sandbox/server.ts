/** The socket, and the only real timer. Loopback alone; what comes in is judged before it is routed. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Naming } from '../protocol/naming.ts';
import { internal, ServiceError } from '../protocol/service-errors.ts';
import type { WireRequest, WireResponse } from '../protocol/wire.ts';
import { assertNever } from '../schema/resource.ts';
import { effectOf, type FaultInjection, refusalBy } from './fault-injection.ts';
import type { Handle } from './handle.ts';
import { dismiss, limitConnections } from './http/connections.ts';
import { guard } from './http/guard.ts';
import { type HeldOctets, holdOctets, UNCOUNTED_OCTETS } from './http/held-octets.ts';
import {
  hasBody,
  isBodyUnread,
  mostOctets,
  octetsHere,
  readBody,
  readHead,
  refusal,
  textOf,
  writeResponse,
} from './http/wire.ts';
import { isBodyIgnored } from './request/body.ts';
import { isInterfacePath } from './request/route.ts';

export interface ServerOptions {
  readonly handle: Handle;
  /** Everything but the interface (/v1, and answers to other versions): the control plane and the pages that messages link to. */
  readonly pages: Hono<{ Bindings: HttpBindings }>;
  readonly naming: Naming;
  readonly faultInjection: FaultInjection;
  readonly report: (requestId: string, error: unknown) => void;
  /** 0 for any that is free. */
  readonly port: number;
}

export interface RunningServer {
  readonly port: number;
  /** Takes no more requests, and resolves when those in flight are answered. */
  readonly close: () => Promise<void>;
}

export const HOST = '127.0.0.1';

/** @throws the system's error: `EADDRINUSE` where the port is taken, `EACCES` where it may not be had */
export async function listen(options: ServerOptions): Promise<RunningServer> {
  const pages = getRequestListener(options.pages.fetch, { overrideGlobalObjects: false });
  const server = createServer(LIMITS);
  const connections = limitConnections(server, MOST_CONNECTIONS);
  const held = holdOctets(MOST_HELD_OCTETS, HELD_WAIT_MS);
  let port = options.port;
  const take = (incoming: IncomingMessage, outgoing: ServerResponse, awaitsContinue: boolean): void => {
    const { socket } = incoming;
    if (!connections.begin(socket)) return;
    const answer = (response: WireResponse): void => {
      if (isBodyUnread(incoming)) connections.end(socket);
      writeResponse(incoming, outgoing, response);
    };
    const exchange = { incoming, outgoing, awaitsContinue, port, pages, held, answer };
    respond(exchange, options)
      .catch((error: unknown) => {
        const refused = error instanceof ServiceError ? error : ownFailure(error, options);
        answer(refusal(refused));
      })
      .finally(() => connections.done(socket));
  };
  server.on('request', (incoming, outgoing) => take(incoming, outgoing, false));
  server.on('checkContinue', (incoming, outgoing) => take(incoming, outgoing, true));
  // What is no HTTP at all: an answer where one can still be written, and never the end of the process.
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else dismiss(socket, `HTTP/1.1 ${statusOf(error)}\r\nConnection: close\r\n\r\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: HOST, port: options.port, backlog: 511 }, () => {
      server.off('error', reject);
      server.on('error', (error) => options.report('server', error));
      resolve();
    });
  });
  port = portOf(server);
  return { port, close: () => close(server) };
}

/** Milliseconds; a client that dawdles is cut off. */
const LIMITS = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
};
const MOST_CONNECTIONS = 2_000;
/** Of bodies that are read or worked on. */
const MOST_HELD_OCTETS = 64 * 1024 * 1024;
const HELD_WAIT_MS = 10_000;
/** For requests in flight at the end. */
const GRACE_MS = 5_000;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The client sends its body only when it is told to (`Expect: 100-continue`). */
  readonly awaitsContinue: boolean;
  readonly port: number;
  readonly pages: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
  readonly held: HeldOctets;
  readonly answer: (response: WireResponse) => void;
}

async function respond(exchange: Exchange, options: ServerOptions): Promise<void> {
  const { incoming, outgoing, awaitsContinue, port, pages, answer } = exchange;
  guard(incoming, port, options.naming.headerPrefix);
  if (!isInterfacePath(incoming.url ?? '')) {
    if (awaitsContinue) outgoing.writeContinue();
    return pages(incoming, outgoing);
  }
  const request = readHead(incoming);
  const injected = options.faultInjection.next(request.method, request.path);
  const effect = injected && effectOf(injected);
  switch (effect?.kind) {
    case 'cut-before':
      incoming.socket.resetAndDestroy();
      return;
    case 'refuse':
      answer(refusal(refusalBy(effect)));
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
  if (effect?.kind === 'cut-after') incoming.socket.destroy();
  else answer(response);
}

/** The body is read when the service asks for it, and counts as held until the answer is there. */
async function handled(
  { incoming, outgoing, awaitsContinue, held }: Exchange,
  request: WireRequest,
  { handle }: ServerOptions,
): Promise<WireResponse> {
  if (!hasBody(incoming) || isBodyIgnored(request.method)) return handle(request);
  let letGo: (() => void) | undefined;
  const isHere = (): boolean => incoming.complete && mostOctets(incoming) <= UNCOUNTED_OCTETS;
  let octets: Uint8Array | undefined;
  const readHere = (): string => {
    octets ??= octetsHere(incoming);
    return textOf(octets);
  };
  const readLate = async (): Promise<string> => {
    letGo = await held.take(mostOctets(incoming));
    if (awaitsContinue) outgoing.writeContinue();
    return readBody(incoming);
  };
  let coming: Promise<string> | undefined;
  const read = (): string | Promise<string> => {
    if (octets === undefined && !isHere()) coming ??= readLate();
    return coming ?? readHere();
  };
  try {
    return await handle(request, { read, isHere });
  } finally {
    letGo?.();
  }
}

function ownFailure(error: unknown, { report }: ServerOptions): ServiceError {
  report('server', error);
  return internal('server', error);
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
  // Connections that were at work become idle one by one.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}

/**
 * Does `work` again and again, `pause` milliseconds after it was done, never twice at a time. It doesn't keep the
 * process alive. What goes wrong is reported, and the next turn comes all the same.
 * @returns ends it; resolves when the turn that was under way is done
 */
export function repeat(
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
