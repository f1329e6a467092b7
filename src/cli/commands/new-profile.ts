/** Reads the values of a new profile from flags, standard input, or answers on a terminal. */

import { isProfileName } from '../../client/profiles/errors.ts';
import { findLimitsLostByReplacement, type Profile, profileProblem } from '../../client/profiles/profile.ts';
import { parseIntegerDigits, readIdText } from '../../kit/schema/integer.ts';
import type { Parsed } from '../../kit/schema/parameter.ts';
import { type AccountId, findApiKeyProblem } from '../../service/auth/credentials.ts';
import { parseBaseUrl } from '../../service/protocol/wire.ts';
import type { Input } from '../command/command.ts';
import { type FlagShape, fileFlag, parsedFlag, switchFlag, textFlag, zoneFlag } from '../command/flag.ts';
import { baseUrlFlag, companyFlag, formatFlag, userFlag } from '../command/globals.ts';
import { UsageError } from '../errors/errors.ts';
import { explainWhyUserNotAsked } from '../request/guards.ts';
import { readAttributeNamingFile, type UncheckedNamingOverrides } from '../session/naming-file.ts';
import type { Invocation, Notes } from '../session/ports.ts';

export const namingFileFlag = fileFlag('naming', {
  describe: 'JSON file with the names of HTTP headers and attributes that your service uses',
});

/** @throws UsageError for an invalid file */
export async function readFileOfNamingFlag(
  session: Invocation,
  input: Input,
): Promise<{ readonly naming?: UncheckedNamingOverrides }> {
  const file = input.get(namingFileFlag);
  return file === undefined ? {} : { naming: await readAttributeNamingFile(session.context.cwd, file) };
}

const defaultFlag = switchFlag('default', { describe: 'Make this profile the default' });
const noDefaultFlag = switchFlag('no-default', { describe: 'Keep the current default profile' });

/** Undefined without either flag. */
export function shouldBecomeDefaultProfile(input: Input): boolean | undefined {
  if (input.get(noDefaultFlag)) return false;
  return input.get(defaultFlag) ? true : undefined;
}

export function describeDefaultProfile(name: string, defaultName: string | undefined): string {
  if (name === defaultName) return 'it is the default profile';
  const other =
    defaultName === undefined ? 'there is no default profile' : `${defaultName} stays the default profile`;
  return `${other}; to use the new profile, add --profile ${name}`;
}

/** @param earlierProfiles the profiles before the new one replaced one of another account */
export async function warnAboutRemovedProfileLimits(
  notes: Notes,
  profile: Profile,
  earlierProfiles: readonly Profile[],
): Promise<void> {
  const lost = findLimitsLostByReplacement(
    profile,
    earlierProfiles.find(({ name }) => name === profile.name),
  );
  if (lost.length > 0)
    await notes.warn(
      `warning: the profile that you replaced belonged to another account, so these limits were removed: ${lost.join(', ')}`,
    );
}

export const partnerIdFlag = parsedFlag(
  'partner',
  { describe: 'Partner id: creates a partner profile', value: 'id' },
  profileId,
);
export const apiKeyFromStdinFlag = switchFlag('api-key-stdin', {
  describe: 'Read the key from standard input',
});
export const apiKeyCommandFlag = textFlag('key-command', {
  describe: 'Command that prints the key',
  value: 'command',
});
const setOutputFlag = formatFlag('set-output', { describe: 'Default output format of the profile' });
const setZoneFlag = zoneFlag('set-tz', {
  describe: 'Time zone in which svc reads local times',
  defaultText: "the company's",
});
export const replaceProfileFlag = switchFlag('replace', { describe: 'Replace an existing profile' });
export const skipCredentialCheckFlag = switchFlag('no-check', {
  describe: 'Save the profile without checking it or running the key command',
});

export const NEW_PROFILE_FLAGS: readonly FlagShape[] = [
  baseUrlFlag,
  companyFlag,
  userFlag,
  partnerIdFlag,
  apiKeyFromStdinFlag,
  apiKeyCommandFlag,
  setOutputFlag,
  setZoneFlag,
  namingFileFlag,
  defaultFlag,
  noDefaultFlag,
  replaceProfileFlag,
  skipCredentialCheckFlag,
];

export type ProfileSettings = Pick<Profile, 'naming' | 'output' | 'tz'>;

/** @throws UsageError for an invalid `--naming` file */
export async function readProfileSettings(session: Invocation, input: Input): Promise<ProfileSettings> {
  const output = input.get(setOutputFlag);
  const tz = input.get(setZoneFlag);
  return {
    ...(await readFileOfNamingFlag(session, input)),
    ...(output === undefined ? {} : { output }),
    ...(tz === undefined ? {} : { tz }),
  };
}

/** Maximum size of a key on standard input. A company key has 32 characters, so a longer input is probably the wrong file. */
const MAX_KEY_OCTETS = 4096;

