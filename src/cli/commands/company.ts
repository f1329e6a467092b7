/** Declares `svc company …`, which manages the roster, because the service's HTTP API cannot list companies. */

import type { Profile, ProfileCompany } from '../../client/profiles/profile.ts';
import {
  companiesOfProfile,
  findProfileCompany,
  parseCompanyId,
  profileCompanyProblem,
  withoutCompany,
  withProfileCompanies,
} from '../../client/profiles/roster.ts';
import { runConcurrently } from '../../client/requests/limiter.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import type { Group, Verb } from '../command/command.ts';
import { repeatableTextFlag, textFlag } from '../command/flag.ts';
import { UsageError } from '../errors/errors.ts';
import { combineExitCodes, EXIT, type ExitCode } from '../errors/exit-codes.ts';
import {
  createTextLinesOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../request/write-outcome.ts';
import type { Commands, Profiles } from '../session/ports.ts';
import { companyImport } from './company/import.ts';
import {
  companyIdOrNamePositional,
  createOutcomeFromProfileCompanies,
  createOutcomeFromProfileCompany,
  createOutcomeOfRosterChange,
  findCompanyById,
  requireCompanyInProfile,
  requirePartnerProfile,
} from './company/roster.ts';

const nameFlag = textFlag('name', { describe: 'Name (default: from the service)', value: 'name' });
const newNameFlag = textFlag('name', { describe: 'New name', value: 'name' });
const tagFlag = {
  ...repeatableTextFlag('tag', { describe: 'Tag, such as uk (repeatable)', value: 'tag' }),
  completes: 'company-tag',
};
const newTagFlag = {
  ...repeatableTextFlag('tag', {
    describe: "Replace all tags (repeatable; '' for none)",
    value: 'tag',
  }),
  completes: 'company-tag',
};
const noteFlag = textFlag('note', { describe: 'Note about the company', value: 'text' });

const list: Verb = {
  name: 'list',
  summary: 'Show the company list of a partner profile',
  about:
    'The service cannot list companies, so the profile stores the list. To copy it to another machine, run svc company list -o csv > FILE on this machine, and svc company import FILE on the other machine',
  work: 'local',
  example: 'company list',
  flags: [],
  needsNoCompany: true,
  run: async (session) =>
    createOutcomeFromProfileCompanies(session, companiesOfProfile(await requirePartnerProfile(session))),
};

const show: Verb = {
  name: 'show',
  summary: "Show the name, tags and note of a company in the profile's company list",
  work: 'local',
  example: 'company show 12',
  positionals: [companyIdOrNamePositional],
  flags: [],
  needsNoCompany: true,
  run: async (session, { positionals: [text = ''] }) =>
    createOutcomeFromProfileCompany(
      session,
      requireCompanyInProfile(await requirePartnerProfile(session), text),
    ),
};

const add: Verb = {
  name: 'add',
  summary: 'Add an existing company to the company list of the profile',
  about: 'Gets the name from the service unless you add --name',
  work: 'finds',
  does: 'local',
  section: 'account',
  example: 'company add 12 --tag uk --tag retail',
  positionals: [{ name: 'id', describe: 'Id of the company' }],
  flags: [nameFlag, tagFlag, noteFlag],
  needsNoCompany: true,
  run: async (session, input) => {
    const profile = await requirePartnerProfile(session);
    const id = idIn(input.positionals[0] ?? '');
    if (findCompanyById(profile, id)) throw alreadyInRoster(profile, id);
    const given = input.get(nameFlag);
    const rest = { tags: tagsIn(input.get(tagFlag)), note: input.get(noteFlag) || null };
    // Checked first, so that invalid values are reported before any request.
    assertValidCompany({ id, name: given ?? String(id), ...rest });
    const company = assertValidCompany({ id, name: given ?? (await nameOf(session, id)), ...rest });
    await saveRoster(session, profile, `add company ${id} (${company.name}) to`, (each) => {
      if (findCompanyById(each, id)) throw alreadyInRoster(each, id);
      return withProfileCompanies(each, [company]);
    });
    await printNoteAboutWrite(session, `added company ${id} (${company.name})`);
    const line = `Added company ${id} (${company.name}) to the company list of profile ${profile.name}.`;
    return createOutcomeOfRosterChange(session, line, company);
  },
};

const update: Verb = {
  name: 'update',
  summary: 'Change name, tags or note of a company in the company list',
  about: 'Changes only the profile on this machine, and nothing at the service',
  work: 'local',
  example: 'company update 12 --tag uk --tag closed',
  positionals: [companyIdOrNamePositional],
  flags: [newNameFlag, newTagFlag, noteFlag],
  needsNoCompany: true,
  run: async (session, input) => {
    const profile = await requirePartnerProfile(session);
    const { id } = requireCompanyInProfile(profile, input.positionals[0] ?? '');
    const name = input.get(newNameFlag);
    const note = input.get(noteFlag);
    const tags = input.has(newTagFlag) ? tagsIn(input.get(newTagFlag)) : undefined;
    if (name === undefined && note === undefined && tags === undefined)
      throw new UsageError('nothing to change', { hint: 'add --name, --tag or --note' });
    const changed = (before: ProfileCompany): ProfileCompany =>
      assertValidCompany({
        ...before,
        ...(name === undefined ? {} : { name }),
        ...(tags === undefined ? {} : { tags }),
        ...(note === undefined ? {} : { note: note === '' ? null : note }),
      });
    const after = await saveRoster(session, profile, `change company ${id} in`, (each) =>
      withProfileCompanies(each, [changed(requireCompanyInProfile(each, String(id)))]),
    );
    const company = requireCompanyInProfile(after, String(id));
    const line = `Changed company ${id} (${company.name}) in the company list of profile ${profile.name}.`;
    return createOutcomeOfRosterChange(session, line, company);
  },
};

const remove: Verb = {
  name: 'remove',
  summary: 'Remove a company from the company list of the profile',
  about: 'Changes only the profile on this machine, and nothing at the service',
  work: 'local',
  example: 'company remove 12',
  positionals: [companyIdOrNamePositional],
  flags: [],
  needsNoCompany: true,
  run: async (session, { positionals: [text = ''] }) => {
    const profile = await requirePartnerProfile(session);
    const company = requireCompanyInProfile(profile, text);
    await saveRoster(session, profile, `remove company ${company.id} (${company.name}) from`, (each) =>
      withoutCompany(each, company.id),
    );
    const words = `company ${company.id} (${company.name}) from the company list of profile ${profile.name}`;
    await printNoteAboutWrite(session, `removed ${words}`);
    return createOutcomeOfRosterChange(session, `Removed ${words}.`, company);
  },
};

/** Number of companies whose accounts svc requests at the same time. */
const AT_ONCE = 8;

const sync: Verb = {
  name: 'sync',
  summary: 'Update the names in the company list of the profile',
  about:
    'Requests the account of each company, and saves its name. If a request fails, that company keeps its old name, and svc continues with the next',
  work: 'finds',
  does: 'local',
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
      await saveRoster(session, profile, `update the names of ${renamed.size} companies in`, (each) =>
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
    const line = `${renamed.size} of ${companies.length} names have changed`;
    await printNoteAboutWrite(session, line);
    const after = companies.map((company) => renamed.get(company.id) ?? company);
    const outcome = (await shouldSummarizeWriteInOneLine(session))
      ? await createTextLinesOutcome(session, `${line}.`)
      : await createOutcomeFromProfileCompanies(session, after);
    return { ...outcome, exit: combineExitCodes(exits) };
  },
};

const use: Verb = {
  name: 'use',
  summary: 'Set the default company of the profile',
  about: '--company, SVC_COMPANY_ID and .svc.json override this default',
  work: 'local',
  example: 'company use 12',
  positionals: [companyIdOrNamePositional],
  flags: [],
  needsNoCompany: true,
  run: async (session, { positionals: [text = ''] }) => {
    const profile = await requirePartnerProfile(session);
    const { id, company } = findProfileCompany(profile, text, 'the argument');
    const named = `company ${id}${company === undefined ? '' : ` (${company.name})`}`;
    const words = `make ${named} the default company of profile ${profile.name}`;
    await (await session.store()).change(profile.name, words, (each) => {
      if (each.companyId === id) return each;
      // User and time zone belong to the previous company.
      const { companyZone: _, userId: __, ...rest } = each;
      return { ...rest, companyId: id };
    });
    await session.info(`profile ${profile.name} now acts for ${named}`);
    if (profile.userId !== undefined && profile.companyId !== id)
      await session.info(
        `removed user ${profile.userId} from the profile, because that user belongs to company ${profile.companyId}`,
      );
    return { result: { kind: 'nothing' } };
  },
};

export const company: Group = {
  name: 'company',
  summary: 'Manage the companies of a partner profile',
  commands: [list, show, add, update, remove, companyImport, sync, use],
};

function idIn(text: string): AccountId {
  const id = parseCompanyId(text);
  if (id !== undefined) return id;
  throw new UsageError('a company id must be a whole number of at least 1', {
    hint: 'write svc company add 12 --name "Example Ltd"',
  });
}

const alreadyInRoster = ({ name }: Profile, id: AccountId): UsageError =>
  new UsageError(`the company list of profile ${name} already contains company ${id}; nothing was changed`, {
    hint: `to change it, run svc company update ${id}`,
  });

const tagsIn = (tags: readonly string[]): readonly string[] => [...new Set(tags.filter((tag) => tag !== ''))];

function assertValidCompany(company: ProfileCompany): ProfileCompany {
  const problem = profileCompanyProblem(company);
  if (problem !== undefined) throw new UsageError(`company ${company.id} ${problem}; nothing was changed`);
  return company;
}

async function nameOf(session: Commands, id: AccountId): Promise<string> {
  const { name } = await session.actingFor(id).account();
  return typeof name === 'string' ? name : '';
}

/** @param what the beginning of a phrase that says what changes: `add company 12 to` */
async function saveRoster(
  session: Profiles,
  { name }: Profile,
  what: string,
  apply: (profile: Profile) => Profile,
): Promise<Profile> {
  const store = await session.store();
  return store.change(name, `${what} the company list of profile ${name}`, apply);
}
