/** One request and its answer over an undici dispatcher, bounded in size and time. */
import type { Dispatcher } from 'undici';
import type { Transport, WireRequest, WireResponse } from '../protocol/wire.ts';
import { TransportError } from './errors.ts';
import type { StartTimer } from './ports.ts';

export interface Limits {
  readonly timeouts: { readonly total: number };
  readonly maxAnswerOctets: number;
  readonly timer: StartTimer;
}

/** Fails with a `TransportError`: `not-sent` as long as undici had not begun to write the request. */
export function exchange(
  dispatcher: Dispatcher,
  origin: string,
  request: WireRequest,
  limits: Limits,
  signal?: AbortSignal,
): ReturnType<Transport> {
  return new Promise<WireResponse>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let over = false;
    let head: Pick<WireResponse, 'status' | 'headers'> | undefined;
    const parts: Buffer[] = [];
    let octets = 0;

    const finish = (settle: () => void): void => {
      if (over) return;
      over = true;
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const fail = (cause: unknown, problem: string, timedOut: boolean): void =>
      finish(() => {
        const sent = controller === undefined ? 'not-sent' : 'unknown';
        reject(new TransportError(sent, problem, { timedOut, cause }));
        controller?.abort(cause instanceof Error ? cause : new Error(problem));
      });
    const onAbort = (): void => fail(signal?.reason, 'the time allowed for the call ran out', true);
    const stopTimer = limits.timer(limits.timeouts.total, () =>
      fail(undefined, `no complete answer within ${limits.timeouts.total / 1000} s`, true),
    );
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort);

    dispatcher.dispatch(
      {
        origin,
        method: request.method,
        path: request.query === '' ? request.path : `${request.path}?${request.query}`,
        headers: { ...request.headers },
        body: request.body ?? null,
      },
      {
        // Called right before the head is written. Aborting here writes nothing: after a time-out, and where undici
        // would send the same bytes, nonce and all, a second time.
        onRequestStart: (given) => {
          if (over || controller !== undefined) given.abort(new Error('not sent a second time'));
          else controller = given;
        },
        onResponseStart: (_controller, status, headers) => {
          if (status >= 200) head = { status, headers: flatten(headers) };
        },
        onResponseData: (_controller, chunk) => {
          octets += chunk.length;
          if (octets > limits.maxAnswerOctets)
            fail(undefined, `the answer is larger than ${limits.maxAnswerOctets} octets`, false);
          else parts.push(chunk);
        },
        onResponseEnd: () =>
          finish(() => {
            if (head) resolve({ ...head, body: Buffer.concat(parts).toString('utf8') });
            else reject(new TransportError('unknown', 'the connection ended without an answer'));
          }),
        onResponseError: (_controller, error) => fail(error, wordsFor(error), isTimeout(error)),
      },
    );
  });
}

function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { ...flat };
}

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '');

const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'];
const isTimeout = (error: Error): boolean => TIMEOUTS.includes(codeOf(error));

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  ETIMEDOUT: 'no connection came about in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half-way',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer was cut short',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too large',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed (NODE_EXTRA_CA_CERTS adds one)',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is self-signed (NODE_EXTRA_CA_CERTS adds one)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not trusted (NODE_EXTRA_CA_CERTS adds one)',
};

function wordsFor(error: Error): string {
  const known = WORDS[codeOf(error)];
  return known ?? (error.message || codeOf(error) || 'the connection failed');
}
