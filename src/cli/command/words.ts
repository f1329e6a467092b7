import { UsageError } from '../errors/errors.ts';
import { type Group, isGroup, type TopLevelCommandEntry, type Verb } from './command.ts';
import { takesValue } from './globals.ts';
import { aliasesOfVerb, COMMANDS_OF_OTHER_TOOLS, isVerbOrVerbAlias, NOUN_ALIASES } from './other-words.ts';
import { tokenizeCommandLine } from './tokens.ts';

export interface ResolvedCommandLine {
  /** Arguments for commander. `help task create` has become `task create --help`. */
  readonly argv: readonly string[];
  /** Undefined if all words are known. */
  readonly unknown?: readonly string[] | undefined;
  readonly wanted?: TopLevelCommandEntry | undefined;
  readonly tree?: Verb | Group | undefined;
  /** `path` holds its words, and `last` is the index in `argv` of the last of them. */
  readonly node?: Verb | Group | undefined;
  readonly path: readonly string[];
  readonly last: number;
  readonly topic?: TopicName;
  readonly noTopic?: string | undefined;
}

export async function resolveCommandLine(
  typedArgv: readonly string[],
  entries: readonly TopLevelCommandEntry[],
): Promise<ResolvedCommandLine> {
  const { argv: withoutHelp, isHelp } = takeHelp(typedArgv);
  const [word, ...more] = operandsOf(withoutHelp);
  const topic = isHelp && more.length === 0 && word !== undefined ? findTopic(word) : undefined;
  if (topic !== undefined) return { argv: typedArgv, path: [], last: -1, topic };
  const { argv: first, isPlural } = firstWords(withoutHelp, entries);
  const wanted = entries.find(({ name }) => name === operandsOf(first)[0]);
  const tree = await wanted?.load();
  const followed = resolveSubcommands(first, tree, isPlural);
  const argv = isHelp || followed.isHelp ? [...followed.argv, '--help'] : followed.argv;
  const noTopic = isHelp && more.length === 0 && wanted === undefined ? word : undefined;
  return { ...followed, argv, wanted, tree, noTopic };
}

function takeHelp(argv: readonly string[]): { readonly argv: readonly string[]; readonly isHelp: boolean } {
  const [at] = operandPositions(argv);
  if (at === undefined || argv[at] !== 'help') return { argv, isHelp: false };
  return { argv: replaced(argv, at, 1, []), isHelp: true };
}

/** `isPlural` is true for `tasks` and `get tasks`. */
function firstWords(
  argv: readonly string[],
  entries: readonly TopLevelCommandEntry[],
): { readonly argv: readonly string[]; readonly isPlural: boolean } {
  const known = (word: string): string | undefined => nounOf(word, entries);
  const [at = argv[0]?.startsWith('-') ? 0 : undefined, next] = operandPositions(argv);
  const word = at === undefined ? undefined : argv[at];
  if (at === undefined || word === undefined || entries.some(({ name }) => name === word))
    return { argv, isPlural: false };
  for (const length of [2, 1]) {
    const phrase = argv.slice(at, at + length).join(' ');
    const meant = Object.hasOwn(COMMANDS_OF_OTHER_TOOLS, phrase)
      ? COMMANDS_OF_OTHER_TOOLS[phrase]
      : undefined;
    if (meant && at + length <= argv.length)
      return { argv: replaced(argv, at, length, meant), isPlural: false };
  }
  const noun = known(word);
  if (noun !== undefined) return { argv: replaced(argv, at, 1, [noun]), isPlural: isPluralWord(word, noun) };
  const second = next === undefined ? undefined : known(argv[next] ?? '');
  if (next === undefined || second === undefined || !isVerbOrVerbAlias(word))
    return { argv, isPlural: false };
  const isPlural = word === 'get' && isPluralWord(argv[next] ?? '', second);
  return { argv: replaced(replaced(argv, next, 1, [word]), at, 1, [second]), isPlural };
}

const isPluralWord = (word: string, noun: string): boolean =>
  word !== noun && /s$/i.test(word) && !noun.endsWith('s');

