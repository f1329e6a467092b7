import { appendFileSync } from 'node:fs';

/**
 * Returns the number of repetitions of a test: its variable, or else that of `SVC_DEPTH`. `npm run test:deep` uses `full`, the
 * nightly run on PostgreSQL `middle`, and every other run `few`. `.config/suites.ts` finds the files that repeat by this call.
 */
export function depth(
  variable: string,
  { few, full }: { readonly few: number; readonly full: number },
): number {
  const given = process.env[variable];
  if (given !== undefined) return Number(given);
  switch (process.env['SVC_DEPTH'] ?? 'few') {
    case 'few':
      return few;
    case 'middle':
      // The geometric mean of few and full.
      return Math.round(Math.sqrt(few * full));
    case 'full':
      return full;
    default:
      throw new Error(`SVC_DEPTH is ${process.env['SVC_DEPTH']}: few, middle or full`);
  }
}

/**
 * Reports to `npm run torture` how many cases of a row of docs/acceptance.md a test has checked. Call it after the last check, with
 * the number that was really checked. It does nothing in other runs.
 */
export function tried(row: string, count: number): void {
  const file = process.env['SVC_TRIED'];
  if (file !== undefined) appendFileSync(file, `${row} ${count}\n`);
}

/** The seed of random tests: `SVC_SEED`, or another one in each run. */
export const SEED = Number(process.env['SVC_SEED'] ?? Date.now() % 1_000_000_000);

/** The environment for a test run that a test starts: few repetitions, on SQLite, and no report to `npm run torture`. */
export const INNER_RUN = { SVC_DEPTH: 'few', SVC_TEST_POSTGRES: undefined, SVC_TRIED: undefined };
