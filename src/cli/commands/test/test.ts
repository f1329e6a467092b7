/** Declares `svc test`, which runs tests of campaigns in copies of an account (contract, "Tests of campaigns"). */

import { resolve } from 'node:path';
import type { PlanOptions } from '../../../features/campaign/plan/situation.ts';
import { formatFlags, similarWords } from '../../../kit/text/words.ts';
import { MAX_SIMULATED_RECIPIENTS_SEED } from '../../../service/protocol/control/audience.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { choiceFlag, repeatableTextFlag, switchFlag, wholeNumberFlag } from '../../command/flag.ts';
import { InvalidInputError, UsageError } from '../../errors/errors.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { isColourWanted, loadColourPainter } from '../../output/colour.ts';
import { createItemResult } from '../../output/result.ts';
import { CAMPAIGN_VALUE_FLAGS, envFlag, setFlag, valuesFlag } from '../../request/campaign-value-flags.ts';
import { listSizeFlag, readListSizes } from '../../request/list-sizes.ts';
import { isResultPrintedForPeople } from '../../request/write-outcome.ts';
import type { Ports } from '../../session/ports.ts';
import { sorted } from '../campaign/read.ts';
import { findingOf } from '../campaign/values.ts';
import { createAudienceFlag } from '../sandbox/start-flags.ts';
import { findTestFiles, type ReadTests, readTests } from './read-tests.ts';
import {
  isPassed,
  jsonOfResults,
  junitOfResults,
  markdownOfResults,
  type TestedFile,
  tapOfResults,
  textOfResults,
} from './results.ts';
import { type KeptSends, readSendsFiles, resultOfSends } from './sends.ts';

const testFlag = repeatableTextFlag('test', {
  describe: 'Run only the test with this name (repeatable)',
  value: 'name',
});
const seedFlag = wholeNumberFlag('seed', {
  describe: 'Run with this seed only. Default: the seeds of each file',
  max: MAX_SIMULATED_RECIPIENTS_SEED,
});
const audienceFlag = createAudienceFlag('the audience of each file');
const shortListFlag = {
  ...listSizeFlag,
  describe: 'Maximum number of other people on a list: LIST-ID=NUMBER (repeatable)',
};
const formatFlag = choiceFlag('format', ['text', 'json', 'junit', 'tap', 'markdown'], {
  describe: 'Output: text, JSON, a report for CI, or pull request comment',
});

const watchFlag = switchFlag('watch', {
  describe: 'Run the tests again whenever one of their files is saved, until Ctrl-C',
});

const updateFlag = switchFlag('update', {
  describe: 'Write what each campaign sends to a file beside its test file; later runs compare with it',
});

export const campaignTest: Verb = {
  name: 'test',
  summary: 'Test campaigns in a copy of an account; exit 11 if a test fails',
  about:
    'Runs each test of *.test.yaml files in its own copy in memory, for several seeds. Sends nothing. Writes no file without --update. With account: demo or a snapshot file in the test file, it needs no key and sends no request. Without a file, it runs all tests in this folder and below. To see what a test can say, run svc explain campaign-test',
  work: 'reads',
  exits: { 11: 'a test failed' },
  live: true,
  section: 'task',
  example: 'test spring.test.yaml',
  positionals: [
    { name: 'file', describe: 'Test file, or a folder', optional: true, variadic: true, completes: 'file' },
  ],
  flags: [
    ...[testFlag, seedFlag, audienceFlag, shortListFlag, formatFlag, watchFlag, updateFlag],
    ...CAMPAIGN_VALUE_FLAGS,
  ],
  run: async (session, input) => {
    refuseFormatConflicts(session, input);
    refuseUpdateConflicts(input);
    const paths = await findTestFiles(session, input.positionals);
    if (input.get(watchFlag)) return watchTests(session, input, paths);
    const { files } = await testOnce(session, input, paths);
    return { ...(await printed(session, input, files)), exit: exitOf(files) };
  },
};

const exitOf = (files: readonly TestedFile[]): ExitCode => (files.every(isPassed) ? EXIT.done : EXIT.unmet);

async function testOnce(session: Ports, input: Input, paths: readonly string[]) {
  const { tests, faults } = await readTests(session, input, paths);
  if (faults.length > 0) throw new InvalidInputError(sorted(faults), 'no test ran');
  const isUpdate = input.get(updateFlag);
  const kept = comparesSends(input) ? await readSendsFiles(session, tests, isUpdate) : new Map();
  return { files: await runAll(session, input, tests, kept), watched: tests.flatMap((each) => each.paths) };
}

/** Returns the exit code of the last run. */
async function watchTests(session: Ports, input: Input, paths: readonly string[]): Promise<Outcome> {
  const { requireTextOutputFormat, watchFiles, printUnreadableFileError } = await import(
    '../../nouns/message/lint-watch.ts'
  );
  if ((input.get(formatFlag) ?? 'text') !== 'text')
    throw new UsageError('--watch prints only text', { hint: 'leave out --format' });
  await requireTextOutputFormat(session);
  const { cwd, stdout } = session.context;
  const watched = paths.map((path) => resolve(cwd, path));
  let exit: ExitCode = EXIT.done;
  const runOnce = async (): Promise<void> => {
    try {
      const tested = await testOnce(session, input, paths);
      watched.splice(0, watched.length, ...new Set([...watched, ...tested.watched]));
      exit = exitOf(tested.files);
      await stdout.write(await textFor(session, tested.files));
    } catch (error) {
      exit = EXIT.usage;
      await printUnreadableFileError(session, error);
    }
  };
  await runOnce();
  const untilEnd = watchFiles(session, [{ paths: watched, onSaved: runOnce }]);
  await session.info(`Watching ${paths.join(' and ')}; Ctrl-C ends.`);
  await untilEnd();
  return { result: { kind: 'nothing' }, exit };
}

