/** One run of a bulk job: what it was given, how far it has come, and whether it is over. */
import type { Limiter } from '../client/limiter.ts';
import type { Clock } from '../client/ports.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type Operation, wasUnanswered } from './operation.ts';
import type { CheckedRow, Done, GoodRow, RowReport } from './row.ts';

export interface Job<B> {
  readonly rows: AsyncIterable<CheckedRow<B>>;
  readonly operation: Operation<B>;
  readonly checkpoint: Checkpoint;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds until a POST without an answer can no longer arrive. */
  readonly settle: number;
  /** `--retries`: with 0 no row is sent a second time by this run. */
  readonly retries?: number | undefined;
  /** So many more calls without an answer than with one, and the service counts as gone. */
  readonly patience: number;
  /** Why a row was refused, in words. */
  readonly reasonOf: (error: unknown) => string;
  /** Told of every row that is not to be sent, or was refused, or is not confirmed. */
  readonly onReport: (report: RowReport) => void | Promise<void>;
  readonly onProgress: (totals: Totals) => void;
  /** Told how many rows wait to be looked for, and until when (milliseconds) the last of them does. */
  readonly onDoubt?: (rows: number, until: number) => void;
}

export interface Totals {
  rows: number;
  added: number;
  skipped: number;
  rejected: number;
  failed: number;
  /** Sent, looked for, not found, and not to be sent again. */
  unconfirmed: number;
}

export interface JobResult {
  readonly totals: Totals;
  /** Rows of which nothing is known, or that were never tried; the same command goes on with them. */
  readonly open: number;
  /** Why it ended before all was done; undefined also for Ctrl-C. */
  readonly problem: unknown;
}

export interface JobState<B> extends JobResult {
  readonly job: Job<B>;
  /** Milliseconds. */
  readonly begun: number;
  readonly working: Set<Promise<void>>;
  open: number;
  problem: unknown;
  /** Rows that wait to be looked for. */
  doubts: number;
  /** When the last of them has been looked for. */
  doubtUntil: number;
  /** Calls without an answer, less those with one: what was under way before an outage may still be answered in it. */
  unanswered: number;
  /** Goes on with the file when there may be room for another row. */
  wake: () => void;
}

export const newState = <B>(job: Job<B>): JobState<B> => ({
  job,
  begun: job.clock.now(),
  working: new Set(),
  totals: { rows: 0, added: 0, skipped: 0, rejected: 0, failed: 0, unconfirmed: 0 },
  open: 0,
  problem: undefined,
  doubts: 0,
  doubtUntil: 0,
  unanswered: 0,
  wake: () => undefined,
});

/** Nothing new is begun any more. */
export class JobStopped extends Error {
  override readonly name = 'AbortError';
}

export const isOver = <B>({ job, problem }: JobState<B>): boolean =>
  job.signal.aborted || problem !== undefined;

/** One call, when the limiter lets it. @throws JobStopped when the job is over by then */
export async function callOnce<B, T>(state: JobState<B>, task: () => Promise<T>): Promise<T> {
  const { limiter, patience } = state.job;
  try {
    const result = await limiter.run(() => {
      if (isOver(state)) throw new JobStopped();
      return task();
    });
    state.unanswered = Math.max(0, state.unanswered - 1);
    return result;
  } catch (error) {
    if (wasUnanswered(error)) {
      state.unanswered += 1;
      if (state.unanswered >= patience) state.problem ??= error;
    }
    throw error;
  }
}

export function noteDone<B>(state: JobState<B>, row: GoodRow<B>, outcome: Done): void {
  const { job, totals } = state;
  job.checkpoint.note(row.row, row.line, outcome);
  totals[outcome] += 1;
  job.onProgress(totals);
}

export async function reportRow<B>(
  { job, totals }: JobState<B>,
  { row, line, value }: GoodRow<B>,
  outcome: 'failed' | 'unconfirmed',
  reason: string,
): Promise<void> {
  const report: RowReport = { row, line, value, reason };
  job.checkpoint.report(outcome, report);
  totals[outcome] += 1;
  await job.onReport(report);
  job.onProgress(totals);
}
