/** Runs the tests of a file for each seed, and makes a failing audience smaller. */

import type { FilePosition } from '../../campaign/file/document.ts';
import type { Campaign } from '../../campaign/model.ts';
import type { PlanOptions } from '../../campaign/plan/situation.ts';
import type { SendLine } from '../../campaign/test-file/sends-file.ts';
import type { CampaignTest, CampaignTestFile } from '../../campaign/test-file/test-file.ts';
import type { SeededAccount } from '../copied-service.ts';
import { withWholeSeries } from '../rehearsed-series.ts';
import { type Contradiction, judgeTest } from './judge.ts';
import { playTests, type Stage } from './play.ts';
import { applyInCopy, type PreparedAccount, prepareAccount } from './prepare.ts';
import { listSends } from './sends.ts';
import { findSmallestAudience, type SmallestAudience, withoutExpectedSizes } from './shrink.ts';

/** The account in which the tests of a file run. */
export interface TestAccount {
  readonly seeded: SeededAccount;
  readonly zone: string;
  /** Unix seconds at which every test begins, not before the account's own time. */
  readonly start: number;
}

export interface RunOptions {
  readonly campaign: Campaign;
  readonly planOptions: PlanOptions;
  readonly account: TestAccount;
  readonly seeds: readonly number[];
  /** Numbers of other people by list, if the list has more. */
  readonly listSizes: ReadonlyMap<number, number>;
  readonly random: (octets: number) => Uint8Array;
  readonly signal: AbortSignal;
  /** True if the result also needs the sends of the campaign, played with the first seed. */
  readonly listsSends?: boolean;
  /** Number of failed statements for which svc looks for a smaller audience, the first ones of the file. Default: 3. */
  readonly shrunkFailures?: number;
  /** Called after each seed. */
  readonly onSeed?: (seed: number) => Promise<void>;
}

export interface StatementFailure extends Contradiction {
  /** The statement as the file has it. */
  readonly statement: string;
  readonly place: FilePosition;
  /** The first seed for which the statement does not hold. */
  readonly seed: number;
  readonly failedSeeds: number;
  /** Undefined if the campaign cannot be applied. `not-sought` after the first failures of the file. */
  readonly smallest: SmallestAudience | 'not-sought' | undefined;
}

export interface TestResult {
  readonly name: string;
  readonly place: FilePosition;
  readonly statements: number;
  readonly failures: readonly StatementFailure[];
}

export interface FileResult {
  readonly tests: readonly TestResult[];
  /** Sentences about people of the file that the account refuses, with their places. The tests did not run then. */
  readonly faults: readonly { readonly place: FilePosition; readonly message: string }[];
  /** Undefined if they are not asked for, or if the campaign cannot be applied. */
  readonly sends?: readonly SendLine[] | undefined;
}

/** @throws the signal's reason if the signal is aborted */
export async function runTests(file: CampaignTestFile, options: RunOptions): Promise<FileResult> {
  const { account, planOptions, listSizes, random, signal } = options;
  const whole = withWholeSeries(options.campaign, account.zone, account.start + file.length);
  const campaign = listSizes.size === 0 ? whole : withoutExpectedSizes(whole);
  const faults: { place: FilePosition; message: string }[] = [];
  const prepared = await prepareAccount({
    ...{ account: account.seeded, zone: account.zone, start: account.start, people: file.people },
    ...{ listSizes, random, signal, fault: (place, message) => void faults.push({ place, message }) },
  });
  try {
    if (faults.length > 0) return { tests: [], faults };
    const { failures, sends } = await runInCopy(prepared, file, { ...options, campaign });
    const results: TestResult[] = [];
    let shrunk = 0;
    for (const test of file.tests) {
      const own: StatementFailure[] = [];
      for (const failure of failures.get(test)?.values() ?? []) {
        const isSought = shrunk < (options.shrunkFailures ?? SHRUNK_FAILURES);
        shrunk += 1;
        const failed = { file, test, campaign, planOptions, ...failure };
        own.push({
          ...failure,
          smallest: failure.isObstacle
            ? undefined
            : isSought
              ? await findSmallestAudience(prepared, failed)
              : 'not-sought',
        });
      }
      const { name, place, statements } = test;
      results.push({ name, place, statements: statements.length, failures: own });
    }
    return { tests: results, faults, sends };
  } finally {
    await prepared.service.close();
  }
}

/** Many failed statements often have one cause, so the first ones are enough. Each one plays the campaign up to 60 times. */
const SHRUNK_FAILURES = 3;

type FirstFailure = Omit<StatementFailure, 'smallest'> & {
  readonly isObstacle: boolean;
  readonly index: number;
};

async function runInCopy(
  prepared: PreparedAccount,
  file: CampaignTestFile,
  { campaign, planOptions, seeds, signal, listsSends, onSeed }: RunOptions,
): Promise<{
  readonly failures: ReadonlyMap<CampaignTest, ReadonlyMap<number, FirstFailure>>;
  readonly sends: FileResult['sends'];
}> {
  let sends: FileResult['sends'];
  const failures = new Map<CampaignTest, Map<number, FirstFailure>>();
  const fail = (test: CampaignTest, failure: Omit<FirstFailure, 'failedSeeds'>): void => {
    const own = failures.get(test) ?? new Map<number, FirstFailure>();
    failures.set(test, own);
    const known = own.get(failure.index);
    own.set(
      failure.index,
      known ? { ...known, failedSeeds: known.failedSeeds + 1 } : { ...failure, failedSeeds: 1 },
    );
  };
  await prepared.service.store.revertAfter(async () => {
    const applied = await applyInCopy(prepared, campaign, planOptions);
    const [obstacle] = applied.obstacles;
    const [firstSeed = 1] = seeds;
    if (obstacle !== undefined) {
      for (const test of file.tests)
        fail(test, {
          ...{ statement: test.name, place: test.place, seed: firstSeed, index: -1, isObstacle: true },
          ...{
            happened: `the campaign cannot be applied: ${applied.obstacles.join('; ')}`,
            time: null,
            cause: null,
          },
        });
      return;
    }
    if (listsSends) sends = await listSends(stageOf(prepared, applied, file, firstSeed));
    for (const seed of seeds) {
      signal.throwIfAborted();
      await playTests(stageOf(prepared, applied, file, seed), file.tests, async (test, played) => {
        const judged = await judgeTest(test, played);
        return {
          holds: judged.every(({ contradiction }) => contradiction === undefined),
          record: () => {
            for (const [index, { statement, contradiction }] of judged.entries())
              if (contradiction)
                fail(test, {
                  ...contradiction,
                  ...{ statement: statement.text, place: statement.place, seed, index, isObstacle: false },
                });
          },
        };
      });
      await onSeed?.(seed);
    }
  });
  return { failures, sends };
}

export const stageOf = (
  account: PreparedAccount,
  campaign: Stage['campaign'],
  { people, shares, length }: Pick<CampaignTestFile, 'people' | 'shares' | 'length'>,
  seed: number,
): Stage => ({ account, campaign, people, shares, seed, end: account.start + length });
