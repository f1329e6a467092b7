import type { CommanderError } from 'commander';
import { quoteShellWord, similarWords } from '../../text/words.ts';
import { UsageError } from '../errors/errors.ts';
import { type Group, isGroup, type Verb } from './command.ts';
import { companiesFlagRefusal, flagsOf } from './companies-flags.ts';
import { globalFlags } from './globals.ts';
import {
  ADVICE_BY_UNKNOWN_COMMAND,
  ADVICE_BY_UNKNOWN_FLAG,
  ADVICE_BY_UNKNOWN_VERB,
  ADVICE_FOR_UNEXPECTED_OPERANDS,
} from './other-words.ts';
import { isClearlyNotSecret, SECRET_FLAG_NAME_PATTERN } from './safe-to-repeat.ts';
import type { ResolvedCommandLine } from './words.ts';

interface Parsing extends Pick<ResolvedCommandLine, 'node' | 'path'> {
  /** Words of the command line after the last name of a command. */
  readonly rest: readonly string[];
  /** Help topic whose name is most similar to the unknown word. */
  readonly nearTopic: string | undefined;
}

/** Converts an error of commander to a usage error: what is wrong, which word, and what to do next. */
export function convertParserError(error: CommanderError, parsing: Parsing): UsageError {
  const { node, path, rest } = parsing;
  const [first = '', second = ''] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = suggestionOf(second, /'([^']*)'/.exec(first)?.[1] ?? '');
  const meant = parsing.nearTopic === undefined ? suggestion : `svc help ${parsing.nearTopic}`;
  const hint = meant === undefined ? undefined : `did you mean ${meant}?`;
  const word = /'([^']*)'/.exec(first)?.[1] ?? '';
  const line = ['svc', ...path].join(' ');
  const fallback = `see ${line} --help`;
  switch (error.code) {
    case 'commander.unknownCommand':
      return unknownWord(isClearlyNotSecret(word) ? word : undefined, line, parsing, hint);
    case 'commander.unknownOption':
      return unknownFlag(word, line, node, hint ?? fallback);
    case 'commander.optionMissingArgument':
      return new UsageError(`${/--[^ ,]+/.exec(word)?.[0] ?? word} needs a value`, { hint: fallback });
    case 'commander.missingArgument':
      if (line === 'svc profile set' && rest.length === 2 && rest.every(isClearlyNotSecret))
        return new UsageError(`${line} needs the name of a profile before the setting`, {
          hint: `write svc profile set NAME ${rest.join(' ')}; svc profile list shows the names`,
        });
      return new UsageError(`${line} needs ${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`, {
        hint: fallback,
      });
    case 'commander.excessArguments':
      return tooManyWords(line, parsing, fallback);
    default:
      return new UsageError(first, { hint: hint ?? fallback });
  }
}

/** Returns commander's suggestion, unless it differs too much from the typed word. */
function suggestionOf(line: string, typed: string): string | undefined {
  const all = /^\(Did you mean (?:one of )?(.*)\?\)$/.exec(line)?.[1]?.split(', ') ?? [];
  const near = similarWords(typed, all);
  return near.length > 1 ? `one of ${near.join(', ')}` : near[0];
}

/** Replaces the placeholder of the advice by the next word of the command line, unless that word may be secret. */
function filledIn(advice: string | undefined, words: readonly string[]): string | undefined {
  const [next] = words;
  const isUsable = next !== undefined && isClearlyNotSecret(next) && !next.startsWith('-');
  return advice?.replace(/\{([A-Z]+)\}/, (_, placeholder: string) => (isUsable ? quoted(next) : placeholder));
}

/** The name is undefined if it may be a secret. */
function unknownWord(
  name: string | undefined,
  line: string,
  { node, path, rest }: Parsing,
  hint: string | undefined,
): UsageError {
  const names = node && isGroup(node) ? node.commands.map((each) => each.name) : [];
  if (path.length === 0) {
    const phrase = [2, 1]
      .map((length) => filledIn(adviceForFirstWord(rest.slice(0, length).join(' ')), rest.slice(length)))
      .find((each) => each !== undefined);
    return new UsageError(`there is no ${name ? `command ${name}` : 'such command'}`, {
      hint: phrase ?? hint ?? 'svc --help shows the commands',
    });
  }
  const isId = name !== undefined && /^[0-9]+$/.test(name) && names.includes('get');
  const known =
    name === undefined
      ? undefined
      : filledIn(
          entryOf(ADVICE_BY_UNKNOWN_VERB, `${path.join(' ')} ${name}`),
          rest.slice(rest.indexOf(name) + 1),
        );
  return new UsageError(`${line} has no ${name ?? 'such verb'}`, {
    hint: known ?? (isId ? `write ${line} get ${name}` : undefined) ?? hint ?? `it has ${names.join(', ')}`,
  });
}

