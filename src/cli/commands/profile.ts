/** Declares `svc profile …`, which manages profiles: saved addresses and credentials. svc never shows a key. */

import { resolve } from 'node:path';
import { PROFILE_SETTING_NAMES, type Profile } from '../../client/profiles/profile.ts';
import { companiesOfProfile } from '../../client/profiles/roster.ts';
import type { Group, Outcome, Positional, Verb } from '../command/command.ts';
import { UsageError } from '../errors/errors.ts';
import type { Column } from '../output/result.ts';
import { confirm } from '../request/guards.ts';
import {
  createTextLinesOutcome,
  printNoteAboutWrite,
  shouldSummarizeWriteInOneLine,
} from '../request/write-outcome.ts';
import { convertNamingErrorToUsageError, loadAttributeNamingChecker } from '../session/naming-file.ts';
import type { Invocation, Profiles, Tell } from '../session/ports.ts';
import {
  checkNewProfileName,
  describeDefaultProfile,
  NEW_PROFILE_FLAGS,
  readNewProfile,
  readProfileSettings,
  replaceProfileFlag,
  shouldBecomeDefaultProfile,
  skipCredentialCheckFlag,
  warnAboutRemovedProfileLimits,
} from './new-profile.ts';
import { trust, untrust } from './profile-trust.ts';

const COLUMNS: readonly Column[] = [
  { name: 'name' },
  { name: 'default', kind: 'bool' },
  { name: 'kind' },
  { name: 'base_url', keep: true },
  { name: 'partner' },
  { name: 'company' },
  { name: 'user' },
  { name: 'key' },
];

const ONE: Positional = { name: 'name', describe: 'Name of the profile', completes: 'profile' };

const list: Verb = {
  name: 'list',
  summary: 'List the profiles',
  work: 'local',
  example: 'profile list',
  flags: [],
  run: async (session) => {
    const { profiles, defaultName } = await (await session.store()).list();
    const rows = profiles.map((profile) => shown(profile, defaultName));
    return {
      result: { kind: 'rows', rows, columns: COLUMNS, empty: 'No profiles. Create one with svc init.' },
    };
  },
};

const show: Verb = {
  name: 'show',
  summary: 'Show a profile (default: the default profile)',
  work: 'local',
  example: 'profile show prod',
  positionals: [{ ...ONE, optional: true }],
  flags: [],
  run: async (session, { positionals: [name] }) => {
    const wanted = name ?? (await session.profileName());
    const { store, profile, defaultName } = await findProfile(session, wanted);
    return one({ ...shown(profile, defaultName), ...settingsOf(profile), file: store.path });
  },
};

const use: Verb = {
  name: 'use',
  summary: 'Set the default profile',
  work: 'local',
  example: 'profile use prod',
  positionals: [ONE],
  flags: [],
  run: async (session, { positionals: [name = ''] }) => {
    await (await session.store()).setDefault(name);
    await session.info(`${name} is the default profile now.`);
    return { result: { kind: 'nothing' } };
  },
};

const add: Verb = {
  name: 'add',
  summary: 'Save credentials as a profile',
  about:
    'For a company, use --company and --user; for a partner, --partner. Prompts for the key unless a flag supplies ' +
    'it. Checks the credentials with one signed request before saving',
  work: 'reads',
  does: 'local',
  section: 'Authentication',
  example: 'profile add prod --base-url https://api.example.com --company 42 --user 7 --api-key-stdin',
  positionals: [{ name: 'name', describe: 'Name: 1 to 32 characters (a-z, 0-9, _ and -)' }],
  flags: NEW_PROFILE_FLAGS.map((flag) => ({ ...flag, required: flag.name === 'base-url' })),
  run: async (session, input) => {
    const store = await session.store();
    const { profiles, defaultName } = await store.list();
    const name = checkNewProfileName(input.positionals[0] ?? '', profiles, input.get(replaceProfileFlag));
    const settings = await readProfileSettings(session, input);
    let profile: Profile = { ...(await readNewProfile(session, input, name)), ...settings };
    if (!input.get(skipCredentialCheckFlag) && !session.globals.dryRun) {
      const { checkProfile } = await import('./profile-check.ts');
      profile = await checkProfile(session, profile);
    }
    const makeDefault = shouldBecomeDefaultProfile(input) ?? profiles.length === 0;
    const nowDefault = makeDefault ? name : defaultName;
    await store.save(profile, { makeDefault });
    await warnAboutRemovedProfileLimits(session, profile, profiles);
    const line = `Saved profile ${name} in ${store.path}; ${describeDefaultProfile(name, nowDefault)}.`;
    await printNoteAboutWrite(session, line);
    const saved = (await store.get(name)) ?? profile;
    return createOutcomeOfChange(session, line, saved, nowDefault);
  },
};