/** @param advice what the user can do if the name is in use @throws UsageError for an invalid or used name */
export function checkNewProfileName(
  name: string,
  profiles: readonly Profile[],
  replace: boolean,
  advice = 'choose another name',
): string {
  // The text is never repeated, because every list of profiles would show the key.
  if (COMPANY_KEY.test(name))
    throw new UsageError('this name looks like an API key', { hint: 'choose another name for the profile' });
  if (!isProfileName(name))
    throw new UsageError(`invalid profile name ${name}`, {
      hint: 'use 1 to 32 characters from a-z, 0-9, _ and -, starting with a letter or a digit',
    });
  if (!replace && profiles.some((each) => each.name === name))
    throw new UsageError(`profile ${name} already exists`, { hint: `add --replace, or ${advice}` });
  return name;
}

const COMPANY_KEY = /^[0-9a-f]{32}$/i;

/** On a terminal, asks for missing values. @throws UsageError for missing values without a terminal */
export async function readNewProfile(session: Invocation, input: Input, name: string): Promise<Profile> {
  const { globals } = session;
  const partner = input.get(partnerIdFlag);
  const kind = partner === undefined ? 'company' : 'partner';
  const baseUrl = globals.baseUrl ?? (await askBaseUrl(session));
  const company = readId('--company', globals.company);
  const user = readId('--user', globals.user);
  const ids =
    kind === 'partner'
      ? {
          partnerId: partner ?? 0,
          ...(company === undefined ? {} : { companyId: company }),
          ...(user === undefined ? {} : { userId: user }),
        }
      : {
          companyId: company ?? (await askAccountId(session, 'company')),
          userId: user ?? (await askAccountId(session, 'user')),
        };
  const keyCommand = input.get(apiKeyCommandFlag);
  const secret = keyCommand === undefined ? { apiKey: await askKey(session, input, kind) } : { keyCommand };
  return assertValidProfile({ name, kind, baseUrl, ...ids, ...secret });
}

/** @throws UsageError if the profile is invalid */
export function assertValidProfile(profile: Profile): Profile {
  const problem = profileProblem(profile);
  if (problem !== undefined) throw new UsageError(problem);
  return profile;
}

/** @param earlierAnswer the previous answer, which Enter repeats */
export async function askBaseUrl(session: Invocation, earlierAnswer?: string): Promise<string> {
  requireTerminal(session, '--base-url');
  return session.context.prompter.input('Address of the service (https://…)', {
    ...(earlierAnswer === undefined ? {} : { default: earlierAnswer }),
    check: baseUrlProblem,
  });
}

export async function askAccountId(
  session: Invocation,
  noun: 'company' | 'user' | 'partner',
  earlierAnswer?: AccountId,
): Promise<AccountId> {
  requireTerminal(session, `--${noun}`);
  const text = await session.context.prompter.input(`Id of the ${noun}`, {
    ...(earlierAnswer === undefined ? {} : { default: String(earlierAnswer) }),
    check: (each) => (isIdText(each) ? undefined : 'a whole number of at least 1'),
  });
  return parseIntegerDigits(text);
}

async function askKey(session: Invocation, input: Input, kind: Profile['kind']): Promise<string> {
  if (input.get(apiKeyFromStdinFlag)) return readApiKeyFromStdin(session, kind);
  requireTerminal(session, '--api-key-stdin or --key-command');
  return askApiKey(session, kind);
}

export const askApiKey = ({ context }: Invocation, kind: Profile['kind']): Promise<string> =>
  context.prompter.password('API key (hidden)', { check: (key) => findApiKeyProblem(kind, key) });

/** @throws UsageError if the form of the key is invalid */
export async function readApiKeyFromStdin({ context }: Invocation, kind: Profile['kind']): Promise<string> {
  const key = (await context.stdin.readAll(MAX_KEY_OCTETS)).replace(/\r?\n$/, '');
  const problem = findApiKeyProblem(kind, key);
  if (problem !== undefined) throw new UsageError(`standard input: ${problem}`);
  return key;
}

export function baseUrlProblem(text: string): string | undefined {
  const base = parseBaseUrl(text);
  return 'problem' in base ? `it ${base.problem}` : undefined;
}

function requireTerminal(session: Invocation, missing: string): void {
  const whyNot = explainWhyUserNotAsked(session);
  if (whyNot !== undefined) throw new UsageError(`${missing} is missing, and ${whyNot}`);
}

const isIdText = (text: string): boolean => /^[1-9]/.test(text) && readIdText(text) !== undefined;

function profileId(text: string): Parsed<AccountId> {
  if (isIdText(text)) return { value: parseIntegerDigits(text) };
  return { fault: { reason: 'is not a whole number of at least 1' } };
}

/** @throws UsageError if the text is not an id */
function readId(flag: string, text: string | undefined): AccountId | undefined {
  if (text === undefined) return undefined;
  if (!isIdText(text)) throw new UsageError(`${flag}: ${text} is not a whole number of at least 1`);
  return parseIntegerDigits(text);
}
