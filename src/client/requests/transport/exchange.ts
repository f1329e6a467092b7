/** Limits the size, the nesting and the time of the response. */
import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { assertNever } from '../../../kit/schema/resource.ts';
import type { CancelSignal, Transport, WireRequest, WireResponse } from '../../../service/protocol/wire.ts';
import { TransportError } from '../errors.ts';
import { type ConnectionPeer, failureOf } from '../failures.ts';
import type { StartTimer } from '../ports.ts';

interface Route {
  readonly origin: string;
  readonly peer: ConnectionPeer;
}

interface ExchangeLimits {
  readonly timeouts: { readonly total: number };
  readonly maxAnswerOctets: number;
  readonly timer: StartTimer;
}

/** @throws TransportError, `not-sent` if undici had not begun to write the request */
export function exchange(
  dispatcher: Dispatcher,
  { origin, peer }: Route,
  request: WireRequest,
  limits: ExchangeLimits,
  signal?: CancelSignal,
): ReturnType<Transport> {
  return new Promise<WireResponse>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let over = false;
    let head: Pick<WireResponse, 'status' | 'headers'> | undefined;
    const parts: Buffer[] = [];
    const counter = createJsonSizeCounter();
    let octets = 0;

    const finish = (settle: () => void): void => {
      if (over) return;
      over = true;
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const fail = (cause: unknown, problem: string, about: FailureDetails): void =>
      finish(() => {
        const sent = controller === undefined ? 'not-sent' : 'unknown';
        reject(new TransportError(sent, problem, { ...about, cause }));
        controller?.abort(cause instanceof Error ? cause : new Error(problem));
      });
    const unfit = (excess: Excess | 'too-large'): void => {
      parts.length = 0;
      const isTooLarge = excess !== 'too-deep';
      fail(undefined, excessWords(excess, limits), { isFinal: true, isTooLarge });
    };
    const onAbort = (): void =>
      fail(signal?.reason, `the time limit of the call ended before ${peer.host} responded`, {
        timedOut: true,
      });
    const stopTimer = limits.timer(limits.timeouts.total, () =>
      fail(undefined, `no complete response from ${peer.host} within ${limits.timeouts.total / 1000} s`, {
        timedOut: true,
      }),
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
        // Called right before the head is written, so an abort here writes nothing. Aborts after a time-out, and if undici would send the
        // same bytes, nonce included, a second time.
        onRequestStart: (given) => {
          if (over || controller !== undefined)
            given.abort(new Error('svc sends the request of an attempt at most once'));
          else controller = given;
        },
        onResponseStart: (_controller, status, headers) => {
          if (status < 200) return;
          head = { status, headers: flatten(headers) };
          const announced = request.method === 'HEAD' ? 0 : Number(head.headers['content-length'] ?? 0);
          if (announced > limits.maxAnswerOctets) unfit('too-large');
        },
        onResponseData: (_controller, chunk) => {
          octets += chunk.length;
          const excess = octets > limits.maxAnswerOctets ? 'too-large' : counter.add(chunk);
          if (excess === undefined) parts.push(chunk);
          else unfit(excess);
        },
        onResponseEnd: () => {
          const body = octetsOf(parts);
          // A proxy's page may be in any encoding, and its status says enough. Corrupted data must not pass.
          if (head && head.status < 300 && !isUtf8(body)) {
            fail(undefined, 'the response is not UTF-8 text', { isFinal: true });
            return;
          }
          finish(() => {
            if (head) resolve({ ...head, body: body.toString('utf8') });
            else
              reject(new TransportError('unknown', `${peer.host} closed the connection without a response`));
          });
        },
        onResponseError: (_controller, error) => {
          const { words, ...about } = failureOf(error, peer);
          fail(error, words, about);
        },
      },
    );
  });
}

/** A body most often comes in one part. */
function octetsOf(parts: readonly Buffer[]): Buffer {
  const [first] = parts;
  return first !== undefined && parts.length === 1 ? first : Buffer.concat(parts);
}

type FailureDetails = Omit<NonNullable<ConstructorParameters<typeof TransportError>[2]>, 'cause'>;

function excessWords(excess: Excess | 'too-large', { maxAnswerOctets }: ExchangeLimits): string {
  switch (excess) {
    case 'too-large':
      return `the response is larger than ${maxAnswerOctets / 1024 / 1024} MiB`;
    case 'too-manifold':
      return `the response has more than ${MAX_RESPONSE_JSON_VALUES} values`;
    case 'too-deep':
      return `the response is nested more than ${MAX_RESPONSE_JSON_DEPTH} levels deep`;
    default:
      return assertNever(excess);
  }
}

function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    const key = name.toLowerCase();
    // A plain assignment of this key would set the prototype.
    if (key !== '__proto__') flat[key] = text;
    else
      Object.defineProperty(flat, key, { value: text, writable: true, enumerable: true, configurable: true });
  }
  return flat;
}

/** Later checks reject deeper values anyway. */
export const MAX_RESPONSE_JSON_DEPTH = 260;
/**
 * Maximum number of values in the JSON text of one response. svc counts arrays, objects and commas, because each comma separates two
 * values. A page of 200 rows has a few thousand.
 */
export const MAX_RESPONSE_JSON_VALUES = 1_000_000;

type Excess = 'too-deep' | 'too-manifold';

/** Parsing 60 MB of brackets would take 3 GB of memory (docs/acceptance.md, F2). */
interface JsonCounter {
  /**
   * Returns `too-deep` if the nesting exceeds its limit, and `too-manifold` if the number of values does. A response that is not JSON is
   * not counted, so the result is always undefined.
   */
  readonly add: (octets: Uint8Array) => Excess | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;

export function createJsonSizeCounter(): JsonCounter {
  const state: CounterState = { depth: 0, values: 0, inText: false, escaped: false };
  let kind: 'unknown' | 'json' | 'other' = 'unknown';

  const add = (octets: Uint8Array): Excess | undefined => {
    if (kind === 'unknown') kind = kindOf(octets);
    return kind === 'json' ? countIn(octets, state) : undefined;
  };
  return { add };
}

interface CounterState {
  depth: number;
  values: number;
  inText: boolean;
  escaped: boolean;
}

/** All octets of all responses pass through this function, so it uses local variables, which are six times as fast as fields. */
function countIn(octets: Uint8Array, state: CounterState): Excess | undefined {
  let { depth, values, inText, escaped } = state;
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at];
    if (inText) {
      if (escaped) escaped = false;
      else if (octet === BACKSLASH) escaped = true;
      else if (octet === QUOTE) inText = false;
      continue;
    }
    if (octet === QUOTE) inText = true;
    else if (octet === COMMA) values += 1;
    else if (octet === OPENING_BRACE || octet === OPENING_BRACKET) {
      values += 1;
      depth += 1;
      if (depth > MAX_RESPONSE_JSON_DEPTH) return 'too-deep';
    } else if (octet === CLOSING_BRACE || octet === CLOSING_BRACKET) depth -= 1;
  }
  state.depth = depth;
  state.values = values;
  state.inText = inText;
  state.escaped = escaped;
  return values > MAX_RESPONSE_JSON_VALUES ? 'too-manifold' : undefined;
}

function kindOf(octets: Uint8Array): 'unknown' | 'json' | 'other' {
  const first = octets.find((octet) => octet > SPACE);
  if (first === undefined) return 'unknown';
  return first === OPENING_BRACE || first === OPENING_BRACKET ? 'json' : 'other';
}
