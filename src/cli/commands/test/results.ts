/** Shows the results of campaign tests: for people, as JSON, and in the formats of test runners. */

import type { StatementFailure, TestResult } from '../../../features/rehearse/tests/run.ts';
import { escapeMarkdown, markdownCodeBlock } from '../../../kit/text/markdown.ts';
import { formatTime } from '../../../kit/text/timezone.ts';
import { formatCountWithNoun, quoteShellWord } from '../../../kit/text/words.ts';
import { attributesForXml, escapeForXml } from '../../../service/lint/ci-formats.ts';
import {
  nameReactionShares,
  PLURAL_NAMES_OF_REACTIONS,
  RECIPIENT_REACTIONS,
  type RecipientReactionShares,
} from '../../../service/protocol/control/audience.ts';
import type { ColourPainter } from '../../output/colour.ts';

export interface TestedFile {
  readonly path: string;
  readonly campaign: string;
  readonly account: string;
  /** Unix seconds. */
  readonly start: number;
  readonly zone: string;
  readonly seeds: readonly number[];
  readonly audience: RecipientReactionShares;
  readonly tests: readonly TestResult[];
  /** Facts about a copied account that svc does not know. */
  readonly unknown: readonly string[];
}

export const isPassed = ({ tests }: Pick<TestedFile, 'tests'>): boolean =>
  tests.every(({ failures }) => failures.length === 0);

/** Returns the command that repeats one failed test with the smallest audience. */
function commandToRepeat(
  { path }: TestedFile,
  { name }: TestResult,
  { seed, smallest }: StatementFailure,
): string {
  const shares = smallest && sharesText(smallest.shares);
  return [
    `svc test ${quoteShellWord(path)} --test ${quoteShellWord(name)} --seed ${seed}`,
    ...(shares === undefined ? [] : [`--audience ${shares}`]),
    ...[...(smallest?.lists ?? [])].map(([id, size]) => `--list-size ${id}=${size}`),
  ].join(' ');
}

/** Returns `opens=40%,clicks=10%`, or `none`. */
function sharesText(shares: RecipientReactionShares): string {
  const parts = RECIPIENT_REACTIONS.filter((each) => shares[each] > 0).map(
    (each) => `${PLURAL_NAMES_OF_REACTIONS[each]}=${Number((shares[each] * 100).toPrecision(6))}%`,
  );
  return parts.length === 0 ? 'none' : parts.join(',');
}

function smallestText({ smallest }: StatementFailure): string | undefined {
  if (!smallest) return undefined;
  const shares = sharesText(smallest.shares);
  if (
    shares === 'none' &&
    [...smallest.lists.values()].every((size) => size === 0) &&
    smallest.lists.size > 0
  )
    return 'no other people';
  const lists = [...smallest.lists].map(
    ([id, size]) =>
      `${size === 0 ? 'no other people' : size === 1 ? '1 other person' : `${size} other people`} on list ${id}`,
  );
  return [shares === 'none' ? 'no reactions of others' : shares, ...lists].join(', ');
}

const placeOf = ({ path }: TestedFile, { place }: Pick<StatementFailure, 'place'>): string =>
  `${path}:${place.line}:${place.column}`;

/** Returns the lines of a failure below its statement. */
function reasonLines(file: TestedFile, test: TestResult, failure: StatementFailure): readonly string[] {
  const { happened, time, cause, seed, failedSeeds } = failure;
  const smallest = smallestText(failure);
  const many = file.seeds.length;
  return [
    happened,
    ...(time === null
      ? []
      : [`at ${formatTime(time, file.zone, 'weekday')}${cause === null ? '' : `, by ${cause}`}`]),
    `seed ${seed}${many > 1 ? ` (fails for ${failedSeeds} of ${many} seeds)` : ''}${smallest === undefined ? '' : `; smallest audience: ${smallest}`}`,
    `repeat: ${commandToRepeat(file, test, failure)}`,
  ];
}

export function textOfResults(files: readonly TestedFile[], paint: ColourPainter): string {
  const lines = files.flatMap((file) => [
    paint.heading(`${file.path} (${file.campaign}, account: ${file.account})`),
    ...file.tests.flatMap((test) => [
      `  ${test.failures.length === 0 ? paint.good('ok    ') : paint.bad('FAILED')} ${test.name}`,
      ...test.failures.flatMap((failure) => [
        `    ${placeOf(file, failure)}: ${paint.bad(failure.statement)}`,
        ...reasonLines(file, test, failure).map((line) => `      ${line}`),
      ]),
    ]),
    ...(file.unknown.length === 0
      ? []
      : [
          paint.faint(
            `  not known about this account: ${formatCountWithNoun(file.unknown.length, 'fact')} (see -o json)`,
          ),
        ]),
    '',
  ]);
  return `${[...lines, summaryOf(files, paint)].join('\n')}\n`;
}

