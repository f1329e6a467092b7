/** Declares `svc rehearse`, which shows what campaigns and scheduled tasks will do, in a copy of the account (contract, "Rehearse"). */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanOptions } from '../../../features/campaign/plan/situation.ts';
import type { RehearsedRecipients } from '../../../features/rehearse/estimates.ts';
import type { AccountReadResult } from '../../../features/rehearse/read-account.ts';
import type { RehearsalFinding, RehearsalResult } from '../../../features/rehearse/rehearsal-result.ts';
import type { RehearsedCampaign } from '../../../features/rehearse/rehearse.ts';
import { formatMarkdownPage } from '../../../kit/report/markdown-page.ts';
import { formatTextPageLines } from '../../../kit/report/text-page.ts';
import { readTimezone } from '../../../kit/text/timezone.ts';
import type { DataDir } from '../../../sandbox/data/data-dir.ts';
import {
  MAX_SIMULATED_RECIPIENTS_SEED,
  PLURAL_NAMES_OF_REACTIONS,
  RECIPIENT_REACTIONS,
  type RecipientReactionShares,
  type SimulatedRecipientSettings,
} from '../../../service/protocol/control/audience.ts';
import { formatJson } from '../../../service/protocol/json.ts';
import { namingWithOverrides } from '../../../service/protocol/naming.ts';
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
import { lintCampaign } from '../campaign/lint.ts';
import { PLANNING_FLAGS, planCampaignFiles, refusePlanningFlagsWithPlan } from '../campaign/read.ts';
import { isPlanFile, readVerifiedPlan, requirePlanForThisService } from '../campaign/trusted-plan.ts';
import { createAudienceFlag } from '../sandbox/start-flags.ts';
import { type RehearsalPageFacts, rehearsalReport } from './pages.ts';

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
    'Reads the account, applies the campaign files to a copy of the account in memory, and moves the clock of the copy. Sends nothing, and changes nothing in the account. Exits with 11 if it finds an error. Without a file, it rehearses the scheduled tasks and the active rules',
  work: 'reads',
  exits: { 11: 'errors found (with --strict, also warnings)' },
  section: 'task',
  example: 'rehearse spring.yaml',
  positionals: [
    { name: 'file', describe: 'Campaign file or plan', optional: true, variadic: true, completes: 'file' },
  ],
  flags: [
    ...[forFlag, audienceFlag, seedFlag, listSizeFlag, apartFlag],
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
    const { campaigns, findings, files } = await campaignsIn(session, input);
    const [{ readAccountCopy, withKnownZone }, { audiencesOfCampaigns }] = await Promise.all([
      import('../../../features/rehearse/read-account.ts'),
      import('../../../features/rehearse/campaign-audiences.ts'),
    ]);
    const account = await session.waiting('while the account is read', async () =>
      readAccountCopy(await session.client(), {
        listSizes,
        campaigns: audiencesOfCampaigns(campaigns.map(({ campaign }) => campaign)),
        keepsNotificationTargets: true,
      }),
    );
    const zone = readTimezone(account.copy.account.timezone) ?? (await session.requiredZone());
    const read = { ...account, copy: withKnownZone(account.copy, zone) };
    const simulatedRecipients = await audienceOf(input, read);
    const kept = input.get(openFlag) ? await createRehearsalSandbox(session) : undefined;
    try {
      const database = kept?.database;
      const rehearsed = {
        ...{ campaigns, read, simulatedRecipients, database },
        findings: [...findings, ...(await findingsOfScheduled(session, read, campaigns))],
      };
      const story = await runRehearsal(session, input, rehearsed);
      if (file) {
        const { htmlPage } = await import('../../../kit/report/html-page.ts');
        const facts = { files, listNames: await readListNames(session) };
        await writeNewFile(session, file, htmlPage(rehearsalReport(story, simulatedRecipients, facts)));
        await session.info(`wrote ${file.name}`);
      }
      const isUnmet = story.findings.some(({ severity }) => severity === 'error' || input.get(strictFlag));
      const exit = isUnmet ? EXIT.unmet : EXIT.done;
      if (session.globals.companies !== undefined)
        return { result: { kind: 'object', value: rowOf(story), columns: COMPANY_ROW_COLUMNS }, exit };
      const text = await printed(session, input, story, simulatedRecipients);
      if (!kept) return { result: { kind: 'text', text }, exit };
      await session.context.stdout.write(text);
      await kept.show();
      return { result: { kind: 'nothing' }, exit };
    } finally {
      await kept?.remove();
    }
  },
};

