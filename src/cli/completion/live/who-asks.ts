/** Decides whether completion may send requests, selects the credentials, and names the cache. */
import { thisUser } from '../../../files/owner.ts';
import { type FolderPin, findFolderPin } from '../../../profiles/folder-pin.ts';
import { flagValue } from '../../command/tokens.ts';
import type { Configuration, Stored, UserPlace } from './configuration.ts';

export interface WhoAsks {
  readonly profile: Stored | undefined;
  /** Global flags on the command line, as words. */
  readonly flags: readonly string[];
  /** Cache key. Two command lines have the same key only if their profile, company, user and other relevant settings are equal. */
  readonly key: string;
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
export function whoAsks(
  words: readonly string[],
  configuration: Configuration,
  outside: UserPlace,
): WhoAsks | undefined {
  const { env } = outside;
  // A TAB sends no request to an address outside the profile and the environment. Ids belong to one company.
  if (flagValue(words, '--base-url') !== undefined || words.some(isOfMany)) return undefined;
  const flags: string[] = [];
  for (const flag of FLAGS) {
    const value = flagValue(words, flag);
    if (value === undefined) continue;
    const plain = unquoted(value);
    if (plain === undefined) return undefined;
    flags.push(flag, plain);
  }
  const pin = pinFor(flags, outside);
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
    key: JSON.stringify([configuration.version, name ?? '', flags, environment, pin ?? '']),
  };
}

/**
 * Reports whether only a program can provide the key, and the user does not allow completion to run it. The program may ask for a
 * passphrase.
 */
function needsCommand({ kind, keyCommand }: Stored, env: UserPlace['env']): boolean {
  const hasKey = Boolean(env[KEY_VARIABLES[String(kind)] ?? '']);
  return keyCommand !== undefined && !hasKey && env['SVC_COMPLETE_LIVE'] !== 'key-command';
}

/** Returns the profile that the command would use, from the words before the cursor. */
export function profileOf(
  words: readonly string[],
  configuration: Configuration,
  outside: UserPlace,
): Stored | undefined {
  const given = flagValue(words, '--profile');
  const named = given === undefined ? undefined : unquoted(given);
  if (given !== undefined && named === undefined) return undefined;
  const flags = named === undefined ? [] : ['--profile', named];
  const pin = pinFor(flags, outside);
  if (pin === 'refused') return undefined;
  return profileCalled(profileName(flags, configuration, outside.env, pin).name, configuration);
}

const profileCalled = (name: string | undefined, { profiles }: Configuration): Stored | undefined =>
  name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined;

function profileName(
  flags: readonly string[],
  { defaultName }: Configuration,
  env: UserPlace['env'],
  pin: FolderPin | undefined,
): { readonly name: string | undefined; readonly isNamed: boolean } {
  const named = flagValue(flags, '--profile') ?? (env['SVC_PROFILE'] || pin?.profile);
  return { name: named ?? defaultName, isNamed: named !== undefined };
}

/** Returns the `.svc.json` that the command would find, or `refused` if it would end with an error about it. */
function pinFor(
  flags: readonly string[],
  { env, cwd, platform }: UserPlace,
): FolderPin | undefined | 'refused' {
  const isSaid = (flag: string, variable: string): boolean =>
    (flagValue(flags, flag) ?? env[variable] ?? '') !== '';
  if (isSaid('--profile', 'SVC_PROFILE') && isSaid('--company', 'SVC_COMPANY_ID')) return undefined;
  try {
    return findFolderPin(cwd, thisUser(platform));
  } catch {
    return 'refused';
  }
}

const isOfMany = (word: string): boolean => word === '--companies' || word.startsWith('--companies=');

/**
 * Returns the word as the shell would pass it, or undefined for one that only the shell can expand, such as `$COMPANY`. Escaped letters and
 * digits are left to the shell.
 */
function unquoted(word: string): string | undefined {
  const [, quote, inner = ''] = /^(["'])(.*)\1$/s.exec(word) ?? [];
  if (quote === "'") return inner.includes("'") ? undefined : inner;
  if (quote === '"') return /["`$\\]/.test(inner) ? undefined : inner;
  return /^(?:[^"'`$\\]|\\[^A-Za-z0-9\\])*$/s.test(word) ? word.replaceAll(/\\(.)/gs, '$1') : undefined;
}
