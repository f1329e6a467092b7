/** Time spent at work: a busy machine adds nothing to it, so that a limit on it is never broken by luck. */
import { readFileSync } from 'node:fs';

/** Returns the milliseconds for which this thread has run, or those of the clock where the system does not count them. */
export function ownTime(): number {
  const counted = readOrNone('/proc/thread-self/schedstat');
  return counted === undefined ? performance.now() : Number(counted.split(' ')[0]) / 1e6;
}

/** Returns the milliseconds for which all threads of a process have run. It is undefined where the system does not count them. */
export function ownTimeOf(pid: number): number | undefined {
  // The name of the program, in parentheses, may hold anything. Times are in hundredths of a second.
  const fields = readOrNone(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
  return fields && 10 * (Number(fields[11]) + Number(fields[12]));
}

function readOrNone(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
