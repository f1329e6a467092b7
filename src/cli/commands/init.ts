/** Declares `svc init`: asks the questions of the first setup, except those that flags and environment answer. */
import type { AccountId } from '../../auth/credentials.ts';
import type { Profile } from '../../profiles/profile.ts';
import { isLoopback } from '../../protocol/origin.ts';
import type { Input, Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { UsageError } from '../errors/errors.ts';
import { whyNotAsked } from '../request/guards.ts';
import type { Session } from '../session/session.ts';
import { checkCredentials, type LearnedSettings, notSavedError } from './credential-check.ts';
import { completeProfile, type GivenAnswers, givenAnswers, nameTakenMessage } from './given-answers.ts';
import {
  askName,
  askProfile,
  askTarget,
  defaultProfileName,
  printFailure,
  printLines,
  type SetupTarget,
} from './init-questions.ts';
import { namingFlag } from './naming-flag.ts';
import {
  ADD_FLAGS,
  checkNewName,
  defaultChoice,
  defaultProfileText,
  noCheckFlag,
  readSettings,
  replaceFlag,
  type Settings,
  validProfile,
  warnOfLostLimits,
} from './new-profile.ts';

const sandboxFlag = switchFlag('sandbox', {
  describe: 'Start a sandbox on this machine, and use its profile',
});

const agentsFlag = switchFlag('agents', {
  describe: 'Only write AGENTS.md here, with instructions for AI assistants',
});
const forceFlag = switchFlag('force', { describe: 'Replace an existing AGENTS.md' });

export const init: Verb = {
  name: 'init',
  summary: 'Set up a profile, and check it',
  about:
    'Asks for the service or a sandbox, the address, the kind of credentials, ids and the key. Checks each answer, explains ' +
    'errors and asks again. Skips values that flags or variables set; --profile names the profile. With --api-key-stdin, ' +
    '--sandbox, --no-input or without a terminal it asks nothing, and lists all missing values. The first profile becomes ' +
    'the default',
  work: 'reads',
  section: 'Authentication',
  example: 'init --base-url https://api.example.com',
  flags: [sandboxFlag, agentsFlag, forceFlag, ...ADD_FLAGS],
  run: async (session, input) => {
    if (input.get(agentsFlag)) {
      const { writeAgentsFile } = await import('./init-agents.ts');
      return writeAgentsFile(session, input.get(forceFlag));
    }
    const store = await session.store();
    const { profiles, defaultName } = await store.list();
    const given = givenAnswers(session, input);
    const settings = await readSettings(session, input);
    const whyNot = whyNotAskedHere(session, input, given);
    const check = !input.get(noCheckFlag) && !session.globals.dryRun;
    const profile = await profileFor(session, input, { given, settings, whyNot, check, profiles });
    const { name } = profile;
    const mayAsk = whyNot === undefined && profiles.length > 0 && name !== defaultName;
    const makeDefault =
      defaultChoice(input) ?? (mayAsk ? await askDefault(session, name, defaultName) : profiles.length === 0);
    await store.save(profile, { makeDefault });
    await warnOfLostLimits(session, profile, profiles);
    const nowDefault = (await store.list()).defaultName;
    const steps = nextSteps(session, profile, nowDefault === name).map((step) => `\n  ${step}`);
    const say = (lines: readonly string[]) =>
      whyNot === undefined ? printLines(session, lines) : session.warn(lines.join('\n'));
    await say([`Saved profile ${name} in ${store.path}; ${defaultProfileText(name, nowDefault)}.`]);
    for (const line of settingsInWords(profile)) await session.info(line);
    for (const line of [...overriding(session, profile), ...beside(session, profile)]) await say([line]);
    await session.warn(`Try next:${steps.join('')}`);
    return { result: { kind: 'nothing' } };
  },
};

interface Asking {
  readonly given: GivenAnswers;
  readonly settings: Settings;
  /** Reason that no questions can be asked. Undefined if questions can be asked. */
  readonly whyNot: string | undefined;
  readonly check: boolean;
  /** Existing profiles. */
  readonly profiles: readonly Profile[];
}

function whyNotAskedHere(session: Session, input: Input, given: GivenAnswers): string | undefined {
  if (given.isKeyOnStdin) return 'standard input is for the key';
  return input.get(sandboxFlag) ? '--sandbox says it all' : whyNotAsked(session);
}

/** Returns the profile that will be saved, from flags, environment and answers. */
async function profileFor(session: Session, input: Input, asking: Asking): Promise<Profile> {
  const { given, settings, whyNot, check, profiles } = asking;
  const replace = input.get(replaceFlag);
  const sandbox = () => sandboxFor(session, input, asking);
  if (input.get(sandboxFlag)) {
    refuseBeside(session, given);
    return sandbox();
  }
  if (whyNot === undefined) {
    const place = given.baseUrl === undefined ? await askedPlace(session, sandbox) : undefined;
    if (typeof place === 'object') return place;
    const nameless = await askProfile(session, place, { given, check, settings });
    const name = await askName(session, given, { kind: nameless.kind, profiles, replace });
    return validProfile({ name, ...nameless });
  }
  const name = given.name?.value ?? defaultProfileName(given.kind ?? 'company');
  const profile = { ...(await completeProfile(session, given, name, whyNot)), ...settings };
  checkNewName(name, profiles, replace, 'name another one by --profile');
  validProfile(profile);
  return check ? { ...profile, ...(await assertKnown(session, given, profile)) } : profile;
}

/** Asks for the target of the profile. If the user selects a new sandbox and its start fails, prints the error and asks again. */
async function askedPlace(
  session: Session,
  sandbox: () => Promise<Profile>,
): Promise<Exclude<SetupTarget, 'new-sandbox'> | Profile> {
  for (;;) {
    const place = await askTarget(session);
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

async function sandboxFor(session: Session, input: Input, { settings, check }: Asking): Promise<Profile> {
  const { sandboxProfile } = await import('./init-sandbox.ts');
  const profile = { ...(await sandboxProfile(session, input.get(namingFlag))), ...settings };
  if (!check) return profile;
  const found = await checkCredentials(session, profile);
  if (!found.isKnown) throw found.cause;
  await session.info(`checked: ${found.who}`);
  return { ...profile, ...found.learnt };
}

/** Refuses flags that cannot be combined with `--sandbox`. The sandbox has its own address, ids and key. */
function refuseBeside({ globals }: Session, { keyCommand, isKeyOnStdin, kind, partner }: GivenAnswers): void {
  const beside = [
    ...(globals.baseUrl === undefined ? [] : ['--base-url']),
    ...(globals.company === undefined ? [] : ['--company']),
    ...(globals.user === undefined ? [] : ['--user']),
    ...(kind === 'partner' && partner?.source.startsWith('flag ') ? ['--partner'] : []),
    ...(isKeyOnStdin ? ['--api-key-stdin'] : []),
    ...(keyCommand === undefined ? [] : ['--key-command']),
  ];
  if (beside.length === 0) return;
  throw new UsageError(`--sandbox and ${beside.join(', ')} contradict each other`, {
    hint: 'a new sandbox has its own address, ids and key: leave out --sandbox, or leave out the other flags',
  });
}

/** Returns the default settings, and the commands that change them. */
function settingsInWords({ name, output = 'table', tz, companyZone }: Profile): readonly string[] {
  const zone = tz ?? (companyZone === undefined ? "the company's" : `${companyZone}, the company's`);
  return [
    `Output format: ${output}. Time zone of local times: ${zone}. To change them:`,
    `  svc profile set ${name} output json`,
    `  svc profile set ${name} tz America/New_York`,
  ];
}

async function assertKnown(
  session: Session,
  given: GivenAnswers,
  profile: Profile,
): Promise<LearnedSettings> {
  const taken = nameTakenMessage(given);
  if (taken !== undefined) await session.info(taken);
  const found = await checkCredentials(session, profile);
  if (!found.isKnown) throw await notSavedError(session, found);
  await session.info(`checked: ${found.who}`);
  return found.learnt;
}

/** Asks whether to make the profile the default. A change without a question could let the next command act on another account. */
function askDefault(session: Session, name: string, defaultName: string | undefined): Promise<boolean> {
  const instead = defaultName === undefined ? '' : ` instead of ${defaultName}`;
  return session.context.prompter.confirm(`Make ${name} the default profile${instead}?`, false);
}

/** Returns complete commands for the next steps. */
function nextSteps(session: Session, profile: Profile, isDefault: boolean): readonly string[] {
  const isChosen = isDefault && variablesSet(session).length === 0;
  const svc = isChosen ? 'svc' : `svc --profile ${profile.name}`;
  const ofCompany = profile.sandbox === undefined ? STEPS_OF_COMPANY : STEPS_OF_SANDBOX;
  const words = profile.companyId === undefined ? STEPS_OF_PARTNER : ofCompany;
  return words.map((step) => `${svc} ${step}`);
}

const STEPS_OF_COMPANY = ['doctor', 'task list', 'email create --help'];
const STEPS_OF_SANDBOX = ['sandbox open', 'task list', 'email create --help'];
/** Commands for a partner, who can read nothing without a company. */
const STEPS_OF_PARTNER = ['doctor', 'profile show', 'account create --help'];

/** Returns the names of the set variables that override a profile or select another profile. */
const variablesSet = ({ context: { env } }: Session): readonly string[] =>
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

/**
 * Returns the variables whose value differs from the profile's value. They override the profile in every run (contract, "Global flags").
 */
function overriding({ context: { env } }: Session, profile: Profile): readonly string[] {
  const names = Object.entries(OWN_VALUE).flatMap(([name, own]) => {
    const value = env[name];
    if (!value || OF_OTHER_KIND[profile.kind].includes(name)) return [];
    return value === String(own(profile)) ? [] : [name];
  });
  if (names.length === 0) return [];
  return [
    `Environment variables with other values override the profile. To use the profile: unset ${names.join(' ')}`,
  ];
}

/** Returns a note about variables that the connection used and that the profile does not store. */
function beside({ context: { env } }: Session, { baseUrl }: Profile): readonly string[] {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol !== 'https:' || isLoopback(hostname)) return [];
  const names = ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy'].filter((name) => env[name]);
  if (names.length === 0) return [];
  const them = names.length === 1 ? 'it' : 'them';
  return [`The profile does not store ${names.join(' and ')}: set ${them} wherever you use this profile.`];
}
