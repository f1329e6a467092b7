/** Plans a campaign for many companies, and writes the plans as a bundle (contract, "Many companies"). */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { SelectedCompany } from '../../../client/companies/selector.ts';
import { leavesAllRecordsUnchanged } from '../../../features/campaign/plan/plan.ts';
import {
  BUNDLE_FILE,
  formatBundleFile,
  makeBundle,
  planFileOfCompany,
} from '../../../features/campaign/plan-file/bundle.ts';
import { readPlan } from '../../../features/campaign/plan-file/plan-file.ts';
import { createAtomicFile, fillFile } from '../../../kit/files/atomic-file.ts';
import { systemErrorReason } from '../../../kit/files/errors.ts';
import { formatMarkdownPage } from '../../../kit/report/markdown-page.ts';
import { formatCountWithNoun } from '../../../kit/text/words.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import type { Input, Outcome } from '../../command/command.ts';
import { companiesAtOnceFlag } from '../../command/companies-flags.ts';
import { UsageError } from '../../errors/errors.ts';
import { EXIT } from '../../errors/exit-codes.ts';
import { makeOutputFolder } from '../../request/new-file.ts';
import type { Invocation, Ports } from '../../session/ports.ts';
import { buildBundlePage, type CompanyPlan, countCompanies, formatBundlePageText } from './bundle-page.ts';
import { checkFilesForCompanies, runForCompanies, selectCompaniesOfCampaign } from './companies.ts';
import { collectCompanyAndMessagesForPlan } from './plan-page.ts';
import { planFileText } from './plan-text.ts';
import { type CampaignFilesRead, type PlannedCampaignFile, planCampaignFile } from './read.ts';

interface BundleOptions {
  readonly out: string | undefined;
  readonly force: boolean;
  readonly valid: number;
  readonly format: 'text' | 'markdown' | 'json' | 'summary' | undefined;
  readonly isCheck: boolean;
}

export async function planForCompanies(
  session: Ports,
  input: Input,
  { out, force, valid, format, isCheck }: BundleOptions,
): Promise<Outcome> {
  if (input.positionals.length > 1)
    throw new UsageError('--companies needs a single campaign file', {
      hint: 'run svc plan once for each file',
    });
  if (force) throw new UsageError('cannot combine --force with --companies: give each bundle a new folder');
  if (out !== undefined && existsSync(resolve(session.context.cwd, out)))
    throw new UsageError(`${out} already exists; nothing was sent`, {
      hint: 'choose a new folder for the bundle',
    });
  const companies = await selectCompaniesOfCampaign(session, input);
  const files = await checkFilesForCompanies(session, input, companies);
  const plans = await planEachCompany(session, input, companies, { out: out ?? 'bundle', valid, files });
  const bundle = makeBundle(plans.map(({ plan }) => plan));
  if (out !== undefined) {
    session.beforeChange(`write ${out}`);
    const texts = plans.map(({ plan, text }) => [planFileOfCompany(plan.company.id), text] as const);
    await writeBundle(session, out, [...texts, [BUNDLE_FILE, formatBundleFile(bundle)]]);
    await session.info(`wrote ${join(out, BUNDLE_FILE)} and ${formatCountWithNoun(plans.length, 'plan')}`);
  }
  const isUnmet = isCheck && plans.some(({ plan }) => !leavesAllRecordsUnchanged(plan.steps));
  const chosen = format ?? ((await session.format()) === 'json' ? 'json' : 'text');
  const isJson = chosen === 'json' || chosen === 'summary';
  const page = { bundle, plans, now: plans[0]?.file.observed.now ?? 0 };
  const { stdout } = session.context;
  const text = isJson
    ? formatBundleFile(bundle)
    : chosen === 'markdown'
      ? formatMarkdownPage(await buildBundlePage(page))
      : `${await formatBundlePageText(page, stdout.isTTY ? stdout.columns : undefined)}\n`;
  return { result: { kind: 'text', text }, exit: isUnmet ? EXIT.unmet : EXIT.done };
}

interface PlannedCompany extends CompanyPlan {
  readonly company: SelectedCompany;
  readonly session: Ports;
  readonly text: string;
  readonly file: PlannedCampaignFile;
}

/** @throws UsageError if a company can't be planned: a bundle is for all companies that the user chose */
export async function planEachCompany(
  session: Ports,
  input: Input,
  companies: readonly SelectedCompany[],
  {
    out,
    valid,
    files,
  }: {
    readonly out: string;
    readonly valid: number;
    readonly files: ReadonlyMap<AccountId, CampaignFilesRead>;
  },
): Promise<readonly PlannedCompany[]> {
  const [path = ''] = input.positionals;
  const name = randomBytes(16).toString('hex');
  const service = await session.resolved();
  const { done, exits } = await runForCompanies(
    session,
    input.get(companiesAtOnceFlag),
    companies,
    async (acting, { id }) => {
      const file = await planCampaignFile(acting, input, path, files.get(id));
      const target = join(out, planFileOfCompany(String(id)));
      const text = planFileText(acting, file, service, target, valid, name);
      const plan = readPlan(text);
      return { plan, text, file, facts: collectCompanyAndMessagesForPlan(plan, file.observed) };
    },
  );
  if (exits.length === 0)
    return done.map(({ company, session: own, value }) => ({ company, session: own, ...value }));
  const failed = companies
    .filter(({ id }) => !done.some(({ company }) => company.id === id))
    .map(({ id }) => id);
  throw new UsageError(`cannot plan for ${countCompanies(failed.length)}; nothing was written`, {
    hint: `to leave ${failed.length === 1 ? 'it' : 'them'} out, add ${failed.map((id) => `!${id}`).join(',')} to --companies`,
  });
}

/** Writes into a new folder beside `out` and renames it, so that a killed command leaves no part of a bundle under that name. */
async function writeBundle(
  { context: { cwd } }: Invocation,
  out: string,
  files: readonly (readonly [name: string, text: string])[],
): Promise<void> {
  const folder = resolve(cwd, out);
  makeOutputFolder(dirname(folder));
  const made = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
  try {
    for (const [name, text] of files)
      fillFile(createAtomicFile(join(made, name)), (file) => file.write(text));
    // `rename` replaces an empty folder, which nobody misses.
    await rename(made, folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw new UsageError(`cannot write ${out}: ${systemErrorReason(error)}; nothing was written`);
  }
}
