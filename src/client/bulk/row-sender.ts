import { lookUpSchedule } from '../requests/recovery/settle.ts';
import {
  type BulkJobResult,
  type BulkJobState,
  createBulkJobState,
  isJobOver,
  type Job,
  JobStoppedError,
  limited,
  recordDoneRow,
  reportFailedRow,
} from './job-state.ts';
import {
  type CheckedRow,
  classifyRowError,
  type DoneRowOutcome,
  type FailedRowReport,
  provesRequestNotCarriedOut,
  type ValidRow,
} from './row.ts';

const MAX_TRIES = 3;
const maySendAgain = ({ retries }: { readonly retries?: number | undefined }): boolean => retries !== 0;
const MAX_UNKNOWN_ROWS = 1024;
const PROGRESS_INTERVAL_MS = 5000;

/** If the job stops early, waits only for the responses to requests already sent. */
export async function sendRows<B>(job: Job<B>): Promise<BulkJobResult> {
  const state = createBulkJobState(job);
  try {
    for await (const checked of job.rows) {
      while (!hasRoom(state)) await nextRowChange(state);
      if (isJobOver(state)) break;
      const reporting = takeRow(state, checked);
      if (reporting !== undefined) await reporting;
    }
  } catch (error) {
    state.problem ??= error;
  }
  while (state.working.size > 0) await Promise.all(state.working);
  await job.checkpoint.flush().catch((error: unknown) => {
    // The disk's first error is reported, with the rows that it affects by now.
    state.problem = error;
  });
  const { totals, open, problem } = state;
  return { totals, open, problem };
}

/** A row that waits for a look-up does not count as in progress. If the job is over, returns true, so that `sendRows` ends. */
const hasRoom = <B>(state: BulkJobState<B>): boolean =>
  isJobOver(state) ||
  (state.working.size - state.unknownRows <= state.job.limiter.limit() &&
    state.unknownRows < MAX_UNKNOWN_ROWS);

const nextRowChange = <B>(state: BulkJobState<B>): Promise<void> =>
  new Promise((resolve) => {
    state.wakeReader = resolve;
  });

/** Returns a promise for a rejected row, which resolves when it is reported. */
function takeRow<B>(state: BulkJobState<B>, checked: CheckedRow<B>): Promise<void> | undefined {
  const { job, totals } = state;
  totals.rows += 1;
  if (checked.kind === 'duplicate') {
    totals.skipped += 1;
  } else if (checked.kind === 'rejected') {
    totals.rejected += 1;
    return reportRejected(state, checked);
  } else {
    const earlier = job.checkpoint.outcomeOf(checked.row);
    if (earlier === 'unsent') track(state, finishRow(state, checked, SEND));
    else if (earlier !== undefined) totals[earlier] += 1;
    else if (job.checkpoint.mayHaveBeenSent(checked.row))
      track(state, finishRow(state, checked, { kind: 'look', since: state.startedAt }));
    else track(state, finishRow(state, checked, SEND));
  }
  job.onProgress(totals);
  return undefined;
}

async function reportRejected<B>({ job, totals }: BulkJobState<B>, report: FailedRowReport): Promise<void> {
  await job.onReport(report);
  job.onProgress(totals);
}

function track<B>(state: BulkJobState<B>, work: Promise<void>): void {
  const end = (): void => {
    state.working.delete(tracked);
    state.wakeReader();
  };
  const tracked = work.then(end, (error: unknown) => {
    state.problem ??= error;
    state.open += 1;
    end();
  });
  state.working.add(tracked);
}

type RowStep =
  /** `isRepeat`: an earlier attempt sent the row, and the look-up did not find its record. */
  | { readonly kind: 'send'; readonly isRepeat: boolean }
  /** `since`: when the attempt ended. `doubt`: why the outcome is unknown; undefined if an earlier run sent the row. */
  | { readonly kind: 'look'; readonly since: number; readonly doubt?: unknown };

const SEND: RowStep = { kind: 'send', isRepeat: false };

async function finishRow<B>(state: BulkJobState<B>, row: ValidRow<B>, first: RowStep): Promise<void> {
  let step: RowStep | undefined = first;
  while (step !== undefined)
    step =
      step.kind === 'send'
        ? await sendRow(state, row, step.isRepeat)
        : await lookUpUnknownRow(state, row, step.since, step.doubt);
}

