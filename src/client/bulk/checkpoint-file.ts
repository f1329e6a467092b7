/** The file has mode 0600. It belongs to one job, and only one run may use it at a time. */

import { fchmodSync, type Stats } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { type Ledger, openLedger, readLines } from '../../kit/files/ledger.ts';
import { fits, type ShapeCheck } from '../../kit/schema/shape.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { formatJson } from '../../service/protocol/json.ts';
import {
  type BulkReport,
  bulkReportShape,
  createRowOutcomes,
  type ResumedJobProgress,
} from './checkpoint.ts';
import { type CheckpointFormat, damagedCheckpoint, parseHeader, parseStep } from './checkpoint-header.ts';
import { BulkError } from './errors.ts';
import { type FailedRowReport, failedRowShape } from './row.ts';
import {
  acquireRunnerLock,
  type BusyRunnerLock,
  type RunnerLock,
  type RunnerLockTimes,
} from './runner-lock.ts';

/** Values that identify a job. They never include an API key. */
export interface BulkJobIdentity {
  readonly command: string;
  readonly sha256: string;
  readonly origin: string;
  readonly company: AccountId | null;
  readonly user: AccountId | null;
  readonly partner: AccountId | null;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Values that distinguish records of this job from older records. `since` is the service's time before the first row was sent, in Unix
 * seconds. `above` is the highest id at that time; it is set only for a resource whose ids always grow.
 */
export interface NewRecordBounds {
  readonly since?: number;
  readonly above?: number | bigint;
}

export interface OpenedCheckpoint extends ResumedJobProgress {
  readonly file: Ledger;
  readonly start: NewRecordBounds;
  readonly isResumed: boolean;
  readonly finished: BulkReport | undefined;
}

export interface LockedCheckpoint {
  /**
   * Calls `onReport` for each row that the service refused or that an earlier run could not confirm.
   * @throws BulkError if the checkpoint belongs to another job
   */
  readonly open: (
    identity: BulkJobIdentity,
    begin: () => Promise<NewRecordBounds>,
    onReport: (report: FailedRowReport) => Promise<void>,
  ) => Promise<OpenedCheckpoint>;
  /** @throws BulkError `lost-lock` once another runner has taken over */
  readonly check: () => void;
  /**
   * Checks the lock before an attempt to send a row. One check covers all attempts in the same turn of the event loop (`runner-lock.ts`).
   */
  readonly checkToSend: () => void;
  readonly remove: () => Promise<void>;
  readonly release: () => void;
}

const VERSION = 1;
const MAX_LINE_LENGTH = 1_000_000;

/** @throws BulkError while another run holds it */
export async function lockCheckpoint(path: string, times?: RunnerLockTimes): Promise<LockedCheckpoint> {
  const place = `${path}.lock`;
  const lock = await acquireRunnerLock(place, times).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = '--state FILE names another file for the checkpoint';
    throw new BulkError('input', `cannot create the checkpoint: ${why}`, { hint, cause });
  });
  if ('holder' in lock) throw heldByAnother(place, lock);
  const { check, release } = lock;
  const sending = oncePerTurn(check);
  const guard = { check, onSynced: sending.forget };
  return {
    open: (identity, begin, onReport) => openCheckpoint(path, identity, begin, onReport, guard),
    check,
    checkToSend: sending.check,
    remove: async () => {
      check();
      await unlink(path);
    },
    release,
  };
}

/**
 * Checks the lock once in each turn of the event loop. The caller must call `forget` after each write to the checkpoint file: another
 * process may have taken over just before, and have read the file without the written data.
 */
function oncePerTurn(checkLock: () => void) {
  let isFresh = false;
  const forget = (): void => {
    isFresh = false;
  };
  return {
    check: (): void => {
      if (isFresh) return;
      checkLock();
      isFresh = true;
      setImmediate(forget);
    },
    forget,
  };
}

function heldByAnother(place: string, { holder, freeIn }: BusyRunnerLock): BulkError {
  const seconds = Math.ceil((freeIn ?? 0) / 1000);
  return new BulkError(
    'input',
    `another run of this job is still active: process ${holder.pid} on ${holder.host} has locked ${place}; nothing was sent`,
    {
      hint:
        freeIn === undefined
          ? 'wait until the other run has ended, or stop it'
          : `wait until the other run has ended, or stop it; if it crashed, wait ${seconds} s or delete its lock file, then run the same command again`,
    },
  );
}

