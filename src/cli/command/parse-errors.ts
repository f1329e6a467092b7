import type { CommanderError } from 'commander';
import { similarWords } from '../../kit/text/words.ts';
import { UsageError } from '../errors/errors.ts';
import { isGroup, type TopLevelCommandEntry, type Verb } from './command.ts';
import { companiesFlagRefusal, flagsOf } from './companies-flags.ts';
import type { FlagShape } from './flag.ts';
import { globalFlags, takesValue } from './globals.ts';
import { quoteWord } from './meaning/arguments.ts';
import { adviceForFlag, flagForOperand, flagNamed, isCalled, NEVER_GUESSED } from './meaning/flags.ts';
import { explainMeaning } from './meaning/meaning.ts';
import { isClearlyNotSecret, SECRET_FLAG_NAME_PATTERN } from './safe-to-repeat.ts';
import { type Token, tokenizeCommandLine } from './tokens.ts';
import type { ResolvedCommandLine } from './words.ts';

interface Parsing extends Pick<ResolvedCommandLine, 'node' | 'path'> {
  readonly typed: readonly string[];
  readonly parsed: readonly string[];
  readonly entries: readonly TopLevelCommandEntry[];
  readonly nearTopic: string | undefined;
}

export async function convertParserError(error: CommanderError, parsing: Parsing): Promise<UsageError> {
  const { node, path } = parsing;
  const [first = ''] = error.message.replace(/^error: /, '').split('\n');
  const word = /'([^']*)'/.exec(first)?.[1] ?? '';
  const line = ['svc', ...path].join(' ');
  const fallback = `see ${line} --help`;
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownWord(isClearlyNotSecret(word) ? word : undefined, line, parsing);
    case 'commander.unknownOption':
      return unknownFlag(word, line, parsing);
    case 'commander.optionMissingArgument':
      return new UsageError(`${/--[^ ,]+/.exec(word)?.[0] ?? word} needs a value`, { hint: fallback });
    case 'commander.missingArgument': {
      const given = operandsAfterCommand(parsing).map(({ text }) => text);
      if (line === 'svc profile set' && given.length === 2 && given.every(isClearlyNotSecret))
        return new UsageError(`${line} needs the name of a profile before the setting`, {
          hint: `write svc profile set NAME ${given.join(' ')}; svc profile list shows the names`,
        });
      return new UsageError(`${line} needs ${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`, {
        hint: fallback,
      });
    }
    case 'commander.excessArguments':
      return tooManyWords(line, parsing, node && !isGroup(node) ? node : undefined);
    default:
      return new UsageError(first, { hint: fallback });
  }
}

/** The name is undefined if it may be a secret. */
async function unknownWord(name: string | undefined, line: string, parsing: Parsing): Promise<UsageError> {
  const { node, path, typed, entries, nearTopic } = parsing;
  const words = typed.filter((word) => word !== 'help' && word !== '--help' && word !== '-h');
  const isTopLevel = path.length === 0;
  const topic = nearTopic === undefined ? undefined : `did you mean svc help ${nearTopic}?`;
  const meaning = topic ?? (await explainMeaning(words, entries, isTopLevel ? undefined : name));
  const names = node && isGroup(node) ? node.commands.map((each) => each.name) : [];
  if (isTopLevel)
    return new UsageError(`there is no ${name ? `command ${name}` : 'such command'}`, {
      hint: meaning ?? 'svc --help shows the commands',
    });
  return new UsageError(`${line} has no ${name ?? 'such verb'}`, {
    hint:
      meaning ??
      `${names.includes('get') && name ? `to show one by its name, run ${line} get ${name}; ` : ''}it has ${names.join(', ')}`,
  });
}

function tokensAfterCommand({ parsed, path, node }: Parsing): readonly Token[] {
  const flags = node && !isGroup(node) ? flagsOf(node) : [];
  const tokens = [...tokenizeCommandLine(parsed, (word) => takesValue(word, flags))];
  const names = tokens.filter(({ kind }) => kind === 'operand').slice(0, path.length);
  return tokens.filter((token) => !names.includes(token));
}

const operandsAfterCommand = (parsing: Parsing): readonly Token[] =>
  tokensAfterCommand(parsing).filter(({ kind }) => kind === 'operand');