function nounOf(word: string, entries: readonly TopLevelCommandEntry[]): string | undefined {
  const lower = word.toLowerCase();
  const alias = Object.hasOwn(NOUN_ALIASES, lower) ? NOUN_ALIASES[lower] : undefined;
  if (alias !== undefined) return alias;
  const entry = entries.find(({ name, isNoun = false }) => {
    const plural = name.endsWith('s') ? name : `${name}s`;
    return isNoun && (name === lower || plural === lower || SINGULARS[name] === lower);
  });
  return entry?.name;
}

/** Singular form of each noun whose name is a plural. */
const SINGULARS: Readonly<Record<string, string>> = { features: 'feature' };

/** `task help create` requests help too. */
function resolveSubcommands(
  argv: readonly string[],
  tree: Verb | Group | undefined,
  isPlural: boolean,
): ResolvedCommandLine & { readonly isHelp: boolean } {
  let words = argv;
  let node = tree;
  let unknown = tree === undefined ? operandsOf(argv).slice(0, 1) : [];
  const path = tree === undefined ? [] : [tree.name];
  let last = operandPositions(argv)[0] ?? -1;
  let isHelp = false;
  for (let depth = 1; node !== undefined && isGroup(node); ) {
    const at = operandPositions(words)[depth];
    const word = at === undefined ? undefined : words[at];
    const group: Group = node;
    const defaultCommand = group.commands.find(({ name }) => name === group.defaultCommand)?.name;
    if (defaultCommand !== undefined && belongsToDefaultVerb(node, words.slice(last + 1), word)) {
      words = replaced(words, last + 1, 0, [defaultCommand]);
      continue;
    }
    const implied = impliedVerb(group, words.slice(last + 1), isPlural);
    if (implied !== undefined) {
      words = replaced(words, last + 1, implied.count, [implied.name]);
      continue;
    }
    if (at === undefined || word === undefined) break;
    const names = node.commands.map(({ name }) => name);
    const next = node.commands.find(({ name }) => name === word) ?? aliased(node, word, names);
    if (next === undefined && word === 'help' && !isHelp) {
      isHelp = true;
      words = replaced(words, at, 1, []);
      continue;
    }
    if (next === undefined) {
      unknown = operandsOf(words).slice(0, depth + 1);
      break;
    }
    words = replaced(words, at, 1, [next.name]);
    node = next;
    path.push(next.name);
    last = at;
    depth += 1;
  }
  return { argv: words, isHelp, node, path, last, unknown: unknown.length === 0 ? undefined : unknown };
}

export const hasHelpFlag = (words: readonly string[]): boolean =>
  words.includes('--help') || words.includes('-h');

/** @param word the first operand in `rest` */
function belongsToDefaultVerb(group: Group, rest: readonly string[], word: string | undefined): boolean {
  if (word === undefined) return rest.length > 0 && !hasHelpFlag(rest);
  return word !== 'help' && !group.commands.some(({ name }) => name === word);
}

/** `svc get tasks 5` shows one task. `count` is the number of words that the verb replaces. */
function impliedVerb(
  group: Group,
  rest: readonly string[],
  isPlural: boolean,
): { readonly name: string; readonly count: number } | undefined {
  const name = group.commandWithoutWords ?? (isPlural ? 'list' : undefined);
  const verb = group.commands.find((each) => each.name === name);
  if (name === undefined || verb === undefined || isGroup(verb) || hasHelpFlag(rest)) return undefined;
  const count = isPlural && rest[0] === 'get' ? 1 : 0;
  const tokens = [...tokenizeCommandLine(rest.slice(count), (flag) => takesValue(flag, verb.flags))];
  return tokens.some(({ kind }) => kind === 'operand') ? undefined : { name, count };
}

const aliased = (group: Group, word: string, names: readonly string[]): Verb | Group | undefined =>
  group.commands.find(({ name }) => aliasesOfVerb(name, names).includes(word));

