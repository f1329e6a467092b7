/** The operation on each row, and the meaning of its errors for the other rows. */
import { ClientError } from '../client/errors.ts';
import type { Done } from './row.ts';

export interface Operation<B> {
  /** Sends the row. Throws a `ClientError`, of kind `unknown` if it may have been carried out. Does not look it up. */
  readonly send: (body: B) => Promise<Done>;
  /** Returns the outcome of a row that was sent without a response, or undefined if its record does not exist. */
  readonly look: (body: B) => Promise<Done | undefined>;
  /** True if a row that was looked up and not found is sent again. */
  readonly sendAgain: boolean;
  /** Statuses, besides 401 and 403, that would apply to every row. They end the job. */
  readonly endsAt?: readonly number[];
}

/** Error of one row that can't be sent any more. The other rows can. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

export type Verdict =
  /** The row may have been carried out. */
  | 'doubt'
  /** The row was refused, finally. */
  | 'refused'
  /** The row certainly was not carried out. Another attempt may succeed. */
  | 'later'
  /** No more rows may be sent. */
  | 'end'
  /** Ctrl-C, or the job is over: the row is left unchanged. */
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

/** Reports whether this error proves that nothing was carried out. A redirect does not: a 303 may follow a completed request. */
export const wasNotSent = (error: unknown): boolean =>
  error instanceof ClientError && NOT_CARRIED_OUT.has(error.kind);

const NOT_CARRIED_OUT: ReadonlySet<string> = new Set(['unreachable', 'throttled', 'interrupted', 'refused']);

/** Reports whether the service gave no usable response. After many of these it counts as down. */
export const wasUnanswered = (error: unknown): boolean =>
  error instanceof ClientError && UNANSWERED.has(error.kind);

const UNANSWERED: ReadonlySet<string> = new Set(['unreachable', 'unknown', 'failed', 'throttled']);
