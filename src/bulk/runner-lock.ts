/**
 * Ensures that only one runner at a time uses a checkpoint. A runner is a process that performs the job. The runners may be on different
 * machines, and one of them may be suspended for any time.
 *
 * The lock is a file next to the checkpoint. Some process ids can be compared: those of one PID namespace, between two restarts of the
 * machine. For such ids, the kernel reports whether the lock's holder is alive. A suspended holder keeps the lock; a killed one loses it at
 * once. In all other cases (another container, another machine, after a restart) only time can decide. The holder rewrites the file every 5
 * s. After 2 minutes without a rewrite, another runner may take over. The file system gives the time of the rewrite and the present time,
 * so the clocks of two machines need not agree.
 *
 * A suspended holder may continue after another runner took over. The order of the steps prevents both from sending the same row. The
 * holder first writes to the checkpoint, on disk, that a row may be sent. Then it checks whether the lock file is still its own. Then it
 * sends the row. A runner that takes over first removes the lock file, and then reads the checkpoint. So one of two cases holds, however
 * long the two pause between their steps. Either the new runner reads that the row may have been sent, and looks the row up instead of
 * sending it. Or the holder checks the lock after the new runner removed it, and the holder stops. If the holder pauses between its check
 * and the sending, the row is in the checkpoint, and the new runner looks it up. The holder checks before every attempt, retries included,
 * and before every line of the checkpoint. Attempts in one turn of the event loop share one check, because Node writes them to their
 * sockets together at the end of that turn. A check that was made before the row was on disk does not count.
 *
 * The holder keeps the file open, so that the file system can't give the inode to another file. A network file system may answer a check
 * from its cache for up to a minute. So a holder that hasn't written for 20 s first writes and opens the file again. The 20 s are measured
 * by the system clock (which runs during sleep) and by the monotonic clock (which can't be set). Two minutes are longer than the minute of
 * the cache and the 20 s together.
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
  removeAbandonedTakeoverFile,
  removeDeadLock,
  removeIfExists,
} from '../files/lock.ts';
import { type LockHolder, lockHolderState, parseLockHolder } from '../files/lock-holder.ts';
import { BulkError } from './errors.ts';

export interface RunnerLock {
  /**
   * Checks that this runner still holds the lock. It is called before every attempt.
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
  /** Time between two refreshes of the lock. */
  readonly refresh: number;
  /**
   * Age of this runner's last refresh above which a check first writes the lock file and opens it again. The result then does not come from
   * the cache of a network file system.
   */
  readonly recheckAfter: number;
  /** Age of the last refresh above which another runner may take the lock, if it is unknown whether the holder is alive. */
  readonly takeOver: number;
}

const TIMES: RunnerLockTimes = { refresh: 5_000, recheckAfter: 20_000, takeOver: 120_000 };
const POLL_MS = 5;

/** Returns the error for a lost lock. The checkpoint adds the numbers of the lines whose outcomes it could not write. */
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
      removeAbandonedTakeoverFile(path);
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
 * Returns the milliseconds until another runner may take the lock. Returns 0 or less if the holder counts as dead, and undefined if the
 * holder is alive.
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

function hold(path: string, { file, text }: CreatedLockFile, times: RunnerLockTimes): RunnerLock {
  const { ino } = fstatSync(file, { bigint: true });
  let written = { wall: Date.now(), steady: performance.now() };
  let isHeld = true;
  const refresh = (): void => {
    try {
      // Rewriting the same text makes the file system stamp it again.
      writeSync(file, text, 0);
      fdatasyncSync(file);
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
      closeSync(file);
    },
  };
}

/** Opens the file again and returns its inode. A network file system does not answer an open from its cache. */
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
