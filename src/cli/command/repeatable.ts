/**
 * What an error may repeat of the command line. A key or password that slipped into the wrong place would otherwise
 * stand in the log of a build (contract: "What looks like a secret given on the command line is refused without being
 * repeated"). The rule, and why it can't hide much, is in this folder's README, "What an error repeats".
 */
import type { Arguments, Verb } from './command.ts';
import type { FlagShape, Given } from './flag.ts';

/** What was asked, once it could be read. */
export interface Asked {
  readonly verb: Verb;
  readonly given: Arguments;
}

/** Texts that no error may show: of the command line as far as it could be read, and of the environment. */
export function notToRepeat(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  asked?: Asked,
): readonly string[] {
  const given = asked === undefined ? argv.flatMap(partsOf) : chosenValues(asked);
  const named = ENVIRONMENT.flatMap((name) => env[name] ?? []);
  return [...[...given, ...named].filter((text) => !isPlain(text)), ...[...argv, ...named].flatMap(randomIn)];
}

/**
 * Whether the text can be neither key nor password: six characters at most, letters alone (twenty) or digits alone (a time
 * at the longest), with what stands between words and numbers. Keys are longer, and passwords have letters and digits (interface,
 * "user": at least seven characters).
 */
export const isPlain = (text: string): boolean =>
  /^.{0,6}$/s.test(text) ||
  /^[\p{L} ._/-]{1,20}$/u.test(text) ||
  /^[-+]?[0-9][0-9 .,:+/T-]{0,23}[A-Za-z%]?$/.test(text);

/** They choose and name; the other variables are addresses, folders, and keys, which are taken out wherever they stand. */
const ENVIRONMENT = ['SVC_OUTPUT', 'SVC_PROFILE', 'SVC_COMPANY_ID', 'SVC_USER_ID', 'SVC_PARTNER_ID'];

/** A word of a command line that could not be read, and its parts. The flag in it is named, or not, where it is told. */
const partsOf = (word: string): readonly string[] =>
  [...(word.startsWith('--') ? [] : [word]), ...word.split(/[=?&]/)].filter((part) => !part.startsWith('--'));

/** The values of flags and operands that choose something. What is data, a file or a name of the service's is repeated. */
function chosenValues({ verb, given }: Asked): readonly string[] {
  const data = new Set(verb.flags.filter(isData).map(({ name }) => name));
  const flags = [...given.flags].flatMap(([name, value]) => (data.has(name) ? [] : textsIn(value)));
  const operands = given.positionals.filter((_, index) => {
    const operand = verb.positionals?.[index] ?? verb.positionals?.at(-1);
    return operand?.completes !== 'file' && !DATA_OPERANDS.has(operand?.name ?? '');
  });
  return [...flags, ...operands].flatMap((text) => [text, ...text.split(/[=?&]/)]);
}

/** The password in the URL of `--store` is hidden by itself (cli/commands/sandbox/store.ts). */
const isData = ({ name, group, value = '', completes }: FlagShape): boolean =>
  group === 'Attributes' ||
  group === 'Filters' ||
  completes === 'file' ||
  ['file', 'dir'].includes(value) ||
  ['store', 'adopt'].includes(name);
const DATA_OPERANDS = new Set(['id', 'rule', 'contactdata', 'file', 'file-or-value']);

const textsIn = (value: Given): readonly string[] =>
  typeof value === 'boolean' ? [] : typeof value === 'string' ? [value] : value;

/** Whether a key may be in it. */
export const looksRandom = (text: string): boolean => randomIn(text).length > 0;

/** Twenty letters and digits and more that change from one to the other as only what is random does. */
const randomIn = (text: string): readonly string[] =>
  [...text.matchAll(/[A-Za-z0-9]{20,}[A-Za-z0-9+_=-]*/g)]
    .map(([run]) => run)
    .filter((run) => (run.match(/[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g) ?? []).length >= LEAST_CHANGES);

/** 32 hexadecimal digits have 14 on average; a name with a date in it has two. */
const LEAST_CHANGES = 4;
