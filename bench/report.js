// What a bench found, kept for `npm run bench`, which makes one table of all.
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/**
 * Appends a row to the file that `SVC_BENCH_RESULTS` names; does nothing where it names none.
 * @param row `{ what, size?, peer, unit, ours, theirs, ratio, atLeast?, atMost? }`: what was measured, with how many rows, beside
 *   what; both figures in `unit`; the ratio as the bench defines it, and the aim for it
 */
export function record(row) {
  const file = process.env.SVC_BENCH_RESULTS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints how busy the machine was: other work slows what is measured. */
export function printLoad() {
  console.log(
    `load average: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
}
