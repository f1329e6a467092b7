/** Defines the events that `--debug` shows. They hold no key, and no signature that someone could send again. */
import type { WireRequest } from '../protocol/wire.ts';
import type { Method } from '../schema/resource.ts';

interface Traced {
  readonly method: Method;
  readonly path: string;
  readonly query: string;
  /** Number of the attempt within one call, from 1. */
  readonly attempt: number;
  /** The signed text of the attempt. Set for requests and responses if the client has the option `explainsSignature`. */
  readonly signed?: SignedText | undefined;
}

/** Text that a signature covers. */
export interface SignedText {
  /** The text that svc signs, as lines joined by CR LF. A placeholder replaces the API key (`API_KEY_PLACEHOLDERS`). */
  readonly canonical: string;
  /** Value of the Date header in the signed text. */
  readonly date: string;
}

/** Event of an attempt: its request, its response, its failure, or the decision to retry. */
export type TraceEvent =
  | (Traced & { readonly kind: 'request'; readonly headers: Readonly<Record<string, string>> })
  | (Traced & {
      readonly kind: 'answer';
      readonly status: number;
      readonly ms: number;
      readonly headers: Readonly<Record<string, string>>;
    })
  | (Traced & { readonly kind: 'failure'; readonly problem: string; readonly ms: number })
  /** Another attempt follows after `ms` milliseconds. */
  | (Traced & { readonly kind: 'retry'; readonly why: string; readonly ms: number });

export type TraceListener = (event: TraceEvent) => void;

/** Returns the fields that identify the attempt of a trace event. */
export function traceFieldsOfAttempt(
  request: Pick<WireRequest, 'method' | 'path' | 'query'>,
  attempt: number,
): Traced {
  return { method: request.method, path: request.path, query: request.query, attempt };
}

/**
 * Returns the headers with the signature shortened to 6 characters. If a request did not arrive, anyone who knows its whole signature
 * could still send it.
 */
export function redactHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { authorization } = headers;
  if (authorization === undefined) return headers;
  const [head] = SIGNATURE_BEGINS.exec(authorization) ?? [];
  const cut = head === undefined ? '…' : `${authorization.slice(0, head.length + 6)}…"`;
  return { ...headers, authorization: cut };
}

const SIGNATURE_BEGINS = /^\S+ +signature="/;
