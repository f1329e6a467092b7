/** How a call can end badly (acceptance, "What a failure says"). */
import type { ErrorEnvelope } from '../protocol/envelope.ts';
import type { Id } from '../schema/integer.ts';
import type { Method, Values } from '../schema/resource.ts';

/**
 * What a transport knows of a request that brought no answer.
 * `not-sent`: no byte was written, the service cannot have acted. `unknown`: something was written.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly sent: 'not-sent' | 'unknown';
  /** Whether time ran out, which costs more of the retry quota. */
  readonly timedOut: boolean;
  /** Another attempt would end the same way: a certificate that isn't trusted, an answer beyond all bounds. */
  readonly isFinal: boolean;
  /** There is an answer, and it is larger than any that is expected. */
  readonly isTooLarge: boolean;
  /** Nobody listens where the service should be. */
  readonly isRefused: boolean;
  /** What to do about it. */
  readonly advice: string | undefined;

  constructor(
    sent: 'not-sent' | 'unknown',
    message: string,
    options: {
      readonly timedOut?: boolean | undefined;
      readonly isFinal?: boolean | undefined;
      readonly isTooLarge?: boolean | undefined;
      readonly isRefused?: boolean | undefined;
      readonly advice?: string | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.sent = sent;
    this.timedOut = options.timedOut ?? false;
    this.isFinal = options.isFinal ?? false;
    this.isTooLarge = options.isTooLarge ?? false;
    this.isRefused = options.isRefused ?? false;
    this.advice = options.advice;
  }
}

export type ClientErrorKind =
  /** The service said no: status and envelope are there. */
  | 'refused'
  /** 429, still after the retries. */
  | 'throttled'
  /** 5xx, still after the retries, of a method that may be repeated. */
  | 'failed'
  /** Nothing was sent, or nothing that could change anything: a read that got no answer. */
  | 'unreachable'
  /** Sent, and whether it was done can't be told. */
  | 'unknown'
  /** A redirect; it is never followed. `location` tells where it points. */
  | 'redirect'
  /** An answer that is not this service's. */
  | 'not-ours'
  /** Ctrl-C: what was in flight is over, and nothing new was started. */
  | 'interrupted';

/** A GET of a collection by which a person can see whether something was made. */
export interface LookUp {
  readonly resource: string;
  readonly filters: Values;
  readonly ids: readonly Id[];
}

export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly kind: ClientErrorKind;
  readonly method: Method;
  readonly path: string;
  readonly status: number | undefined;
  readonly envelope: ErrorEnvelope | undefined;
  readonly location: string | undefined;
  /** Of `unknown`: the look that would tell, and what it brought when that was more than one. */
  readonly lookUp: LookUp | undefined;
  /** What to do next, where the kind alone doesn't tell. */
  readonly advice: string | undefined;
  /** The answer was not read to its end, since it is larger than any that is expected. */
  readonly isTooLarge: boolean;

  constructor(
    kind: ClientErrorKind,
    message: string,
    about: {
      readonly method: Method;
      readonly path: string;
      readonly status?: number | undefined;
      readonly envelope?: ErrorEnvelope | undefined;
      readonly location?: string | undefined;
      readonly lookUp?: LookUp | undefined;
      readonly advice?: string | undefined;
      readonly isTooLarge?: boolean | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.kind = kind;
    this.method = about.method;
    this.path = about.path;
    this.status = about.status;
    this.envelope = about.envelope;
    this.location = about.location;
    this.lookUp = about.lookUp;
    this.advice = about.advice;
    this.isTooLarge = about.isTooLarge ?? false;
  }
}