/** Returns the advice for the first one or two words that users of other tools type after `svc`: `webhook`, and also `webhooks`. */
function adviceForFirstWord(words: string): string | undefined {
  return (
    entryOf(ADVICE_BY_UNKNOWN_COMMAND, words) ?? entryOf(ADVICE_BY_UNKNOWN_COMMAND, words.replace(/s$/, ''))
  );
}

/** If there is one extra operand and the verb has a flag `--name`, the hint suggests `--name` before this operand. */
function tooManyWords(line: string, { node, rest }: Parsing, fallback: string): UsageError {
  const operands = rest.filter((word) => !word.startsWith('-'));
  const taken = node && !isGroup(node) ? (node.positionals?.length ?? 0) : 0;
  const extra = operands[taken];
  const isNamed = node && !isGroup(node) && node.flags.some(({ name }) => name === 'name');
  const isAlone = operands.length === taken + 1 && rest.length === operands.length;
  if (isNamed && isAlone && extra !== undefined && isClearlyNotSecret(extra)) {
    const before = operands.slice(0, taken).map(quoted);
    return new UsageError(`${line} needs the flag --name before the name`, {
      hint: `write ${[line, ...before, '--name', quoted(extra)].join(' ')}`,
    });
  }
  const advice = entryOf(ADVICE_FOR_UNEXPECTED_OPERANDS, line);
  if (advice !== undefined && operands.every(isClearlyNotSecret))
    return new UsageError(`${line} needs a flag before each value`, {
      hint: advice.replace(/\{([0-9])\}/g, (_, place: string) => operands[Number(place) - 1] ?? '…'),
    });
  const which = extra !== undefined && isClearlyNotSecret(extra) ? ` ${JSON.stringify(extra)}` : '';
  const mayBeInParts = taken > 0 || rest.length > operands.length;
  return new UsageError(`unexpected argument${which}`, {
    hint: mayBeInParts ? `quote a value that has spaces; ${fallback}` : fallback,
  });
}

/** Quotes a word for a shell. Double quotes suffice for plain words with blanks, and every shell has them. */
const quoted = (word: string): string =>
  /^[\w@.,:/+-]+( +[\w@.,:/+-]+)+$/.test(word) ? `"${word}"` : quoteShellWord(word);

const entryOf = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** Names the flag, never its value: `--api-key=…`, `-k…`. */
function unknownFlag(word: string, line: string, node: Verb | Group | undefined, hint: string): UsageError {
  const verb = node && !isGroup(node) ? node : undefined;
  const given = word.startsWith('--') ? word.replace(/=.*/s, '') : word.slice(0, 2);
  const name = given.replace(/^--?/, '');
  const hints = SECRET_FLAG_NAME_PATTERN.test(name) ? [WHERE_A_KEY_GOES, hint] : [hint];
  const takesFile = verb?.positionals?.some(({ completes }) => completes === 'file');
  const known =
    takesFile && FILE_FLAGS.includes(given)
      ? `write the file without a flag: ${line} FILE`
      : (entryOf(ADVICE_BY_UNKNOWN_FLAG, /^-[a-z]{3}/.test(word) ? `-${word}` : given) ??
        entryOf(ADVICE_BY_UNKNOWN_FLAG, given));
  if (known !== undefined) return new UsageError(`${line} has no flag ${given}`, { hint: known });
  const flag = [...globalFlags, ...(verb ? flagsOf(verb) : [])].find((each) =>
    [`--${each.name}`, `--${each.friendly}`, each.bool && `--no-${each.name}`].includes(given),
  );
  if (flag && (flag.value === undefined || given !== `--${flag.name}`) && word !== given)
    return new UsageError(`${given} takes no value`, { hints });
  if (flag)
    return new UsageError(`${given} must come after ${line}`, {
      hint: `write ${line} ${given}`,
    });
  const reason =
    verb && (companiesFlagRefusal(line, name) ?? verb.explainUnknown?.(name.replace(/^no-/, '')));
  const isNamed = isClearlyNotSecret(name) || FLAG_NAME.test(name);
  return new UsageError(reason ?? `${line} has no ${isNamed ? `flag ${given}` : 'such flag'}`, { hints });
}

/** Matches flag names of two or more words of letters, joined by hyphens: `dry-run`. Such a name contains no key or password. */
const FLAG_NAME = /^[a-z]{1,20}(?:-[a-z]{1,20}){1,5}$/i;

/** Flags with which other tools, such as kubectl, name a file. */
const FILE_FLAGS: readonly string[] = ['-f', '--file', '--filename'];

const WHERE_A_KEY_GOES =
  'svc has no flag for a key, because ps and the shell history would show the key; ' +
  'use SVC_API_KEY, svc init, svc profile add --api-key-stdin or a key-command; ' +
  'if you typed a key here, get a new one, because other people may have seen it';
