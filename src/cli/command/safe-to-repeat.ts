/**
 * Finds keys and passwords on the command line, so that no error message repeats them. A misplaced key would otherwise appear in the log of
 * a build.
 */

import type { Environment } from '../outside/context.ts';
import type { Arguments, Verb } from './command.ts';
import { flagsOf } from './companies-flags.ts';
import { globalFlags } from './globals.ts';

export interface VerbWithArguments {
  readonly verb: Verb;
  readonly given: Arguments;
}

/** @param parsed undefined if svc could not parse the command line */
export function collectPossibleSecrets(
  argv: readonly string[],
  env: Environment,
  parsed?: VerbWithArguments,
): readonly string[] {
  const declared = parsed === undefined ? [] : [...globalFlags, ...flagsOf(parsed.verb)];
  const isDeclared = (name: string): boolean => declared.some((flag) => flag.name === name);
  const named = CHECKED_VARIABLES.flatMap((name) => env[name] ?? []);
  return [
    ...[...argv, ...named].flatMap((text) => [...keysIn(text), ...namedSecretsIn(text)]),
    // The shell may have split a key at a blank.
    ...keysIn(argv.join(' ')),
    ...argv.flatMap((word, at) => secretOfFlag(word, argv[at + 1], isDeclared)),
  ];
}

export const isClearlyNotSecret = (text: string): boolean => keysIn(text).length === 0;

/** Environment variables into which a user may put a secret by mistake. svc always redacts the variables that hold API keys. */
const CHECKED_VARIABLES = ['SVC_OUTPUT', 'SVC_PROFILE', 'SVC_COMPANY_ID', 'SVC_USER_ID', 'SVC_PARTNER_ID'];

function keysIn(text: string): readonly string[] {
  return [
    ...(text.match(HEX_DIGITS) ?? []).filter(isHexKey),
    ...(text.match(HEX_GROUPS) ?? []).filter(isBrokenKey).flatMap((groups) => groups.split(/\s+/)),
    ...(text.match(LETTERS_AND_DIGITS) ?? []).filter(isRandom),
  ];
}

/** Matches the digits of a whole key, and of a company's key without up to eight of them. */
const HEX_DIGITS = /[0-9a-f]{24,}/gi;

/** Lengths of the keys of a company, of a partner of the sandbox, and of the sandbox's control plane. */
const KEY_LENGTHS = [32, 40, 64];

const isHexKey = (digits: string): boolean =>
  KEY_LENGTHS.includes(digits.length) || new Set(digits.toLowerCase()).size >= MIN_DIFFERENT_DIGITS;

/** 24 random hexadecimal digits have 12 different ones on average, and fewer than 7 once in 300,000 times. */
const MIN_DIFFERENT_DIGITS = 7;

const HEX_GROUPS = /(?<![0-9a-z])[0-9a-f]{4,}(?:\s+[0-9a-f]{4,})+(?![0-9a-z])/gi;

/** Reports whether the groups are parts of one key. Words have no digits, and phone numbers have no letters. */
const isBrokenKey = (groups: string): boolean =>
  groups.replace(/\s/g, '').length >= 24 &&
  groups.split(/\s+/).every((part) => /[0-9]/.test(part) && /[a-f]/i.test(part));

/** Matches texts that may be the key of a partner, because the interface does not say what such a key looks like. */
const LETTERS_AND_DIGITS = /[A-Za-z0-9]{20,}[A-Za-z0-9+_=-]*/g;

const isRandom = (text: string): boolean =>
  (text.match(/[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g) ?? []).length >= MIN_CHANGES;

/** Minimum number of changes between letters and digits. 32 random hexadecimal digits have 14 on average, a name with a date two. */
const MIN_CHANGES = 4;

const namedSecretsIn = (text: string): readonly string[] =>
  [...[...text.matchAll(NAMED_SECRET)].map(([, value = '']) => value), ...passwordsOfUrls(text)].filter(
    (value) => value.length >= MIN_LENGTH,
  );

/** Each part before an `@` may end with a password. One expression for the whole text would take quadratic time. */
const passwordsOfUrls = (text: string): readonly string[] =>
  text
    .split('@')
    .slice(0, -1)
    .flatMap((part) => URL_PASSWORD.exec(part)?.[1] ?? []);

const NAMED_SECRET =
  /(?:passw|pwd|secret|credential|api[_-]?key)[\w-]{0,20}(?:["']\s{0,9}:\s{0,9}["']?|[:=]["']?)([^\s"'&]+)/gi;
const URL_PASSWORD = /:\/\/[^\s:/]*:(.+)$/s;
/** Minimum length of a secret value. Hiding a shorter one would make messages unreadable. */
const MIN_LENGTH = 4;

/**
 * Returns the value of a flag whose name says that it is secret, unless the verb has this flag.
 * @param next the next word, which is the value if the word has no `=`
 */
function secretOfFlag(
  word: string,
  next: string | undefined,
  isDeclared: (name: string) => boolean,
): readonly string[] {
  const [, name, given] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (name === undefined) return [];
  const value = given ?? (next?.startsWith('-') ? undefined : next);
  if (value === undefined || value.length < MIN_LENGTH) return [];
  if (name === 'smtp') return SERVER_PASSWORD.exec(value)?.slice(1) ?? [];
  if (!SECRET_FLAG_NAME_PATTERN.test(name) || isDeclared(name)) return [];
  // The next word may also be a command, such as `folder` in `svc --api-key folder list`.
  return given === undefined && /^[a-z-]+$/.test(value) ? [] : [value];
}

const SERVER_PASSWORD = /^[^:@]*:(.+)@/s;

export const SECRET_FLAG_NAME_PATTERN =
  /^k$|^(?!no-).*(?:key(?!word)|passw|pwd|secret|token|auth(?!or)|header|credential)/i;
