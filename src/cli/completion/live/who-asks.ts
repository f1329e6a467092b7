/** For whom completion may ask the service, and the name under which what it is told is kept. */
import { thisUser } from '../../../files/owner.ts';
import { type FolderPin, findFolderPin } from '../../../profiles/folder-pin.ts';
import type { Configuration, Outside, Stored } from './configuration.ts';

export interface WhoAsks {
  readonly profile: Stored | undefined;
  /** Global flags of the line, as words. */
  readonly flags: readonly string[];
  /** The same only where profile, company, user and all else that decides about them are the same. */
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

/** @returns undefined where nothing is to be asked: nobody to ask as, or a key that a program would have to be run for */
export function whoAsks(
  words: readonly string[],
  configuration: Configuration,
  outside: Outside,
): WhoAsks | undefined {
  const { env } = outside;
  // Of another address than that of the profile or the environment nothing is asked at a mere TAB; ids are one company's.
  if (flagValueIn('--base-url', words) !== undefined || words.some(isOfMany)) return undefined;
  const flags: string[] = [];
  for (const flag of FLAGS) {
    const value = flagValueIn(flag, words);
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

/** A program that may ask for a passphrase is not started by a TAB, unless the person says that it asks for none. */
function needsCommand({ kind, keyCommand }: Stored, env: Outside['env']): boolean {
  const hasKey = Boolean(env[KEY_VARIABLES[String(kind)] ?? '']);
  return keyCommand !== undefined && !hasKey && env['SVC_COMPLETE_LIVE'] !== 'key-command';
}

/** The profile that the command would use, from the line as it stands. */
export function profileOf(
  words: readonly string[],
  configuration: Configuration,
  outside: Outside,
): Stored | undefined {
  const given = flagValueIn('--profile', words);
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
  env: Outside['env'],
  pin: FolderPin | undefined,
): { readonly name: string | undefined; readonly isNamed: boolean } {
  const named = flagValueIn('--profile', flags) ?? (env['SVC_PROFILE'] || pin?.profile);
  return { name: named ?? defaultName, isNamed: named !== undefined };
}

/** A `.svc.json`, as the command would find it; `refused` where it would end with an error about it. */
function pinFor(
  flags: readonly string[],
  { env, cwd, platform }: Outside,
): FolderPin | undefined | 'refused' {
  const isSaid = (flag: string, variable: string): boolean =>
    (flagValueIn(flag, flags) ?? env[variable] ?? '') !== '';
  if (isSaid('--profile', 'SVC_PROFILE') && isSaid('--company', 'SVC_COMPANY_ID')) return undefined;
  try {
    return findFolderPin(cwd, thisUser(platform));
  } catch {
    return 'refused';
  }
}

const isOfMany = (word: string): boolean => word === '--companies' || word.startsWith('--companies=');

/** The last one counts, as for the command itself. The one whose value is being typed says nothing yet. */
export function flagValueIn(flag: string, words: readonly string[]): string | undefined {
  let value: string | undefined;
  for (const [at, word] of words.entries()) {
    if (word === flag) value = words[at + 1] ?? value;
    else if (word.startsWith(`${flag}=`)) value = word.slice(flag.length + 1);
  }
  return value;
}

/**
 * A word as the shell would hand it over; undefined for one that only the shell can read, such as `$COMPANY`. Of what is
 * escaped, letters and digits are left to the shell.
 */
function unquoted(word: string): string | undefined {
  const [, quote, inner = ''] = /^(["'])(.*)\1$/s.exec(word) ?? [];
  if (quote === "'") return inner.includes("'") ? undefined : inner;
  if (quote === '"') return /["`$\\]/.test(inner) ? undefined : inner;
  return /^(?:[^"'`$\\]|\\[^A-Za-z0-9\\])*$/s.test(word) ? word.replaceAll(/\\(.)/gs, '$1') : undefined;
}
