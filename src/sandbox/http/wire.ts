/** Converts HTTP requests to wire requests, with strict checks, and writes the responses. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { METHODS, type Method } from '../../kit/schema/resource.ts';
import { errorResponseBody } from '../../service/protocol/envelope.ts';
import { MAX_BODY_OCTETS } from '../../service/protocol/json.ts';
import { createTooLargeBodyError, ServiceError } from '../../service/protocol/service-errors.ts';
import type { WireRequest, WireResponse } from '../../service/protocol/wire.ts';

/** Reads the request without its body. Path and query keep the exact text of the request line, because the path was signed. */
export function readRequestWithoutBody(incoming: IncomingMessage): WireRequest {
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  return {
    method: methodOf(incoming.method ?? ''),
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headersOf(incoming),
  };
}

/** Reports whether the headers announce a body, even an empty one. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || announced(headers) > 0;

/** Returns the maximum size of the body in octets: the announced length, or the general maximum if the body comes in chunks. */
export const maxBodyOctets = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(announced(headers), MAX_BODY_OCTETS)
    : MAX_BODY_OCTETS;

const announced = (headers: IncomingMessage['headers']): number => Number(headers['content-length'] ?? 0);

/** Returns the body as text. Throws 413 if it is too long, 400 if it is not UTF-8. */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let octets = 0;
  if (announced(incoming.headers) > MAX_BODY_OCTETS) throw createTooLargeBodyError(MAX_BODY_OCTETS);
  try {
    for await (const chunk of chunksOf(incoming)) {
      octets += chunk.length;
      if (octets > MAX_BODY_OCTETS) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ServiceError(400, 'The request was cut off', { cause });
  }
  if (octets > MAX_BODY_OCTETS) throw createTooLargeBodyError(MAX_BODY_OCTETS);
  return decodeUtf8(Buffer.concat(chunks));
}

/** Returns the octets of a body that has been received completely. */
export const readReceivedBody = (incoming: IncomingMessage): Uint8Array => incoming.read() ?? NO_OCTETS;

const NO_OCTETS = new Uint8Array();

/** Decodes the octets. Throws 400 if they are not UTF-8. */
export function decodeUtf8(octets: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(octets);
  } catch (cause) {
    throw new ServiceError(400, 'The body is not UTF-8 text', { cause });
  }
}

/** Iterates over the body. If the caller stops early, the connection stays open, so that the sandbox can still write the response. */
const chunksOf = (incoming: IncomingMessage): AsyncIterable<Uint8Array> =>
  incoming.iterator({ destroyOnReturn: false });

/** Writes the response. Closes the connection if the body was not read. */
export function writeResponse(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  response: WireResponse,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const isUnread = isBodyUnread(incoming);
  const headers: string[] = [...SAFE_HEADER_LINES];
  for (const name in response.headers) headers.push(name, response.headers[name] ?? '');
  // HEAD gets a length too: without it some clients wait for a body until the connection ends.
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

/** Reports whether the response must close the connection: Node can't skip the rest of a body. */
export const isBodyUnread = (incoming: IncomingMessage): boolean =>
  hasBody(incoming) && !incoming.complete && !isSkippedByNode(incoming);

/** Reports whether Node can skip the body: a small one of GET or HEAD, such as `null`. After `Expect`, the client has not sent it yet. */
const isSkippedByNode = (incoming: IncomingMessage): boolean =>
  (incoming.method === 'GET' || incoming.method === 'HEAD') &&
  incoming.headers.expect === undefined &&
  maxBodyOctets(incoming) <= MAX_SMALL_BODY_OCTETS;

/** Discards the rest of a body, up to `DROPPED_OCTETS` or `DROPPING_MS`: a client that is still sending would otherwise see a reset. */
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

/** Returns the response to a request that is refused before it reaches the service. */
export function refusalResponse(error: ServiceError): WireResponse {
  return {
    status: error.status,
    body: errorResponseBody(error),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
      ...error.details.headers,
    },
  };
}

export const RESPONSE_SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/** Security headers of every response, as a list in which each name is followed by its value. Node writes this form fastest. */
const SAFE_HEADER_LINES: readonly string[] = Object.entries(RESPONSE_SECURITY_HEADERS).flat();

function methodOf(text: string): Method {
  const method = METHODS.find((each) => each === text);
  if (method) return method;
  throw new ServiceError(405, `The method ${text} is not supported`, {
    headers: { allow: METHODS.join(', ') },
  });
}

/** Returns the headers by lower-case names. Joins repeated ones; `checkRequestIsNotCrossSite` has refused those that must be single. */
function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = decodeHeader(Array.isArray(value) ? value.join(', ') : value);
  return headers;
}

/** Returns the text of a header. Node decodes its octets as Latin-1, but most clients send UTF-8. */
function decodeHeader(value: string): string {
  if (isAscii(value)) return value;
  const octets = Buffer.from(value, 'latin1');
  return isUtf8(octets) ? octets.toString() : value;
}

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

export interface BodyMemoryLimit {
  /** Reserves memory for a body, and returns a function that releases it. Throws 503 if waiting takes too long. */
  readonly take: (octets: number) => Promise<() => void>;
}

/** Limits the memory for all bodies together to `maxOctets`. A body waits `waitMs` milliseconds before it is refused. */
export function createBodyMemoryLimit(maxOctets: number, waitMs: number): BodyMemoryLimit {
  let held = 0;
  const waiting: { readonly octets: number; readonly enter: () => void }[] = [];
  const admitWaiting = (): void => {
    for (let next = waiting[0]; next && held + next.octets <= maxOctets; next = waiting[0]) {
      waiting.shift();
      held += next.octets;
      next.enter();
    }
  };
  const giveBack = (octets: number): (() => void) => {
    let isHeld = true;
    return () => {
      if (isHeld) held -= octets;
      isHeld = false;
      admitWaiting();
    };
  };
  return {
    take: async (octets) => {
      if (octets <= MAX_SMALL_BODY_OCTETS) return () => undefined;
      await new Promise<void>((enter, refuse) => {
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(turn), 1);
          refuse(crowded());
          admitWaiting();
        }, waitMs);
        const turn = {
          octets,
          enter: () => {
            clearTimeout(timer);
            enter();
          },
        };
        waiting.push(turn);
        admitWaiting();
      });
      return giveBack(octets);
    },
  };
}

/** Octets of a small body, which does not count towards the limit. With all allowed connections, these bodies take about 32 MiB. */
export const MAX_SMALL_BODY_OCTETS = 16 * 1024;

const crowded = (): ServiceError =>
  new ServiceError(503, 'Too many large bodies are being read at once', { headers: { 'retry-after': '1' } });
