/** Evaluates the output of the rows of `npm run torture`. Uses no processes and no files, so that tests can call it. */
import type { Row } from './torture-rows.ts';

/** Output of a vitest run. */
export interface Outcome {
  /** The exit code, or the signal that ended it. */
  readonly exit: number | string;
  /** The text of its JSON reporter, or undefined if it wrote none. */
  readonly report: string | undefined;
  /** The lines that `tried` wrote, such as `A1 10000`. */
  readonly tried: string;
}

export interface Result {
  readonly id: string;
  readonly promise: string;
  readonly tried: number;
  readonly failed: number;
  readonly seconds: number;
  /** The reason why the row did not run. */
  readonly leftOut?: string;
  /** Failures, for a person to read. They may name paths, so `keptReport` leaves them out. */
  readonly problems: readonly string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/**
 * Returns the environment of a row's tests: its own numbers, or the full ones. A number that the user sets wins, so that
 * `SVC_COMMAND_LINES=1000000 npm run torture -- --rows F1` runs a million.
 */
export function environmentOfRow(
  row: Pick<Row, 'env'>,
  given: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  return { ...row.env, ...given, SVC_DEPTH: 'full' };
}

/** Returns the rows with these ids, or all rows for undefined. @throws RangeError for an id that has no row */
export function chooseRows(rows: readonly Row[], ids: string | undefined): readonly Row[] {
  if (ids === undefined) return rows;
  const chosen = ids.split(',').map((id) => id.trim());
  const unknown = chosen.filter((id) => !rows.some((row) => row.id === id));
  if (unknown.length > 0) throw new RangeError(`there is no row ${unknown.join(', ')}`);
  return rows.filter(({ id }) => chosen.includes(id));
}

/**
 * Returns the result of a row. A row passes only if its tests really ran: a run that counts nothing, runs no test, skips one, or dies has
 * failed.
 */
export function resultOf(row: Row, outcome: Outcome, seconds: number): Result {
  const count = triedBy(row.id, outcome.tried);
  const problems = problemsIn(row, outcome);
  if (problems.length === 0 && outcome.exit !== 0) problems.push(`vitest ended with ${outcome.exit}`);
  if (problems.length === 0 && !(Number.isSafeInteger(count) && count > 0))
    problems.push(`no test reported how much it tried (tried('${row.id}', …))`);
  return { id: row.id, promise: row.promise, tried: count, failed: problems.length, seconds, problems };
}

export function leaveOut(row: Row, reason: string): Result {
  return { id: row.id, promise: row.promise, tried: 0, failed: 0, seconds: 0, leftOut: reason, problems: [] };
}

function triedBy(id: string, lines: string): number {
  return lines
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([row]) => row === id)
    .reduce((sum, [, count]) => sum + Number(count), 0);
}

function problemsIn(row: Row, { exit, report }: Outcome): string[] {
  if (report === undefined) return [`vitest wrote no report and ended with ${exit}`];
  const testResults = resultsIn(report);
  if (testResults === undefined) return [`the report of vitest is cut off, and it ended with ${exit}`];
  const pattern = new RegExp(row.tests ?? '');
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  // Vitest reports a test that the pattern leaves out as skipped, like one that skips itself.
  const chosen = tests.filter(({ fullName }) => pattern.test(fullName));
  const problems = chosen
    .filter(({ status }) => status !== 'passed')
    .map(({ fullName, status }) => `${status}: ${fullName}`);
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  problems.push(...broken.map(({ message = '' }) => `a test file failed: ${message}`));
  const missing = row.files.filter((file) => !testResults.some(({ name }) => name.endsWith(file)));
  problems.push(...missing.map((file) => `vitest did not take ${file}`));
  if (chosen.length === 0 && problems.length === 0) problems.push('no test ran');
  return problems;
}

function resultsIn(report: string): Report['testResults'] | undefined {
  try {
    return (JSON.parse(report) as Report).testResults;
  } catch {
    return undefined;
  }
}

const WIDTHS = { id: 5, promise: 84, tried: 10, failed: 7, seconds: 8 };

export const HEADING = line('row', 'promise', 'tried', 'failed', 'seconds');

/** Returns the line of a row in the table. Below a failed row, adds a line for each failure. */
export function tableLines(result: Result): string {
  const { id, promise, tried, failed, seconds, leftOut, problems } = result;
  if (leftOut !== undefined) return line(id, promise, `left out: ${leftOut}`, '', '');
  return [
    line(id, promise, groupThousands(tried), String(failed), String(Math.round(seconds))),
    ...problems.map((problem) => `${' '.repeat(WIDTHS.id + 1)}${problem.split('\n', 1)[0]}`),
  ].join('\n');
}

function line(id: string, promise: string, tried: string, failed: string, seconds: string): string {
  const { id: first, promise: second } = WIDTHS;
  return [
    id.padEnd(first),
    promise.padEnd(second),
    tried.padStart(WIDTHS.tried),
    failed.padStart(WIDTHS.failed),
    seconds.padStart(WIDTHS.seconds),
  ]
    .join(' ')
    .trimEnd();
}

const groupThousands = (count: number): string => count.toLocaleString('en-US');

/** Returns the one command that runs the failed rows again with the same seed, or undefined if none failed. */
export function replayCommand(results: readonly Result[], seed: number): string | undefined {
  const red = results.filter(({ failed }) => failed > 0).map(({ id }) => id);
  return red.length === 0 ? undefined : `SVC_SEED=${seed} npm run torture -- --rows ${red.join(',')}`;
}

/** Returns the text of bench/torture.json. It names no path and no machine. */
export function keptReport(
  results: readonly Result[],
  facts: {
    readonly date: string;
    readonly node: string;
    readonly cores: number;
    readonly seed: number;
    readonly seconds: number;
  },
): string {
  const rows = results.map(({ problems: _, seconds, ...row }) => ({ ...row, seconds: Math.round(seconds) }));
  return `${JSON.stringify({ ...facts, rows }, undefined, 2)}\n`;
}
