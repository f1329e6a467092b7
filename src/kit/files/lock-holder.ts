import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseJsonObject } from '../text/json-object.ts';

export interface LockHolder {
  readonly pid: number;
  /**
   * Start time of the holder's process, as a number in the kernel's own unit (clock ticks on Linux). It is only compared for equality. Null
   * if unknown.
   */
  readonly started: string | null;
  readonly host: string;
  /**
   * Identifies the boot of the machine and the PID namespace of the holder. Two process ids are comparable only if their `place` is the
   * same. Null except on Linux.
   */
  readonly place: string | null;
  readonly token: string;
}

/** State of a holder. `unknown` if the holder is on another machine or in another container, or if the system does not show the process. */
type LockHolderState = 'alive' | 'dead' | 'unknown';

export function thisProcessAsLockHolder(): LockHolder {
  // Each write takes a lock, and a process keeps its start time.
  startOfThisProcess ??= aboutProcess('self')?.started ?? null;
  return {
    pid: process.pid,
    started: startOfThisProcess,
    host: hostname(),
    place: placeOfThisProcess(),
    token: randomBytes(8).toString('hex'),
  };
}

let startOfThisProcess: string | null | undefined;

export function parseLockHolder(text: string): LockHolder | undefined {
  const { pid, started, host, place, token } = parseJsonObject(text) ?? {};
  if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof host !== 'string') return undefined;
  return {
    pid: Number(pid),
    host,
    started: textOrNull(started),
    place: textOrNull(place),
    token: textOrNull(token) ?? '',
  };
}

/**
 * The state is `unknown` if the process id may name another process here: containers have their own ids, and a restarted machine reuses
 * them. On Linux, the `place` of holder and reader must be equal; elsewhere, the `host` must be this machine.
 */
export function lockHolderState(
  { pid, started, host, place }: LockHolder,
  platform: NodeJS.Platform = process.platform,
): LockHolderState {
  const here = platform === 'linux' ? placeOfThisProcess() : null;
  const isSameScope = here === null ? platform !== 'linux' && host === hostname() : place === here;
  if (!isSameScope) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'dead';
  }
  const about = isProcOfThisNamespace() ? aboutProcess(String(pid)) : undefined;
  if (about === undefined || started === null) return 'unknown';
  // The process has ended, but its parent has not collected its status. The id stays in use until then, which may be forever.
  if (about.state === 'Z' || about.state === 'X') return 'dead';
  // The id may have been reused by another process.
  return about.started === started ? 'alive' : 'dead';
}

/**
 * Process ids and start times are comparable only between processes with the same place. Returns null if the ids can't be read, as on every
 * system except Linux.
 */
function placeOfThisProcess(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [boot, readlinkSync('/proc/self/ns/pid'), readTimeNamespace()].join(' ');
  } catch {
    return null;
  }
}

/** Kernels before Linux 5.6 have only one. */
function readTimeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}

/** A /proc that was mounted outside the namespace shows other process ids. */
function isProcOfThisNamespace(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}

/** Reads fields 3 and 22 of /proc/PID/stat, which follow the name in brackets. Linux only. */
function aboutProcess(pid: string): { readonly state: string; readonly started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, started] = [fields[0], fields[19]];
    return state === undefined || started === undefined ? undefined : { state, started };
  } catch {
    return undefined;
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
