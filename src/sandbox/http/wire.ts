/** Between a socket and the wire: a request read with care, an answer written. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody } from '../../protocol/envelope.ts';
import { ServiceError, tooLarge } from '../../protocol/service-errors.ts';
import { MAX_BODY_OCTETS, type WireRequest, type WireResponse } from '../../protocol/wire.ts';
import { METHODS, type Method } from '../../schema/resource.ts';
import { UNCOUNTED_OCTETS } from './held-octets.ts';

/**
 * All of a request but its body, which is read only once the request has proved who sends it. Path and query stand
 * exactly as on the request line: the path is what was signed.
 */
export function readHead(incoming: IncomingMessage): WireRequest {
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: methodOf(incoming.method ?? ''),
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headersOf(incoming),
  };
}

/** Whether a body was announced, be it an empty one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || announced(headers) > 0;

/** The most that the body can come to: as announced, or all that is allowed where it comes in chunks. */
export const mostOctets = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(announced(headers), MAX_BODY_OCTETS)
    : MAX_BODY_OCTETS;

const announced = (headers: IncomingMessage['headers']): number => Number(headers['content-length'] ?? 0);

/** The body as text; 413 where it is too long, 400 where it is not UTF-8. */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let octets = 0;
  if (announced(incoming.headers) > MAX_BODY_OCTETS) throw tooLarge(MAX_BODY_OCTETS);
  try {
    for await (const chunk of chunksOf(incoming)) {
      octets += chunk.length;
      if (octets > MAX_BODY_OCTETS) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ServiceError(400, 'The request was cut off', { cause });
  }
  if (octets > MAX_BODY_OCTETS) throw tooLarge(MAX_BODY_OCTETS);
  return textOf(Buffer.concat(chunks));
}

/** Those of a body that has all come; there is nothing left to read then. */
export const octetsHere = (incoming: IncomingMessage): Uint8Array => incoming.read() ?? NO_OCTETS;

const NO_OCTETS = new Uint8Array();

/** 400 for octets that are not UTF-8. */
export function textOf(octets: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch (cause) {
    throw new ServiceError(400, 'The body is not UTF-8 text', { cause });
  }
}

/** What leaves off early leaves the connection as it is: the answer has yet to be written. */
const chunksOf = (incoming: IncomingMessage): AsyncIterable<Uint8Array> =>
  incoming.iterator({ destroyOnReturn: false });

/** Writes the answer. Where the body was not read, it is the connection's last one. */
export function writeResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: WireResponse,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const isUnread = isBodyUnread(incoming);
  const headers: string[] = [...SAFE_HEADER_LINES];
  for (const name in response.headers) headers.push(name, response.headers[name] ?? '');
  // Of HEAD too: without a length there are clients that wait for a body until the connection ends.
  headers.push('content-length', String(Buffer.byteLength(response.body)));
  if (isUnread && response.headers['connection'] === undefined) headers.push('connection', 'close');
  outgoing.writeHead(response.status, headers);
  if (!isUnread) {
    outgoing.end(response.body);
    return;
  }
  if (response.body === '') outgoing.flushHeaders();
  else outgoing.write(response.body);
  drop(incoming, () => outgoing.end());
}

/** Whether the answer to it ends the connection. */
export const isBodyUnread = (incoming: IncomingMessage): boolean =>
  hasBody(incoming) && !incoming.complete && !isPassedOver(incoming);

/**
 * A small body of a GET or HEAD, which says nothing: Node reads past it once the answer is written, so a client that
 * sends `null` with everything keeps its connection. One that waits to be asked for its body is never asked.
 */
const isPassedOver = (incoming: IncomingMessage): boolean =>
  (incoming.method === 'GET' || incoming.method === 'HEAD') &&
  incoming.headers.expect === undefined &&
  mostOctets(incoming) <= UNCOUNTED_OCTETS;

/**
 * Reads the rest of a body and keeps nothing of it, or a client that sends before it reads would see a reset instead
 * of the answer. Gives up after so many octets and so long.
 */
function drop(incoming: IncomingMessage, done: () => void): void {
  let octets = 0;
  const end = (): void => {
    clearTimeout(timer);
    incoming.off('data', count).off('end', end).off('close', end);
    done();
  };
  const count = (chunk: Uint8Array): void => {
    octets += chunk.length;
    if (octets > DROPPED_OCTETS) end();
  };
  const timer = setTimeout(end, DROPPING_MS);
  incoming.on('error', () => undefined);
  incoming.on('data', count).on('end', end).on('close', end).resume();
}

const DROPPED_OCTETS = 2 * MAX_BODY_OCTETS;
const DROPPING_MS = 2_000;

/** A refusal that comes before the service. */
export function refusal(error: ServiceError): WireResponse {
  return {
    status: error.status,
    body: errorBody(error),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
      ...error.details.headers,
    },
  };
}

export const SAFE_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** As Node takes them soonest: names and values in turn. */
const SAFE_HEADER_LINES: readonly string[] = Object.entries(SAFE_HEADERS).flat();

function methodOf(text: string): Method {
  const method = METHODS.find((each) => each === text);
  if (method) return method;
  throw new ServiceError(405, `The method ${text} is not supported`, {
    headers: { allow: METHODS.join(', ') },
  });
}

/** Of headers that may repeat Node has made one; those that may not were refused by the guard. */
function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}
