/**
 * Decides which parts of the command line an error message may quote. A misplaced key or password would otherwise appear in the log of a
 * build (contract: "What looks like a secret given on the command line is refused without being repeated"). src/cli/README.md, "What an
 * error repeats", explains the rule and why it rarely hides useful text.
 */

import type { Environment } from '../outside/context.ts';
import type { Arguments, Verb } from './command.ts';
import type { FlagShape, RawFlagValue } from './flag.ts';

/** Parsed command line: the verb, with its flags and operands. */
export interface VerbWithArguments {
  readonly verb: Verb;
  readonly given: Arguments;
}

/**
 * Returns the texts of the command line and the environment that no error message may show. @param parsed undefined if svc could not parse
 * the command line, so that every word may be a secret
 */
export function collectPossibleSecrets(
  argv: readonly string[],
  env: Environment,
  parsed?: VerbWithArguments,
): readonly string[] {
  const given = parsed === undefined ? argv.flatMap(partsOf) : chosenValues(parsed);
  const named = CHECKED_VARIABLES.flatMap((name) => env[name] ?? []);
  return [
    ...[...given, ...named].filter((text) => !isClearlyNotSecret(text)),
    ...[...argv, ...named].flatMap(randomIn),
  ];
}

/**
 * Reports whether the text can be neither a key nor a password. Such a text has at most six characters, or only letters (up to 20), or is a
 * number or a time. A path of the service and an output format are safe too. Keys are longer, and passwords have letters and digits
 * (interface, "user": at least seven characters).
 */
export const isClearlyNotSecret = (text: string): boolean =>
  /^.{0,6}$/s.test(text) ||
  /^[\p{L} ._/-]{1,20}$/u.test(text) ||
  /^[-+]?[0-9][0-9 .,:+/T-]{0,23}[A-Za-z%]?$/.test(text) ||
  isPath(text) ||
  isExpression(text);

const isPath = (text: string): boolean =>
  /^\/[^/]/.test(text) &&
  text.split(/[/?&=]/).every((part) => /^(?:v[0-9]{1,2}|[A-Za-z_]{0,30}|[0-9]{1,15})$/.test(part));

/** Reports whether the text is an output format such as `jsonpath={.items[0].name}`, or a query. Digits occur only inside brackets. */
const isExpression = (text: string): boolean =>
  text.length <= 60 &&
  /[={}[\]]/.test(text) &&
  /^(?:\p{L}{1,20}(?!\p{L})|[ ._/=:,{}()@*$'"|?<>-]|\[[0-9]{0,3}\])+$/u.test(text);

/** Environment variables into which a user may put a secret by mistake. svc always redacts the variables that hold API keys. */
const CHECKED_VARIABLES = ['SVC_OUTPUT', 'SVC_PROFILE', 'SVC_COMPANY_ID', 'SVC_USER_ID', 'SVC_PARTNER_ID'];

/** Returns the texts of a word that may be secrets: the word, and its parts between `=`, `?` and `&`. Omits names of flags. */
const partsOf = (word: string): readonly string[] =>
  [...(word.startsWith('--') ? [] : [word]), ...word.split(/[=?&]/)].filter((part) => !part.startsWith('--'));

/** Returns the values of flags and operands that may be secrets, and their parts between `=`, `?` and `&`. Omits the user's data. */
function chosenValues({ verb, given }: VerbWithArguments): readonly string[] {
  const data = new Set(verb.flags.filter(isData).map(({ name }) => name));
  const flags = [...given.flags].flatMap(([name, value]) => (data.has(name) ? [] : textsIn(value)));
  const operands = given.positionals.filter((text, index) => {
    const operand = verb.positionals?.[index] ?? verb.positionals?.at(-1);
    if (operand?.choices?.includes(text)) return false;
    return operand?.completes !== 'file' && !DATA_OPERANDS.has(operand?.name ?? '');
  });
  return [...flags, ...operands].flatMap((text) => [text, ...text.split(/[=?&]/)]);
}

/**
 * Reports whether the value of the flag is the user's data, such as an attribute, a filter or a path, which error messages may show. Other
 * code redacts the password in the URL of `--store` (cli/commands/sandbox/store.ts).
 */
const isData = ({ name, group, value = '', completes }: FlagShape): boolean =>
  group === 'Attributes' ||
  group === 'Filters' ||
  completes === 'file' ||
  ['file', 'dir'].includes(value) ||
  ['store', 'adopt'].includes(name);
const DATA_OPERANDS = new Set(['id', 'rule', 'contactdata', 'file', 'file-or-value']);

const textsIn = (value: RawFlagValue): readonly string[] =>
  typeof value === 'boolean' ? [] : typeof value === 'string' ? [value] : value;

/** Reports whether a part of the text looks random, so that it may be an API key. */
export const looksLikeRandomKey = (text: string): boolean => randomIn(text).length > 0;

/** Returns the parts that look random: 32 or more hexadecimal digits, or 20 or more letters and digits that alternate often. */
const randomIn = (text: string): readonly string[] => [
  ...(text.match(/[0-9a-f]{32,}/gi) ?? []),
  ...[...text.matchAll(/[A-Za-z0-9]{20,}[A-Za-z0-9+_=-]*/g)]
    .map(([run]) => run)
    .filter((run) => (run.match(/[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g) ?? []).length >= MIN_CHANGES),
];

/** Minimum number of changes between letters and digits. 32 random hexadecimal digits have 14 on average, a name with a date two. */
const MIN_CHANGES = 4;
