/** One writer at a time: a file that exists while somebody changes another. */
import { closeSync, lstatSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProfileError } from './errors.ts';

interface Holder {
  readonly pid: number;
  /** When that process started, in the kernel's own count; null where it can't be told. */
  readonly started: string | null;
  readonly host: string;
}

const WAIT_MS = 10_000;
const POLL_MS = 5;
/** The work takes milliseconds, so a lock that can't be judged otherwise is given up by its age. */
const UNREADABLE_FOR_MS = 5_000;
const OTHER_HOST_FOR_MS = 60_000;

/**
 * Runs `work` while this process holds the lock. The lock of a process that has died is taken over.
 * @param waitMs milliseconds to wait for another holder
 * @throws ProfileError `storage` when the other one doesn't let go
 */
export async function withLock<T>(path: string, work: () => T, waitMs = WAIT_MS): Promise<T> {
  const deadline = performance.now() + waitMs;
  while (!create(path)) {
    if (performance.now() >= deadline) throw busy(path, waitMs);
    if (!takeOverFromDead(path)) await sleep(POLL_MS);
  }
  try {
    // Left by one that was killed while it took over.
    takeOverFromDead(guardOf(path));
    return work();
  } finally {
    removeIfThere(path);
  }
}

/**
 * Takes the lock for as long as the process likes; undefined where another one holds it. Waits only for one that can't
 * be judged yet. A holder on another machine counts as dead a minute after its lock was touched.
 * @returns gives the lock back
 */
export async function takeLock(path: string): Promise<(() => void) | undefined> {
  while (!create(path)) {
    if (takeOverFromDead(path)) continue;
    const found = read(path);
    if (found !== undefined && holderOf(found.text) !== undefined && !isDead(found)) return undefined;
    await sleep(POLL_MS);
  }
  takeOverFromDead(guardOf(path));
  return () => removeIfThere(path);
}

function guardOf(path: string): string {
  return `${path}.takeover`;
}

function create(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    const holder: Holder = { pid: process.pid, started: startOf(process.pid), host: hostname() };
    writeSync(file, JSON.stringify(holder));
    return true;
  } catch (error) {
    removeIfThere(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Whether it is worth trying again at once. */
function takeOverFromDead(path: string): boolean {
  const judged = read(path);
  if (judged === undefined) return true;
  if (!isDead(judged)) return false;
  // Two may have judged the same lock: without this second file the slower one would remove the lock of the faster.
  const guard = guardOf(path);
  if (!create(guard)) return takeOverFromDead(guard);
  try {
    const now = read(path);
    if (now?.inode === judged.inode && now.text === judged.text) removeIfThere(path);
    return true;
  } finally {
    removeIfThere(guard);
  }
}

interface Found {
  readonly text: string;
  readonly inode: number;
  readonly ageMs: number;
}

function read(path: string): Found | undefined {
  try {
    const stats = lstatSync(path);
    const text = stats.isFile() ? readFileSync(path, 'utf8') : '';
    return { text, inode: stats.ino, ageMs: Date.now() - stats.mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isDead({ text, ageMs }: Found): boolean {
  const holder = holderOf(text);
  if (holder === undefined) return ageMs > UNREADABLE_FOR_MS;
  if (holder.host !== hostname()) return ageMs > OTHER_HOST_FOR_MS;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
  // The number may have been given to another process since.
  return holder.started !== null && startOf(holder.pid) !== holder.started;
}

function holderOf(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, started, host } = value as Record<string, unknown>;
    if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof host !== 'string') return undefined;
    return { pid: Number(pid), started: typeof started === 'string' ? started : null, host };
  } catch {
    return undefined;
  }
}

/** Linux only: field 22 of /proc/PID/stat, after the name in brackets, which may hold anything. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function busy(path: string, waitMs: number): ProfileError {
  const holder = holderOf(read(path)?.text ?? '');
  const who = holder === undefined ? 'something' : `process ${holder.pid} on ${holder.host}`;
  return new ProfileError('storage', `${who} has held ${path} for more than ${waitMs / 1000} s`, {
    hints: [`if no svc is changing profiles, delete ${path} (and ${guardOf(path)}, if it is there)`],
  });
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
