/** One writer at a time: a file that exists while somebody changes another. */
import { closeSync, lstatSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, FileError } from './errors.ts';
import { holderIn, lifeOf, thisProcess } from './lock-holder.ts';

const WAIT_MS = 10_000;
const POLL_MS = 5;
/** The work takes milliseconds, so a lock that can't be judged otherwise is given up by its age. */
const UNREADABLE_FOR_MS = 5_000;
const UNKNOWN_FOR_MS = 60_000;

/**
 * Runs `work` while this process holds the lock. The lock of a process that has died is taken over.
 * @param waitMs milliseconds to wait for another holder
 * @throws FileError `held` when the other one doesn't let go
 */
export async function withLock<T>(path: string, work: () => T, waitMs = WAIT_MS): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const created = createLock(path);
    if (created !== undefined) {
      closeSync(created.file);
      break;
    }
    if (performance.now() >= deadline) throw busy(path, waitMs);
    if (!takeOver(path)) await sleep(POLL_MS);
  }
  try {
    clearGuard(path);
    return work();
  } finally {
    removeIfThere(path);
  }
}

export interface CreatedLock {
  /** Open for writing. */
  readonly file: number;
  readonly text: string;
}

/** The lock as a file with this process in it; undefined while there is one. */
export function createLock(path: string): CreatedLock | undefined {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  try {
    const text = JSON.stringify(thisProcess());
    writeSync(file, text);
    return { file, text };
  } catch (error) {
    removeIfThere(path);
    closeSync(file);
    throw error;
  }
}

export interface FoundLock {
  readonly text: string;
  readonly inode: bigint;
  /** Changes whenever its holder writes it again. */
  readonly written: bigint;
  /** Milliseconds since, by this machine's clock. */
  readonly ageMs: number;
}

export function readLock(path: string): FoundLock | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    const text = stats.isFile() ? readFileSync(path, 'utf8') : '';
    return { text, inode: stats.ino, written: stats.mtimeNs, ageMs: Date.now() - Number(stats.mtimeMs) };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes the lock of one that has died. @returns whether it is worth trying again at once */
export function takeOver(path: string, isDead: (found: FoundLock) => boolean = hasDied): boolean {
  const judged = readLock(path);
  if (judged === undefined) return true;
  if (!isDead(judged)) return false;
  // Two may have judged the same lock: without this second file the slower one would remove the lock of the faster.
  const guard = guardOf(path);
  const created = createLock(guard);
  if (created === undefined) return takeOver(guard);
  try {
    const now = readLock(path);
    if (now?.inode === judged.inode && now.text === judged.text && now.written === judged.written)
      removeIfThere(path);
    return true;
  } finally {
    closeSync(created.file);
    removeIfThere(guard);
  }
}

/** Left by one that was killed while it took over. */
export function clearGuard(path: string): void {
  takeOver(guardOf(path));
}

export function isUnreadable({ text, ageMs }: FoundLock): boolean {
  return holderIn(text) === undefined && ageMs > UNREADABLE_FOR_MS;
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function hasDied(found: FoundLock): boolean {
  const holder = holderIn(found.text);
  if (holder === undefined) return isUnreadable(found);
  const life = lifeOf(holder);
  return life === 'dead' || (life === 'unknown' && found.ageMs > UNKNOWN_FOR_MS);
}

function guardOf(path: string): string {
  return `${path}.takeover`;
}

function busy(path: string, waitMs: number): FileError {
  const holder = holderIn(readLock(path)?.text ?? '');
  const who = holder === undefined ? 'another svc' : `another svc (process ${holder.pid} on ${holder.host})`;
  return new FileError(
    'held',
    `${who} has held ${path} for more than ${waitMs / 1000} s`,
    `wait for it; if it is no longer at work, delete ${path} (and ${guardOf(path)}, if it is there)`,
  );
}
