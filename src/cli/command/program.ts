/** argv → what was asked: commander reads it, from the declarations in the entries. Runs nothing. */
import { Command, CommanderError, Option } from 'commander';
import { UsageError } from '../errors/errors.ts';
import { type Arguments, type Entry, type Group, isGroup, type Verb } from './command.ts';
import { flagsOf } from './companies-flags.ts';
import type { FlagShape, Given } from './flag.ts';
import { globalFlags } from './globals.ts';
import { groupHelp, rootHelp, verbHelp } from './help.ts';
import { layOut } from './help-page.ts';
import { TOPIC_NAMES, type TopicName } from './help-topic-names.ts';
import { readFlag } from './input.ts';
import { ownSpellings } from './other-spellings.ts';
import { pathOf, usageErrorOf } from './parse-errors.ts';
import { operandWord } from './usage.ts';
import { readWords } from './words.ts';

export type CommandLine =
  /** Help or version, for stdout. */
  | { readonly kind: 'print'; readonly text: string }
  | {
      readonly kind: 'run';
      /** Noun and verb. */
      readonly path: readonly string[];
      readonly verb: Verb;
      readonly given: Arguments;
    };

type Flags = Map<string, Given>;

/**
 * @param given argv without node and script
 * @param about the version, and the width of help in columns
 * @throws UsageError for what no command takes, with a suggestion where there is one near
 */
export async function readCommandLine(
  given: readonly string[],
  entries: readonly Entry[],
  about: {
    readonly version: string;
    readonly columns: number | undefined;
    /** The person's own, for help. */
    readonly aliases?: () => Promise<ReadonlyMap<string, string>>;
  },
): Promise<CommandLine> {
  const columns = about.columns ?? COLUMNS;
  const { argv: words, unknown, wanted, tree, topic, noTopic, ...leads } = await readWords(given, entries);
  if (topic !== undefined) {
    const own = topic === 'aliases' ? await about.aliases?.() : undefined;
    return { kind: 'print', text: await topicPage(topic, { entries, own }, columns) };
  }
  const argv = ownSpellings(words, leads);
  let chosen: CommandLine | undefined;
  let printed = '';
  const root = rootCommand(about.version, (text) => {
    printed += text;
  });
  root.configureHelp({ formatHelp: () => layOut(rootHelp(entries), columns) });
  const onChoice = (command: Command, verb: Verb): void => {
    if (verb.announced !== undefined) throw new UsageError(verb.announced);
    chosen = { kind: 'run', path: pathOf(command), verb, given: argumentsOf(command, verb) };
  };
  const trees = entries.map((entry) => ({ name: entry.name, tree: entry === wanted ? tree : undefined }));
  attach(root, trees, { onChoice, columns });
  try {
    // Contract, "Numbers, ids and names, once more": help of what there is not would show that of what stands before it.
    root.parse(unknown !== undefined && asksHelp(argv) ? unknown : argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (HELP_CODES.includes(error.code)) return { kind: 'print', text: printed };
    const nearTopic = noTopic === undefined ? undefined : await topicNear(noTopic, entries);
    throw usageErrorOf(error, { root, tree, argv, nearTopic });
  }
  return chosen ?? { kind: 'print', text: layOut(rootHelp(entries), columns) };
}

/** Of a pipe: as wide as a page of documentation. */
const COLUMNS = 100;

/** Help, or the version, was asked for, or a noun stood alone. */
const HELP_CODES = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

async function topicPage(
  topic: TopicName,
  known: { readonly entries: readonly Entry[]; readonly own: ReadonlyMap<string, string> | undefined },
  columns: number,
): Promise<string> {
  const { topicHelp } = await import('./help-topics.ts');
  return layOut(await topicHelp(topic, known.entries, known.own), columns);
}

/** The topic that was most likely meant, unless a command is nearer. */
async function topicNear(word: string, entries: readonly Entry[]): Promise<TopicName | undefined> {
  const { nearWords } = await import('../../text/near.ts');
  const [nearest] = nearWords(word, [...entries.map(({ name }) => name), ...TOPIC_NAMES]);
  return TOPIC_NAMES.find((topic) => topic === nearest);
}

const asksHelp = (argv: readonly string[]): boolean =>
  argv.some((each) => each === '--help' || each === '-h');

function rootCommand(version: string, print: (text: string) => void): Command {
  const root = new Command('svc')
    .version(version, '--version', 'Print the version')
    .enablePositionalOptions()
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => {}, ...PLAIN });
  addFlags(root, globalFlags);
  return root;
}

