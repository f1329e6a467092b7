/** Between a socket and the wire: a request read with care, an answer written. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody } from '../../protocol/envelope.ts';
import { Fault, tooLarge } from '../../protocol/faults.ts';
import { MAX_BODY_OCTETS, type WireRequest, type WireResponse } from '../../protocol/wire.ts';
import { METHODS, type Method } from '../../schema/resource.ts';

/** Path and query exactly as they stand on the request line: the path is what was signed. */
export async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  const body = await readBody(incoming);
  return {
    method: methodOf(incoming.method ?? ''),
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: headersOf(incoming),
    ...(body === '' ? {} : { body }),
  };
}

/** The body as text; 413 where it is too long, 400 where it is not UTF-8. */
export async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let octets = 0;
  if (Number(incoming.headers['content-length'] ?? 0) > DRAINED_OCTETS) throw tooLarge(MAX_BODY_OCTETS);
  try {
    for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
      octets += chunk.length;
      if (octets > DRAINED_OCTETS) break;
      if (octets <= MAX_BODY_OCTETS) chunks.push(chunk);
    }
  } catch (cause) {
    throw new Fault(400, 'The request was cut off', { cause });
  }
  if (octets > MAX_BODY_OCTETS) throw tooLarge(MAX_BODY_OCTETS);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new Fault(400, 'The body is not UTF-8 text', { cause });
  }
}

/** A body somewhat too long is read to its end and dropped, or the client would see a reset before the 413. */
const DRAINED_OCTETS = 2 * MAX_BODY_OCTETS;

export function writeResponse(outgoing: ServerResponse, response: WireResponse): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const length =
    response.body === '' && response.status === 200
      ? {}
      : { 'content-length': Buffer.byteLength(response.body) };
  outgoing.writeHead(response.status, { ...response.headers, ...SAFE_HEADERS, ...length });
  outgoing.end(response.body);
}

/** A refusal that comes before the service: the rest of the request is not read. */
export function refusal(fault: Fault): WireResponse {
  return {
    status: fault.status,
    body: errorBody(fault),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      connection: 'close',
      ...fault.details.headers,
    },
  };
}

export const SAFE_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

function methodOf(text: string): Method {
  const method = METHODS.find((each) => each === text);
  if (method) return method;
  throw new Fault(405, `The method ${text} is not supported`, { headers: { allow: METHODS.join(', ') } });
}

/** Of headers that may repeat Node has made one; those that may not were refused by the guard. */
function headersOf(incoming: IncomingMessage): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}
