/** One request and one answer, as both ends of the wire hand them on. */
import type { Id } from '../schema/integer.ts';
import type { Method } from '../schema/resource.ts';

export interface WireRequest {
  readonly method: Method;
  /** As on the request line: percent-encoded, without the query. This is the path that is signed. */
  readonly path: string;
  /** Without the question mark; empty where there is none. */
  readonly query: string;
  /** Names in lower case; no name twice. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface WireResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Carries a request to the service and brings its answer; a failure is thrown as a `TransportError`. */
export type Transport = (request: WireRequest, signal?: CancelSignal) => Promise<WireResponse>;

/** What a transport needs of an `AbortSignal`. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  readonly addEventListener: (abort: 'abort', listener: () => void) => void;
  readonly removeEventListener: (abort: 'abort', listener: () => void) => void;
}

export const API_PREFIX = '/v1/';
/** A larger body is 413 (wire, "Responses"). */
export const MAX_BODY_OCTETS = 10 * 1024 * 1024;

/** The path of a collection, or of one item of it. */
export function pathOf(resource: string, id?: Id): string {
  return id === undefined
    ? `${API_PREFIX}${resource}`
    : `${API_PREFIX}${resource}/${encodeURIComponent(String(id))}`;
}
