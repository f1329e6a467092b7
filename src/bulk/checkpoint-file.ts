/** The file has mode 0600. It belongs to one job, and only one run may use it at a time. */

import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AccountId } from '../auth/credentials.ts';
import { writeWhole } from '../files/atomic-file.ts';
import { flushDirectoryToDisk } from '../files/directories.ts';
import { formatJson, parseJson } from '../protocol/json.ts';
import { fits, type ShapeCheck } from '../schema/shape.ts';
import { parseJsonObject } from '../text/json-object.ts';
import { explainTooNewFileVersion, UPDATE_SVC_HINT } from '../text/svc-error.ts';
import {
  type AppendOnlyFile,
  type BulkReport,
  bulkReportShape,
  createRowOutcomes,
  type ResumedJobProgress,
} from './checkpoint.ts';
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
  readonly file: AppendOnlyFile;
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
  let lock: RunnerLock | BusyRunnerLock;
  try {
    lock = await acquireRunnerLock(place, times);
  } catch (cause) {
    throw new BulkError(
      'input',
      `cannot create the checkpoint: ${cause instanceof Error ? cause.message : String(cause)}`,
      {
        hint: '--state FILE names another file for the checkpoint',
        cause,
      },
    );
  }
  if ('holder' in lock) throw heldByAnother(place, lock);
  const { check, release } = lock;
  const sending = oncePerTurn(check);
  const writer = { check, onSynced: sending.forget };
  return {
    open: (identity, begin, onReport) => openCheckpoint(path, identity, begin, onReport, writer),
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
function oncePerTurn(checkLock: () => void): { readonly check: () => void; readonly forget: () => void } {
  let isFresh = false;
  const forget = (): void => {
    isFresh = false;
  };
  return {
    check: () => {
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
  writer: Writer,
): Promise<OpenedCheckpoint> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0 } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw damaged(path, 'the checkpoint is not a regular file');
    const read = await readCheckpoint(file, path, identity, onReport);
    await file.chmod(0o600);
    // A truncated line was never acted upon.
    if (read.end < stats.size) await file.truncate(read.end);
    if (read.start !== undefined)
      return { ...read, start: read.start, file: appendTo(file, writer), isResumed: true };
    const start = await begin().catch(async (error: unknown) => {
      // The job did not start, so the file is removed.
      await unlink(path);
      throw error;
    });
    const out = appendTo(file, writer);
    await out.append(`${formatJson({ version: VERSION, ...identity, start })}\n`);
    await out.sync();
    flushDirectoryToDisk(dirname(path));
    return { ...read, start, file: out, isResumed: false };
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface Writer {
  readonly check: () => void;
  readonly onSynced: () => void;
}

/** A runner that has lost its lock must not write lines, because a later run would rely on these lines. */
function appendTo(file: FileHandle, { check, onSynced }: Writer): AppendOnlyFile {
  return {
    append: async (text) => {
      check();
      // This writes to the system's cache, which is faster than handing it to another thread. `sync` waits for the disk.
      writeWhole(file.fd, text);
    },
    sync: async () => {
      await file.datasync();
      onSynced();
    },
    close: () => file.close(),
  };
}

interface ReadCheckpoint extends ResumedJobProgress {
  /** Undefined if the header is incomplete; nothing was sent then. */
  readonly start: NewRecordBounds | undefined;
  readonly finished: BulkReport | undefined;
  readonly end: number;
}

async function readCheckpoint(
  file: FileHandle,
  path: string,
  identity: BulkJobIdentity,
  onReport: (report: FailedRowReport) => Promise<void>,
): Promise<ReadCheckpoint> {
  const outcomes = createRowOutcomes();
  let start: NewRecordBounds | undefined;
  let sendableBelow = 0;
  let finished: BulkReport | undefined;
  let end = 0;
  for await (const line of wholeLines(file, path)) {
    end += Buffer.byteLength(line) + 1;
    if (start === undefined) {
      start = startIn(line, path, identity);
      continue;
    }
    const [code, rest] = [line.slice(0, 2), line.slice(2)];
    const number = /^[0-9]{1,15}$/.test(rest) ? Number(rest) : undefined;
    if (code === 'H ' && number !== undefined) sendableBelow = number;
    else if (code === 'A ' && number !== undefined) outcomes.set(number, 'added');
    else if (code === 'S ' && number !== undefined) outcomes.set(number, 'skipped');
    else if (code === 'N ' && number !== undefined) outcomes.set(number, 'unsent');
    else if (code === 'R ' && number !== undefined) outcomes.set(number, undefined);
    else if (code === 'F ' || code === 'U ') {
      const report = shaped(failedRowShape, parsed(rest, path), path);
      outcomes.set(report.row, code === 'F ' ? 'failed' : 'unconfirmed');
      await onReport(report);
    } else if (code === 'E ') finished = shaped(bulkReportShape, parsed(rest, path), path);
    else throw damaged(path, `a line begins with ${JSON.stringify(line.slice(0, 20))}`);
  }
  return { start, sendableBelow, outcomes, finished, end };
}

async function* wholeLines(file: FileHandle, path: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(65_536), 0, 65_536, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    if (rest.length > MAX_LINE_LENGTH) throw damaged(path, 'a line is too long');
    let from = 0;
    for (let to = rest.indexOf(10); to >= 0; to = rest.indexOf(10, from)) {
      yield rest.toString('utf8', from, to);
      from = to + 1;
    }
    rest = rest.subarray(from);
  }
}

function startIn(line: string, path: string, identity: BulkJobIdentity): NewRecordBounds {
  const { version, start, ...was } = parsed(line, path);
  const newer = explainTooNewFileVersion(path, version, VERSION);
  if (newer !== undefined)
    throw new BulkError('damaged-checkpoint', `${newer}; nothing was sent`, { hint: UPDATE_SVC_HINT });
  if (version !== VERSION) throw damaged(path, 'the first line of the file has an unknown format');
  const now: Readonly<Record<string, unknown>> = Object(parseJson(formatJson(identity)));
  const differing = Object.keys(now).filter((name) => !isDeepStrictEqual(now[name], was[name]));
  if (differing.length > 0)
    throw new BulkError(
      'input',
      `${path} is the checkpoint of a different run: ${differing.map(differenceText).join(', ')}; nothing was sent`,
      {
        hints: [
          'to resume that run, give the same file and flags',
          `to start over, remove ${path}; svc then forgets what that run sent`,
        ],
      },
    );
  return Object(start);
}

const differenceText = (name: string): string =>
  name === 'sha256' ? 'the file has changed' : `${name === 'options' ? 'the flags' : name} differ`;

function shaped<T>(shape: ShapeCheck<T>, value: unknown, path: string): T {
  if (fits(shape, value)) return value;
  throw damaged(path, 'a line of the file has an unknown format');
}

function parsed(text: string, path: string): Readonly<Record<string, unknown>> {
  const value = parseJsonObject(text, parseJson);
  if (value !== undefined) return value;
  throw damaged(path, 'a line of the file is not JSON');
}

const damaged = (path: string, why: string): BulkError =>
  new BulkError('damaged-checkpoint', `cannot resume from ${path}: ${why}; nothing was sent`, {
    hint: 'to start over, move the checkpoint away; svc then no longer knows which rows the earlier run sent',
  });
