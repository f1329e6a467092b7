/** Defines the operation on each row, and what its errors mean for the other rows. */
import { ClientError } from '../client/errors.ts';
import type { Done } from './row.ts';

export interface Operation<B> {
  /** Sends the row, and does not look it up. @throws ClientError; its kind is `unknown` if the service may have carried out the request */
  readonly send: (body: B) => Promise<Done>;
  /** Looks up a row that was sent without a response. Returns its outcome, or undefined if its record does not exist. */
  readonly look: (body: B) => Promise<Done | undefined>;
  /** True if a row is sent again when the look-up does not find it. */
  readonly sendAgain: boolean;
  /** Statuses that end the job because every other row would get them too. 401 and 403 always do. */
  readonly endsAt?: readonly number[];
}

/** Error of a row that can no longer be sent. It does not affect the other rows. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

export type Verdict =
  /** The service may have carried out the row. */
  | 'doubt'
  /** The service refused the row for good. */
  | 'refused'
  /** The row was certainly not carried out, and another attempt may succeed. */
  | 'later'
  /** No more rows may be sent. */
  | 'end'
  /** The row stays open, because of Ctrl-C or because the job is over. */
  | 'leave';

export function verdictOn<B>(error: unknown, operation: Operation<B>): Verdict {
  if (error instanceof Error && error.name === 'AbortError') return 'leave';
  if (!(error instanceof ClientError)) return error instanceof RowError ? 'refused' : 'end';
  switch (error.kind) {
    case 'unknown':
      return 'doubt';
    case 'unreachable':
    case 'throttled':
    case 'failed':
      return 'later';
    case 'interrupted':
      return 'leave';
    case 'redirect':
    case 'not-ours':
      return 'end';
    case 'refused':
      return [401, 403, ...(operation.endsAt ?? [])].includes(error.status ?? 0) ? 'end' : 'refused';
  }
}

/**
 * Reports whether this error proves that the service did not carry out the request. A redirect does not prove it, because a 303 may follow
 * a completed request.
 */
export const wasNotSent = (error: unknown): boolean =>
  error instanceof ClientError && NOT_CARRIED_OUT.has(error.kind);

const NOT_CARRIED_OUT: ReadonlySet<string> = new Set(['unreachable', 'throttled', 'interrupted', 'refused']);

/** Reports whether a call got no usable response. The service counts as down after many of these errors. */
export const wasUnanswered = (error: unknown): boolean =>
  error instanceof ClientError && UNANSWERED.has(error.kind);

const UNANSWERED: ReadonlySet<string> = new Set(['unreachable', 'unknown', 'failed', 'throttled']);