function summaryOf(files: readonly TestedFile[], paint: ColourPainter): string {
  const tests = files.flatMap((file) => file.tests);
  const failed = tests.filter(({ failures }) => failures.length > 0).length;
  const seeds = Math.max(0, ...files.map((file) => file.seeds.length));
  const counts = `${formatCountWithNoun(tests.length, 'test')}, ${formatCountWithNoun(seeds, 'seed')}`;
  return failed === 0 ? paint.good(`${counts}: all passed`) : paint.bad(`${counts}: ${failed} failed`);
}

export const jsonOfResults = (files: readonly TestedFile[]) => ({
  passed: files.every(isPassed),
  files: files.map((file) => ({
    ...{ file: file.path, campaign: file.campaign, account: file.account },
    ...{ from: file.start, zone: file.zone, seeds: file.seeds, audience: nameReactionShares(file.audience) },
    tests: file.tests.map((test) => ({
      name: test.name,
      ...{ line: test.place.line, column: test.place.column },
      statements: test.statements,
      passed: test.failures.length === 0,
      failures: test.failures.map((failure) => ({
        statement: failure.statement,
        ...{ line: failure.place.line, column: failure.place.column },
        ...{ happened: failure.happened, time: failure.time },
        local: failure.time === null ? null : formatTime(failure.time, file.zone, 'table'),
        ...{ cause: failure.cause, seed: failure.seed, failedSeeds: failure.failedSeeds },
        smallestAudience: failure.smallest
          ? {
              ...nameReactionShares(failure.smallest.shares),
              lists: [...failure.smallest.lists].map(([id, people]) => ({ id, people })),
            }
          : null,
        repeat: commandToRepeat(file, test, failure),
      })),
    })),
    unknown: file.unknown,
  })),
});

export function junitOfResults(files: readonly TestedFile[]): string {
  const suites = files.map((file) => {
    const failures = file.tests.filter((test) => test.failures.length > 0).length;
    const cases = file.tests.map((test) => {
      const { name, place } = test;
      const head = attributesForXml({ classname: file.path, name, file: file.path, line: place.line });
      if (test.failures.length === 0) return `    <testcase${head}/>`;
      const [first] = test.failures;
      const message = attributesForXml({
        message: `${first?.statement}: ${first?.happened}`,
        type: 'failure',
      });
      return `    <testcase${head}><failure${message}>${escapeForXml(failureText(file, test))}</failure></testcase>`;
    });
    const counts = attributesForXml({
      name: file.path,
      tests: file.tests.length,
      failures,
      errors: 0,
      skipped: 0,
    });
    return [`  <testsuite${counts}>`, ...cases, '  </testsuite>'].join('\n');
  });
  const tests = files.flatMap((file) => file.tests);
  const failures = tests.filter((test) => test.failures.length > 0).length;
  const totals = attributesForXml({ name: 'svc test', tests: tests.length, failures, errors: 0 });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

const failureText = (file: TestedFile, test: TestResult): string =>
  test.failures
    .map((failure) =>
      [`${placeOf(file, failure)}: ${failure.statement}`, ...reasonLines(file, test, failure)].join('\n'),
    )
    .join('\n\n');

/** Test Anything Protocol, version 14. */
export function tapOfResults(files: readonly TestedFile[]): string {
  const tests = files.flatMap((file) => file.tests.map((test) => ({ file, test })));
  return [
    'TAP version 14',
    `1..${tests.length}`,
    ...tests.flatMap(({ file, test }, index) => {
      const name = `${file.path}: ${test.name}`.replace(/[\\#]/g, '\\$&').replace(/[\r\n]+/g, ' ');
      if (test.failures.length === 0) return [`ok ${index + 1} - ${name}`];
      return [
        `not ok ${index + 1} - ${name}`,
        '  ---',
        `  message: ${JSON.stringify(failureText(file, test))}`,
        '  ...',
      ];
    }),
    '',
  ].join('\n');
}

export function markdownOfResults(files: readonly TestedFile[]): string {
  const tests = files.flatMap((file) => file.tests);
  const failed = tests.filter(({ failures }) => failures.length > 0).length;
  return [
    `### Campaign tests: ${failed === 0 ? 'all passed' : `${failed} of ${tests.length} failed`}`,
    '',
    '| file | test | result |',
    '| --- | --- | --- |',
    ...files.flatMap((file) =>
      file.tests.map(
        (test) =>
          `| ${escapeMarkdown(file.path)} | ${escapeMarkdown(test.name)} | ${test.failures.length === 0 ? 'passed' : '**failed**'} |`,
      ),
    ),
    ...files.flatMap((file) =>
      file.tests
        .filter((test) => test.failures.length > 0)
        .flatMap((test) => [
          '',
          `**${escapeMarkdown(test.name)}**`,
          '',
          ...markdownCodeBlock(failureText(file, test), 'text'),
        ]),
    ),
    '',
  ].join('\n');
}
