/** What is done with each row, and what a failure of it says about the others. */
import { ClientError } from '../client/errors.ts';
import type { Done } from './row.ts';

export interface Operation<B> {
  /** Sends it. Throws a `ClientError`: of kind `unknown` when it may have been carried out, without looking. */
  readonly send: (body: B) => Promise<Done>;
  /** What came of a row that was sent and not answered; undefined when it isn't there. */
  readonly look: (body: B) => Promise<Done | undefined>;
  /** Whether a row that was looked for and not found is sent again. */
  readonly sendAgain: boolean;
  /** Statuses, besides 401 and 403, that would meet every row: the job ends. */
  readonly endsAt?: readonly number[];
}

/** One row can't be sent any more, the others can. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

export type Verdict =
  /** It may have been carried out. */
  | 'doubt'
  /** This row, and it stays so. */
  | 'refused'
  /** It certainly was not carried out; another try may do. */
  | 'later'
  /** Nothing more may be sent. */
  | 'end'
  /** Ctrl-C, or the job is over: the row is left as it is. */
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

/** Whether this error says that nothing was carried out. A redirect doesn't: a 303 may follow what was done. */
export const wasNotSent = (error: unknown): boolean =>
  error instanceof ClientError && NOT_CARRIED_OUT.has(error.kind);

const NOT_CARRIED_OUT: ReadonlySet<string> = new Set(['unreachable', 'throttled', 'interrupted', 'refused']);

/** Whether the service gave no answer that counts: many of them, and it is gone. */
export const wasUnanswered = (error: unknown): boolean =>
  error instanceof ClientError && UNANSWERED.has(error.kind);

const UNANSWERED: ReadonlySet<string> = new Set(['unreachable', 'unknown', 'failed', 'throttled']);
