/**
 * Ensures that only one process at a time uses a checkpoint, the file with the progress of a job. A process that performs the job is called
 * a runner. Runners may be on different machines, and a runner may be suspended for any length of time.
 *
 * The lock is a file next to the checkpoint. The runner that created the lock file is the holder of the lock. The holder rewrites the file
 * every 5 seconds. Another runner may take over the lock in two cases:
 * - The kernel reports that the holder's process has ended. This works only if both runners are on the same machine, in the same PID
 *   namespace, and the machine has not restarted since. A suspended process has not ended.
 * - It is unknown whether the holder is alive, and the holder has not rewritten the lock file for 2 minutes. The file system gives the time
 *   of the rewrite and the present time, so the clocks of two machines need not agree.
 *
 * A suspended holder may continue after another runner has taken over. The order of three steps prevents the two runners from both sending
 * the same row:
 * 1. The holder writes to the checkpoint, on disk, that the row may be sent.
 * 2. The holder checks that the lock file is still its own. If another runner has removed the file, the holder stops.
 * 3. The holder sends the row.
 * A new runner first removes the lock file, and then reads the checkpoint. If the new runner removes the file before step 2, the old holder
 * stops in step 2. If the new runner removes the file after step 2, the checkpoint already says that the row may be sent. The new runner
 * then looks up the row in the service instead of sending the row.
 *
 * The holder does step 2 before each attempt to send a row, retries included, and also before it writes a line to the checkpoint. One check
 * is enough for all attempts in the same turn of Node's event loop, because Node sends their data together at the end of the turn. There is
 * one exception: after step 1, the holder always checks the lock again. Another runner may have taken over between an earlier check and
 * step 1.
 *
 * Step 2 compares the inode number of the lock file. The holder keeps the file open, so that the file system can't give this number to
 * another file.
 *
 * On a network file system, step 2 may get a cached result that is up to a minute old. So if the holder has not rewritten the file for 20
 * seconds, step 2 first rewrites the file and opens it again. The minute and the 20 seconds together are shorter than the 2 minutes. svc
 * measures the 20 seconds by two clocks: the system clock, which continues while the machine sleeps, and the monotonic clock, which no
 * program can set.
 */
import { closeSync, fdatasyncSync, fstatSync, lstatSync, openSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CreatedLockFile,
  createLock,
  type ExistingLockFile,
  isBrokenLock,
  readLock,
  removeDeadLock,
  removeIfExists,
  removeLeftoverTakeoverFile,
} from '../files/lock.ts';
import { type LockHolder, lockHolderState, parseLockHolder } from '../files/lock-holder.ts';
import { BulkError } from './errors.ts';

export interface RunnerLock {
  /**
   * Checks that this runner still holds the lock. Called before every attempt to send a row, and before every write to the checkpoint.
   * @throws BulkError `lost-lock` once another runner has taken over
   */
  readonly check: () => void;
  /** Releases the lock if it is still held. */
  readonly release: () => void;
}

/** Result of an attempt to take the lock while another runner holds it. */
export interface BusyRunnerLock {
  readonly holder: LockHolder;
  /** Milliseconds until another runner may take the lock. Undefined if the holder is known to be alive. */
  readonly freeIn: number | undefined;
}

/** Times in milliseconds that decide when a runner lock is refreshed, checked again and taken over. */
export interface RunnerLockTimes {
  /** Milliseconds between two refreshes of the lock. A refresh rewrites the lock file. */
  readonly refresh: number;
  /**
   * Maximum time since this runner last rewrote its lock file, in milliseconds. After a longer time, `check` first rewrites the lock file
   * and opens the file again. Otherwise, a network file system could answer the check with old data from its cache.
   */
  readonly recheckAfter: number;
  /**
   * Maximum time since the holder of the lock last rewrote the lock file, in milliseconds. After a longer time, another runner may take the
   * lock, unless the holder is known to be alive.
   */
  readonly takeOver: number;
}

const TIMES: RunnerLockTimes = { refresh: 5_000, recheckAfter: 20_000, takeOver: 120_000 };
const POLL_MS = 5;

