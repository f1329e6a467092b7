/** Reads the profiles for completion, and decides whether completion may send requests. The profile store would load too slowly. */

import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  findFolderPinnedToProfile,
  type PinnedFolder,
  TRUSTED_FILES_FILE,
  withTrust,
} from '../../client/profiles/folder-pin.ts';
import { checkDirectoryAccess, configDirOf, thisUser } from '../../kit/files/directories.ts';
import { readPrivateFile } from '../../kit/files/private-file.ts';
import { isObject } from '../../kit/text/json-object.ts';
import { parseJson } from '../../service/protocol/json.ts';
import { flagValue } from '../command/tokens.ts';
import type { Environment } from '../outside/context.ts';

export interface UserEnvironment {
  readonly env: Environment;
  readonly cwd: string;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

export interface UncheckedConfigObject {
  readonly lists?: unknown;
  readonly roster?: unknown;
  readonly sandbox?: unknown;
  readonly [name: string]: unknown;
}

export interface Configuration {
  readonly profiles: Readonly<Record<string, UncheckedConfigObject>>;
  readonly defaultName: string | undefined;
  /** Text that changes whenever the configuration file changes. */
  readonly version: string;
}

const NONE: Configuration = { profiles: {}, defaultName: undefined, version: '' };
const MAX_OCTETS = 1024 * 1024;

/** Empty if svc would refuse the file; the next command explains the reason. */
export function readProfileConfiguration(place: UserEnvironment): Configuration {
  try {
    const { path, text } = readConfigFile(place, 'config.json');
    if (text === undefined) return NONE;
    const { mtimeMs, size } = lstatSync(path);
    const { profiles, default: defaultName } = objectOrEmpty(parseJson(text));
    return {
      profiles: Object.fromEntries(
        Object.entries(objectOrEmpty(profiles)).map(([name, profile]) => [name, objectOrEmpty(profile)]),
      ),
      defaultName: typeof defaultName === 'string' ? defaultName : undefined,
      version: `${path} ${mtimeMs} ${size}`,
    };
  } catch {
    return NONE;
  }
}

/** @throws Error if there is no home folder, or if other users can access the folder or file */
function readConfigFile({ env, homeDir, platform }: UserEnvironment, name: string) {
  const directory = configDirOf(env, homeDir, platform);
  if (directory === '') throw new Error('there is no home directory');
  const path = join(resolve(directory), name);
  const owner = thisUser(platform);
  checkDirectoryAccess(resolve(directory), owner);
  return { path, text: readPrivateFile(path, owner, MAX_OCTETS) };
}

export function objectOrEmpty(value: unknown): UncheckedConfigObject {
  return isObject(value) ? value : {};
}

export interface CompletionRequestContext {
  /** Undefined if the command would use none. */
  readonly profile: UncheckedConfigObject | undefined;
  readonly flags: readonly string[];
  /** Equal only if the profile, company, user and other relevant settings are equal. */
  readonly cacheKey: string;
}

const FLAGS = ['--profile', '--company', '--user'];
const VARIABLES = [
  ...['SVC_PROFILE', 'SVC_BASE_URL', 'SVC_COMPANY_ID', 'SVC_USER_ID'],
  ...['SVC_PARTNER_ID', 'SVC_API_KEY', 'SVC_PARTNER_API_KEY'],
];
const KEY_VARIABLES: Readonly<Record<string, string>> = {
  company: 'SVC_API_KEY',
  partner: 'SVC_PARTNER_API_KEY',
};

/** Undefined without credentials, or if only a program could give the key. */
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

/** The key command may ask for a passphrase, so completion runs it only if `SVC_COMPLETE_LIVE` is `key-command`. */
function needsCommand({ kind, keyCommand }: UncheckedConfigObject, env: UserEnvironment['env']): boolean {
  const hasKey = Boolean(env[KEY_VARIABLES[String(kind)] ?? '']);
  return keyCommand !== undefined && !hasKey && env.SVC_COMPLETE_LIVE !== 'key-command';
}

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
  const named = flagValue(flags, '--profile') ?? (env.SVC_PROFILE || pin?.profile);
  return { name: named ?? defaultName, isNamed: named !== undefined };
}

/** Returns `refused` if the command would reject the `.svc.json`. */
function pinFor(flags: readonly string[], place: UserEnvironment): PinnedFolder | undefined | 'refused' {
  const { env, cwd, platform } = place;
  const isSaid = (flag: string, variable: string): boolean =>
    (flagValue(flags, flag) ?? env[variable] ?? '') !== '';
  const hasProfile = isSaid('--profile', 'SVC_PROFILE');
  const hasCompany = isSaid('--company', 'SVC_COMPANY_ID');
  if (hasProfile && hasCompany) return undefined;
  try {
    const found = findFolderPinnedToProfile(cwd, thisUser(platform));
    if (found === undefined) return undefined;
    const { profile, company } = found;
    if ((hasProfile || profile === undefined) && (hasCompany || company === undefined)) return undefined;
    const pin = withTrust(found, trustedFiles(place));
    return pin.trust === 'trusted' ? pin : 'refused';
  } catch {
    return 'refused';
  }
}

/** @throws Error if svc would refuse the file that lists them */
function trustedFiles(place: UserEnvironment): ReadonlyMap<string, string> {
  const { text = '{}' } = readConfigFile(place, TRUSTED_FILES_FILE);
  const { files } = objectOrEmpty(JSON.parse(text));
  return new Map(Object.entries(objectOrEmpty(files)).map(([path, sha256]) => [path, String(sha256)]));
}

const isOfMany = (word: string): boolean => word === '--companies' || word.startsWith('--companies=');

/** Undefined for a word that only the shell can expand, such as `$COMPANY`. */
function unquoted(word: string): string | undefined {
  const [, quote, inner = ''] = /^(["'])(.*)\1$/s.exec(word) ?? [];
  if (quote === "'") return inner.includes("'") ? undefined : inner;
  if (quote === '"') return /["`$\\]/.test(inner) ? undefined : inner;
  return /^(?:[^"'`$\\]|\\[^A-Za-z0-9\\])*$/s.test(word) ? word.replaceAll(/\\(.)/gs, '$1') : undefined;
}
