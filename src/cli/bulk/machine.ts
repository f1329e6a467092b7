/** Sends the rows of a bulk job: a POST each, several at once, and none twice. */

import type { Checkpoint } from '../../bulk/checkpoint.ts';
import type { Done, RowReport } from '../../bulk/row.ts';
import { ClientError } from '../../client/errors.ts';
import type { Limiter } from '../../client/limiter.ts';
import type { Clock } from '../../client/ports.ts';
import { looksWithin } from '../../client/recovery/settle.ts';
import { explainError } from '../errors/errors.ts';

/** A row of the file after its checks. */
export type CheckedRow<B> =
  | {
      readonly kind: 'good';
      readonly row: number;
      readonly line: number;
      readonly value: string;
      readonly body: B;
    }
  /** Stands further up in the file. */
  | { readonly kind: 'duplicate'; readonly row: number }
  | ({ readonly kind: 'rejected' } & RowReport);

export type GoodRow<B> = Extract<CheckedRow<B>, { kind: 'good' }>;

/** What is done with one row. */
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

export interface Totals {
  rows: number;
  added: number;
  skipped: number;
  rejected: number;
  failed: number;
  /** Sent, looked for, not found, and not to be sent again. */
  unconfirmed: number;
}

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
  /** Told of every row that is not to be sent, or was refused, or is not confirmed. */
  readonly tell: (told: RowReport) => void | Promise<void>;
  readonly onProgress: (totals: Totals) => void | Promise<void>;
  /** Told how many rows wait to be looked for, and until when (milliseconds) the last of them does. */
  readonly onDoubt?: (rows: number, until: number) => void;
}

export interface Ended {
  readonly totals: Totals;
  /** Rows of which nothing is known, or that were never tried; the same command goes on with them. */
  readonly open: number;
  /** Why it ended before all was done; undefined also for Ctrl-C. */
  readonly problem: unknown;
}

const MOST_TRIES = 3;
/** Whether this run may send a row once more that it has sent. */
const maySendAgain = ({ retries }: { readonly retries?: number | undefined }): boolean => retries !== 0;
/** Rows that wait to be looked for at once. */
const MOST_DOUBTS = 1024;
/** Nobody waits longer without being told. */
const NAP = 5000;

