/** Declares `svc rehearse`, which shows what campaigns and scheduled tasks will do, in a copy of the account (contract, "Rehearse"). */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RehearsedRecipients } from '../../../features/rehearse/estimates.ts';
import type { AccountReadResult } from '../../../features/rehearse/read-account.ts';
import type { RehearsalFinding, RehearsalResult } from '../../../features/rehearse/rehearsal-result.ts';
import type { RehearsedCampaign } from '../../../features/rehearse/rehearse.ts';
import { formatMarkdownPage } from '../../../kit/report/markdown-page.ts';
import type { Report } from '../../../kit/report/report.ts';
import { formatTextPageLines } from '../../../kit/report/text-page.ts';
import { readTimezone } from '../../../kit/text/timezone.ts';
import type { DataDir } from '../../../sandbox/data/data-dir.ts';
import {
  MAX_SIMULATED_RECIPIENTS_SEED,
  nameReactionShares,
  type RecipientReactionShares,
} from '../../../service/protocol/control/audience.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import type { Input, Verb } from '../../command/command.ts';
import {
  choiceFlag,
  durationFlag,
  switchFlag,
  wholeNumberFlag,
  writtenFileFlag,
} from '../../command/flag.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import type { Column } from '../../output/result.ts';
import { readListNames } from '../../request/list-names.ts';
import { listSizeFlag, readListSizes } from '../../request/list-sizes.ts';
import { checkNewFileAndNoCompaniesFlag, writeNewFile } from '../../request/new-file.ts';
import type { Changes, Invocation, Ports, Profiles, Tell } from '../../session/ports.ts';
import { checkFilesForCompanies, selectCompaniesOfCampaign } from '../campaign/companies.ts';
import { PLANNING_FLAGS } from '../campaign/read.ts';
import { isPlanFile } from '../campaign/trusted-plan.ts';
import { createAudienceFlag } from '../sandbox/start-flags.ts';
import { againstFlag, readOtherVersion } from './against.ts';
import { campaignsIn, type Rehearsed } from './campaigns.ts';
import { type ComparedRehearsals, differenceReport } from './difference-page.ts';
import { type RehearsalPageFacts, rehearsalReport } from './pages.ts';
import { sayWithNames } from './sentences.ts';

const forFlag = durationFlag('for', {
  describe: 'Maximum time span to rehearse',
  default: '30d',
  unit: 'seconds',
  min: '1m',
  max: '90d',
});
const audienceFlag = createAudienceFlag("the shares of the account's completed tasks");
const seedFlag = wholeNumberFlag('seed', {
  describe: 'Random seed for the simulated reactions',
  max: MAX_SIMULATED_RECIPIENTS_SEED,
  default: 1,
});
const apartFlag = durationFlag('apart', {
  describe: 'Warn if two sends to the same list are less than this time apart',
  default: '24h',
  unit: 'seconds',
});
const strictFlag = switchFlag('strict', { describe: 'Also exit with 11 if there are warnings' });
const formatFlag = choiceFlag('format', ['text', 'markdown', 'json'], {
  describe: 'Output: text, pull request comment, or JSON',
});
const openFlag = switchFlag('open', {
  describe: 'Show the copy of the account in the browser, until Ctrl-C',
});
const htmlFlag = writtenFileFlag('html', {
  writes: 'output',
  describe: 'Also write the result to this HTML file',
});
const forceFlag = switchFlag('force', { describe: 'Replace an existing HTML file' });

