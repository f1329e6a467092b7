/** Defines `svc apply PLAN|FILE`. After an interruption, the next run continues with the remaining steps. */

import { basename } from 'node:path';
import type { PerformedStep } from '../../../features/campaign/apply/apply.ts';
import { type Approvals, checkApprovals } from '../../../features/campaign/approval/approvals.ts';
import type { Step } from '../../../features/campaign/model.ts';
import { collectObservedCampaignState } from '../../../features/campaign/plan/continuation.ts';
import { leavesAllRecordsUnchanged } from '../../../features/campaign/plan/plan.ts';
import { BUNDLE_FILE } from '../../../features/campaign/plan-file/bundle.ts';
import type { Input, Outcome, Verb } from '../../command/command.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { confirm, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { allowLintErrorsFlag } from '../../request/message-lint.ts';
import {
  createTextLinesOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../../request/write-outcome.ts';
import type { Clocks, Invocation, Ports, Tell } from '../../session/ports.ts';
import {
  APPLY_FLAGS,
  blockedError,
  COLUMNS,
  formatFlag,
  hasNumericIds,
  isDone,
  mustFitBudget,
  performSteps,
  planAgain,
  readAndTellRequiredApprovals,
  refuseWithoutPlan,
  rowsOfSteps,
  verifyUnlessExpired,
  type Work,
  workOfPlan,
} from './apply-steps.ts';
import { formatStepCounts } from './item-words.ts';
import { collectLintErrorSections, requireNoLintErrors } from './lint.ts';
import { formatAppliedPlanMarkdown, formatPlan, summarizeApply } from './page.ts';
import { collectPlanSummary } from './plan-make.ts';
import { collectCompanyAndMessagesForPlan, formatPlanPageText, type PlanPageInput } from './plan-page.ts';
import { PLANNING_FLAGS, planCampaignFile, refusePlanningFlagsWithPlan } from './read.ts';
import { describeSkipped } from './series-words.ts';
import { isBundleFile, isPlanFile, readVerifiedPlan, requirePlanForThisService } from './trusted-plan.ts';

export const campaignApply: Verb = {
  name: 'apply',
  summary: 'Apply a plan or campaign file',
  about:
    'Shows the changes and asks for confirmation. After an interruption, run the command again, on any machine: it ' +
    'continues, and creates and sends nothing twice',
  work: 'changes',
  does: 'sends',
  asks: true,
  exits: { 5: 'someone changed a record by hand, or a step is blocked' },
  section: 'States and transitions',
  example: 'apply spring.yaml',
  positionals: [
    { name: 'file', describe: 'Plan or bundle (svc plan --out), or campaign file', completes: 'file' },
  ],
  flags: [...APPLY_FLAGS, ...PLANNING_FLAGS, allowLintErrorsFlag],
  companies: 'writes',
  needsNoCompany: ({ positionals: [path = ''] }) => basename(path) === BUNDLE_FILE,
  runForCompanies: async (session, input) => {
    const [path = ''] = input.positionals;
    if (await isPlanFile(session, path))
      throw new UsageError('cannot combine --companies with a plan, which names its companies itself');
    return (await import('./bundle-apply.ts')).applyFileForCompanies(session, input, path);
  },
  run: async (session, input) => {
    const [path = ''] = input.positionals;
    if (await isBundleFile(session, path))
      return (await import('./bundle-apply.ts')).applyBundle(session, input, path);
    const work = (await isPlanFile(session, path))
      ? await fromPlan(session, input, path)
      : await fromFile(session, input, path);
    const carriedOut = await applySteps(session, work, input.get(allowLintErrorsFlag));
    const blocked = blockedError(work, carriedOut.applied);
    // The rows show what was done, so they are printed even after an error.
    if (blocked) await session.report(blocked);
    return outcomeOf(session, work, carriedOut, input.get(formatFlag) === 'markdown');
  },
};

async function fromFile(session: Ports, input: Input, path: string): Promise<Work> {
  await refuseWithoutPlan(session, input, path);
  requireYesFlagOrTerminal(session, 'apply a campaign');
  return workOfFile(session, input, path);
}

async function workOfFile(session: Ports, input: Input, path: string): Promise<Work> {
  const file = await planCampaignFile(session, input, path);
  const { parsed, planned, options } = file;
  return {
    file: path,
    parsed,
    campaign: parsed.campaign,
    options,
    steps: planned.steps,
    observed: collectObservedCampaignState(planned),
    planned,
    page: async () => formatPlan(await collectPlanSummary(session, file), terminalColumns(session)),
  };
}

async function fromPlan(session: Ports, input: Input, name: string): Promise<Work> {
  refusePlanningFlagsWithPlan(input);
  requireYesFlagOrTerminal(session, 'apply a plan');
  const { plan, path, file } = await readVerifiedPlan(session, name);
  await requirePlanForThisService(session, plan);
  const { env, signal } = session.context;
  const demanded = await readAndTellRequiredApprovals(session, input);
  const verifyApprovals = async (): Promise<Approvals> =>
    checkApprovals(path, plan, demanded, { env, signal, now: await session.serviceNow() });
  const [approvals, expired] = await verifyUnlessExpired(session, plan, verifyApprovals);
  const work = await workOfPlan(session, plan, file, expired);
  const { planned } = work;
  return {
    ...work,
    verifyApprovals,
    page: async () => {
      const { observed } = planned.situation;
      const input: PlanPageInput = {
        plan,
        now: observed.now,
        facts: collectCompanyAndMessagesForPlan(plan, observed),
        extraSections: await collectLintErrorSections(plan),
      };
      return `${formatPlanPageText(input, terminalColumns(session))}${approvedBy(approvals)}`;
    },
  };
}

const namesOf = (approvals: Approvals | undefined): readonly string[] =>
  (approvals?.people ?? []).map(({ names }) => names.join(', '));

function approvedBy(approvals: Approvals | undefined): string {
  const names = namesOf(approvals);
  return names.length === 0 ? '' : `\n\nApproved by ${names.join('; ')}`;
}

/** Undefined without a terminal. The plan is printed on stderr. */
const terminalColumns = ({ context: { stderr } }: Invocation): number | undefined =>
  stderr.isTTY ? stderr.columns : undefined;

interface AppliedSteps {
  readonly line?: string;
  readonly applied: readonly PerformedStep[];
  readonly approvals?: Approvals | undefined;
}

async function applySteps(session: Ports, work: Work, allowLintErrors: boolean): Promise<AppliedSteps> {
  const { steps, situation } = work.planned;
  const unwritten = steps.map((step) => ({ step, result: undefined }));
  if (leavesAllRecordsUnchanged(steps)) {
    const line = `No changes. ${upToDate(steps)} ${situation.observed.requests} requests.`;
    for (const skipped of describeSkipped(work.planned)) await session.info(skipped);
    await printNoteAboutWrite(session, line);
    return { line, applied: unwritten };
  }
  if (!allowLintErrors) {
    const { naming } = await session.resolved();
    await requireNoLintErrors(situation.campaign, steps, situation.observed, work.file, naming);
  }
  // An assistant has read the page with review_plan, and gets the steps as rows.
  if (session.context.confined === undefined) await session.warn((await work.page()).trimEnd().split('\n'));
  const doing = steps.filter(isDone);
  if (session.globals.dryRun) return { applied: unwritten };
  if (doing.length > 0)
    await confirm(
      session,
      `do ${doing.length === 1 ? 'this step' : `these ${doing.length} steps`} (${formatStepCounts(doing)})`,
    );
  // Contract, "Campaigns as files": svc refuses "if the observed state has changed", and checks expiry,
  // signers and signatures again "after its question". It applies the plan of this second look.
  const planned = await planAgain(session, work);
  const approvals = await work.verifyApprovals?.();
  await mustFitBudget(session, work);
  return { applied: await performSteps(session, planned, approvals, work), approvals };
}

function upToDate(steps: readonly Step[]): string {
  const { length } = steps.filter(({ action }) => action === 'keep');
  const rest = steps.filter(({ action }) => action !== 'keep');
  const kept = `${length} ${length === 1 ? 'item is' : 'items are'} up to date`;
  return rest.length === 0 ? `${kept}.` : `${kept}, ${formatStepCounts(rest)}.`;
}

async function outcomeOf(
  session: Invocation & Tell & Clocks,
  work: Work,
  { applied, approvals, line }: AppliedSteps,
  asMarkdown: boolean,
): Promise<Outcome> {
  const isBlocked = applied.some(({ step }) => step.action === 'blocked');
  const exit = isBlocked ? EXIT.conflict : EXIT.done;
  if (!asMarkdown && (await shouldSummarizeWriteInOneLine(session))) {
    const short =
      line === undefined
        ? summarizeApply(session, work.planned.situation.campaign, applied)
        : createTextLinesOutcome(session, line);
    return { ...(await short), exit };
  }
  const rows = rowsOfSteps(applied, !asMarkdown && (await hasNumericIds(session)));
  return {
    result: asMarkdown
      ? { kind: 'text', text: formatAppliedPlanMarkdown(work.campaign.campaign, rows, namesOf(approvals)) }
      : { kind: 'rows', rows, columns: COLUMNS, empty: 'The file has no items.' },
    exit,
  };
}
