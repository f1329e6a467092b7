/** Who holds a lock, and whether that process is still there. */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface Holder {
  readonly pid: number;
  /** When that process started, in the kernel's own count; null where it can't be told. */
  readonly started: string | null;
  readonly host: string;
  /** Within which process numbers mean the same: one boot of one kernel, and one PID namespace of it; Linux only. */
  readonly place: string | null;
  /** Another one for every lock that is taken. */
  readonly token: string;
}

/** `unknown`: on another machine, in another container, or where the system tells too little. */
export type Life = 'alive' | 'dead' | 'unknown';

export function thisProcess(): Holder {
  return {
    pid: process.pid,
    started: aboutProcess('self')?.started ?? null,
    host: hostname(),
    place: placeOfThisProcess(),
    token: randomBytes(8).toString('hex'),
  };
}

/** The holder that a lock file tells of; undefined where it was not written whole. */
export function holderIn(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, started, host, place, token } = value as Record<string, unknown>;
    if (!Number.isSafeInteger(pid) || Number(pid) < 1 || typeof host !== 'string') return undefined;
    return {
      pid: Number(pid),
      host,
      started: textOrNull(started),
      place: textOrNull(place),
      token: textOrNull(token) ?? '',
    };
  } catch {
    return undefined;
  }
}

/**
 * A process number is judged only where it means the same as it did to the holder: a container has numbers of its own,
 * whatever its host name, and so has the machine after a restart.
 */
export function lifeOf({ pid, started, host, place }: Holder): Life {
  const here = placeOfThisProcess();
  const isNear = here === null ? process.platform !== 'linux' && host === hostname() : place === here;
  if (!isNear) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and another user's.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return 'dead';
  }
  const about = isProcOfThisNamespace() ? aboutProcess(String(pid)) : undefined;
  if (about === undefined || started === null) return 'unknown';
  // It has ended, and nobody has asked how: the number stays taken until its parent does, which may be never.
  if (about.state === 'Z' || about.state === 'X') return 'dead';
  // The number may have been given to another process since.
  return about.started === started ? 'alive' : 'dead';
}

/** Linux only. A time namespace counts the starts of processes in its own way. */
function placeOfThisProcess(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [boot, readlinkSync('/proc/self/ns/pid'), readTime()].join(' ');
  } catch {
    return null;
  }
}

/** Before Linux 5.6 there is one for all. */
function readTime(): string {
  try {
    return readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}

/** A /proc that was mounted outside of this PID namespace numbers processes as they are numbered there. */
function isProcOfThisNamespace(): boolean {
  try {
    return readlinkSync('/proc/self') === String(process.pid);
  } catch {
    return false;
  }
}

/** Linux only: fields 3 and 22 of /proc/PID/stat, after the name in brackets, which may hold anything. */
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
