/** Measures the time spent at work. Other load on the machine does not count, so a limit on this time is never exceeded by chance. */
import { readFileSync } from 'node:fs';

/** Returns the milliseconds for which this thread has run, or those of the clock if the system does not count them. */
export function ownTime(): number {
  const counted = readOrNone('/proc/thread-self/schedstat');
  return counted === undefined ? performance.now() : Number(counted.split(' ')[0]) / 1e6;
}

/** Returns the milliseconds for which all threads of a process have run, or undefined if the system does not count them. */
export function ownTimeOf(pid: number): number | undefined {
  // The name of the program, in parentheses, may contain any text. Times are in hundredths of a second.
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