/**
 * Returns the error for a run that lost its lock to another run. If the checkpoint lacks the outcomes of some rows because of this error,
 * `checkpoint.ts` adds the line numbers of these rows to the error.
 */
const lostLock = (path: string): BulkError =>
  new BulkError(
    'lost-lock',
    `this run lost its lock ${path}, and another run has taken over the job; this run stops`,
    {
      hint: 'this run was paused for minutes, or someone deleted its lock file; another run sends the remaining rows',
    },
  );

/**
 * Takes the lock, or returns its holder if another runner holds it. If the lock file was not written completely yet, waits for that, for a
 * few seconds at most.
 */
export async function acquireRunnerLock(
  path: string,
  times: RunnerLockTimes = TIMES,
): Promise<RunnerLock | BusyRunnerLock> {
  const isDead = (found: ExistingLockFile): boolean => {
    const holder = parseLockHolder(found.text);
    return holder === undefined ? isBrokenLock(found) : (freeIn(path, holder, found, times) ?? 1) <= 0;
  };
  for (;;) {
    const created = createLock(path);
    if (created !== undefined) {
      removeLeftoverTakeoverFile(path);
      return hold(path, created, times);
    }
    if (removeDeadLock(path, isDead)) continue;
    const found = readLock(path);
    const holder = found === undefined ? undefined : parseLockHolder(found.text);
    if (found !== undefined && holder !== undefined && !isDead(found))
      return { holder, freeIn: freeIn(path, holder, found, times) };
    await sleep(POLL_MS);
  }
}

/**
 * Returns the milliseconds until another runner may take the lock. A result of 0 or less means that another runner may take the lock now.
 * Returns undefined if the holder is known to be alive, because no other runner may then take the lock. If it is unknown whether the holder
 * is alive, the result depends on the time of the holder's last refresh.
 */
function freeIn(
  path: string,
  holder: LockHolder,
  { written }: ExistingLockFile,
  { takeOver: after }: RunnerLockTimes,
): number | undefined {
  const life = lockHolderState(holder);
  if (life === 'alive') return undefined;
  if (life === 'dead') return 0;
  // A future time was written before the clock was set back, as its holder would have refreshed it since.
  return after - Math.abs(Number(fileSystemTime(path) - written) / 1e6);
}

/** Returns the present time in nanoseconds, by the clock from which the lock's file system takes its time stamps. */
function fileSystemTime(path: string): bigint {
  const probe = `${path}.${process.pid}-${hostname()}.now`;
  const file = openSync(probe, 'w', 0o600);
  try {
    return fstatSync(file, { bigint: true }).mtimeNs;
  } finally {
    closeSync(file);
    removeIfExists(probe);
  }
}

function hold(path: string, { descriptor, text }: CreatedLockFile, times: RunnerLockTimes): RunnerLock {
  const { ino } = fstatSync(descriptor, { bigint: true });
  let written = { wall: Date.now(), steady: performance.now() };
  let isHeld = true;
  const refresh = (): void => {
    try {
      // Rewriting the same text makes the file system stamp it again.
      writeSync(descriptor, text, 0);
      fdatasyncSync(descriptor);
      written = { wall: Date.now(), steady: performance.now() };
    } catch {
      // `check` decides whether the lock is still held.
    }
  };
  const timer = setInterval(refresh, times.refresh);
  timer.unref();
  const isStale = (): boolean =>
    Math.max(Math.abs(Date.now() - written.wall), performance.now() - written.steady) > times.recheckAfter;
  const isOwn = (): boolean => {
    if (!isStale()) return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino;
    refresh();
    return inodeNow(path) === ino;
  };
  return {
    check: () => {
      isHeld = isHeld && isOwn();
      if (!isHeld) throw lostLock(path);
    },
    release: () => {
      clearInterval(timer);
      if (isHeld && isOwn()) removeIfExists(path);
      isHeld = false;
      closeSync(descriptor);
    },
  };
}

/**
 * Opens the file again and returns its inode number. Returns undefined if the file can't be opened. To open a file, a network file system
 * asks its server instead of its cache.
 */
function inodeNow(path: string): bigint | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return fstatSync(file, { bigint: true }).ino;
  } finally {
    closeSync(file);
  }
}
