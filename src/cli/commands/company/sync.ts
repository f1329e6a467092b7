import type { AccountId } from '../../../auth/credentials.ts';
import { runConcurrently } from '../../../client/limiter.ts';
import type { ProfileCompany } from '../../../profiles/profile.ts';
import { companiesOfProfile, profileCompanyProblem, withProfileCompanies } from '../../../profiles/roster.ts';
import type { Verb } from '../../command/command.ts';
import { combineExitCodes, EXIT, type ExitCode } from '../../errors/exit-codes.ts';
import { createOutcomeFromProfileCompanies, requirePartnerProfile } from './roster.ts';

const AT_ONCE = 8;

export const companySync: Verb = {
  name: 'sync',
  summary: 'Update the names in the company list of the profile',
  about:
    'Requests the account of each company, and saves its name. If a request fails, that company keeps its old name, and svc continues with the next',
  work: 'finds',
  exits: { 8: 'some companies failed' },
  section: 'account',
  example: 'company sync',
  flags: [],
  needsNoCompany: true,
  run: async (session) => {
    const profile = await requirePartnerProfile(session);
    const renamed = new Map<AccountId, ProfileCompany>();
    const exits: ExitCode[] = [];
    const companies = companiesOfProfile(profile);
    const ask = async (company: ProfileCompany): Promise<void> => {
      const acting = session.actingFor(company.id);
      try {
        const { name } = await acting.account();
        const now = { ...company, name: String(name) };
        exits.push(EXIT.done);
        if (now.name !== company.name && profileCompanyProblem(now) === undefined)
          renamed.set(company.id, now);
      } catch (error) {
        exits.push((await acting.report(error, company)).exit);
      }
    };
    await runConcurrently(companies, AT_ONCE, ask, session.context.signal);
    if (renamed.size > 0) {
      const words = `update the names of ${renamed.size} companies in the company list of profile ${profile.name}`;
      await (await session.store()).change(profile.name, words, (each) =>
        // Uses the current tags and notes. A company that was removed in the meantime stays removed.
        withProfileCompanies(
          each,
          companiesOfProfile(each).map((company) => ({
            ...company,
            name: renamed.get(company.id)?.name ?? company.name,
          })),
        ),
      );
    }
    for (const { id, name } of companies) {
      const now = renamed.get(id)?.name;
      if (now !== undefined) await session.info(`company ${id}: renamed ${name} to ${now}`);
    }
    await session.info(`${renamed.size} of ${companies.length} names have changed`);
    const after = companies.map((company) => renamed.get(company.id) ?? company);
    return { ...(await createOutcomeFromProfileCompanies(session, after)), exit: combineExitCodes(exits) };
  },
};
