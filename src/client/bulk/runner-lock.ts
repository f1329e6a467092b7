/**
 * Ensures that only one process, the runner, uses a checkpoint. Runners may be on different machines, and may be suspended for any time.
 * The lock is a file next to the checkpoint, which its holder rewrites every 5 seconds. Another runner may take it over in two cases. The
 * kernel reports that the holder's process has ended (same machine, same PID namespace, no restart since). Or the holder has not rewritten
 * it for 2 minutes by the clock of the file system. A suspended holder may continue after that. The order of three steps prevents that both
 * send the same row. The holder writes to the checkpoint, on disk, that the row may be sent. It checks that the lock file is still its own.
 * It sends the row. A new runner removes the lock file before it reads the checkpoint. So either the old holder stops at its check, or the
 * checkpoint says that the row may be sent, and the new runner looks it up. One check is enough for all attempts in one turn of the event
 * loop, because Node sends their data together at its end. A write to the checkpoint needs a new check. The check compares inode numbers.
 * The holder keeps the file open, so that the number can't be given to another file. A network file system may answer from a cache that is
 * a minute old. So after 20 seconds without a rewrite, the check first rewrites and reopens the file. Two clocks measure the 20 seconds:
 * the system clock, which continues while the machine sleeps, and the monotonic clock, which no program can set.
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
} from '../../kit/files/lock.ts';
import { type LockHolder, lockHolderState, parseLockHolder } from '../../kit/files/lock-holder.ts';
import { BulkError } from './errors.ts';

export interface RunnerLock {
  /** @throws BulkError `lost-lock` once another runner has taken over */
  readonly check: () => void;
  readonly release: () => void;
}

export interface BusyRunnerLock {
  readonly holder: LockHolder;
  /** Undefined if the holder is known to be alive. */
  readonly freeIn: number | undefined;
}

export interface RunnerLockTimes {
  readonly refresh: number;
  /**
   * Milliseconds since the last rewrite after which `check` rewrites and reopens the file, because a network file system could answer from
   * its cache.
   */
  readonly recheckAfter: number;
  /** Milliseconds since the last rewrite after which another runner may take the lock. */
  readonly takeOver: number;
}

const TIMES: RunnerLockTimes = { refresh: 5_000, recheckAfter: 20_000, takeOver: 120_000 };
const POLL_MS = 5;

const lostLock = (path: string): BulkError =>
  new BulkError(
    'lost-lock',
    `this run lost its lock ${path}, and another run has taken over the job; this run stops`,
    {
      hint: 'this run was paused for minutes, or someone deleted its lock file; another run sends the remaining rows',
    },
  );

/** If the lock file was not written completely yet, waits for that, for a few seconds at most. */
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

/** Returns 0 or less if another runner may take the lock now, and undefined if the holder is known to be alive. */
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

/** Returns nanoseconds by the clock from which the file system takes its time stamps. */
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

/** A network file system asks its server to open a file, not its cache. */
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
