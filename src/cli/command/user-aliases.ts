/** Expands and checks aliases that the user defines: `svc mytasks --json` runs `svc task list --cancelled false --json`. */
import type { Aliases } from '../../profiles/aliases.ts';
import { formatCountWithNoun } from '../../text/words.ts';
import { UsageError } from '../errors/errors.ts';
import type { TopLevelCommandEntry } from './command.ts';
import { isVerbOrVerbAlias } from './other-words.ts';
import { isClearlyNotSecret, SECRET_FLAG_NAME_PATTERN } from './safe-to-repeat.ts';
import { findUnknownCommandWord } from './words.ts';

/**
 * Returns argv with the alias replaced by its expansion, which contains no aliases, or undefined for an unknown alias. @throws UsageError
 * when the alias takes more words than were given
 */
export function expandAlias(
  argv: readonly string[],
  { word, at, isHelp }: { readonly word: string; readonly at: number; readonly isHelp: boolean },
  aliases: Aliases,
): readonly string[] | undefined {
  const expansion = aliases.get(word);
  const words = expansion === undefined ? undefined : splitWords(expansion);
  if (expansion === undefined || words === undefined) return undefined;
  const before = argv.slice(0, at);
  const rest = argv.slice(at + 1);
  // Help is about the command, so it needs none of the alias's words.
  if (isHelp || rest.some((each) => each === '--help' || each === '-h'))
    return [
      ...before.filter((each) => each !== 'help'),
      ...words.filter((each) => !PLACEHOLDER.test(each)),
      '--help',
    ];
  const highest = Math.max(0, ...words.flatMap(placeholdersIn));
  if (rest.length < highest)
    throw new UsageError(
      `the alias ${word} needs ${formatCountWithNoun(highest, 'argument')}, but has ${rest.length}`,
      {
        hint: `the alias runs: svc ${expansion}`,
      },
    );
  const filled = words.map((each) =>
    each.replace(PLACEHOLDERS, (_, place: string) => rest[Number(place) - 1] ?? ''),
  );
  return [...before, ...filled, ...rest.slice(highest)];
}

/** Matches the placeholders `$1` to `$9` for the words after the alias, as in gh. Words beyond the highest placeholder are appended. */
const PLACEHOLDERS = /\$([1-9])/g;
const PLACEHOLDER = /\$[1-9]/;
const placeholdersIn = (word: string): readonly number[] =>
  [...word.matchAll(PLACEHOLDERS)].map(([, place]) => Number(place));

/**
 * Checks the name and the expansion of a new alias. `redacted` is the expansion without the secrets of this session. @throws UsageError
 * that never repeats a possible secret
 */
export function checkNewAlias(
  name: string,
  expansion: string,
  context: {
    readonly entries: readonly TopLevelCommandEntry[];
    readonly aliases: Aliases;
    readonly isName: (name: string) => boolean;
    readonly redacted: string;
  },
): void {
  const { entries, aliases, isName, redacted } = context;
  if (!isName(name))
    throw new UsageError('invalid alias name', {
      hint: 'use 1 to 32 characters (a-z, 0-9, _ and -), starting with a letter or a digit',
    });
  if (findUnknownCommandWord([name], entries) === undefined)
    throw new UsageError(`cannot use ${name} as an alias: it is a command of svc`, {
      hint: 'choose another name',
    });
  if (isVerbOrVerbAlias(name))
    throw new UsageError(`cannot use ${name} as an alias: svc reads it as a verb`, {
      hint: 'choose another name',
    });
  if (expansion.trim().startsWith('!'))
    throw new UsageError('cannot alias a shell command: an alias can run only a command of svc', {
      hint: `use a shell function, or put a program svc-${name} on PATH; it runs as svc ${name}`,
    });
  const words = splitWords(expansion);
  if (words === undefined)
    throw new UsageError('cannot set the alias: a quote is not closed', { hint: 'quote the whole command' });
  if (
    redacted !== expansion ||
    !words.every(isClearlyNotSecret) ||
    words.some(isSecretFlag) ||
    words.some(containsSecretValue)
  )
    throw new UsageError('cannot store a secret in an alias: aliases are plain text', {
      hint: 'put the secret in a profile or in SVC_API_KEY, or use --password-stdin; also get a new secret, because your shell history may contain this one',
    });
  const first = findUnknownCommandWord(words, entries);
  if (words.length === 0 || words[0] === 'help')
    throw new UsageError('cannot set the alias: it needs a command', {
      hint: "write svc alias set mine 'task list'",
    });
  if (first === undefined) return;
  if (first.word === name || aliases.has(first.word))
    throw new UsageError(`cannot use ${first.word} in an alias: it is another alias`, {
      hint: 'write the command itself: an alias cannot run another alias',
    });
  throw new UsageError('cannot set the alias: unknown command', {
    hint: "write the command without svc, such as 'task list --cancelled false'; run svc --help to see the commands",
  });
}

/** Reports whether the word is a flag with a secret as its value, such as `--api-key=…`. */
function isSecretFlag(word: string, at: number, words: readonly string[]): boolean {
  const [, name, value = words[at + 1]] = /^(?:--([A-Za-z][\w-]*)(?:=(.*))?|-[A-Za-z].*)$/s.exec(word) ?? [];
  if (name === undefined) return /^-k./.test(word);
  if (!SECRET_FLAG_NAME_PATTERN.test(name) || HARMLESS_FLAGS.includes(name)) return false;
  return value !== undefined && !value.startsWith('-') && !PLACEHOLDER.test(value);
}

/** Flags that look as if they held a secret but do not. `--key` is an idempotency key, and the others say where to read a secret. */
const HARMLESS_FLAGS: readonly string[] = ['key', 'key-command', 'api-key-stdin', 'password-stdin'];

/** Reports whether the word contains a secret after its name: `"password":"…"`, `apikey=…`, or `X-Secret: …`. */
const containsSecretValue = (word: string): boolean =>
  /(?:passw|api_?-?key|secret|credential)[\w-]{0,64}["']?\s{0,20}[:=]\s*["']?[^\s"'$]/i.test(
    word.replace(/^--[\w-]+/, ''),
  );

/**
 * Splits a line into words at blanks outside `'…'` and `"…"`; `\` takes the next character literally. Returns undefined for an open quote
 * or a `\` at the end.
 */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      if (at === line.length) return undefined;
      word = (word ?? '') + line.charAt(at);
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}