async function textFor(
  { context: { env, stdout }, globals }: Ports,
  files: readonly TestedFile[],
): Promise<string> {
  return textOfResults(files, await loadColourPainter(isColourWanted(env, stdout, !globals.color)));
}

function refuseFormatConflicts({ globals }: Ports, input: Input): void {
  if (globals.companies !== undefined) throw new UsageError('cannot combine svc test with --companies');
  if (!input.has(formatFlag)) return;
  const isQueried = globals.fields ?? globals.query ?? globals.jq;
  if (input.has({ name: 'output' }) || input.has({ name: 'json' }) || isQueried !== undefined)
    throw new UsageError('cannot combine --format with -o, --json, --fields, --query or --jq', {
      hint: 'leave out --format; -o json prints the same results',
    });
}

/** Flags with which a run plays something else than the sends file has, or not all of it. */
const PARTIAL_FLAGS = [testFlag, seedFlag, audienceFlag, shortListFlag] as const;

const comparesSends = (input: Input): boolean => !PARTIAL_FLAGS.some((flag) => input.has(flag));

function refuseUpdateConflicts(input: Input): void {
  if (!input.get(updateFlag)) return;
  const other = [...PARTIAL_FLAGS, watchFlag].find((flag) => input.has(flag));
  if (other)
    throw new UsageError(`cannot combine --update with --${other.name}`, {
      hint: 'the file has what the whole campaign sends with the audience and the first seed of the test file',
    });
}

async function runAll(
  session: Ports,
  input: Input,
  all: readonly ReadTests[],
  kept: ReadonlyMap<string, KeptSends>,
): Promise<readonly TestedFile[]> {
  const chosen = input.get(testFlag);
  const names = all.flatMap(({ file }) => file.tests.map(({ name }) => name));
  for (const name of chosen)
    if (!names.includes(name)) {
      const near = similarWords(name, names);
      throw new UsageError(`no test has the name ${JSON.stringify(name)}`, {
        hint:
          near.length === 0
            ? `the tests are: ${names.join(', ')}`
            : `did you mean ${JSON.stringify(near[0])}?`,
      });
    }
  const files: TestedFile[] = [];
  for (const each of all) {
    const tests = each.file.tests.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
    if (tests.length > 0)
      files.push(
        await runFile(session, input, { ...each, file: { ...each.file, tests } }, kept.get(each.file.path)),
      );
  }
  return files;
}

async function runFile(
  session: Ports,
  input: Input,
  { file, campaign, account, accountName, unknown }: ReadTests,
  kept: KeptSends | undefined,
): Promise<TestedFile> {
  const { runTests } = await import('../../../features/rehearse/tests/run.ts');
  const { random, signal } = session.context;
  const seed = input.get(seedFlag);
  const seeds = seed === undefined ? Array.from({ length: file.seeds }, (_, index) => index + 1) : [seed];
  const shares = input.get(audienceFlag) ?? file.shares;
  const planOptions: PlanOptions = {
    ...{ overwrite: false, prune: false, zone: account.zone, madeAt: account.start },
  };
  const { tests, faults, sends } = await session.waiting(`while the tests of ${file.path} run`, () =>
    runTests(
      { ...file, shares },
      {
        ...{ campaign, planOptions, account, seeds, random, signal },
        listsSends: kept !== undefined,
        listSizes: new Map(
          [...readListSizes(input)].map(([id, { email = 0, sms = 0 }]) => [id, Math.max(email, sms)]),
        ),
      },
    ),
  );
  if (faults.length > 0)
    throw new InvalidInputError(
      faults.map(({ place, message }) => findingOf({ file: file.path, ...place, message })),
      'no test ran',
    );
  return {
    ...{
      path: file.path,
      flags: flagsOfCampaign(session, input),
      campaign: campaign.campaign,
      account: accountName,
      start: account.start,
    },
    ...{ zone: account.zone, seeds, audience: shares, tests, unknown },
    sends:
      kept && sends
        ? resultOfSends(session, kept, {
            campaign: campaign.campaign,
            sends,
            isUpdate: input.get(updateFlag),
          })
        : undefined,
  };
}

/** Returns the flags on which the campaign and its account depend, for commands that play it again. */
const flagsOfCampaign = ({ globals: { profile } }: Ports, input: Input): string =>
  formatFlags([
    ['profile', profile],
    ['values', input.get(valuesFlag)],
    ...input.get(setFlag).map((value) => ['set', value] as const),
    ...input.get(envFlag).map((value) => ['env', value] as const),
  ]);

async function printed(
  session: Ports,
  input: Input,
  files: readonly TestedFile[],
): Promise<Pick<Outcome, 'result'>> {
  const format = input.get(formatFlag) ?? 'text';
  const text = (content: string): Pick<Outcome, 'result'> => ({ result: { kind: 'text', text: content } });
  switch (format) {
    case 'junit':
      return text(junitOfResults(files));
    case 'tap':
      return text(tapOfResults(files));
    case 'markdown':
      return text(markdownOfResults(files));
    case 'json':
      return text(`${formatJson(jsonOfResults(files))}\n`);
    default: {
      if (!(await isResultPrintedForPeople(session)))
        return { result: createItemResult(jsonOfResults(files)) };
      return text(await textFor(session, files));
    }
  }
}
