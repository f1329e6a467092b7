/** For whom completion may ask the service, and the name under which what it is told is kept. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
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
  const { env, cwd } = outside;
  // Of another address than that of the profile or the environment nothing is asked at a mere TAB.
  if (flagValueIn('--base-url', words) !== undefined) return undefined;
  const flags: string[] = [];
  for (const flag of FLAGS) {
    const value = flagValueIn(flag, words);
    if (value === undefined) continue;
    const plain = unquoted(value);
    if (plain === undefined) return undefined;
    flags.push(flag, plain);
  }
  const named = flagValueIn('--profile', flags) ?? (env['SVC_PROFILE'] || undefined);
  const name = named ?? configuration.defaultName;
  const profile =
    name !== undefined && Object.hasOwn(configuration.profiles, name)
      ? configuration.profiles[name]
      : undefined;
  if (profile === undefined && named !== undefined) return undefined;
  const hasKey = Object.values(KEY_VARIABLES).some((variable) => env[variable]);
  if (profile === undefined && !hasKey) return undefined;
  if (profile && needsCommand(profile, env)) return undefined;
  const environment = VARIABLES.map((variable) => env[variable] ?? '');
  return {
    profile,
    flags,
    key: JSON.stringify([configuration.version, name ?? '', flags, environment, pinIn(cwd)]),
  };
}

/** A program that may ask for a passphrase is not started by a TAB, unless the person says that it asks for none. */
function needsCommand({ kind, keyCommand }: Stored, env: Outside['env']): boolean {
  const hasKey = Boolean(env[KEY_VARIABLES[String(kind)] ?? '']);
  return keyCommand !== undefined && !hasKey && env['SVC_COMPLETE_LIVE'] !== 'key-command';
}

/** A file in the working folder may choose profile and company; which it chooses is for the command to find out. */
function pinIn(cwd: string): string {
  const path = join(cwd, '.svc.json');
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${path} ${stats.mtimeMs} ${stats.size}`;
}

/** The last one counts, as for the command itself. The one whose value is being typed says nothing yet. */
export function flagValueIn(flag: string, words: readonly string[]): string | undefined {
  let value: string | undefined;
  for (const [at, word] of words.entries()) {
    if (word === flag) value = words[at + 1] ?? value;
    else if (word.startsWith(`${flag}=`)) value = word.slice(flag.length + 1);
  }
  return value;
}

/** A word as the shell would hand it over; undefined for one that only the shell can read, such as `$COMPANY`. */
function unquoted(word: string): string | undefined {
  const [, quote, inner] = /^(["'])(.*)\1$/s.exec(word) ?? [];
  const text = inner ?? word;
  if (quote === "'") return text.includes("'") ? undefined : text;
  return /["'`$\\]/.test(text) ? undefined : text;
}
