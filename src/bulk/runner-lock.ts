/**
 * One runner at a time for a checkpoint, wherever the others are, and however long one of them stands still.
 *
 * The lock is a file beside the checkpoint. Where process numbers mean the same (one boot of one kernel, one PID
 * namespace) the kernel says whether its holder lives: a suspended one keeps it, one that was killed loses it at once.
 * Elsewhere (another container, another machine, after a restart) nothing can tell but time: the holder writes the file
 * again every 5 s, and after 2 minutes without that it may be taken over. Both times are stamped by the file system, so
 * that the clocks of two machines need not agree.
 *
 * Time proves nothing about a holder that was suspended, so no promise rests on it. What does is an order of steps. The
 * holder writes that a row may be sent into the checkpoint, to the disk, then looks whether the lock file is still its own,
 * then sends. Who takes over removes the lock file first and reads the checkpoint after that. However the two are
 * interleaved, and wherever one stops for an hour: either the one that took over has read that the row may have been
 * sent, and looks for it rather than send it, or the holder's look came after the lock was gone, and it stops. That the
 * holder may stop between its look and the sending changes nothing: its row is in the checkpoint by then. The look is made
 * before every attempt, repetitions included, and before every line of the checkpoint. Attempts of one turn of the event
 * loop share one, since they are written to their sockets together at its end; but never one that was made before the row
 * was on disk.
 *
 * The holder keeps the file open, so that its inode can't be given to another file. A network file system may answer a
 * look from memory for up to a minute: a holder that hasn't written for 20 s by the machine's clock (which goes on in
 * sleep) or by the steady one (which can't be set) writes and opens the file anew first. Two minutes are longer than all
 * of that.
 */
import { closeSync, fdatasyncSync, fstatSync, lstatSync, openSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CreatedLock,
  clearGuard,
  createLock,
  type FoundLock,
  isUnreadable,
  readLock,
  removeIfThere,
  takeOver,
} from '../files/lock.ts';
import { type Holder, holderIn, lifeOf } from '../files/lock-holder.ts';
import { BulkError } from './errors.ts';

export interface RunnerLock {
  /** Before every sending. @throws BulkError `lost-lock` once another runner has taken over */
  readonly check: () => void;
  /** Gives it back, where it is still held. */
  readonly release: () => void;
}

/** Another one has it. */
export interface Busy {
  readonly holder: Holder;
  /** Milliseconds until it may be taken over; undefined where its holder is known to live. */
  readonly freeIn: number | undefined;
}

/** Milliseconds. */
export interface LockTimes {
  /** Between two signs of life. */
  readonly refresh: number;
  /** Without a sign of life from oneself, until the next look has to be a thorough one. */
  readonly stale: number;
  /** Without a sign of life from one that can't be judged otherwise, until its lock may be taken over. */
  readonly takeOver: number;
}

const TIMES: LockTimes = { refresh: 5_000, stale: 20_000, takeOver: 120_000 };
const POLL_MS = 5;

/** The checkpoint passes it on with the lines of the rows that it could not note. */
const lostLock = (path: string): BulkError =>
  new BulkError(
    'lost-lock',
    `another run has taken over: ${path} is no longer held by this one, which stops`,
    {
      hint: 'this run stood still for minutes, or somebody deleted the file; the other run goes on with its rows',
    },
  );

/** Waits only for one that can't be judged yet, a few seconds at most. */
export async function takeRunnerLock(path: string, times: LockTimes = TIMES): Promise<RunnerLock | Busy> {
  const isDead = (found: FoundLock): boolean => {
    const holder = holderIn(found.text);
    return holder === undefined ? isUnreadable(found) : (freeIn(path, holder, found, times) ?? 1) <= 0;
  };
  for (;;) {
    const created = createLock(path);
    if (created !== undefined) {
      clearGuard(path);
      return hold(path, created, times);
    }
    if (takeOver(path, isDead)) continue;
    const found = readLock(path);
    const holder = found === undefined ? undefined : holderIn(found.text);
    if (found !== undefined && holder !== undefined && !isDead(found))
      return { holder, freeIn: freeIn(path, holder, found, times) };
    await sleep(POLL_MS);
  }
}

/** 0 or less: its holder counts as dead. Undefined: it lives. */
function freeIn(
  path: string,
  holder: Holder,
  { written }: FoundLock,
  { takeOver: after }: LockTimes,
): number | undefined {
  const life = lifeOf(holder);
  if (life === 'alive') return undefined;
  if (life === 'dead') return 0;
  // A time to come is one from before the clock was set back, as its holder would have written again since.
  return after - Math.abs(Number(fileSystemTime(path) - written) / 1e6);
}

/** Nanoseconds, by the clock that stamps files where the lock is. */
function fileSystemTime(path: string): bigint {
  const probe = `${path}.${process.pid}-${hostname()}.now`;
  const file = openSync(probe, 'w', 0o600);
  try {
    return fstatSync(file, { bigint: true }).mtimeNs;
  } finally {
    closeSync(file);
    removeIfThere(probe);
  }
}

function hold(path: string, { file, text }: CreatedLock, times: LockTimes): RunnerLock {
  const { ino } = fstatSync(file, { bigint: true });
  let written = { wall: Date.now(), steady: performance.now() };
  let isHeld = true;
  const refresh = (): void => {
    try {
      // The same once more: the file system stamps it.
      writeSync(file, text, 0);
      fdatasyncSync(file);
      written = { wall: Date.now(), steady: performance.now() };
    } catch {
      // Whether it is still held is for `check` to say.
    }
  };
  const timer = setInterval(refresh, times.refresh);
  timer.unref();
  const isStale = (): boolean =>
    Math.max(Math.abs(Date.now() - written.wall), performance.now() - written.steady) > times.stale;
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
      if (isHeld && isOwn()) removeIfThere(path);
      isHeld = false;
      closeSync(file);
    },
  };
}

/** Of the file that is opened now: no network file system answers that from memory. */
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
