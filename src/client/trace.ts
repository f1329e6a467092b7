/** What `--debug` shows of the wire. Holds no key, and no signature that could be replayed. */
import type { WireRequest } from '../protocol/wire.ts';
import type { Method } from '../schema/resource.ts';

interface Traced {
  readonly method: Method;
  readonly path: string;
  readonly query: string;
  /** 1 and up, within one call. */
  readonly attempt: number;
  /** Of a request and its answer, where the client is asked to explain signatures. */
  readonly signed?: SignedText | undefined;
}

/** What a signature was made over. */
export interface SignedText {
  /** Lines joined by CR LF, a placeholder in place of the key (`KEY_PLACEHOLDERS`). */
  readonly canonical: string;
  /** The Date among them. */
  readonly date: string;
}

export type TraceEvent =
  | (Traced & { readonly kind: 'request'; readonly headers: Readonly<Record<string, string>> })
  | (Traced & {
      readonly kind: 'answer';
      readonly status: number;
      readonly ms: number;
      readonly headers: Readonly<Record<string, string>>;
    })
  | (Traced & { readonly kind: 'failure'; readonly problem: string; readonly ms: number })
  /** Another attempt follows, after so many milliseconds. */
  | (Traced & { readonly kind: 'retry'; readonly why: string; readonly ms: number });

export type Trace = (event: TraceEvent) => void;

/** The part of every event that says which attempt it is about. */
export function traced(request: Pick<WireRequest, 'method' | 'path' | 'query'>, attempt: number): Traced {
  return { method: request.method, path: request.path, query: request.query, attempt };
}

/** The headers with the signature cut to 6 characters: one that did not arrive could still be used by others. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { authorization } = headers;
  if (authorization === undefined) return headers;
  const [head] = SIGNATURE_BEGINS.exec(authorization) ?? [];
  const cut = head === undefined ? '…' : `${authorization.slice(0, head.length + 6)}…"`;
  return { ...headers, authorization: cut };
}

const SIGNATURE_BEGINS = /^\S+ +signature="/;
