import { nonNegativeInteger, objectWithAtLeast, type Shaped, text } from '../../kit/schema/shape.ts';
import { ClientError } from '../requests/errors.ts';

export const failedRowShape = objectWithAtLeast({
  row: nonNegativeInteger,
  line: nonNegativeInteger,
  value: text,
  reason: text,
});
export type FailedRowReport = Shaped<typeof failedRowShape>;

export type DoneRowOutcome = 'added' | 'skipped';
export type RowOutcome = DoneRowOutcome | 'failed' | 'unconfirmed' | 'unsent';

export type CheckedRow<B> =
  | {
      readonly kind: 'good';
      readonly row: number;
      readonly line: number;
      readonly value: string;
      readonly body: B;
    }
  | { readonly kind: 'duplicate'; readonly row: number }
  | ({ readonly kind: 'rejected' } & FailedRowReport);

export type ValidRow<B> = Extract<CheckedRow<B>, { kind: 'good' }>;

export interface RowOperation<B> {
  /** @throws ClientError; its kind is `unknown` if the service may have carried out the request */
  readonly send: (body: B) => Promise<DoneRowOutcome>;
  readonly lookUp: (body: B) => Promise<DoneRowOutcome | undefined>;
  readonly sendAgain: boolean;
}

export class RowError extends Error {
  override readonly name = 'RowError';
}

type RowErrorEffect =
  /** The service may have carried out the request. */
  | 'unknown-outcome'
  | 'refused'
  | 'retry'
  | 'end-job'
  /** The next run continues with the row. */
  | 'keep-open';

export function classifyRowError(error: unknown): RowErrorEffect {
  if (error instanceof Error && error.name === 'AbortError') return 'keep-open';
  if (!(error instanceof ClientError)) return error instanceof RowError ? 'refused' : 'end-job';
  switch (error.kind) {
    case 'unknown':
      return 'unknown-outcome';
    case 'unreachable':
    case 'throttled':
    case 'failed':
      return 'retry';
    case 'interrupted':
      return 'keep-open';
    case 'redirect':
    case 'not-ours':
      return 'end-job';
    case 'refused':
      return error.status === 401 || error.status === 403 ? 'end-job' : 'refused';
  }
}

/** A redirect does not prove it, because a 303 may follow a completed request. */
export const provesRequestNotCarriedOut = (error: unknown): boolean =>
  error instanceof ClientError && NOT_CARRIED_OUT.has(error.kind);

const NOT_CARRIED_OUT: ReadonlySet<string> = new Set(['unreachable', 'throttled', 'interrupted', 'refused']);

export const wasCallUnanswered = (error: unknown): boolean =>
  error instanceof ClientError && UNANSWERED.has(error.kind);

const UNANSWERED: ReadonlySet<string> = new Set(['unreachable', 'unknown', 'failed', 'throttled']);