export const rehearse: Verb = {
  name: 'rehearse',
  summary: 'Show what a campaign will do, in a copy of your account',
  about:
    'Reads the account, applies the campaign files to a copy of the account in memory, and moves the clock of the copy. Sends nothing, and changes nothing in the account. Exits with 11 if it finds an error. With --against, it shows only what differs from another version. Without a file, it rehearses the scheduled tasks and the active rules',
  work: 'reads',
  exits: { 11: 'errors found (with --strict, also warnings); with --against, new ones' },
  section: 'task',
  example: 'rehearse spring.yaml',
  positionals: [
    { name: 'file', describe: 'Campaign file or plan', optional: true, variadic: true, completes: 'file' },
  ],
  flags: [
    ...[againstFlag, forFlag, audienceFlag, seedFlag, listSizeFlag, apartFlag],
    ...[strictFlag, formatFlag, htmlFlag, forceFlag, openFlag],
    ...PLANNING_FLAGS,
  ],
  companies: 'reads',
  prepare: async (session, input) => {
    await prepareForCompanies(session, input);
    return { run: rehearse.run };
  },
  run: async (session, input) => {
    const file = await checkNewFileAndNoCompaniesFlag(session, input, htmlFlag, forceFlag);
    const listSizes = readListSizes(input, session.context.confined);
    const against = input.get(againstFlag);
    const other = against === undefined ? undefined : await readOtherVersion(session, input, against);
    const own = await campaignsIn(session, input, input.positionals);
    const [{ readAccountCopy, withKnownZone }, { audiencesOfCampaigns }] = await Promise.all([
      import('../../../features/rehearse/read-account.ts'),
      import('../../../features/rehearse/campaign-audiences.ts'),
    ]);
    const campaigns = [...own.campaigns, ...(other?.campaigns ?? [])];
    const account = await session.waiting('while the account is read', async () =>
      readAccountCopy(await session.client(), {
        listSizes,
        campaigns: audiencesOfCampaigns(campaigns.map(({ campaign }) => campaign)),
        keepsNotificationTargets: true,
      }),
    );
    const zone = readTimezone(account.copy.account.timezone) ?? (await session.requiredZone());
    const read = { ...account, copy: withKnownZone(account.copy, zone) };
    const audience = await audienceOf(input, read);
    const kept = input.get(openFlag) ? await createRehearsalSandbox(session) : undefined;
    try {
      const play = { read, audience, isCompared: other !== undefined };
      const before = other && (await runRehearsal(session, input, { ...play, rehearsed: other }));
      const story = await runRehearsal(session, input, { ...play, rehearsed: own, database: kept?.database });
      const told =
        other && before
          ? await comparedStory({ before, after: story, other }, audience)
          : wholeStory(story, audience);
      if (file) {
        const { htmlPage } = await import('../../../kit/report/html-page.ts');
        const facts = { files: own.files, listNames: await readListNames(session) };
        await writeNewFile(session, file, htmlPage(told.report(facts)));
        await session.info(`wrote ${file.name}`);
      }
      const isUnmet = told.findings.some(({ severity }) => severity === 'error' || input.get(strictFlag));
      const exit = isUnmet ? EXIT.unmet : EXIT.done;
      if (session.globals.companies !== undefined)
        return { result: { kind: 'object', value: rowOf(story), columns: COMPANY_ROW_COLUMNS }, exit };
      const text = await printed(session, input, told);
      if (!kept) return { result: { kind: 'text', text }, exit };
      await session.context.stdout.write(text);
      await kept.show();
      return { result: { kind: 'nothing' }, exit };
    } finally {
      await kept?.remove();
    }
  },
};

/** Result of the command, in each format. */
interface Told {
  /** Findings that decide the exit code. */
  readonly findings: readonly RehearsalFinding[];
  readonly report: (page?: RehearsalPageFacts) => Report;
  readonly json: () => object;
}

const wholeStory = (story: RehearsalResult, audience: RehearsedRecipients): Told => ({
  findings: story.findings,
  report: (page) => rehearsalReport(story, audience, page),
  json: () => jsonOf(story, audience),
});

async function comparedStory(
  { before, after, other }: Pick<ComparedRehearsals, 'before' | 'after' | 'other'>,
  audience: RehearsedRecipients,
): Promise<Told> {
  const { compareRehearsals, isWithoutDifference } = await import('../../../features/rehearse/compare.ts');
  const difference = compareRehearsals(before, after);
  const compared = { before, after, other, difference, isSame: isWithoutDifference(difference) };
  return {
    findings: difference.findings.added,
    report: (page) => differenceReport(compared, audience, page),
    json: () => differenceJson(compared, audience),
  };
}

