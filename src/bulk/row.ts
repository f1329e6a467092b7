/** Defines a row of a file, and its possible outcomes. */
import { ClientError } from '../client/errors.ts';
import { nonNegativeInteger, objectWithAtLeast, type Shaped, text } from '../schema/shape.ts';

export const failedRowShape = objectWithAtLeast({
  /** Number of the row, counted from 0. A header line does not count. */
  row: nonNegativeInteger,
  line: nonNegativeInteger,
  value: text,
  reason: text,
});
/** Failed row as it is reported to people: its position, its value, and the reason. */
export type FailedRowReport = Shaped<typeof failedRowShape>;

/** Outcome of a row that needs no more work: the service added its record, or the record already existed. */
export type DoneRowOutcome = 'added' | 'skipped';
export type RowOutcome = DoneRowOutcome | 'failed' | 'unconfirmed' | 'unsent';

/** A row of the file after its checks. */
export type CheckedRow<B> =
  | {
      readonly kind: 'good';
      readonly row: number;
      readonly line: number;
      readonly value: string;
      readonly body: B;
    }
  /** Row whose value equals that of an earlier row in the file. */
  | { readonly kind: 'duplicate'; readonly row: number }
  | ({ readonly kind: 'rejected' } & FailedRowReport);

/** Row that passed its checks, so that svc can send it. */
export type ValidRow<B> = Extract<CheckedRow<B>, { kind: 'good' }>;

export interface RowOperation<B> {
  /** Sends a row without looking it up first. @throws ClientError; its kind is `unknown` if the service may have carried out the request */
  readonly send: (body: B) => Promise<DoneRowOutcome>;
  /** Looks up a row whose request got no response. Returns the outcome of the row, or undefined if the service has no record of the row. */
  readonly lookUp: (body: B) => Promise<DoneRowOutcome | undefined>;
  /** True if svc sends a row again when the look-up does not find the record of the row. */
  readonly sendAgain: boolean;
  /** HTTP statuses that end the job, because every other row would get the same status. 401 and 403 always end the job. */
  readonly endingStatuses?: readonly number[];
}

/** Error of a row that can no longer be sent. It does not affect the other rows. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

/** Effect of a row's error on that row and on the job. */
type RowErrorEffect =
  /** `unknown-outcome`: the service may have carried out the request of the row. */
  | 'unknown-outcome'
  /** `refused`: the service refused the row for good. */
  | 'refused'
  /** `retry`: the service did not carry out the request of the row, and another attempt may succeed. */
  | 'retry'
  /** `end-job`: the job ends. svc must not send any more rows. */
  | 'end-job'
  /**
   * `keep-open`: this run does not finish the row, because the user pressed Ctrl-C or the job ended early. If the user repeats the command,
   * the next run continues with the row.
   */
  | 'keep-open';

/** Returns the effect that an error of a row's request has on that row and on the job. */
export function classifyRowError<B>(error: unknown, operation: RowOperation<B>): RowErrorEffect {
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
      return [401, 403, ...(operation.endingStatuses ?? [])].includes(error.status ?? 0)
        ? 'end-job'
        : 'refused';
  }
}

/**
 * Reports whether this error proves that the service did not carry out the request. A redirect does not prove it, because a 303 may follow
 * a completed request.
 */
export const provesRequestNotCarriedOut = (error: unknown): boolean =>
  error instanceof ClientError && NOT_CARRIED_OUT.has(error.kind);

const NOT_CARRIED_OUT: ReadonlySet<string> = new Set(['unreachable', 'throttled', 'interrupted', 'refused']);

/**
 * Reports whether the error means that a call got no usable response. After many such errors, svc assumes that the service is down, and
 * ends the job.
 */
export const wasCallUnanswered = (error: unknown): boolean =>
  error instanceof ClientError && UNANSWERED.has(error.kind);

const UNANSWERED: ReadonlySet<string> = new Set(['unreachable', 'unknown', 'failed', 'throttled']);