async function openCheckpoint(
  path: string,
  identity: BulkJobIdentity,
  begin: () => Promise<NewRecordBounds>,
  onReport: (report: FailedRowReport) => Promise<void>,
  guard: Pick<RunnerLock, 'check'> & { readonly onSynced: () => void },
): Promise<OpenedCheckpoint> {
  const format = formatOf(path, identity);
  const checkFile = (stats: Stats): void => {
    if (!stats.isFile()) throw damagedCheckpoint(format, 'the checkpoint is not a regular file');
  };
  const ledger = openLedger(path, checkFile, guard);
  try {
    const { end, start: known, ...progress } = await readCheckpoint(ledger, format, onReport);
    fchmodSync(ledger.descriptor, 0o600);
    ledger.truncate(end);
    const start =
      known ??
      (await begin().catch(async (error: unknown) => {
        // The job did not start, so the file is removed.
        await unlink(path);
        throw error;
      }));
    if (known === undefined) {
      ledger.append(`${formatJson({ version: VERSION, ...identity, start })}\n`);
      await ledger.sync();
    }
    return { ...progress, start, file: ledger, isResumed: known !== undefined };
  } catch (error) {
    ledger.close();
    throw error;
  }
}

/** `start` is undefined if the header is incomplete; nothing was sent then. */
async function readCheckpoint(
  { descriptor }: Ledger,
  format: CheckpointFormat,
  onReport: (report: FailedRowReport) => Promise<void>,
) {
  const outcomes = createRowOutcomes();
  let start: NewRecordBounds | undefined;
  let sendableBelow = 0;
  let finished: BulkReport | undefined;
  let end = 0;
  for (const line of readLines(descriptor)) {
    if (line.text.length > MAX_LINE_LENGTH) throw damagedCheckpoint(format, 'a line is too long');
    // A truncated line was never acted upon.
    if (!line.isWhole) break;
    end = line.end;
    if (start === undefined) {
      const { start: known } = parseHeader(line.text, format);
      start = Object(known);
      continue;
    }
    const [code, rest] = [line.text.slice(0, 2), line.text.slice(2)];
    const number = /^[0-9]{1,15}$/.test(rest) ? Number(rest) : undefined;
    if (code === 'H ' && number !== undefined) sendableBelow = number;
    else if (code === 'A ' && number !== undefined) outcomes.set(number, 'added');
    else if (code === 'S ' && number !== undefined) outcomes.set(number, 'skipped');
    else if (code === 'N ' && number !== undefined) outcomes.set(number, 'unsent');
    else if (code === 'R ' && number !== undefined) outcomes.set(number, undefined);
    else if (code === 'F ' || code === 'U ') {
      const report = shaped(failedRowShape, rest, format);
      outcomes.set(report.row, code === 'F ' ? 'failed' : 'unconfirmed');
      await onReport(report);
    } else if (code === 'E ') finished = shaped(bulkReportShape, rest, format);
    else throw damagedCheckpoint(format, `a line begins with ${JSON.stringify(line.text.slice(0, 20))}`);
  }
  return { start, sendableBelow, outcomes, finished, end };
}

function shaped<T>(shape: ShapeCheck<T>, text: string, format: CheckpointFormat): T {
  const value = parseStep(text, format);
  if (fits(shape, value)) return value;
  throw damagedCheckpoint(format, 'a line of the file has an unknown format');
}

const formatOf = (path: string, identity: BulkJobIdentity): CheckpointFormat => ({
  ...{ version: VERSION, identity, name: path },
  ...{ firstLine: 'the first line of the file', otherRun: 'a different run' },
  difference: (name) =>
    name === 'sha256' ? 'the file has changed' : `${name === 'options' ? 'the flags' : name} differ`,
  hints: {
    damaged: [
      'to start over, move the checkpoint away; svc then no longer knows which rows the earlier run sent',
    ],
    other: [
      'to resume that run, give the same file and flags',
      'to send only rows that are new, put them into a file of their own',
      `to start over, remove ${path}; svc then forgets what that run sent, and sends every row`,
    ],
  },
});