function tooManyWords(line: string, parsing: Parsing, verb: Verb | undefined): UsageError {
  const fallback = `see ${line} --help`;
  const tokens = tokensAfterCommand(parsing);
  const operands = tokens.filter(({ kind }) => kind === 'operand');
  const positionals = verb?.positionals ?? [];
  const extras = operands.slice(positionals.length);
  const [extra] = extras;
  const count = tokens.find(({ text }) => /^-[0-9]+$/.test(text))?.text.slice(1);
  if (count !== undefined && verb?.flags.some(({ name }) => name === 'limit'))
    return new UsageError(`unexpected argument -${count}`, { hint: `write ${line} --limit ${count}` });
  if (extra === undefined || ![...operands, ...tokens].every(({ words }) => words.every(isClearlyNotSecret)))
    return new UsageError('unexpected argument', { hint: fallback });
  const message = `unexpected argument ${JSON.stringify(extra.text)}`;
  if (/^[.[]/.test(extra.text) && tokens.some(({ text }) => text === '-q'))
    return new UsageError(message, { hint: `-q is --quiet; write --jq ${quoteWord(extra.text)}` });
  const before = tokens[tokens.indexOf(extra) - 1];
  const isChoice = [...globalFlags, ...flagsOf(verb ?? { flags: [] })].some(
    ({ name, short, choices }) =>
      choices !== undefined && [`--${name}`, `-${short}`].includes(before?.text ?? ''),
  );
  if (before?.value !== undefined && !isChoice && !/\s/.test(before.value + extra.text))
    return new UsageError(message, {
      hint: `quote a value that has spaces: ${before.text} "${before.value} ${extra.text}"`,
    });
  const flags = flagsOf(verb ?? { flags: [] });
  const free = flags.filter(
    ({ name, friendly, short }) =>
      !tokens.some(({ text }) => [`--${name}`, `--${friendly}`, `-${short}`].includes(text)),
  );
  const [positional] = positionals;
  const isAnother =
    positional !== undefined && operands.length > 1 && operands.every(({ text }) => /^[0-9]+$/.test(text));
  if (isAnother)
    return new UsageError(`${line} takes one ${positional.name}, not ${operands.length}`, { hint: fallback });
  const flagged = withFlags(extras, free);
  if (flagged === undefined) return new UsageError(message, { hint: fallback });
  const rest = tokens.flatMap((token) => {
    const flag = flagged.get(token);
    const words = token.words.map(quoteWord);
    return flag === undefined ? words : [`--${flag.friendly ?? flag.name}`, ...words];
  });
  const [first] = [...flagged.values()];
  return new UsageError(
    `${line} needs the flag --${first?.friendly ?? first?.name} before ${quoteWord(extra.text)}`,
    { hint: `write ${[line, ...rest].join(' ')}` },
  );
}

/** Two operands never have the same flag. */
function withFlags(
  operands: readonly Token[],
  flags: readonly FlagShape[],
): ReadonlyMap<Token, FlagShape> | undefined {
  const found = new Map<Token, FlagShape>();
  for (const operand of operands) {
    const used = [...found.values()];
    const flag = flagForOperand(
      flags.filter((each) => !used.includes(each)),
      operand.text,
    );
    if (flag === undefined) return undefined;
    found.set(operand, flag);
  }
  return found;
}

/** Names the flag, never its value: `--api-key=…`, `-k…`. */
function unknownFlag(word: string, line: string, parsing: Parsing): UsageError {
  const { node } = parsing;
  const verb = verbWithFlags(node);
  // Terraform writes long flags with one dash. Any other letters after the first may be a value, even a secret one.
  const isLong = word.startsWith('--') || isWordOfFlag(word.slice(1).replace(/=.*/s, ''), verb);
  const given = isLong ? word.replace(/=.*/s, '') : word.slice(0, 2);
  const name = given.replace(/^--?/, '');
  const own = verb ? flagsOf(verb) : [];
  const all = [...own, ...globalFlags];
  const flag = all.find((each) =>
    [`--${each.name}`, `--${each.friendly}`, each.bool && `--no-${each.name}`].includes(given),
  );
  if (flag && (flag.value === undefined || given !== `--${flag.name}`) && word !== given)
    return new UsageError(`${given} takes no value`, { hint: `see ${line} --help` });
  if (flag) return new UsageError(`${given} must come after ${line}`, { hint: `write ${line} ${given}` });
  const isNamed = isClearlyNotSecret(name) || FLAG_NAME.test(name);
  const unknown = `${line} has no ${isNamed ? `flag ${given}` : 'such flag'}`;
  const reason =
    verb && (companiesFlagRefusal(line, name) ?? verb.explainUnknown?.(name.replace(/^no-/, '')));
  const hint = hintForFlag(name, word, line, parsing, verb, all) ?? `see ${line} --help`;
  const hints = SECRET_FLAG_NAME_PATTERN.test(name) ? [WHERE_A_KEY_GOES, hint] : [hint];
  return new UsageError(reason ?? unknown, { hints });
}

/** Reports whether a word after one dash is the name of a flag, or means one: `-var`. */
const isWordOfFlag = (name: string, verb: Verb | undefined): boolean =>
  name.length > 1 &&
  [...(verb ? flagsOf(verb) : []), ...globalFlags].some(
    (flag) => isCalled(flag, name) || flagNamed([flag], name) !== undefined,
  );

function verbWithFlags(node: Parsing['node']): Verb | undefined {
  if (node === undefined || !isGroup(node)) return node;
  const implied = node.commands.find(
    ({ name }) => name === (node.defaultCommand ?? node.commandWithoutWords),
  );
  return implied === undefined || isGroup(implied) ? undefined : implied;
}

function hintForFlag(
  name: string,
  word: string,
  line: string,
  { parsed }: Parsing,
  verb: Verb | undefined,
  flags: readonly FlagShape[],
): string | undefined {
  const after = parsed[parsed.indexOf(word) + 1];
  const next = word.includes('=') ? word.replace(/^[^=]*=/s, '') : after?.startsWith('-') ? undefined : after;
  const value =
    next !== undefined && isClearlyNotSecret(next) && !SECRET_FLAG_NAME_PATTERN.test(name) ? next : undefined;
  const takesFile = verb?.positionals?.some(({ completes }) => completes === 'file');
  if (takesFile && FILE_FLAGS.includes(name))
    return `write the file without a flag: ${line} ${value === undefined ? 'FILE' : quoteWord(value)}`;
  const operand = verb?.positionals?.[0]?.name ?? '';
  if (FLAGS_FOR_OPERANDS[operand]?.test(name))
    return `write the ${operand} without a flag: ${line} ${value === undefined ? operand.toUpperCase() : quoteWord(value)}`;
  const filter = /^([a-z_-]+)={1,2}(.+)$/.exec(value ?? '');
  const filtered =
    filter &&
    flags.find(
      (flag) => isCalled(flag, filter[1]?.replaceAll('_', '-') ?? '') && !NEVER_GUESSED.test(flag.name),
    );
  if (filtered && FILTER_FLAGS.includes(name)) return `write --${filter[1]} ${quoteWord(filter[2] ?? '')}`;
  const isCompanyId = /^[0-9]+$/.test(value ?? '');
  const meant =
    flagNamed(isCompanyId ? flags.filter((flag) => flag.name !== 'profile') : flags, name) ??
    flagWithInitial(flags, name);
  if (meant !== undefined) {
    const shown =
      meant.value === undefined
        ? ''
        : ` ${value === undefined ? meant.value.toUpperCase() : quoteWord(value)}`;
    return `write ${meant.name === 'output' ? '-o' : `--${meant.friendly ?? meant.name}`}${shown}`;
  }
  const advice = adviceForFlag(name);
  if (advice !== undefined) return advice;
  const names = flags.flatMap(({ name: own, friendly }) =>
    NEVER_GUESSED.test(own) ? [] : [own, ...(friendly ? [friendly] : [])],
  );
  const near = similarWords(name, names).map((each) => `--${each}`);
  if (near.length === 0) return undefined;
  return `did you mean ${near.length > 1 ? `one of ${near.join(', ')}` : near[0]}?`;
}

/** Matches flag names of two or more words of letters, joined by hyphens: `dry-run`. Such a name contains no key or password. */
const FLAG_NAME = /^[a-z]{1,20}(?:-[a-z]{1,20}){1,5}$/i;

/** Returns the only attribute whose flag begins with the letter: `-c` for `--channel`. */
function flagWithInitial(flags: readonly FlagShape[], letter: string): FlagShape | undefined {
  if (letter.length !== 1) return undefined;
  const found = flags.filter(
    ({ name, friendly, group }) =>
      group === 'Attributes' && (friendly ?? name).startsWith(letter.toLowerCase()),
  );
  return found.length === 1 ? found[0] : undefined;
}

/** Flags with which other tools filter a list by `name=value`. */
const FILTER_FLAGS: readonly string[] = [
  'filter',
  'selector',
  'where',
  'l',
  'field-selector',
  'query-filter',
  'f',
];

/** Flags with which other tools, such as kubectl, name a file. */
const FILE_FLAGS: readonly string[] = ['f', 'file', 'filename'];

/** Flags with which people give what is an operand here, by its name. */
const FLAGS_FOR_OPERANDS: Readonly<Record<string, RegExp>> = {
  id: /^(?:id|.+-id)$/,
  address: /^(?:address|e?mail|domain|phone|mobile|number|msisdn)$/,
};

const WHERE_A_KEY_GOES =
  'svc has no flag for a key, because ps and the shell history would show the key; ' +
  'use SVC_API_KEY, svc init, svc profile add --api-key-stdin or a key-command; ' +
  'if you typed a key here, get a new one, because other people may have seen it';