/** @throws UsageError before the first request, for faults of the files and for output that is about one company */
async function prepareForCompanies(session: Ports, input: Input): Promise<void> {
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
function rowOf({ sends, findings }: RehearsalResult) {
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
    findings: findings.map(({ rule, severity, message, at }) => ({ rule, severity, message, at })),
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

interface Rehearsed {
  readonly campaigns: readonly RehearsedCampaign[];
  readonly findings: readonly RehearsalFinding[];
  /** Campaign files and plans. */
  readonly files: RehearsalPageFacts['files'];
}

/** @throws UsageError for campaign files and plans together */
async function campaignsIn(session: Ports, input: Input): Promise<Rehearsed> {
  const paths = input.positionals;
  const plans: string[] = [];
  for (const path of paths) if (await isPlanFile(session, path)) plans.push(path);
  if (plans.length === 0) {
    const files = paths.length === 0 ? [] : await planCampaignFiles(session, input, paths);
    const { naming } = await session.resolved();
    return together(
      await Promise.all(
        files.map(async ({ path, parsed: { campaign, inputs }, options, observed }) => ({
          rehearsed: { campaign, options, file: path },
          // The first input is the campaign file itself.
          sha256: inputs[0]?.sha256 ?? '',
          findings: findingsOf(await lintCampaign(campaign, observed, path, naming), path),
        })),
      ),
    );
  }
  if (plans.length < paths.length)
    throw new UsageError('cannot rehearse plans and campaign files together', {
      hint: 'run svc rehearse once with the plans, and once with the campaign files',
    });
  refusePlanningFlagsWithPlan(input);
  return together(await Promise.all(plans.map((path) => planIn(session, path))));
}

async function planIn(session: Invocation & Profiles, path: string) {
  const { plan, file } = await readVerifiedPlan(session, path);
  await requirePlanForThisService(session, plan);
  const { wanted } = plan.inputs;
  const options: PlanOptions = { ...plan.inputs.options, madeAt: plan.made };
  return {
    rehearsed: { campaign: wanted, options, file: path },
    sha256: plan.sha256,
    findings: findingsOf(
      await lintCampaign(wanted, { account: {} }, file, namingWithOverrides(plan.naming)),
      path,
    ),
  };
}

const together = (
  all: readonly {
    readonly rehearsed: RehearsedCampaign;
    readonly sha256: string;
    readonly findings: readonly RehearsalFinding[];
  }[],
): Rehearsed => ({
  campaigns: all.map(({ rehearsed }) => rehearsed),
  findings: all.flatMap(({ findings }) => findings),
  files: all.map(({ rehearsed: { file }, sha256 }) => ({ name: file, sha256 })),
});

function findingsOf(
  found: Awaited<ReturnType<typeof lintCampaign>>,
  path: string,
): readonly RehearsalFinding[] {
  return found.map(({ severity, message, rule, file, line, column }) => ({
    rule: 'lint',
    severity: severity === 'error' ? 'error' : 'warning',
    message: `${message} [${rule}]`,
    at: [file ?? path, line, file === null ? null : column].filter((each) => each !== null).join(':'),
  }));
}

async function runRehearsal(
  session: Invocation & Tell,
  input: Input,
  {
    campaigns,
    findings,
    read,
    simulatedRecipients,
    database,
  }: Omit<Rehearsed, 'files'> & {
    readonly read: AccountReadResult;
    readonly simulatedRecipients: SimulatedRecipientSettings;
    readonly database: string | undefined;
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
    }),
  );
  return { ...story, findings: [...story.findings, ...findings] };
}

function jsonOf(result: RehearsalResult, { shares, seed, source }: RehearsedRecipients): string {
  const { company, from, until, sends, rules, sequences, people, findings, estimated, unknown } = result;
  const named = RECIPIENT_REACTIONS.map((each) => [PLURAL_NAMES_OF_REACTIONS[each], shares[each]]);
  const audience = { ...Object.fromEntries(named), source, seed };
  return formatJson({
    ...{ company, from, until, audience, sends, rules, sequences, people, findings, estimated, unknown },
  });
}

async function printed(
  session: Invocation & Tell,
  input: Input,
  story: RehearsalResult,
  audience: RehearsedRecipients,
): Promise<string> {
  const format = input.get(formatFlag) ?? ((await session.format()) === 'json' ? 'json' : 'text');
  if (format === 'json') return `${jsonOf(story, audience)}\n`;
  const report = rehearsalReport(story, audience);
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
