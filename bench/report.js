// Stores the results of a benchmark for `npm run bench`, which makes one table of all results.
import { appendFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/**
 * Appends a row to the file that `SVC_BENCH_RESULTS` names. Does nothing without that variable.
 * @param row `{ what, size?, peer, unit, ours, theirs, ratio, objectWithAtLeast?, atMost? }`: the measurement, its number of rows, the peer,
 *   both figures in `unit`, the ratio as the benchmark defines it, and the aim for the ratio
 */
export function record(row) {
  const file = process.env.SVC_BENCH_RESULTS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`);
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Prints how busy the machine was, because other work slows the measurement. */
export function printLoad() {
  console.log(
    `load average: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
}
