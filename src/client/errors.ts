/** The ways in which a call can fail (acceptance, "What a failure says"). */
import type { ErrorEnvelope } from '../protocol/envelope.ts';
import type { Id } from '../schema/integer.ts';
import type { Method, Values } from '../schema/resource.ts';

/**
 * Failure of a request that got no response. `not-sent`: no byte was written, so the service cannot have acted. `unknown`: something was
 * written.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly sent: 'not-sent' | 'unknown';
  /** True if the request timed out. A time-out costs more of the retry quota. */
  readonly timedOut: boolean;
  /** True if another attempt would fail the same way, as with an untrusted certificate or a response that exceeds the limits. */
  readonly isFinal: boolean;
  /** True if there is a response that is larger than any expected one. */
  readonly isTooLarge: boolean;
  /** True if the service's address refused the connection. */
  readonly isRefused: boolean;
  /** Advice for the user. */
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
  /** The service rejected the request: status and envelope are set. */
  | 'refused'
  /** The response was still 429 after the retries. */
  | 'throttled'
  /** The response was still 5xx after the retries. The method may be repeated. */
  | 'failed'
  /** The request was not sent, or it was a read that got no response. The service cannot have changed anything. */
  | 'unreachable'
  /** The request was sent, and its outcome is unknown. */
  | 'unknown'
  /** The response is a redirect, which the client never follows. `location` says where it points. */
  | 'redirect'
  /** The response does not come from this service. */
  | 'not-ours'
  /** Ctrl-C: the request in flight has ended, and nothing new was started. */
  | 'interrupted';

/** A GET of a collection with which a person can check whether a record was created. */
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
  /** Look-up that would settle the outcome, with the ids that it found if there was more than one. Set for `unknown`. */
  readonly lookUp: LookUp | undefined;
  /** Advice for the user, where the kind alone is not enough. */
  readonly advice: string | undefined;
  /** True if the client stopped reading the response because it is larger than any expected one. */
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
