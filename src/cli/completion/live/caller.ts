/** Decides whether completion may send requests for a command line, and with which profile and cache. */
import { thisUser } from '../../../files/owner.ts';
import { findFolderPinnedToProfile, type PinnedFolder } from '../../../profiles/folder-pin.ts';
import { flagValue } from '../../command/tokens.ts';
import type { Configuration, UncheckedConfigObject, UserEnvironment } from './configuration.ts';

/** Profile and flags with which completion sends its requests. */
export interface CompletionRequestContext {
  /** Profile that the typed command would use. Undefined if the command would use none. */
  readonly profile: UncheckedConfigObject | undefined;
  /** Global flags on the command line, as words. */
  readonly flags: readonly string[];
  /** Cache key. Two command lines have the same key only if their profile, company, user and other relevant settings are equal. */
  readonly cacheKey: string;
}

const FLAGS = ['--profile', '--company', '--user'] as const;
const VARIABLES = [
  ...['SVC_PROFILE', 'SVC_BASE_URL', 'SVC_COMPANY_ID', 'SVC_USER_ID'],
  ...['SVC_PARTNER_ID', 'SVC_API_KEY', 'SVC_PARTNER_API_KEY'],
];
const KEY_VARIABLES: Readonly<Record<string, string>> = {
  company: 'SVC_API_KEY',
  partner: 'SVC_PARTNER_API_KEY',
};

/**
 * Returns the profile, flags and cache key for requests. Returns undefined without credentials, and if svc would have to run a program to
 * get the key.
 */
export function findCompletionRequestContext(
  typedWords: readonly string[],
  configuration: Configuration,
  place: UserEnvironment,
): CompletionRequestContext | undefined {
  const { env } = place;
  // Completion sends no request to an address from --base-url, and offers no ids for several companies.
  if (flagValue(typedWords, '--base-url') !== undefined || typedWords.some(isOfMany)) return undefined;
  const flags: string[] = [];
  for (const flag of FLAGS) {
    const value = flagValue(typedWords, flag);
    if (value === undefined) continue;
    const plain = unquoted(value);
    if (plain === undefined) return undefined;
    flags.push(flag, plain);
  }
  const pin = pinFor(flags, place);
  if (pin === 'refused') return undefined;
  const { name, isNamed } = profileName(flags, configuration, env, pin);
  const profile = profileCalled(name, configuration);
  if (profile === undefined && isNamed) return undefined;
  const hasKey = Object.values(KEY_VARIABLES).some((variable) => env[variable]);
  if (profile === undefined && !hasKey) return undefined;
  if (profile && needsCommand(profile, env)) return undefined;
  const environment = VARIABLES.map((variable) => env[variable] ?? '');
  return {
    profile,
    flags,
    cacheKey: JSON.stringify([configuration.version, name ?? '', flags, environment, pin ?? '']),
  };
}

/**
 * Reports whether completion could get the API key only from the profile's key command, but may not run this command. The key command is a
 * program that prints the API key, and may ask for a passphrase. Completion therefore runs the program only if `SVC_COMPLETE_LIVE` is
 * `key-command`.
 */
function needsCommand({ kind, keyCommand }: UncheckedConfigObject, env: UserEnvironment['env']): boolean {
  const hasKey = Boolean(env[KEY_VARIABLES[String(kind)] ?? '']);
  return keyCommand !== undefined && !hasKey && env['SVC_COMPLETE_LIVE'] !== 'key-command';
}

/** Returns the profile that the typed command would use. */
export function findSelectedProfile(
  typedWords: readonly string[],
  configuration: Configuration,
  place: UserEnvironment,
): UncheckedConfigObject | undefined {
  const given = flagValue(typedWords, '--profile');
  const named = given === undefined ? undefined : unquoted(given);
  if (given !== undefined && named === undefined) return undefined;
  const flags = named === undefined ? [] : ['--profile', named];
  const pin = pinFor(flags, place);
  if (pin === 'refused') return undefined;
  return profileCalled(profileName(flags, configuration, place.env, pin).name, configuration);
}

const profileCalled = (
  name: string | undefined,
  { profiles }: Configuration,
): UncheckedConfigObject | undefined =>
  name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;

function profileName(
  flags: readonly string[],
  { defaultName }: Configuration,
  env: UserEnvironment['env'],
  pin: PinnedFolder | undefined,
): { readonly name: string | undefined; readonly isNamed: boolean } {
  const named = flagValue(flags, '--profile') ?? (env['SVC_PROFILE'] || pin?.profile);
  return { name: named ?? defaultName, isNamed: named !== undefined };
}

/** Returns the `.svc.json` that the typed command would use, or `refused` if the command would reject the file. */
function pinFor(
  flags: readonly string[],
  { env, cwd, platform }: UserEnvironment,
): PinnedFolder | undefined | 'refused' {
  const isSaid = (flag: string, variable: string): boolean =>
    (flagValue(flags, flag) ?? env[variable] ?? '') !== '';
  if (isSaid('--profile', 'SVC_PROFILE') && isSaid('--company', 'SVC_COMPANY_ID')) return undefined;
  try {
    return findFolderPinnedToProfile(cwd, thisUser(platform));
  } catch {
    return 'refused';
  }
}

const isOfMany = (word: string): boolean => word === '--companies' || word.startsWith('--companies=');

/**
 * Returns the typed word without quotes and escapes, as the shell would pass it. Returns undefined for a word that only the shell can
 * expand, such as `$COMPANY`.
 */
function unquoted(word: string): string | undefined {
  const [, quote, inner = ''] = /^(["'])(.*)\1$/s.exec(word) ?? [];
  if (quote === "'") return inner.includes("'") ? undefined : inner;
  if (quote === '"') return /["`$\\]/.test(inner) ? undefined : inner;
  return /^(?:[^"'`$\\]|\\[^A-Za-z0-9\\])*$/s.test(word) ? word.replaceAll(/\\(.)/gs, '$1') : undefined;
}