/** Help has no colours, and its width is given: commander would open the process's streams to ask them. */
const PLAIN = {
  getOutHasColors: () => false,
  getErrHasColors: () => false,
  getOutHelpWidth: () => COLUMNS,
  getErrHelpWidth: () => COLUMNS,
};

interface Attaching {
  readonly onChoice: (command: Command, verb: Verb) => void;
  /** The width of help. */
  readonly columns: number;
}

interface Below {
  readonly name: string;
  readonly tree: Verb | Group | undefined;
}

/** The commands below one: their names, and of that which was asked for all the rest, once that is known. */
function attach(parent: Command, below: readonly Below[], attaching: Attaching): void {
  for (const { name } of below) parent.command(name);
  parent.hook('preSubcommand', (_, command) => {
    const { tree } = below.find(({ name }) => name === command.name()) ?? {};
    if (tree === undefined) return;
    const beside = below.map((each) => each.name);
    if (isGroup(tree)) describeGroup(command, tree, attaching);
    else describeVerb(command, tree, { ...attaching, beside });
  });
}

function describeGroup(command: Command, group: Group, attaching: Attaching): void {
  command.enablePositionalOptions().helpCommand(false);
  command.configureHelp({ formatHelp: () => layOut(groupHelp(group, pathOf(command)), attaching.columns) });
  attach(
    command,
    group.commands.map((tree) => ({ name: tree.name, tree })),
    attaching,
  );
  addFlags(command, globalFlags);
}

/** @param attaching `beside`: the names of the commands in the same group */
function describeVerb(
  command: Command,
  verb: Verb,
  { onChoice, columns, beside }: Attaching & { readonly beside: readonly string[] },
): void {
  if (verb.announced !== undefined) command.allowUnknownOption().allowExcessArguments();
  command.configureHelp({
    formatHelp: () =>
      layOut(verbHelp(verb, pathOf(command), { beside, chosen: variantIn(command, verb) }), columns),
  });
  for (const positional of verb.positionals ?? []) command.argument(operandWord(positional));
  addFlags(command, [...flagsOf(verb), ...globalFlags]);
  command.action(() => onChoice(command, verb));
}

/** What the flag says that decides which page of help is shown. @throws UsageError where it says what there is not */
function variantIn(command: Command, { variants }: Verb): string | undefined {
  const value: unknown = variants && command.getOptionValue(camelCase(variants.flag.name));
  return variants && typeof value === 'string' ? readFlag(variants.flag, value) : undefined;
}

function addFlags(command: Command, flags: readonly FlagShape[]): void {
  for (const flag of flags) {
    const option = new Option(spelling(flag));
    if (flag.repeatable)
      option.argParser((value, before) => [...((before as string[] | undefined) ?? []), value]);
    command.addOption(option);
    if (flag.bool) command.addOption(new Option(`--no-${flag.name}`));
  }
  command.addHelpOption(new Option('-h, --help'));
}

/** As commander reads it. Of two long spellings the second gives the name under which it keeps the value. */
function spelling({ name, friendly, short, value, bool }: FlagShape): string {
  const shown = bool ? ' [true|false]' : value === undefined ? '' : ` <${value}>`;
  const first = short !== undefined ? `-${short}, ` : friendly !== undefined ? `--${friendly}, ` : '';
  return `${first}--${name}${shown}`;
}

/** Global flags may stand after svc, after the noun and after the verb: the last word wins. */
function argumentsOf(command: Command, verb: Verb): Arguments {
  const flags: Flags = new Map();
  const chain = [command];
  for (let above = command.parent; above; above = above.parent) chain.unshift(above);
  for (const each of chain) collect(each, globalFlags, flags);
  collect(command, flagsOf(verb), flags);
  return { positionals: command.args, flags };
}

function collect(command: Command, flags: readonly FlagShape[], into: Flags): void {
  for (const { name } of flags) {
    const negative = name.startsWith('no-');
    const key = camelCase(negative ? name.slice('no-'.length) : name);
    if (command.getOptionValueSource(key) !== 'cli') continue;
    const value: unknown = command.getOptionValue(key);
    into.set(name, negative ? value === false : (value as Given));
  }
}

const camelCase = (name: string): string =>
  name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
