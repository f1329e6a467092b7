/** Chooses the companies of `plan`, `apply` and `rehearse` with `--companies`, checks the files for them, and runs work for each. */

import { setMaxListeners } from 'node:events';
import type { SelectedCompany } from '../../../client/companies/selector.ts';
import type { ProfileInUse } from '../../../client/profiles/profile.ts';
import { companiesOfProfile } from '../../../client/profiles/roster.ts';
import { runConcurrently } from '../../../client/requests/limiter.ts';
import type { Plan } from '../../../features/campaign/plan-file/plan-file.ts';
import { parseIntegerDigits } from '../../../kit/schema/integer.ts';
import type { AccountId } from '../../../service/auth/credentials.ts';
import type { Input } from '../../command/command.ts';
import { companiesCheckpointFlag } from '../../command/companies-flags.ts';
import { createCompanyProgressDisplay } from '../../companies/progress.ts';
import { selectCompaniesOfRun } from '../../companies/run.ts';
import { type FileFinding, InvalidInputError, UsageError } from '../../errors/errors.ts';
import { combineExitCodes, EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import type { Commands, Invocation, Notes, Ports, Profiles } from '../../session/ports.ts';
import { type CampaignFilesRead, readCampaignFiles, sorted } from './read.ts';
import { mergeCompanyFindings, readGivenValues, valuesFor } from './values.ts';

/** @throws UsageError for a company that the roster does not have, because a mistyped id must not get a campaign */
export async function selectCompaniesOfCampaign(session: Invocation & Profiles, input: Input) {
  if (input.find(companiesCheckpointFlag) !== undefined)
    throw new UsageError(`svc ${session.command} needs no --checkpoint: run it again, and it continues`);
  const { selected } = await selectCompaniesOfRun(session);
  await requireCompaniesInRoster(
    session,
    selected.map(({ id }) => id),
  );
  return selected;
}

export async function requireCompaniesInRoster(
  session: Profiles,
  ids: readonly (AccountId | string)[],
): Promise<void> {
  const { profile } = await session.resolved();
  const known = idsInRoster(profile);
  const strangers = ids.filter((id) => !known.has(String(id)));
  if (strangers.length === 0) return;
  const what =
    strangers.length === 1 ? `company ${strangers[0]} is` : `companies ${strangers.join(', ')} are`;
  throw new UsageError(
    `${what} not in the company list of ${profile ? `profile ${profile.name}` : 'a profile'}; nothing was sent`,
    { hint: 'to see the companies, run svc company list; to add one, svc company add ID' },
  );
}

/**
 * Reads the files with the values of each company, once for companies with the same values, and sends nothing.
 * @returns what it read, by company, so that a file that is saved meanwhile cannot differ between companies
 * @throws InvalidInputError with all faults of all companies
 */
export async function checkFilesForCompanies(
  session: Invocation & Profiles,
  input: Input,
  companies: readonly SelectedCompany[],
): Promise<ReadonlyMap<AccountId, CampaignFilesRead>> {
  const given = await readGivenValues(session, input);
  const { naming, profile } = await session.resolved();
  const known = idsInRoster(profile);
  const strangers = [...(given.file?.companies ?? [])].flatMap(([id, { place }]): readonly FileFinding[] =>
    known.has(id)
      ? []
      : [
          {
            file: given.file?.path ?? '',
            ...place,
            attribute: '',
            reason: `company ${id} is not in the company list`,
          },
        ],
  );
  const found: { readonly company: string; readonly findings: readonly FileFinding[] }[] = [];
  const byValues = new Map<string, CampaignFilesRead>();
  const byCompany = new Map<AccountId, CampaignFilesRead>();
  for (const { id } of companies) {
    const values = valuesFor(given, id);
    const name = JSON.stringify([...values.set]);
    const read = byValues.get(name) ?? (await readCampaignFiles(session, input.positionals, naming, values));
    byValues.set(name, read);
    byCompany.set(id, read);
    const { files, faults } = read;
    const others = files.flatMap(({ path, parsed }): readonly FileFinding[] => {
      const own = parsed?.campaign.company ?? null;
      return own === null || String(own) === String(id)
        ? []
        : [{ file: path, attribute: '', reason: `the file is for company ${own} alone` }];
    });
    found.push({ company: String(id), findings: [...faults, ...others] });
  }
  const all = [...strangers, ...mergeCompanyFindings(found)];
  if (all.length > 0) throw new InvalidInputError(sorted(all), 'nothing was sent');
  return byCompany;
}

const idsInRoster = (profile: ProfileInUse | undefined): ReadonlySet<string> =>
  new Set(companiesOfProfile(profile ?? { roster: [] }).map(({ id }) => String(id)));

export interface CompanyOutcome<T> {
  readonly company: SelectedCompany;
  readonly session: Ports;
  readonly value: T;
}

/**
 * Runs the work for each company, several at once. Reports each error with its company, and continues with the others. Returns the results
 * in the order of the companies. @throws InvalidInputError with the faults of all companies
 */
export async function runForCompanies<C extends SelectedCompany, T>(
  session: Invocation & Notes & Commands,
  atOnce: number,
  companies: readonly C[],
  work: (session: Ports, company: C) => Promise<T>,
): Promise<{
  readonly done: readonly (CompanyOutcome<T> & { readonly company: C })[];
  readonly exits: readonly ExitCode[];
}> {
  const { signal } = session.context;
  setMaxListeners(0, signal);
  const progress = createCompanyProgressDisplay(session, companies.length);
  const done = new Map<C, CompanyOutcome<T> & { readonly company: C }>();
  const exits: ExitCode[] = [];
  const findings = new Map<C, readonly FileFinding[]>();
  const pass = async (company: C): Promise<void> => {
    const acting = session.actingFor(company.id, {
      prefix: `company ${company.id}${company.name === undefined ? '' : ` (${company.name})`}: `,
      // One question covers all companies.
      globals: { yes: true, input: false },
      beforeNote: progress.clear,
    });
    let hasFailed = true;
    try {
      done.set(company, { company, session: acting, value: await work(acting, company) });
      hasFailed = false;
    } catch (error) {
      if (signal.aborted) throw error;
      await progress.clear();
      if (error instanceof InvalidInputError) findings.set(company, error.details as readonly FileFinding[]);
      else exits.push((await acting.report(error, company)).exit);
    }
    await progress.done(hasFailed);
  };
  try {
    await runConcurrently(companies, atOnce, pass, signal);
  } finally {
    await progress.end();
  }
  signal.throwIfAborted();
  if (findings.size > 0) {
    const found = companies.map((company) => ({
      company: String(company.id),
      findings: findings.get(company) ?? [],
    }));
    throw new InvalidInputError(sorted(mergeCompanyFindings(found)), 'nothing was sent');
  }
  return { done: companies.flatMap((company) => done.get(company) ?? []), exits };
}

/** Returns 5 if all companies that failed are blocked or have drifted, so that a bundle ends like a plan of one company. */
export function combineCompanyExits(exits: readonly ExitCode[]): ExitCode {
  const failed = exits.filter((exit) => exit !== EXIT.done);
  return failed.length > 0 && failed.every((exit) => exit === EXIT.conflict)
    ? EXIT.conflict
    : combineExitCodes(exits);
}

/** Default of `--concurrency`. */
export const COMPANIES_AT_ONCE = 8;

export const companiesOfBundle = (plans: readonly Plan[]) =>
  plans.map((plan) => {
    const { id, name } = plan.company;
    return { id: parseIntegerDigits(id), name, plan };
  });
