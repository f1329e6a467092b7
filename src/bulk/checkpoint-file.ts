/** The checkpoint of a bulk job on disk, beside its file: mode 0600, of one job, for one runner at a time. */

import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AccountId } from '../auth/credentials.ts';
import { writeWhole } from '../files/atomic-file.ts';
import { syncDirectory } from '../files/directories.ts';
import { formatJson, parseJson } from '../protocol/json.ts';
import { type AppendFile, createRowOutcomes, type Resumed } from './checkpoint.ts';
import { BulkError } from './errors.ts';
import type { RowReport } from './row.ts';
import { type Busy, type LockTimes, type RunnerLock, takeRunnerLock } from './runner-lock.ts';

/** What makes a job this one and no other. Never a key. */
export interface JobIdentity {
  readonly command: string;
  /** SHA-256 of the file. */
  readonly sha256: string;
  readonly origin: string;
  readonly company: AccountId | null;
  readonly user: AccountId | null;
  readonly partner: AccountId | null;
  /** What else decides on what is sent: the column, a sender. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** How things stood before the first row was sent: service time, and the highest id where that tells. */
export interface JobStart {
  readonly since?: number;
  readonly above?: number | bigint;
}

export interface OpenedCheckpoint extends Resumed {
  readonly file: AppendFile;
  readonly start: JobStart;
  /** An earlier run has begun it. */
  readonly isResumed: boolean;
  /** The report of a job that is done. */
  readonly finished: Readonly<Record<string, unknown>> | undefined;
}

export interface HeldCheckpoint {
  /**
   * Goes on with what is there, or begins. What `onReport` is given was refused, or not confirmed, in an earlier run.
   * @throws BulkError where the checkpoint is of another job
   */
  readonly open: (
    identity: JobIdentity,
    begin: () => Promise<JobStart>,
    onReport: (report: RowReport) => Promise<void>,
  ) => Promise<OpenedCheckpoint>;
  /** @throws BulkError `lost-lock` once another runner has taken over */
  readonly check: () => void;
  /** Before every sending: the same, but that one look serves all that is sent in the same turn (`runner-lock.ts`). */
  readonly checkToSend: () => void;
  readonly remove: () => Promise<void>;
  readonly release: () => void;
}

const VERSION = 1;
const LONGEST_LINE = 1_000_000;

/** @throws BulkError while another run holds it */
export async function holdCheckpoint(path: string, times?: LockTimes): Promise<HeldCheckpoint> {
  const place = `${path}.lock`;
  let lock: RunnerLock | Busy;
  try {
    lock = await takeRunnerLock(place, times);
  } catch (cause) {
    throw new BulkError('input', `cannot write beside the file: ${String((cause as Error).message)}`, {
      hint: '--state FILE names another place for the journal',
      cause,
    });
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

/** Whoever takes over has read what is on disk by then: what comes to disk later needs a look of its own. */
function oncePerTurn(check: () => void): { readonly check: () => void; readonly forget: () => void } {
  let isFresh = false;
  const forget = (): void => {
    isFresh = false;
  };
  return {
    check: () => {
      if (isFresh) return;
      check();
      isFresh = true;
      setImmediate(forget);
    },
    forget,
  };
}

function heldByAnother(place: string, { holder, freeIn }: Busy): BulkError {
  const seconds = Math.ceil((freeIn ?? 0) / 1000);
  return new BulkError(
    'input',
    `another run is at work on it: process ${holder.pid} on ${holder.host} holds ${place}; nothing was sent`,
    {
      hint:
        freeIn === undefined
          ? 'wait for it, or end it first'
          : `wait for it, or end it first; whether it lives can't be told from here, so without a sign of life it is taken over in ${seconds} s, or at once when you delete that file`,
    },
  );
}

async function openCheckpoint(
  path: string,
  identity: JobIdentity,
  begin: () => Promise<JobStart>,
  onReport: (report: RowReport) => Promise<void>,
  writer: Writer,
): Promise<OpenedCheckpoint> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW = 0 } = constants;
  const file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw damaged(path, 'it is no regular file');
    await file.chmod(0o600);
    const read = await readCheckpoint(file, path, identity, onReport);
    // What was cut off in the middle of a line was never acted upon.
    if (read.end < stats.size) await file.truncate(read.end);
    if (read.start !== undefined)
      return { ...read, start: read.start, file: appendTo(file, writer), isResumed: true };
    const start = await begin().catch(async (error: unknown) => {
      // Nothing was begun: nothing is left behind.
      await unlink(path);
      throw error;
    });
    const out = appendTo(file, writer);
    await out.append(`${formatJson({ version: VERSION, ...identity, start })}\n`);
    await out.sync();
    syncDirectory(dirname(path), process.platform);
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

/** One that has lost its lock must not tell a later run what it knows nothing of any more. */
function appendTo(file: FileHandle, { check, onSynced }: Writer): AppendFile {
  return {
    append: async (text) => {
      check();
      // Into the system's memory, which takes less time than to have another thread do it; `sync` waits for the disk.
      writeWhole(file.fd, text);
    },
    sync: async () => {
      await file.datasync();
      onSynced();
    },
    close: () => file.close(),
  };
}

interface ReadCheckpoint extends Resumed {
  /** Undefined: no header was written whole, so nothing was sent. */
  readonly start: JobStart | undefined;
  readonly finished: Readonly<Record<string, unknown>> | undefined;
  /** Octets up to the end of the last whole line. */
  readonly end: number;
}

async function readCheckpoint(
  file: FileHandle,
  path: string,
  identity: JobIdentity,
  onReport: (report: RowReport) => Promise<void>,
): Promise<ReadCheckpoint> {
  const outcomes = createRowOutcomes();
  let start: JobStart | undefined;
  let sendableBelow = 0;
  let finished: Readonly<Record<string, unknown>> | undefined;
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
      const report = parsed(rest, path) as unknown as RowReport;
      outcomes.set(report.row, code === 'F ' ? 'failed' : 'unconfirmed');
      await onReport(report);
    } else if (code === 'E ') finished = parsed(rest, path);
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
    if (rest.length > LONGEST_LINE) throw damaged(path, 'a line is too long');
    let from = 0;
    for (let to = rest.indexOf(10); to >= 0; to = rest.indexOf(10, from)) {
      yield rest.toString('utf8', from, to);
      from = to + 1;
    }
    rest = rest.subarray(from);
  }
}

