/** Defines the state of one run of a bulk job: the inputs and the progress of the job, and whether the job is over. */
import type { ConcurrencyLimiter } from '../client/limiter.ts';
import type { Clock } from '../client/ports.ts';
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
  /** Value of the outage score `BulkJobState.unanswered` at which svc assumes that the service is down, and ends the job. */
  readonly maxUnanswered: number;
  /** Returns the reason why the service refused a row. The argument is the error of the request that sent the row. */
  readonly reasonOf: (error: unknown) => string;
  /** Called for every failed row: svc rejected it before it was sent, the service refused it, or its outcome can't be confirmed. */
  readonly onReport: (report: FailedRowReport) => void | Promise<void>;
  readonly onProgress: (totals: RowOutcomeTotals) => void;
  /**
   * Called with the number of rows whose outcome is unknown. `until` is the time at which svc looks up the last of these rows, in
   * milliseconds since the epoch.
   */
  readonly onUnknownRows?: (rows: number, until: number) => void;
}

export interface RowOutcomeTotals {
  rows: number;
  added: number;
  skipped: number;
  rejected: number;
  failed: number;
  /**
   * Number of rows that svc sent without learning the outcome, and whose records svc then did not find in the service. svc does not send
   * these rows again.
   */
  unconfirmed: number;
}

export interface BulkJobResult {
  readonly totals: RowOutcomeTotals;
  /** Number of rows whose outcome is unknown or that were never sent. If the user repeats the command, it continues with these rows. */
  readonly open: number;
  /** Error that ended the job early. Undefined if the job finished, or if Ctrl-C ended it. */
  readonly problem: unknown;
}

export interface BulkJobState<B> extends BulkJobResult {
  readonly job: Job<B>;
  /** Start of the run, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly working: Set<Promise<void>>;
  open: number;
  problem: unknown;
  /** Number of rows whose outcome is unknown and that wait for a look-up. */
  unknownRows: number;
  /**
   * Time of the last planned look-up, in milliseconds since the epoch. A look-up is a request that finds out whether the service added a
   * row whose outcome is unknown. 0 if no row has had an unknown outcome.
   */
  unknownUntil: number;
  /**
   * Score of an outage: each call without a response adds 1, each response subtracts 1. A single response does not reset the score, because
   * calls that were sent before an outage may still get a response during the outage.
   */
  unanswered: number;
  /**
   * Wakes the loop in `sendRows` that reads rows from the input file. The loop sleeps while too many rows are in progress. Called when a
   * row is done, because the loop may then read another row. Also called when a row begins to wait for its look-up, a request that finds
   * out whether the service added the row.
   */
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

/** Error of a call that was not started because the job was already over. */
export class JobStoppedError extends Error {
  override readonly name = 'AbortError';
}

export const isJobOver = <B>({ job, problem }: BulkJobState<B>): boolean =>
  job.signal.aborted || problem !== undefined;

/**
 * Makes one call as soon as the limiter allows it.
 * @throws JobStoppedError if the job is over before the call can start
 */
export async function callWithinConcurrencyLimit<B, T>(
  state: BulkJobState<B>,
  task: () => Promise<T>,
): Promise<T> {
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

/** Records in the checkpoint and in the totals that the row was added or skipped. */
export function recordDoneRow<B>(state: BulkJobState<B>, row: ValidRow<B>, outcome: DoneRowOutcome): void {
  const { job, totals } = state;
  job.checkpoint.noteDone(row.row, row.line, outcome);
  totals[outcome] += 1;
  job.onProgress(totals);
}

/** Records in the checkpoint and in the totals that the row failed, and reports the row to the user. */
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
