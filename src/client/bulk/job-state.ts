import type { ConcurrencyLimiter } from '../requests/limiter.ts';
import type { Clock } from '../requests/ports.ts';
import type { BulkJobCheckpoint } from './checkpoint.ts';
import {
  type CheckedRow,
  type DoneRowOutcome,
  type FailedRowReport,
  type RowOperation,
  type ValidRow,
  wasCallUnanswered,
} from './row.ts';

export interface Job<B> {
  readonly rows: AsyncIterable<CheckedRow<B>>;
  readonly operation: RowOperation<B>;
  readonly checkpoint: BulkJobCheckpoint;
  readonly limiter: ConcurrencyLimiter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds after which a POST without a response can no longer reach the service. */
  readonly lateArrivalMs: number;
  /** `--retries`: with 0, this run sends no row a second time. */
  readonly retries?: number | undefined;
  /** Value of `BulkJobState.unanswered` at which svc assumes that the service is down. */
  readonly maxUnanswered: number;
  readonly reasonOf: (error: unknown) => string;
  readonly onReport: (report: FailedRowReport) => void | Promise<void>;
  readonly onProgress: (totals: RowOutcomeTotals) => void;
  /** `until`: time of the last look-up, in milliseconds since the epoch. */
  readonly onUnknownRows?: (rows: number, until: number) => void;
}

export interface RowOutcomeTotals {
  rows: number;
  added: number;
  skipped: number;
  rejected: number;
  failed: number;
  /** Rows without a known outcome, whose records svc then did not find. They are not sent again. */
  unconfirmed: number;
}

export interface BulkJobResult {
  readonly totals: RowOutcomeTotals;
  readonly open: number;
  /** Undefined if the job finished, or if Ctrl-C ended it. */
  readonly problem: unknown;
}

export interface BulkJobState<B> extends BulkJobResult {
  readonly job: Job<B>;
  /** Start of the run, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly working: Set<Promise<void>>;
  open: number;
  problem: unknown;
  unknownRows: number;
  /** Milliseconds since the epoch; 0 without look-ups. */
  unknownUntil: number;
  /**
   * Score of an outage. Each call without a response adds 1, and each response subtracts 1: calls sent before an outage may still get a
   * response.
   */
  unanswered: number;
  /** Wakes the loop of `sendRows`, which sleeps while too many rows are in progress. */
  wakeReader: () => void;
}

export const createBulkJobState = <B>(job: Job<B>): BulkJobState<B> => ({
  job,
  startedAt: job.clock.now(),
  working: new Set(),
  totals: { rows: 0, added: 0, skipped: 0, rejected: 0, failed: 0, unconfirmed: 0 },
  open: 0,
  problem: undefined,
  unknownRows: 0,
  unknownUntil: 0,
  unanswered: 0,
  wakeReader: () => undefined,
});

export class JobStoppedError extends Error {
  override readonly name = 'AbortError';
}

export const isJobOver = <B>({ job, problem }: BulkJobState<B>): boolean =>
  job.signal.aborted || problem !== undefined;

/** @throws JobStoppedError if the job is over before the call can start */
export async function limited<B, T>(state: BulkJobState<B>, task: () => Promise<T>): Promise<T> {
  const { limiter, maxUnanswered } = state.job;
  try {
    const result = await limiter.run(() => {
      if (isJobOver(state)) throw new JobStoppedError();
      return task();
    });
    state.unanswered = Math.max(0, state.unanswered - 1);
    return result;
  } catch (error) {
    if (wasCallUnanswered(error)) {
      state.unanswered += 1;
      if (state.unanswered >= maxUnanswered) state.problem ??= error;
    }
    throw error;
  }
}

export function recordDoneRow<B>(state: BulkJobState<B>, row: ValidRow<B>, outcome: DoneRowOutcome): void {
  const { job, totals } = state;
  job.checkpoint.noteDone(row.row, row.line, outcome);
  totals[outcome] += 1;
  job.onProgress(totals);
}

export async function reportFailedRow<B>(
  { job, totals }: BulkJobState<B>,
  { row, line, value }: ValidRow<B>,
  outcome: 'failed' | 'unconfirmed',
  reason: string,
): Promise<void> {
  const report: FailedRowReport = { row, line, value, reason };
  job.checkpoint.noteFailed(outcome, report);
  totals[outcome] += 1;
  await job.onReport(report);
  job.onProgress(totals);
}