function startIn(line: string, path: string, identity: JobIdentity): JobStart {
  const { version, start, ...was } = parsed(line, path);
  if (version !== VERSION) throw damaged(path, 'another version of svc wrote it');
  const now: Readonly<Record<string, unknown>> = Object(parseJson(formatJson(identity)));
  const differing = Object.keys(now).filter((name) => !isDeepStrictEqual(now[name], was[name]));
  if (differing.length > 0)
    throw new BulkError(
      'input',
      `${path} is the journal of another run: ${differing.map(wordsOf).join(', ')}; nothing was sent`,
      {
        hints: [
          'to go on with that run, give the same file and flags as then',
          `to begin anew, remove ${path}; what was sent then is not known any more`,
        ],
      },
    );
  return Object(start) as JobStart;
}

const wordsOf = (name: string): string =>
  name === 'sha256' ? 'the file has changed' : `${name === 'options' ? 'the flags' : name} differ`;

function parsed(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = parseJson(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Said below, together with JSON that is no object.
  }
  throw damaged(path, 'a line of it is not JSON');
}

const damaged = (path: string, why: string): BulkError =>
  new BulkError(
    'damaged-checkpoint',
    `${path} is no journal that can be gone on with: ${why}; nothing was sent`,
    { hint: 'move it away; what it tells of an earlier run is then not known any more' },
  );