/** @throws UsageError before the first request, for faults of the files and for output that is about one company */
async function prepareForCompanies(session: Ports, input: Input): Promise<void> {
  if (input.has(againstFlag))
    throw new UsageError('cannot combine --against with --companies', {
      hint: 'choose one company with --company',
    });
  if (input.get(openFlag) || (input.get(formatFlag) ?? 'json') !== 'json')
    throw new UsageError('cannot combine --companies with --open, or with --format text or markdown', {
      hint: 'leave it out; -o json has all findings',
    });
  for (const path of input.positionals)
    if (await isPlanFile(session, path)) throw new UsageError('cannot combine --companies with a plan');
  await checkFilesForCompanies(session, input, await selectCompaniesOfCampaign(session, input));
}

const COMPANY_ROW_COLUMNS: readonly Column[] = [
  ...['sends', 'sent', 'credits', 'errors', 'warnings'].map((name) => ({ name, kind: 'number' as const })),
  { name: 'findings', wraps: true },
];

/** Sums up the rehearsal of one of many companies. A sum is null if a number is not known. */
function rowOf(story: RehearsalResult) {
  const { sends, findings } = story;
  const say = sayWithNames(story, 'operators');
  const sum = (values: readonly (number | null)[]): number | null =>
    values.reduce<number | null>((all, each) => (all === null || each === null ? null : all + each), 0);
  const count = (severity: RehearsalFinding['severity']): number =>
    findings.filter((each) => each.severity === severity).length;
  return {
    sends: sends.length,
    sent: sum(sends.map(({ sent }) => sent)),
    credits: sum(sends.map(({ credits }) => credits)),
    errors: count('error'),
    warnings: count('warning'),
    findings: findings.map(({ rule, severity, message, at }) => ({
      ...{ rule, severity, message: say(message), at },
    })),
  };
}

async function findingsOfScheduled(
  session: Profiles,
  { copy }: AccountReadResult,
  campaigns: readonly RehearsedCampaign[],
): Promise<readonly RehearsalFinding[]> {
  const { lintScheduledMessages } = await import('./lint-scheduled.ts');
  const { naming } = await session.resolved();
  return lintScheduledMessages(
    copy,
    campaigns.map(({ campaign }) => campaign),
    naming,
  );
}

async function audienceOf(input: Input, { copy }: AccountReadResult): Promise<RehearsedRecipients> {
  const seed = input.get(seedFlag);
  const given = input.get(audienceFlag);
  if (given) return { shares: given, seed, source: 'flag' };
  const { computeReactionSharesOfTasks } = await import('../../../features/rehearse/estimates.ts');
  const own = computeReactionSharesOfTasks(copy.tasks);
  const none: RecipientReactionShares = { open: 0, click: 0, unsubscribe: 0, complaint: 0, bounce: 0 };
  return { shares: own ?? none, seed, source: own ? 'account' : 'none' };
}

async function runRehearsal(
  session: Invocation & Tell & Profiles,
  input: Input,
  {
    rehearsed: { campaigns, findings },
    read,
    audience: simulatedRecipients,
    isCompared,
    database,
  }: {
    readonly rehearsed: Rehearsed;
    readonly read: AccountReadResult;
    readonly audience: RehearsedRecipients;
    readonly isCompared: boolean;
    readonly database?: string | undefined;
  },
): Promise<RehearsalResult> {
  const { rehearse } = await import('../../../features/rehearse/rehearse.ts');
  const { random, signal } = session.context;
  const story = await session.waiting('while the campaign is rehearsed', () =>
    rehearse(read.copy, campaigns, {
      ...{ random, signal, simulatedRecipients, database },
      maxDuration: input.get(forFlag),
      minGap: input.get(apartFlag),
      estimated: read.estimated,
      unknown: read.unknown,
      guessedSizes: read.guessedSizes,
      unknownSizes: read.unknownSizes,
      countsMessagesPerPerson: isCompared,
    }),
  );
  const scheduled = await findingsOfScheduled(session, read, campaigns);
  return { ...story, findings: [...story.findings, ...findings, ...scheduled] };
}