/** Returns when every row is done, or none may be sent any more; what is in flight is finished in any case. */
export async function runJob<B>(job: Job<B>): Promise<Ended> {
  const { operation, checkpoint, limiter, clock, signal } = job;
  const totals: Totals = { rows: 0, added: 0, skipped: 0, rejected: 0, failed: 0, unconfirmed: 0 };
  const begun = clock.now();
  const working = new Set<Promise<void>>();
  let doubts = 0;
  /** When the last of them has been looked for. */
  let doubtUntil = 0;
  let open = 0;
  /** Calls without an answer, less those with one: what was under way before an outage may still be answered in it. */
  let unanswered = 0;
  let problem: unknown;
  const isOver = (): boolean => signal.aborted || problem !== undefined;
  /** Goes on with the file when there may be room for another row. */
  let wake: () => void = () => undefined;

  const call = async <T>(task: () => Promise<T>): Promise<T> => {
    try {
      const result = await limiter.run(() => {
        if (isOver()) throw new Over();
        return task();
      });
      unanswered = Math.max(0, unanswered - 1);
      return result;
    } catch (error) {
      if (error instanceof ClientError && UNANSWERED.has(error.kind)) {
        unanswered += 1;
        if (unanswered >= job.patience) problem ??= error;
      }
      throw error;
    }
  };
  const done = async (row: GoodRow<B>, outcome: Done): Promise<void> => {
    checkpoint.note(row.row, row.line, outcome);
    totals[outcome] += 1;
    await job.onProgress(totals);
  };
  const told = async (row: GoodRow<B>, outcome: 'failed' | 'unconfirmed', reason: string): Promise<void> => {
    const about: RowReport = { row: row.row, line: row.line, value: row.value, reason };
    checkpoint.report(outcome, about);
    totals[outcome] += 1;
    await job.tell(about);
    await job.onProgress(totals);
  };

  /** @param before it was sent before, and looked for, and not found */
  const send = async (row: GoodRow<B>, before: boolean): Promise<void> => {
    let mayBeThere = before;
    for (let tries = 1; ; tries += 1) {
      let begun = false;
      try {
        const outcome = await call(async () => {
          await checkpoint.allow(row.row);
          begun = true;
          return operation.send(row.body);
        });
        // The attempt before may have arrived after it was looked for.
        const own = before && outcome === 'skipped' ? await call(() => operation.look(row.body)) : undefined;
        return await done(row, own ?? outcome);
      } catch (error) {
        const verdict = verdictOn(error, operation);
        mayBeThere ||= begun && !wasNotSent(error);
        if (verdict === 'doubt') return lookFor(row, clock.now(), error);
        if (verdict === 'refused') return told(row, 'failed', reasonOf(error));
        if (verdict === 'later' && tries < MOST_TRIES && maySendAgain(job) && !isOver()) continue;
        // Tried in vain while others get through: the next run tries it again.
        if (verdict === 'end') problem ??= error;
        open += 1;
        // Without this it would be in doubt: looked for by the next run, after a wait, and of SMS never sent.
        if (!mayBeThere) checkpoint.note(row.row, row.line, 'unsent');
        return;
      }
    }
  };

  /** @param since when its attempt was over */
  const lookFor = async (row: GoodRow<B>, since: number, doubt?: unknown): Promise<void> => {
    doubts += 1;
    doubtUntil = Math.max(doubtUntil, since + job.settle);
    job.onDoubt?.(doubts, doubtUntil);
    wake();
    try {
      for (const { after } of looksWithin(job.settle)) {
        await sleepUntil(since + after);
        const found = await call(() => operation.look(row.body));
        if (found !== undefined) return await done(row, found);
      }
    } catch (error) {
      if (verdictOn(error, operation) === 'end') problem ??= error;
      open += 1;
      return;
    } finally {
      doubts -= 1;
      job.onDoubt?.(doubts, doubtUntil);
    }
    if (operation.sendAgain && (doubt === undefined || maySendAgain(job))) return send(row, true);
    const why =
      doubt instanceof Error ? doubt.message : 'an earlier run sent it, and ended before the answer';
    return told(
      row,
      'unconfirmed',
      `${why}; nothing like it was there ${Math.round(job.settle / 1000)} s later`,
    );
  };
  const sleepUntil = async (time: number): Promise<void> => {
    for (let left = time - clock.now(); left > 0; left = time - clock.now()) {
      await clock.sleep(Math.min(left, NAP), signal);
      await job.onProgress(totals);
      if (isOver()) throw new Over();
    }
  };

  const track = (work: Promise<void>): void => {
    const tracked = work
      .catch((error: unknown) => {
        problem ??= error;
        open += 1;
      })
      .finally(() => {
        working.delete(tracked);
        wake();
      });
    working.add(tracked);
  };
  /** Room for one more row: as many as may be in flight, and the next one. */
  const room = async (): Promise<void> => {
    while (!isOver() && (working.size - doubts > limiter.limit() || doubts >= MOST_DOUBTS))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };

  const take = async (checked: CheckedRow<B>): Promise<void> => {
    totals.rows += 1;
    if (checked.kind === 'duplicate') {
      totals.skipped += 1;
    } else if (checked.kind === 'rejected') {
      totals.rejected += 1;
      await job.tell(checked);
    } else {
      const earlier = checkpoint.outcomeOf(checked.row);
      if (earlier === 'unsent') track(send(checked, false));
      else if (earlier !== undefined) totals[earlier] += 1;
      else if (checkpoint.wasAllowed(checked.row)) track(lookFor(checked, begun));
      else track(send(checked, false));
    }
    await job.onProgress(totals);
  };

  try {
    for await (const checked of job.rows) {
      await room();
      if (isOver()) break;
      await take(checked);
    }
  } catch (error) {
    problem ??= error;
  }
  while (working.size > 0) await Promise.all(working);
  await checkpoint.flush().catch((error: unknown) => {
    // What the disk said first is what to tell, with the rows that it concerns by now.
    problem = error;
  });
  return { totals, open, problem };
}

/** Nothing new is begun any more. */
class Over extends Error {
  override readonly name = 'AbortError';
}

const UNANSWERED: ReadonlySet<string> = new Set(['unreachable', 'unknown', 'failed', 'throttled']);

type Verdict =
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

function verdictOn<B>(error: unknown, operation: Operation<B>): Verdict {
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
const wasNotSent = (error: unknown): boolean =>
  error instanceof ClientError && NOT_CARRIED_OUT.has(error.kind);

const NOT_CARRIED_OUT: ReadonlySet<string> = new Set(['unreachable', 'throttled', 'interrupted', 'refused']);

/** One row can't be sent any more, the others can. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

/** The service's words, with those on each attribute. */
function reasonOf(error: unknown): string {
  if (error instanceof RowError) return error.message;
  const { message, details } = explainError(error);
  const more = details.map((detail) => {
    const { attribute, reason } = Object(detail) as {
      readonly attribute?: unknown;
      readonly reason?: unknown;
    };
    return typeof reason === 'string' ? ` ${String(attribute)} ${reason}` : '';
  });
  const said = more.filter((text) => text !== '').join(';');
  return said === '' ? message : `${message}:${said}`;
}
