/** Applies a bundle, or a campaign file for many companies. A company that has drifted is blocked alone (contract, "Many companies"). */

import type { SelectedCompany } from '../../../client/companies/selector.ts';
import type { SendCountedInBudget } from '../../../client/sends/budget-counter.ts';
import type { PerformedStep } from '../../../features/campaign/apply/apply.ts';
import { type Approvals, checkBundleApprovals } from '../../../features/campaign/approval/approvals.ts';
import { collectObservedCampaignState } from '../../../features/campaign/plan/continuation.ts';
import { leavesAllRecordsUnchanged } from '../../../features/campaign/plan/plan.ts';
import { makeBundle } from '../../../features/campaign/plan-file/bundle.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { companiesAtOnceFlag, writeFlag } from '../../command/companies-flags.ts';
import { namesOf } from '../../companies/run.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { COMPANY_COLUMNS } from '../../request/company-rows.ts';
import { confirmByTyping, requireYesFlagOrTerminal } from '../../request/guards.ts';
import { allowLintErrorsFlag } from '../../request/message-lint.ts';
import type { Ports } from '../../session/ports.ts';
import { refuseWriteIfReadOnly } from '../../session/write-stages.ts';
import {
  blockedError,
  COLUMNS,
  formatFlag,
  hasNumericIds,
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
import { type CompanyPlan, countCompanies, formatBundlePageText } from './bundle-page.ts';
import { planEachCompany } from './bundle-plan.ts';
import {
  COMPANIES_AT_ONCE,
  checkFilesForCompanies,
  combineCompanyExits,
  companiesOfBundle,
  requireCompaniesInRoster,
  runForCompanies,
  selectCompaniesOfCampaign,
} from './companies.ts';
import { requireNoLintErrors } from './lint.ts';
import { formatAppliedPlanMarkdown } from './page.ts';
import { collectCompanyAndMessagesForPlan } from './plan-page.ts';
import { refusePlanningFlagsWithPlan } from './read.ts';
import { readVerifiedBundle, requirePlanForThisService } from './trusted-plan.ts';

interface CompanyWork extends SelectedCompany {
  readonly session: Ports;
  readonly work: Omit<Work, 'page'>;
  readonly page: CompanyPlan;
}

interface BundleWork {
  readonly companies: readonly CompanyWork[];
  /** Exit codes of the companies that svc could not look at, and reported. */
  readonly exits: readonly ExitCode[];
  /** Undefined for a campaign file. */
  readonly verifyApprovals?: () => Promise<Approvals>;
}

export async function applyBundle(session: Ports, input: Input, name: string): Promise<Outcome> {
  refusePlanningFlagsWithPlan(input);
  refuseWriteIfReadOnly((await session.resolved()).profile);
  requireYesFlagOrTerminal(session, 'apply a bundle');
  const read = await readVerifiedBundle(session, name);
  const companies = companiesOfBundle(read.plans);
  await requireCompaniesInRoster(
    session,
    companies.map(({ id }) => id),
  );
  const demanded = await readAndTellRequiredApprovals(session, input);
  const { env, signal } = session.context;
  const clock = session.actingFor(companies[0]?.id ?? 0);
  const verifyApprovals = async (): Promise<Approvals> =>
    checkBundleApprovals(read.path, read, demanded, { env, signal, now: await clock.serviceNow() });
  const validUntil = Math.min(...read.plans.map((plan) => plan.validUntil));
  const [, expired] = await verifyUnlessExpired(clock, { validUntil }, verifyApprovals);
  const { done, exits } = await runForCompanies(
    session,
    COMPANIES_AT_ONCE,
    companies,
    async (acting, { plan }) => {
      await requirePlanForThisService(acting, plan);
      const work = await workOfPlan(acting, plan, read.file, expired);
      const facts = collectCompanyAndMessagesForPlan(plan, work.planned.situation.observed);
      return { work, page: { plan, facts } };
    },
  );
  const works = done.map(({ company, session: own, value }) => ({ ...company, session: own, ...value }));
  return carryOut(session, input, { companies: works, exits, verifyApprovals });
}

export async function applyFileForCompanies(session: Ports, input: Input, path: string): Promise<Outcome> {
  if (!session.globals.dryRun) refuseWriteIfReadOnly((await session.resolved()).profile);
  const companies = await selectCompaniesOfCampaign(session, input);
  await refuseWithoutPlan(session, input, path);
  const files = await checkFilesForCompanies(session, input, companies);
  if (!input.get(writeFlag) && !session.globals.dryRun)
    throw new UsageError(
      `cannot apply to ${countCompanies(companies.length)} without --write; nothing was sent`,
    );
  requireYesFlagOrTerminal(session, `apply a campaign to ${namesOf(companies)}`);
  const planned = await planEachCompany(session, input, companies, {
    ...{ out: 'bundle', valid: 86_400, files },
  });
  const works = planned.map(({ company, session: own, file, plan, facts }): CompanyWork => {
    const { parsed, options, planned: found } = file;
    const { steps } = found;
    const observed = collectObservedCampaignState(found);
    const work = { file: path, parsed, campaign: parsed.campaign, options, steps, observed, planned: found };
    return { ...company, session: own, work, page: { plan, facts } };
  });
  return carryOut(session, input, { companies: works, exits: [] });
}

async function carryOut(session: Ports, input: Input, bundle: BundleWork): Promise<Outcome> {
  const { companies } = bundle;
  const asMarkdown = input.get(formatFlag) === 'markdown';
  const unwritten = (each: CompanyWork): AppliedCompany => ({
    company: each,
    applied: each.work.planned.steps.map((step) => ({ step, result: undefined })),
  });
  const open = companies.filter(({ work }) => !leavesAllRecordsUnchanged(work.planned.steps));
  const rest = companies.filter((each) => !open.includes(each)).map(unwritten);
  const blocked = await reportBlocked(rest);
  const isDryRun = session.globals.dryRun;
  if (open.length > 0) await confirmSteps(session, input, companies, open);
  if (open.length === 0 || isDryRun) {
    if (open.length === 0 && bundle.exits.length === 0)
      await session.info(`No changes in ${countCompanies(companies.length)}.`);
    const exits = [...bundle.exits, ...blocked];
    return outcomeOf(session, companies, [...rest, ...open.map(unwritten)], exits, asMarkdown);
  }
  const approvals = await bundle.verifyApprovals?.();
  await mustFitBudgetTogether(open);
  const atOnce = input.find(companiesAtOnceFlag) ?? COMPANIES_AT_ONCE;
  const { done, exits } = await runForCompanies(session, atOnce, open, async (acting, { work }) =>
    performSteps(acting, await planAgain(acting, work), approvals, work),
  );
  const applied = done.map(({ company, value }): AppliedCompany => ({ company, applied: value }));
  const all = [...bundle.exits, ...exits, ...blocked, ...(await reportBlocked(applied))];
  return outcomeOf(session, companies, [...rest, ...applied], all, asMarkdown);
}

interface AppliedCompany {
  readonly company: CompanyWork;
  readonly applied: readonly PerformedStep[];
}

async function confirmSteps(
  session: Ports,
  input: Input,
  companies: readonly CompanyWork[],
  open: readonly CompanyWork[],
): Promise<void> {
  if (!input.get(allowLintErrorsFlag))
    for (const { session: own, work } of open) {
      const { naming } = await own.resolved();
      await requireNoLintErrors(
        work.planned.situation.campaign,
        work.planned.steps,
        work.planned.situation.observed,
        work.file,
        naming,
      );
    }
  const plans = companies.map(({ page }) => page);
  const page = {
    bundle: makeBundle(plans.map(({ plan }) => plan)),
    plans,
    now: companies[0]?.work.planned.situation.observed.now ?? 0,
  };
  const { stderr } = session.context;
  const text = await formatBundlePageText(page, stderr.isTTY ? stderr.columns : undefined);
  await session.warn(text.split('\n'));
  await confirmByTyping(session, `apply the plans of ${namesOf(open)}`, String(open.length));
}

/** @throws SendError if the sends of all companies together exceed the budget of the profile */
async function mustFitBudgetTogether(companies: readonly CompanyWork[]): Promise<void> {
  const sends: SendCountedInBudget[] = [];
  for (const { session, work } of companies) sends.push(...(await mustFitBudget(session, work, sends)));
}

async function reportBlocked(applied: readonly AppliedCompany[]): Promise<readonly ExitCode[]> {
  const exits: ExitCode[] = [];
  for (const { company, applied: steps } of applied) {
    const error = blockedError(company.work, steps);
    if (error) exits.push((await company.session.report(error, company)).exit);
  }
  return exits;
}

async function outcomeOf(
  session: Ports,
  companies: readonly CompanyWork[],
  applied: readonly AppliedCompany[],
  exits: readonly ExitCode[],
  asMarkdown: boolean,
): Promise<Outcome> {
  const isForPrograms = !asMarkdown && (await hasNumericIds(session));
  const inOrder = companies.flatMap((company) => applied.find((each) => each.company === company) ?? []);
  const isAnyDone = applied.some(
    ({ applied: steps }) => !steps.some(({ step }) => step.action === 'blocked'),
  );
  const exit = combineCompanyExits([...exits, ...(isAnyDone ? [EXIT.done] : [])]);
  if (asMarkdown) {
    const pages = inOrder.map(({ company, applied: steps }) =>
      formatAppliedPlanMarkdown(
        `${company.work.campaign.campaign}, company ${company.id} (${company.page.plan.company.name})`,
        rowsOfSteps(steps, false),
        [],
      ),
    );
    return { result: { kind: 'text', text: pages.join('\n') }, exit };
  }
  const rows = inOrder.flatMap(({ company, applied: steps }) =>
    rowsOfSteps(steps, isForPrograms).map((row) => ({
      ...{ company_id: company.id, company: company.name ?? company.page.plan.company.name },
      ...row,
    })),
  );
  const columns = [...COMPANY_COLUMNS, ...COLUMNS];
  return { result: { kind: 'rows', rows, columns, ofCompanies: true, empty: 'Nothing was applied.' }, exit };
}