const remove: Verb = {
  name: 'remove',
  summary: 'Remove a profile and its key',
  work: 'local',
  asks: true,
  example: 'profile remove old --yes',
  positionals: [ONE],
  flags: [],
  run: async (session, { positionals: [name = ''] }) => {
    const { store, profile, defaultName } = await findProfile(session, name);
    await confirm(session, `remove profile ${name} (${ofWhom(profile)}) and its key`);
    await store.remove(name);
    const after = (await store.list()).defaultName;
    if (after !== undefined && after !== defaultName)
      await session.info(`${after} is now the default profile.`);
    return { result: { kind: 'nothing' } };
  },
};

const set: Verb = {
  name: 'set',
  summary: 'Change a setting of a profile',
  about:
    'An empty value removes an optional setting. list.Newsletter 3 names list 3 for --list. If the change lowers a guard (read-only, require-company, ' +
    'require-approvals, approvals-for, signers or budget.…), svc asks first; without a terminal, add --yes. ' +
    'For limits of what a profile sends in a day, see svc help budget',
  work: 'local',
  asks: true,
  example: "profile set prod key-command 'pass show svc/prod'",
  positionals: [
    ONE,
    {
      name: 'key',
      describe:
        'Setting: base-url, company, user, partner, key-command, output, tz, read-only, require-company, ' +
        'require-approvals, approvals-for, signers, proof-list, list.NAME, budget.…, naming.…',
      choices: PROFILE_SETTING_NAMES.filter((key) => !key.includes('<')),
    },
    { name: 'value', describe: 'New value of the setting' },
  ],
  flags: [],
  run: async (session, { positionals: [name = '', key = '', value = ''] }) => {
    const { store, profile: before, defaultName } = await findProfile(session, name);
    const [{ withProfileSetting }, { findLoweredGuards }] = await Promise.all([
      import('../../client/profiles/settings.ts'),
      import('../../client/profiles/guards.ts'),
    ]);
    const words = `save profile ${name} in ${store.path}`;
    // Stores an absolute path, so that the setting names the same file wherever svc runs.
    const kept = key === 'signers' && value !== '' ? resolve(session.context.cwd, value) : value;
    const refuse = key.startsWith('naming.') ? await newNamingFaults(key) : () => undefined;
    const lowered = findLoweredGuards(before, withProfileSetting(before, key, kept)).join(', ');
    if (lowered !== '') await confirm(session, `lower a guard of profile ${name}: ${lowered}`);
    if (key.startsWith('budget.') && value !== '') {
      const { countTasksInNewBudget } = await import('./new-budget.ts');
      await countTasksInNewBudget(session, before);
    }
    const changed = await store.change(name, words, (each) => {
      const next = withProfileSetting(each, key, kept);
      refuse(each, next);
      // Another process may have raised the guard after the question.
      if (findLoweredGuards(each, next).join(', ') !== lowered)
        throw new UsageError(`profile ${name} has changed meanwhile; nothing was saved`, {
          hint: 'run the command again',
        });
      return next;
    });
    if (changed.requireApprovals !== undefined && changed.signers === undefined)
      await session.info(
        `svc sends nothing with this profile until a signers file says who may approve: run svc profile set ${name} signers FILE.`,
      );
    if (key === 'require-approvals' || key === 'approvals-for')
      for (const line of approvalNotes(changed)) await session.info(line);
    const line =
      kept === '' ? `Removed ${key} from profile ${name}.` : `Set ${key} of profile ${name} to ${kept}.`;
    return createOutcomeOfChange(session, line, changed, defaultName);
  },
};

