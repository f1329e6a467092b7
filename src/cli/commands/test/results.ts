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
  /** Flags of the command without which the campaign is another one, such as ` --set city=Oslo`. */
  readonly flags: string;
  readonly campaign: string;
  readonly account: string;
  /** Unix seconds. */
  readonly start: number;
  readonly zone: string;
  readonly seeds: readonly number[];
  readonly audience: RecipientReactionShares;
  readonly tests: readonly TestResult[];
  /** Undefined if the file has no sends file. */
  readonly sends: SendsResult | undefined;
  /** Facts about a copied account that svc does not know. */
  readonly unknown: readonly string[];
}

/** The comparison of the sends with the sends file, or its update. */
export interface SendsResult {
  readonly path: string;
  readonly state: 'same' | 'changed' | 'written';
  /** Lines that begin with `- ` or `+ `. Those of an update say what it changed. */
  readonly diff: readonly string[];
}

export const isPassed = ({ tests, sends }: Pick<TestedFile, 'tests' | 'sends'>): boolean =>
  sends?.state !== 'changed' && tests.every(({ failures }) => failures.length === 0);

/** A test, or the comparison of the sends, as all formats show it. */
interface Case {
  readonly name: string;
  readonly line: number;
  /** First line of the failure for people, and its lines in full. Undefined if the test passed. */
  readonly failure?: { readonly summary: string; readonly text: string };
}

function casesOf(file: TestedFile): readonly Case[] {
  const { sends } = file;
  return [
    ...file.tests.map((test): Case => {
      const [first] = test.failures;
      const head = { name: test.name, line: test.place.line };
      if (!first) return head;
      const summary = `${first.statement}: ${first.happened}`;
      return { ...head, failure: { summary, text: failureText(file, test) } };
    }),
    ...(sends === undefined ? [] : [caseOfSends(file, sends)]),
  ];
}

function caseOfSends(file: TestedFile, sends: SendsResult): Case {
  const head = { name: nameOfSends(sends), line: 1 };
  if (sends.state !== 'changed') return head;
  const summary = 'the sends are not those of the sends file';
  return { ...head, failure: { summary, text: [summary, ...sendsLines(file, sends)].join('\n') } };
}

const nameOfSends = ({ path, state }: SendsResult): string =>
  state === 'written' ? `wrote ${path}` : `sends as in ${path}`;

const commandToUpdate = ({ path, flags }: TestedFile): string =>
  `svc test ${quoteShellWord(path)}${flags} --update`;

const MOST_DIFF_LINES = 20;

function sendsLines(file: TestedFile, { diff, state }: SendsResult): readonly string[] {
  const more = diff.length - MOST_DIFF_LINES;
  return [
    ...diff.slice(0, MOST_DIFF_LINES),
    ...(more > 0 ? [`and ${formatCountWithNoun(more, 'more line')} (see -o json)`] : []),
    ...(state === 'changed' ? [`if this is right: ${commandToUpdate(file)}`] : []),
  ];
}

/** Returns the command that repeats one failed test with the smallest audience. */
function commandToRepeat(
  { path, flags }: TestedFile,
  { name }: TestResult,
  { seed, smallest }: StatementFailure,
): string {
  const found = smallest === 'not-sought' ? undefined : smallest;
  return [
    `svc test ${quoteShellWord(path)}${flags} --test ${quoteShellWord(name)} --seed ${seed}`,
    ...(found === undefined ? [] : [`--audience ${sharesText(found.shares)}`]),
    ...[...(found?.lists ?? [])].map(([id, size]) => `--list-size ${id}=${size}`),
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
  if (smallest === 'not-sought') return 'svc looks for it only for the first failed statements of a file';
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
    ...(file.sends ? sendsText(file, file.sends, paint) : []),
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

function sendsText(file: TestedFile, sends: SendsResult, paint: ColourPainter): readonly string[] {
  const result = sends.state === 'changed' ? paint.bad('FAILED') : paint.good('ok    ');
  const paintLine = (line: string): string =>
    line.startsWith('- ') ? paint.bad(line) : line.startsWith('+ ') ? paint.good(line) : line;
  return [
    `  ${result} ${nameOfSends(sends)}`,
    ...sendsLines(file, sends).map((line) => `      ${paintLine(line)}`),
  ];
}

function summaryOf(files: readonly TestedFile[], paint: ColourPainter): string {
  const tests = files.flatMap(casesOf);
  const failed = tests.filter(({ failure }) => failure).length;
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
        smallestAudience: jsonOfSmallest(failure),
        repeat: commandToRepeat(file, test, failure),
      })),
    })),
    sends: file.sends ? jsonOfSends(file, file.sends) : null,
    unknown: file.unknown,
  })),
});

const jsonOfSmallest = ({ smallest }: StatementFailure) =>
  smallest === undefined || smallest === 'not-sought'
    ? null
    : {
        ...nameReactionShares(smallest.shares),
        lists: [...smallest.lists].map(([id, people]) => ({ id, people })),
      };

const jsonOfSends = (file: TestedFile, { path, state, diff }: SendsResult) => ({
  ...{ file: path, state, diff },
  update: commandToUpdate(file),
});

export function junitOfResults(files: readonly TestedFile[]): string {
  const suites = files.map((file) => {
    const cases = casesOf(file);
    const lines = cases.map(({ name, line, failure }) => {
      const head = attributesForXml({ classname: file.path, name, file: file.path, line });
      if (!failure) return `    <testcase${head}/>`;
      const message = attributesForXml({ message: failure.summary, type: 'failure' });
      return `    <testcase${head}><failure${message}>${escapeForXml(failure.text)}</failure></testcase>`;
    });
    const counts = attributesForXml({
      name: file.path,
      tests: cases.length,
      failures: cases.filter(({ failure }) => failure).length,
      errors: 0,
      skipped: 0,
    });
    return [`  <testsuite${counts}>`, ...lines, '  </testsuite>'].join('\n');
  });
  const all = files.flatMap(casesOf);
  const failures = all.filter(({ failure }) => failure).length;
  const totals = attributesForXml({ name: 'svc test', tests: all.length, failures, errors: 0 });
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
  const cases = files.flatMap((file) => casesOf(file).map((each) => ({ ...each, path: file.path })));
  return [
    'TAP version 14',
    `1..${cases.length}`,
    ...cases.flatMap(({ path, name, failure }, index) => {
      const title = `${path}: ${name}`.replace(/[\\#]/g, '\\$&').replace(/[\r\n]+/g, ' ');
      if (!failure) return [`ok ${index + 1} - ${title}`];
      return [
        `not ok ${index + 1} - ${title}`,
        '  ---',
        `  message: ${JSON.stringify(failure.text)}`,
        '  ...',
      ];
    }),
    '',
  ].join('\n');
}

export function markdownOfResults(files: readonly TestedFile[]): string {
  const cases = files.flatMap((file) => casesOf(file).map((each) => ({ ...each, path: file.path })));
  const failed = cases.filter(({ failure }) => failure).length;
  return [
    `### Campaign tests: ${failed === 0 ? 'all passed' : `${failed} of ${cases.length} failed`}`,
    '',
    '| file | test | result |',
    '| --- | --- | --- |',
    ...cases.map(
      ({ path, name, failure }) =>
        `| ${escapeMarkdown(path)} | ${escapeMarkdown(name)} | ${failure ? '**failed**' : 'passed'} |`,
    ),
    ...cases.flatMap(({ name, failure }) =>
      failure ? ['', `**${escapeMarkdown(name)}**`, '', ...markdownCodeBlock(failure.text, 'text')] : [],
    ),
    '',
  ].join('\n');
}