function jsonOf(result: RehearsalResult, audience: RehearsedRecipients): object {
  const { company, from, until, sends, rules, sequences, series, people, estimated } = result;
  const say = sayWithNames(result, 'operators');
  const findings = result.findings.map((each) => ({ ...each, message: say(each.message) }));
  return {
    ...{ company, from, until, audience: audienceJson(audience), sends, rules, sequences, series, people },
    ...{ findings, estimated, unknown: result.unknown.map(say) },
  };
}

function differenceJson(
  { before, after, other, difference, isSame }: ComparedRehearsals,
  audience: RehearsedRecipients,
): object {
  const { company, from, until, estimated } = after;
  const { kind, name, commit, missing } = other;
  const { renamed, sends, people, rules, credits, findings, unknown } = difference;
  const [sayNew, sayOld] = [sayWithNames(after, 'operators'), sayWithNames(before, 'operators')];
  return {
    ...{ company, from, until, against: { kind, name, commit, missing }, same: isSame },
    audience: audienceJson(audience),
    ...{ renamed, sends, people, rules, credits },
    findings: {
      added: findings.added.map((each) => ({ ...each, message: sayNew(each.message) })),
      removed: findings.removed.map((each) => ({ ...each, message: sayOld(each.message) })),
    },
    estimated: estimated || before.estimated,
    unknown: { added: unknown.added.map(sayNew), removed: unknown.removed.map(sayOld) },
  };
}

const audienceJson = ({ shares, source, seed }: RehearsedRecipients): object => ({
  ...nameReactionShares(shares),
  ...{ source, seed },
});

async function printed(session: Invocation & Tell, input: Input, told: Told): Promise<string> {
  const format = input.get(formatFlag) ?? ((await session.format()) === 'json' ? 'json' : 'text');
  if (format === 'json') return `${formatJson(told.json())}\n`;
  const report = told.report();
  if (format === 'markdown') return formatMarkdownPage(report);
  const { stdout } = session.context;
  const lines = formatTextPageLines(report, stdout.isTTY ? (stdout.columns ?? 80) : 80);
  return `${lines.map(({ text }) => text).join('\n')}\n`;
}

/** The rehearsal writes the copy of the account to `database`. `show` opens its outbox in the browser and waits for Ctrl-C. */
async function createRehearsalSandbox(session: Invocation & Tell & Profiles & Changes) {
  session.beforeChange('run a sandbox that shows the result of the rehearsal until you press Ctrl-C');
  const { dataDirAt, createDatabaseFileIfMissing, lockDataDir } = await import(
    '../../../sandbox/data/data-dir.ts'
  );
  const folder = await mkdtemp(join(tmpdir(), 'svc-rehearse-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const dir = dataDirAt(join(folder, 'data'));
    lockDataDir(dir).release();
    createDatabaseFileIfMissing(dir);
    return { database: dir.database, show: () => show(session, dir), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function show(session: Invocation & Tell & Profiles, dataDir: DataDir): Promise<void> {
  const { clock, random, stderr } = session.context;
  const { startSandbox } = await import('../../../sandbox/start.ts');
  const { naming } = await session.resolved();
  const sandbox = await startSandbox({
    ...{ dataDir, port: 0, seed: 'empty', naming, machineNow: clock.now, random },
    report: () => undefined,
  });
  try {
    await stderr.write('The copy of the account opens in the browser. Press Ctrl-C to delete the copy.\n');
    const { openPageUntilInterrupted } = await import('../sandbox/open.ts');
    const advice = 'leave out --open to see the rehearsal as text';
    await openPageUntilInterrupted(session, sandbox.openPage('outbox'), advice);
  } finally {
    await sandbox.stop();
  }
}