function approvalNotes({ name, requireApprovals, approvalsFor }: Profile): readonly string[] {
  if (requireApprovals === undefined)
    return approvalsFor === undefined
      ? []
      : [`Profile ${name} requires no approvals: its setting require-approvals is not set.`];
  const covered =
    approvalsFor === 'tasks'
      ? `Profile ${name} requires approvals only for tasks. Without approval, you can still send SMS, and create, change and resume rules.`
      : `Profile ${name} requires approvals for tasks, SMS and rules. Without approval, you can still send proofs, cancel tasks, and pause and delete rules.`;
  return [
    covered,
    `The setting applies only to profile ${name}. It does not apply to credentials from environment variables without --profile.`,
  ];
}

/** Does not throw if `naming` was invalid before, so that users can repair it entry by entry. */
async function newNamingFaults(key: string): Promise<(before: Profile, after: Profile) => void> {
  const check = await loadAttributeNamingChecker();
  const faultOf = ({ naming = {} }: Profile): unknown => {
    try {
      check(naming);
      return undefined;
    } catch (error) {
      return convertNamingErrorToUsageError(error, key);
    }
  };
  return (before, after) => {
    const fault = faultOf(after);
    if (fault !== undefined && faultOf(before) === undefined) throw fault;
  };
}

export const profile: Group = {
  name: 'profile',
  summary: 'Manage profiles (saved credentials)',
  commands: [list, show, use, add, remove, set, trust, untrust],
};

const one = (value: object): Outcome => ({ result: { kind: 'object', value, columns: COLUMNS } });

const createOutcomeOfChange = async (
  session: Invocation & Tell,
  line: string,
  profile: Profile,
  defaultName: string | undefined,
): Promise<Outcome> =>
  (await shouldSummarizeWriteInOneLine(session))
    ? createTextLinesOutcome(session, line)
    : one({ ...shown(profile, defaultName), ...settingsOf(profile) });

const ofWhom = ({ kind, companyId, partnerId, baseUrl }: Profile): string =>
  `${kind === 'partner' ? `partner ${partnerId}` : `company ${companyId}`} at ${baseUrl}`;

function shown(profile: Profile, defaultName: string | undefined) {
  return {
    name: profile.name,
    default: profile.name === defaultName,
    kind: profile.kind,
    base_url: profile.baseUrl,
    partner: profile.partnerId ?? null,
    company: profile.companyId ?? null,
    user: profile.userId ?? null,
    key: profile.keyCommand === undefined ? 'stored' : 'command',
  };
}

function settingsOf(profile: Profile) {
  return {
    key_command: profile.keyCommand ?? null,
    output: profile.output ?? null,
    tz: profile.tz ?? null,
    read_only: profile.readOnly ?? false,
    require_company: profile.requireCompany ?? false,
    require_approvals: profile.requireApprovals ?? 0,
    approvals_for: profile.approvalsFor ?? 'all',
    signers: profile.signers ?? null,
    proof_list: profile.proofList ?? null,
    lists: profile.lists ?? null,
    budget: profile.budget ?? null,
    companies: companiesOfProfile(profile).length,
    naming: profile.naming ?? null,
    sandbox: profile.sandbox?.dataDir ?? null,
  };
}

/** @throws UsageError if no profile has the name */
async function findProfile(session: Profiles, name: string | undefined) {
  const store = await session.store();
  const { profiles, defaultName } = await store.list();
  const profile = profiles.find((each) => each.name === name);
  if (profile) return { store, profile, defaultName };
  if (name === undefined)
    throw new UsageError('there is no default profile', { hint: 'run svc init to create one' });
  const names = profiles.map((each) => each.name).join(', ');
  throw new UsageError(`profile ${name} not found`, {
    hint: names === '' ? 'run svc init to create one' : `profiles: ${names}`,
  });
}
