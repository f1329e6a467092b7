/** Declares `svc init`, which asks the questions of the first setup. It skips questions that flags and environment variables answer. */

import type { Profile } from '../../client/profiles/profile.ts';
import type { AccountId } from '../../service/auth/credentials.ts';
import { isLoopback } from '../../service/protocol/wire.ts';
import type { Input, TopLevelCommandEntry, Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { explainWhyUserNotAsked } from '../request/guards.ts';
import type { Changes, Invocation, Ports, Profiles, Tell } from '../session/ports.ts';
import { isSandboxProfile } from '../session/sandbox-start.ts';
import {
  buildProfileWithoutQuestions,
  describePresetProfileValues,
  type PresetProfileValues,
  readPresetProfileValues,
} from './given-answers.ts';
import {
  askProfileValues,
  askServiceOrSandbox,
  chooseProfileName,
  defaultProfileName,
  type ProfileSetupOptions,
  printFailure,
} from './init-questions.ts';
import {
  assertValidProfile,
  checkNewProfileName,
  describeDefaultProfile,
  NEW_PROFILE_FLAGS,
  namingFileFlag,
  readProfileSettings,
  replaceProfileFlag,
  shouldBecomeDefaultProfile,
  skipCredentialCheckFlag,
  warnAboutRemovedProfileLimits,
} from './new-profile.ts';
import { checkCredentials, checkProfile, keyAcceptedText } from './profile-check.ts';

const sandboxFlag = switchFlag('sandbox', {
  describe: 'Start a sandbox on this machine, and use its profile',
});

const agentsFlag = switchFlag('agents', {
  describe: 'Only write the guide for AI assistants to ./AGENTS.md, between two marker lines',
});
const forceFlag = switchFlag('force', { describe: 'Replace the whole AGENTS.md' });

export const initVerb = (entries: () => readonly TopLevelCommandEntry[]): Verb => ({
  name: 'init',
  summary: 'Set up a profile, and check it',
  about:
    'Asks whether to use the service or a sandbox, and for the address, the kind of credentials, ids and the key. Checks each answer, explains ' +
    'errors and asks again. Does not ask for values that flags or environment variables set. --profile names the profile. Without a ' +
    'terminal, or with --api-key-stdin, --sandbox or --no-input, svc asks nothing: if values are missing, it lists them and fails. The first ' +
    'profile becomes the default',
  work: 'reads',
  does: 'local',
  section: 'Authentication',
  example: 'init --base-url https://api.example.com',
  flags: [sandboxFlag, agentsFlag, forceFlag, ...NEW_PROFILE_FLAGS],
  run: async (session, input) => {
    if (input.get(agentsFlag)) {
      const { writeAgentsFile } = await import('./init-agents.ts');
      return writeAgentsFile(session, entries(), input.get(forceFlag));
    }
    const store = await session.store();
    const { profiles, defaultName } = await store.list();
    const given = readPresetProfileValues(session, input);
    const settings = await readProfileSettings(session, input);
    const whyNot = whyNotAskedHere(session, input, given);
    const checksWithService = !input.get(skipCredentialCheckFlag) && !session.globals.dryRun;
    const asking = { given, settings, whyNot, checksWithService, profiles };
    const profile = await profileFor(session, input, asking);
    const { name } = profile;
    const mayAsk = whyNot === undefined && profiles.length > 0 && name !== defaultName;
    const makeDefault =
      shouldBecomeDefaultProfile(input) ??
      (mayAsk ? await askDefault(session, name, defaultName) : profiles.length === 0);
    await store.save(profile, { makeDefault });
    await warnAboutRemovedProfileLimits(session, profile, profiles);
    const nowDefault = (await store.list()).defaultName;
    const steps = nextSteps(session, profile, nowDefault === name).map((step) => `  ${step}`);
    await session.warn(
      `Saved profile ${name} in ${store.path}; ${describeDefaultProfile(name, nowDefault)}.`,
    );
    for (const line of settingsInWords(profile)) await session.info(line);
    const notes = [...overridingVariablesNote(session, profile), ...unsavedVariablesNote(session, profile)];
    for (const line of notes) await session.warn(line);
    await session.warn(['Try next:', ...steps]);
    return { result: { kind: 'nothing' } };
  },
});

interface Asking extends ProfileSetupOptions {
  readonly whyNot: string | undefined;
  readonly profiles: readonly Profile[];
}

function whyNotAskedHere(session: Invocation, input: Input, given: PresetProfileValues): string | undefined {
  if (given.isKeyOnStdin) return 'svc reads the key from standard input, so it cannot ask questions';
  return input.get(sandboxFlag) ? '--sandbox answers all questions' : explainWhyUserNotAsked(session);
}

async function profileFor(session: Ports, input: Input, asking: Asking): Promise<Profile> {
  const { given, settings, whyNot, checksWithService, profiles } = asking;
  const replace = input.get(replaceProfileFlag);
  const sandbox = () => sandboxFor(session, input, asking);
  if (input.get(sandboxFlag)) {
    refuseFlagsWithSandbox(session, given);
    return sandbox();
  }
  if (whyNot === undefined) {
    const place = given.baseUrl === undefined ? await askTargetUntilReady(session, sandbox) : undefined;
    if (typeof place === 'object') return place;
    const nameless = await askProfileValues(session, place, asking);
    const name = await chooseProfileName(session, given, nameless.kind, profiles, replace);
    return assertValidProfile({ name, ...nameless });
  }
  const name = given.name?.value ?? defaultProfileName(given.kind ?? 'company');
  const profile = { ...(await buildProfileWithoutQuestions(session, given, name, whyNot)), ...settings };
  checkNewProfileName(name, profiles, replace, 'choose another name with --profile');
  assertValidProfile(profile);
  if (!checksWithService) return profile;
  const taken = describePresetProfileValues(given);
  if (taken !== undefined) await session.info(taken);
  return checkProfile(session, profile);
}

async function askTargetUntilReady(session: Invocation & Tell, sandbox: () => Promise<Profile>) {
  for (;;) {
    const place = await askServiceOrSandbox(session);
    if (place !== 'new-sandbox') return place;
    try {
      return await sandbox();
    } catch (error) {
      if (session.context.signal.aborted) throw error;
      const isKnown = ['CliError', 'UsageError', 'DataDirError'].includes(Object(error).name);
      if (!isKnown) throw error;
      await printFailure(session, error);
    }
  }
}

async function sandboxFor(session: Ports, input: Input, asking: Asking): Promise<Profile> {
  const created = await startSandboxForProfile(session, input.get(namingFileFlag));
  const profile = { ...created, ...asking.settings };
  if (!asking.checksWithService) return profile;
  const found = await checkCredentials(session, profile);
  if (!found.isAccepted) throw found.cause;
  await session.info(keyAcceptedText(found.who));
  return { ...profile, ...found.learnedSettings };
}

/** The sandbox has its own address, ids and key. */
function refuseFlagsWithSandbox(
  { globals }: Invocation,
  { keyCommand, isKeyOnStdin, kind, partner }: PresetProfileValues,
): void {
  const conflicting = [
    ...(globals.baseUrl === undefined ? [] : ['--base-url']),
    ...(globals.company === undefined ? [] : ['--company']),
    ...(globals.user === undefined ? [] : ['--user']),
    ...(kind === 'partner' && partner?.source.startsWith('flag ') ? ['--partner'] : []),
    ...(isKeyOnStdin ? ['--api-key-stdin'] : []),
    ...(keyCommand === undefined ? [] : ['--key-command']),
  ];
  if (conflicting.length === 0) return;
  throw new UsageError(`cannot combine --sandbox with ${conflicting.join(', ')}`, {
    hint: 'a new sandbox has its own address, ids and key: leave out either --sandbox or the other flags',
  });
}

function settingsInWords({ name, output = 'table', tz, companyZone }: Profile): readonly string[] {
  const zone = tz ?? (companyZone === undefined ? "the company's" : `${companyZone}, the company's`);
  return [
    `Output format: ${output}. Time zone of local times: ${zone}. To change them:`,
    `  svc profile set ${name} output json`,
    `  svc profile set ${name} tz America/New_York`,
  ];
}

/** Asks whether to make the profile the default profile. Without this question, the next command could act on another account. */
function askDefault(session: Invocation, name: string, defaultName: string | undefined): Promise<boolean> {
  const instead = defaultName === undefined ? '' : ` instead of ${defaultName}`;
  return session.context.prompter.confirm(`Make ${name} the default profile${instead}?`, false);
}

function nextSteps(session: Invocation, profile: Profile, isDefault: boolean): readonly string[] {
  const isChosen = isDefault && variablesSet(session).length === 0;
  const svc = isChosen ? 'svc' : `svc --profile ${profile.name}`;
  const ofCompany = profile.sandbox === undefined ? STEPS_OF_COMPANY : STEPS_OF_SANDBOX;
  const words = profile.companyId === undefined ? STEPS_OF_PARTNER : ofCompany;
  return words.map((step) => `${svc} ${step}`);
}

const STEPS_OF_COMPANY = ['doctor', 'task list', 'email create --help'];
const STEPS_OF_SANDBOX = ['sandbox open', 'task list', 'email create --help'];
/** Next steps for a partner without a company, who can't read any records yet. */
const STEPS_OF_PARTNER = ['doctor', 'profile show', 'account create --help'];

const variablesSet = ({ context: { env } }: Invocation): readonly string[] =>
  ['SVC_PROFILE', ...Object.keys(OWN_VALUE)].filter((name) => env[name]);

const OWN_VALUE: Readonly<Record<string, (profile: Profile) => string | AccountId | undefined>> = {
  SVC_BASE_URL: ({ baseUrl }) => baseUrl,
  SVC_COMPANY_ID: ({ companyId }) => companyId,
  SVC_USER_ID: ({ userId }) => userId,
  SVC_API_KEY: ({ apiKey }) => apiKey,
  SVC_PARTNER_ID: ({ partnerId }) => partnerId,
  SVC_PARTNER_API_KEY: ({ apiKey }) => apiKey,
};

const OF_OTHER_KIND: Readonly<Record<Profile['kind'], readonly string[]>> = {
  company: ['SVC_PARTNER_ID', 'SVC_PARTNER_API_KEY'],
  partner: ['SVC_API_KEY'],
};

/** (Contract, "Global flags".) */
function overridingVariablesNote({ context: { env } }: Invocation, profile: Profile): readonly string[] {
  const names = Object.entries(OWN_VALUE).flatMap(([name, own]) => {
    const value = env[name];
    if (!value || OF_OTHER_KIND[profile.kind].includes(name)) return [];
    return value === String(own(profile)) ? [] : [name];
  });
  if (names.length === 0) return [];
  return [
    `Some environment variables differ from the profile and override it. To use the values of the profile: unset ${names.join(' ')}`,
  ];
}

function unsavedVariablesNote({ context: { env } }: Invocation, { baseUrl }: Profile): readonly string[] {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' || isLoopback(hostname)) return [];
  const names = ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy'].filter((name) => env[name]);
  if (names.length === 0) return [];
  const them = names.length === 1 ? 'it' : 'them';
  return [
    `The profile does not store ${names.join(' and ')}. Set ${them} in the environment whenever you use this profile.`,
  ];
}

/**
 * Reuses a running sandbox in the default folder if a profile contains its address. @param naming the path that `--naming` gives
 * @throws CliError if the sandbox can't be started; UsageError if a profile of another service has the name of its profile
 */
async function startSandboxForProfile(
  session: Invocation & Tell & Profiles & Changes,
  naming: string | undefined,
): Promise<Profile> {
  const [{ defaultSandboxFolder }, { chooseSandboxProfileNames }, { startInBackground }] = await Promise.all([
    import('./sandbox/connection.ts'),
    import('./sandbox/profiles.ts'),
    import('./sandbox/detach.ts'),
  ]);
  const folder = await defaultSandboxFolder(session);
  session.beforeChange(`start a sandbox in ${folder}`);
  const names = await chooseSandboxProfileNames(session);
  if (names === undefined)
    throw new UsageError('cannot create a profile with the name none', {
      hint: 'leave out --profile, or choose another name',
    });
  const store = await session.store();
  const { profiles } = await store.list();
  const known = profiles
    .filter(isSandboxProfile)
    .find(({ kind, sandbox }) => kind === 'company' && sandbox.dataDir === folder);
  const flags = [...['--profile', names.company], ...(naming === undefined ? [] : ['--naming', naming])];
  try {
    const { baseUrl } = await startInBackground(session, folder, flags);
    await session.warn(`A sandbox with a demo company is ready at ${baseUrl}`);
    await session.warn('svc sandbox stop stops the sandbox and keeps its data.');
  } catch (error) {
    if (!(error instanceof CliError && error.kind === 'conflict') || known === undefined) throw error;
    await session.warn(`The sandbox of profile ${known.name} is running, so svc uses that sandbox.`);
    return known;
  }
  const profile = await store.get(names.company);
  if (profile !== undefined) return profile;
  throw new CliError('sandbox', `the sandbox started, but did not create the profile ${names.company}`, {
    exit: EXIT.failed,
  });
}