async function sendRow<B>(
  state: BulkJobState<B>,
  row: ValidRow<B>,
  isRepeat: boolean,
): Promise<RowStep | undefined> {
  const { job } = state;
  let mayBeThere = isRepeat;
  for (let tries = 1; ; tries += 1) {
    const attempt = { begun: false };
    try {
      await sendOnce(state, row, isRepeat, attempt);
      return undefined;
    } catch (error) {
      const effect = classifyRowError(error);
      mayBeThere ||= attempt.begun && !provesRequestNotCarriedOut(error);
      if (effect === 'unknown-outcome') return { kind: 'look', since: job.clock.now(), doubt: error };
      if (effect === 'refused') {
        await reportFailedRow(state, row, 'failed', job.reasonOf(error));
        return undefined;
      }
      if (effect === 'retry' && tries < MAX_TRIES && maySendAgain(job) && !isJobOver(state)) continue;
      // This row failed repeatedly while others succeed, so the next run tries it again.
      if (effect === 'end-job') state.problem ??= error;
      state.open += 1;
      // Without this note the row would be in doubt. The next run would look it up after a wait, and would never send it if it is an SMS.
      if (!mayBeThere) job.checkpoint.noteDone(row.row, row.line, 'unsent');
      return undefined;
    }
  }
}

/** `begun` becomes true when the checkpoint has allowed the row to be sent. */
async function sendOnce<B>(
  state: BulkJobState<B>,
  row: ValidRow<B>,
  isRepeat: boolean,
  attempt: { begun: boolean },
): Promise<void> {
  const { checkpoint, operation } = state.job;
  const send = (): Promise<DoneRowOutcome> => {
    attempt.begun = true;
    return operation.send(row.body);
  };
  const outcome = await limited(state, () => checkpoint.allowSending(row.row)?.then(send) ?? send());
  // The previous attempt may have arrived after its look-up.
  const own =
    isRepeat && outcome === 'skipped' ? await limited(state, () => operation.lookUp(row.body)) : undefined;
  recordDoneRow(state, row, own ?? outcome);
}

/** Returns the next step, or undefined if the row is done. */
async function lookUpUnknownRow<B>(
  state: BulkJobState<B>,
  row: ValidRow<B>,
  since: number,
  doubt: unknown,
): Promise<RowStep | undefined> {
  const { job } = state;
  const { operation, lateArrivalMs: settle } = job;
  state.unknownRows += 1;
  state.unknownUntil = Math.max(state.unknownUntil, since + settle);
  job.onUnknownRows?.(state.unknownRows, state.unknownUntil);
  state.wakeReader();
  try {
    if (await isFound(state, row, since)) return undefined;
  } catch (error) {
    if (classifyRowError(error) === 'end-job') state.problem ??= error;
    state.open += 1;
    return undefined;
  } finally {
    state.unknownRows -= 1;
    job.onUnknownRows?.(state.unknownRows, state.unknownUntil);
  }
  if (operation.sendAgain && (doubt === undefined || maySendAgain(job)))
    return { kind: 'send', isRepeat: true };
  const why =
    doubt instanceof Error
      ? doubt.message
      : 'an earlier run sent this row, but ended before the response came';
  const reason = `${why}; svc searched for the record until ${Math.round(settle / 1000)} s after the request, but did not find it`;
  await reportFailedRow(state, row, 'unconfirmed', reason);
  return undefined;
}

/**
 * Looks until the attempt can no longer reach the service.
 * @param since end of the attempt, in milliseconds since the epoch
 */
async function isFound<B>(state: BulkJobState<B>, row: ValidRow<B>, since: number): Promise<boolean> {
  const { operation, lateArrivalMs: settle } = state.job;
  for (const { afterMs } of lookUpSchedule(settle)) {
    await sleepUntil(state, since + afterMs);
    const found = await limited(state, () => operation.lookUp(row.body));
    if (found === undefined) continue;
    recordDoneRow(state, row, found);
    return true;
  }
  return false;
}

/** @throws JobStoppedError if the job ends before that time */
async function sleepUntil<B>(state: BulkJobState<B>, time: number): Promise<void> {
  const { clock, signal, onProgress } = state.job;
  for (let left = time - clock.now(); left > 0; left = time - clock.now()) {
    await clock.sleep(Math.min(left, PROGRESS_INTERVAL_MS), signal);
    onProgress(state.totals);
    if (isJobOver(state)) throw new JobStoppedError();
  }
}
