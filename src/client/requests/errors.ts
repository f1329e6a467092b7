/** The ways in which a call can fail (docs/acceptance.md, "What a failure says"). */

import type { Id } from '../../kit/schema/integer.ts';
import type { Method, Values } from '../../kit/schema/resource.ts';
import type { ErrorEnvelope } from '../../service/protocol/envelope.ts';

/**
 * `not-sent`: no byte was written, so the service cannot have acted. `unknown`: at least one byte was written, so the service may have
 * acted.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly sent: 'not-sent' | 'unknown';
  /** A time-out uses more of the retry quota than other failures. */
  readonly timedOut: boolean;
  /**
   * True if another attempt would fail in the same way, for example because of an untrusted certificate or a response that exceeds the
   * limits.
   */
  readonly isFinal: boolean;
  readonly isTooLarge: boolean;
  readonly isRefused: boolean;
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
  /** `refused`: the service rejected the request. */
  | 'refused'
  /** `throttled`: the response was still 429 after the last retry. */
  | 'throttled'
  /** `failed`: the response was still 5xx after the last retry. The request may be repeated without harm. */
  | 'failed'
  /** `unreachable`: the request was not sent, or it was a read without a response. The service can't have changed anything. */
  | 'unreachable'
  /** `unknown`: the request was sent, and its outcome is unknown. */
  | 'unknown'
  /** `redirect`: the response is a redirect, which the client never follows. */
  | 'redirect'
  /** `not-ours`: the response does not come from this service. */
  | 'not-ours'
  /** `interrupted`: the user pressed Ctrl-C. The request in flight has ended, and the client started no new request. */
  | 'interrupted';

interface RecordLookUp {
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
  /** Set for the kind `unknown`. */
  readonly lookUp: RecordLookUp | undefined;
  /** Undefined if the kind of the error says enough. */
  readonly advice: string | undefined;
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
      readonly lookUp?: RecordLookUp | undefined;
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

/** Reports whether the service refused one record of several. A 401 ends the run, because repeated 401s lock the user. */
export const isRefusalOfRecord = (error: unknown): boolean =>
  error instanceof ClientError && error.kind === 'refused' && error.status !== 401;
