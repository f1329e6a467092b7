/** `npm run torture`: its table of rows, and its evaluation of the results of a row. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deepFiles, onPostgres, ROOT } from '../.config/suites.ts';
import {
  chooseRows,
  environmentOfRow,
  keptReport,
  leaveOut,
  type Outcome,
  replayCommand,
  resultOf,
  tableLines,
} from '../.config/torture-results.ts';
import { ROWS, type Row } from '../.config/torture-rows.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const documented = new Set(
  [...read('docs/acceptance.md').matchAll(/^\| ([A-Z]\d+) +\|/gm)].map(([, id]) => id),
);

const IN_RUN = { deep: deepFiles(), postgres: onPostgres() };

describe('the rows', () => {
  it('have different ids', () => {
    expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
  });

  it.each(ROWS)('$id is a row of docs/acceptance.md, and its tests say how much they tried', (row) => {
    expect(documented).toContain(row.id);
    expect(row.promise).toMatch(/^\S[^\n]{9,83}\.$/);
    const files = row.config === 'postgres' ? IN_RUN.postgres : IN_RUN.deep;
    for (const file of row.files) {
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      expect(files, `${file} is not in the run of this row`).toContain(file);
    }
    expect(row.files.filter((file) => read(file).includes(`tried('${row.id}',`))).not.toEqual([]);
  });

  it('are chosen by their ids', () => {
    const [first, second] = ROWS;
    expect(chooseRows(ROWS, undefined)).toBe(ROWS);
    expect(chooseRows(ROWS, `${second?.id}, ${first?.id}`)).toEqual([first, second]);
    expect(() => chooseRows(ROWS, 'A1,Z9')).toThrow(new RangeError('there is no row Z9'));
  });

  it('run with their own numbers, unless the user sets other ones', () => {
    const own = { env: { SVC_COMMAND_LINES: '250000', SVC_REAL_LINES: '2000' } };
    const given = { PATH: '/bin', SVC_COMMAND_LINES: '1000000' };
    const numbers = { SVC_COMMAND_LINES: '1000000', SVC_REAL_LINES: '2000' };
    expect(environmentOfRow(own, given)).toMatchObject({ PATH: '/bin', ...numbers });
    expect(environmentOfRow(own, {})).toMatchObject(own.env);
  });
});

const row: Row = { id: 'A1', promise: 'The signature is right.', files: ['a.test.ts'] };
const report = (...statuses: readonly (readonly [fullName: string, status: string])[]): string =>
  JSON.stringify({
    testResults: [
      {
        name: '/somewhere/a.test.ts',
        status: statuses.some(([, status]) => status === 'failed') ? 'failed' : 'passed',
        assertionResults: statuses.map(([fullName, status]) => ({ fullName, status })),
      },
    ],
  });
const GREEN: Outcome = { exit: 0, report: report(['it signs', 'passed']), tried: 'A1 300\nS1 5\nA1 700\n' };

describe('a result', () => {
  it('of a green run counts the cases of its row, and none of other rows', () => {
    expect(resultOf(row, GREEN, 3)).toMatchObject({ tried: 1000, failed: 0, problems: [] });
  });

  it.each<readonly [string, Partial<Outcome>, string]>([
    ['a test failed', { exit: 1, report: report(['a', 'passed'], ['b', 'failed']) }, 'failed: b'],
    ['a test was skipped', { report: report(['a', 'passed'], ['b', 'skipped']) }, 'skipped: b'],
    ['no test ran', { report: report() }, 'no test ran'],
    ['no test reported a count', { tried: '' }, 'no test reported how much it tried'],
    ['a test reported none', { tried: 'A1 0\n' }, 'no test reported how much it tried'],
    ['the count is no number', { tried: 'A1 many\n' }, 'no test reported how much it tried'],
    ['only another row has a count', { tried: 'S1 5\n' }, 'no test reported how much it tried'],
    ['the run was killed', { exit: 'SIGKILL', report: undefined }, 'wrote no report and ended with SIGKILL'],
    ['its report is cut off', { exit: 1, report: '{"testResults":[' }, 'the report of vitest is cut off'],
    [
      'a file was not taken',
      { report: report(['it signs', 'passed']).replace('a.test', 'b.test') },
      'did not take a.test.ts',
    ],
    ['code outside the tests failed', { exit: 1 }, 'vitest ended with 1'],
    [
      'a file could not be read',
      {
        exit: 1,
        report:
          '{"testResults":[{"name":"a.test.ts","status":"failed","message":"no such","assertionResults":[]}]}',
      },
      'a test file failed: no such',
    ],
  ])('is red when %s', (_, changed, problem) => {
    const { failed, problems } = resultOf(row, { ...GREEN, ...changed }, 3);
    expect(failed).toBeGreaterThan(0);
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });

  it('does not count tests that the pattern of the row leaves out', () => {
    const some = { ...GREEN, report: report(['it signs', 'passed'], ['another', 'skipped']) };
    expect(resultOf({ ...row, tests: '^it signs' }, some, 3).failed).toBe(0);
    expect(resultOf({ ...row, tests: '^another' }, some, 3).failed).toBe(1);
    expect(resultOf({ ...row, tests: '^none' }, some, 3).problems).toEqual(['no test ran']);
  });
});

describe('the output and the stored result', () => {
  const red = resultOf(row, { ...GREEN, exit: 1, report: report(['it signs', 'failed']) }, 12.6);
  const left = leaveOut({ ...row, id: 'A5' }, 'faketime is not installed');

  it('has a line for each row, with the failures below it', () => {
    expect(tableLines(red)).toMatch(/^A1 {4}The signature is right\. +1,000 +1 +13\n +failed: it signs$/);
    expect(tableLines(left)).toMatch(/^A5 {4}The signature is right\. +left out: faketime is not installed$/);
  });

  it('has one command that repeats all failures', () => {
    expect(replayCommand([red, left], 7)).toBe('SVC_SEED=7 npm run torture -- --rows A1');
    expect(replayCommand([left], 7)).toBeUndefined();
  });

  it('contains no path and no machine', () => {
    const facts = { date: '2026-11-23', node: '20.20.2', cores: 2, seed: 7, seconds: 13 };
    expect(JSON.parse(keptReport([red, left], facts))).toEqual({
      ...facts,
      rows: [
        { id: 'A1', promise: 'The signature is right.', tried: 1000, failed: 1, seconds: 13 },
        {
          id: 'A5',
          promise: 'The signature is right.',
          tried: 0,
          failed: 0,
          seconds: 0,
          leftOut: 'faketime is not installed',
        },
      ],
    });
  });
});