const operandPositions = (argv: readonly string[]): readonly number[] =>
  [...tokenizeCommandLine(argv, takesValue)].flatMap(({ kind, at }) => (kind === 'operand' ? [at] : []));

const operandsOf = (argv: readonly string[]): readonly string[] =>
  operandPositions(argv).map((at) => argv[at] ?? '');

const replaced = (
  argv: readonly string[],
  at: number,
  count: number,
  words: readonly string[],
): readonly string[] => [...argv.slice(0, at), ...words, ...argv.slice(at + count)];

/**
 * Replaces spellings of other tools with svc's own: `-o=json`, `--csv`, gh's `--json id,name`, kubectl's `-o wide` and `--dry-run=client`.
 * Words after `--` stay unchanged. @throws UsageError for `--dry-run=server`, and for terraform's `-out`
 */
export function translateOtherToolSpellings(
  argv: readonly string[],
  { node, last }: { readonly node?: Verb | Group | undefined; readonly last: number },
): readonly string[] {
  const verb = node === undefined || isGroup(node) ? undefined : node;
  const own: string[] = [];
  const all = [...tokenizeCommandLine(argv, (flag) => takesValue(flag, verb?.flags))];
  const operands = all.filter(({ kind, at }) => kind === 'operand' && at > last);
  for (const [index, { kind, text, value, words }] of all.entries()) {
    const next = all[index + 1];
    if (text === '--') return [...own, ...all.slice(index).flatMap((each) => each.words)];
    if (kind === 'operand') own.push(text);
    else if (/^-out(=|$)/.test(words[0] ?? '')) throw terraformOut(verb);
    else if (value === 'wide' && (text === '-o' || text === '--output'))
      own.push('--output', 'table', '--wide');
    else if (text === '--csv') own.push('--output', 'csv');
    else if (text === '--json' && value !== undefined) own.push('--json', `--fields=${value}`);
    else if (
      text === '--json' &&
      next?.kind === 'operand' &&
      next.at > last &&
      namesFields(next.text, verb, operands.length)
    ) {
      own.push('--json', `--fields=${next.text}`);
      all.splice(index + 1, 1);
    } else if (text === '--dry-run' && value !== undefined) own.push(dryRun(value));
    else if (value !== undefined && !text.startsWith('--')) own.push(text, value);
    else own.push(...words);
  }
  return own;
}

/** A single word may also be an operand of the verb. It is an attribute only if the command line has more operands than the verb takes. */
function namesFields(text: string, verb: Verb | undefined, operands: number): boolean {
  if (!/^[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*$/.test(text)) return false;
  if (text.includes(',') || verb === undefined) return text.includes(',');
  const { positionals = [] } = verb;
  return !positionals.some(({ variadic }) => variadic) && operands > positionals.length;
}

const terraformOut = (verb: Verb | undefined): UsageError =>
  new UsageError('unknown flag -out', {
    hint: verb?.flags.some(({ name }) => name === 'out')
      ? 'write --out FILE'
      : 'to write to a file, redirect the output with > FILE; to choose a format, use -o',
  });

function dryRun(how: string): string {
  if (how === 'client' || how === 'true') return '--dry-run';
  throw new UsageError('--dry-run has no modes: it never changes anything', {
    hint: 'write --dry-run without a value',
  });
}

/** Topics of `svc help` besides commands. A page is loaded only when it is requested. */
export const TOPIC_NAMES = [
  ...(['commands', 'flags', 'aliases', 'time', 'output', 'exit-codes', 'environment'] as const),
  ...(['ci', 'safety', 'sandbox', 'budget', 'companies', 'campaigns', 'lint'] as const),
] as const;
export type TopicName = (typeof TOPIC_NAMES)[number];

const SYNONYMS: Readonly<Record<string, TopicName>> = {
  times: 'time',
  timezone: 'time',
  timezones: 'time',
  formats: 'output',
  formatting: 'output',
  budgets: 'budget',
  'exit-code': 'exit-codes',
  env: 'environment',
};

const findTopic = (word: string): TopicName | undefined =>
  TOPIC_NAMES.find((each) => each === word) ?? (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined);
