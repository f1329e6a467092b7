/** The lock file exists only while a process changes the protected file. */
import { closeSync, lstatSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { retryWhileFileBusy } from './atomic-file.ts';
import { codeOf, FileError } from './errors.ts';
import { lockHolderState, parseLockHolder, thisProcessAsLockHolder } from './lock-holder.ts';

const WAIT_MS = 10_000;
const POLL_MS = 5;
/** Age in milliseconds from which a lock file that names no holder may be removed. A process holds a lock only for milliseconds. */
const UNREADABLE_FOR_MS = 5_000;
/** Age in milliseconds from which a lock may be removed if it is unknown whether its holder is alive. */
const UNKNOWN_FOR_MS = 60_000;

/**
 * Removes the lock of a process that has died.
 * @param waitMs milliseconds to wait while another process holds the lock
 * @throws FileError `held` if the other process doesn't release the lock in time
 */
export async function withLock<T>(path: string, work: () => T, waitMs = WAIT_MS): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const created = createLock(path);
    if (created !== undefined) {
      closeSync(created.descriptor);
      break;
    }
    if (performance.now() >= deadline) throw busy(path, waitMs);
    if (!removeDeadLock(path)) await sleep(POLL_MS);
  }
  try {
    removeLeftoverTakeoverFile(path);
    return work();
  } finally {
    removeIfExists(path);
  }
}

export interface CreatedLockFile {
  readonly descriptor: number;
  readonly text: string;
}

/** Returns undefined if a lock exists. */
export function createLock(path: string): CreatedLockFile | undefined {
  let descriptor: number;
  try {
    // Windows refuses the name of a lock that was just removed, until its last reader closes it.
    descriptor = retryWhileFileBusy(() => openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    const text = JSON.stringify(thisProcessAsLockHolder());
    writeSync(descriptor, text);
    return { descriptor, text };
  } catch (error) {
    removeIfExists(path);
    closeSync(descriptor);
    throw error;
  }
}

export interface ExistingLockFile {
  readonly text: string;
  readonly inode: bigint;
  /** Changes whenever the holder rewrites the file. */
  readonly written: bigint;
  readonly ageMs: number;
}

/** @throws FileError `not-a-file` if a folder, device, pipe or socket is at the path, because svc would remove it as an old lock */
export function readLock(path: string): ExistingLockFile | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    if (!stats.isFile() && !stats.isSymbolicLink()) throw notALock(path);
    const text = stats.isFile() ? retryWhileFileBusy(() => readFileSync(path, 'utf8')) : '';
    return { text, inode: stats.ino, written: stats.mtimeNs, ageMs: Date.now() - Number(stats.mtimeMs) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * @param isDead reports whether the lock may be removed; by default, whether the process that holds the lock has died
 * @returns true if the caller should try at once to create a new lock
 */
export function removeDeadLock(
  path: string,
  isDead: (found: ExistingLockFile) => boolean = hasDied,
): boolean {
  const judged = readLock(path);
  if (judged === undefined) return true;
  if (!isDead(judged)) return false;
  // Two processes may have checked the same lock. Without this second file, the slower one would remove the lock of the faster.
  const takeoverFile = takeoverFileOf(path);
  const created = createLock(takeoverFile);
  if (created === undefined) return removeDeadLock(takeoverFile);
  try {
    const now = readLock(path);
    if (now?.inode === judged.inode && now.text === judged.text && now.written === judged.written)
      removeIfExists(path);
    return true;
  } finally {
    closeSync(created.descriptor);
    removeIfExists(takeoverFile);
  }
}

/** A takeover file is left only if a process was killed while it removed a lock. */
export function removeLeftoverTakeoverFile(path: string): void {
  removeDeadLock(takeoverFileOf(path));
}

export function isBrokenLock({ text, ageMs }: ExistingLockFile): boolean {
  return parseLockHolder(text) === undefined && ageMs > UNREADABLE_FOR_MS;
}

export function removeIfExists(path: string): void {
  try {
    retryWhileFileBusy(() => unlinkSync(path));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function hasDied(found: ExistingLockFile): boolean {
  const holder = parseLockHolder(found.text);
  if (holder === undefined) return isBrokenLock(found);
  const life = lockHolderState(holder);
  return life === 'dead' || (life === 'unknown' && found.ageMs > UNKNOWN_FOR_MS);
}

const notALock = (path: string): FileError =>
  new FileError('not-a-file', `the lock file ${path} is not a regular file`, 'move it away');

function takeoverFileOf(path: string): string {
  return `${path}.takeover`;
}

function busy(path: string, waitMs: number): FileError {
  const holder = parseLockHolder(readLock(path)?.text ?? '');
  const who =
    holder === undefined ? 'another svc process' : `another svc process (${holder.pid} on ${holder.host})`;
  return new FileError(
    'held',
    `${who} has held the lock file ${path} for more than ${waitMs / 1000} s`,
    `wait until that process ends; if it has ended already, delete ${path} (and ${takeoverFileOf(path)}, if it exists)`,
  );
}
