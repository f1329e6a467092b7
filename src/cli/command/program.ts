/** argv → what was asked: commander reads it, from the declarations in the entries. Runs nothing. */
import { Command, CommanderError, Help, Option } from 'commander';
import { UsageError } from '../errors/errors.ts';
import { type Arguments, type Entry, type Group, isGroup, type Verb } from './command.ts';
import type { FlagShape, Given } from './flag.ts';
import { globalFlags } from './globals.ts';
import { pathOf, usageErrorOf } from './parse-errors.ts';

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
 * @param argv without node and script
 * @param about the version, and the width of help in columns
 * @throws UsageError for what no command takes, with a suggestion where there is one near
 */
export async function readCommandLine(
  given: readonly string[],
  entries: readonly Entry[],
  about: { readonly version: string; readonly columns: number | undefined },
): Promise<CommandLine> {
  const operands = operandsOf(given);
  const isHelp = operands[0] === 'help';
  // `help task create` is `task create --help`.
  const argv = isHelp ? [...without(given, 'help'), '--help'] : given;
  const words = isHelp ? operands.slice(1) : operands;
  const wanted = entries.find((entry) => entry.name === words[0]);
  const tree = wanted && (await wanted.load());
  let chosen: CommandLine | undefined;
  let printed = '';
  const root = rootCommand(about, (text) => {
    printed += text;
  });
  const onChoice = (command: Command, verb: Verb): void => {
    if (verb.announced !== undefined) throw new UsageError(verb.announced);
    chosen = { kind: 'run', path: pathOf(command), verb, given: argumentsOf(command, verb) };
  };
  for (const entry of entries) {
    root.commandsGroup(`${entry.heading}:`);
    if (tree && entry === wanted) attach(root, tree, onChoice);
    else root.command(entry.name).summary(entry.summary).description(entry.summary);
  }
  try {
    root.parse(unknownPath(argv, words, tree) ?? argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (HELP_CODES.includes(error.code)) return { kind: 'print', text: printed };
    throw usageErrorOf(error, root, tree, argv);
  }
  return chosen ?? { kind: 'print', text: root.helpInformation() };
}

/** Help, or the version, was asked for, or a noun stood alone. */
const HELP_CODES = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

/** Without the first such word. */
function without(argv: readonly string[], word: string): readonly string[] {
  const at = argv.indexOf(word);
  return [...argv.slice(0, at), ...argv.slice(at + 1)];
}

/**
 * Where help is asked for what there is not, the words up to the one that is unknown: commander would show the help of
 * what stands before it (contract, "Numbers, ids and names, once more").
 */
function unknownPath(
  argv: readonly string[],
  words: readonly string[],
  tree: Verb | Group | undefined,
): readonly string[] | undefined {
  if (!argv.some((each) => each === '--help' || each === '-h')) return undefined;
  if (tree === undefined) return words.length === 0 ? undefined : words.slice(0, 1);
  let node: Verb | Group | undefined = tree;
  for (let at = 1; at < words.length && node !== undefined && isGroup(node); at += 1) {
    node = node.commands.find(({ name }) => name === words[at]);
    if (node === undefined) return words.slice(0, at + 1);
  }
  return undefined;
}

/** The arguments that are neither a global flag nor the value of one. */
function operandsOf(argv: readonly string[]): readonly string[] {
  const valued = new Set(
    globalFlags
      .filter((flag) => flag.value !== undefined)
      .flatMap((flag) => [`--${flag.name}`, ...(flag.short ? [`-${flag.short}`] : [])]),
  );
  const operands: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? '';
    if (valued.has(argument)) at += 1;
    else if (!argument.startsWith('-')) operands.push(argument);
  }
  return operands;
}

function rootCommand(
  { version, columns }: { readonly version: string; readonly columns: number | undefined },
  print: (text: string) => void,
): Command {
  const root = new Command('svc')
    .description('Sends permission-based e-mail and SMS, and rehearses it in a sandbox')
    .version(version, '--version', 'Print the version')
    .usage('<noun> <verb> [id] [flags]')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: print,
      writeErr: print,
      outputError: () => {},
      getOutHelpWidth: () => columns ?? 100,
      getErrHelpWidth: () => columns ?? 100,
    })
    .configureHelp({ formatHelp: commandsFirst })
    .addHelpText('after', '\nExample:\n  $ svc folder list\n\nStart with: svc init, or svc demo');
  root.addHelpCommand(new Command('help').argument('[noun]').summary('Show help').helpGroup('Tools:'));
  addFlags(root, globalFlags);
  return root;
}

/** Sections of help are apart by an empty line; what people look for stands first. */
function commandsFirst(command: Command, helper: Help): string {
  const sections = Help.prototype.formatHelp.call(helper, command, helper).trimEnd().split('\n\n');
  const isFlags = (section: string): boolean => /^(Options|Global flags):/.test(section);
  const ordered = [...sections.filter((each) => !isFlags(each)), ...sections.filter(isFlags)];
  return `${ordered.join('\n\n')}\n`;
}

function attach(parent: Command, tree: Verb | Group, onChoice: (command: Command, verb: Verb) => void): void {
  const announced = !isGroup(tree) && tree.announced !== undefined;
  const command = parent
    .command(tree.name, { hidden: announced })
    .summary(tree.summary)
    .description(tree.summary);
  if (isGroup(tree)) {
    command.enablePositionalOptions().usage('<verb> [flags]').helpCommand(false);
    for (const each of tree.commands) attach(command, each, onChoice);
    addFlags(command, globalFlags, { hidden: true });
    const first = tree.commands.find((each): each is Verb => !isGroup(each));
    if (first) command.addHelpText('after', exampleText(first));
    return;
  }
  if (announced) command.allowUnknownOption().allowExcessArguments();
  for (const { name, describe, optional, variadic } of tree.positionals ?? []) {
    const word = `${name}${variadic ? '...' : ''}`;
    command.argument(optional ? `[${word}]` : `<${word}>`, describe);
  }
  if (tree.about !== undefined) command.description(`${tree.summary}. ${tree.about}`);
  addFlags(command, [...tree.flags, ...globalFlags]);
  command.addHelpText('after', exampleText(tree));
  command.action(() => onChoice(command, tree));
}

const exampleText = (verb: Verb): string => `\nExample:\n  $ svc ${verb.example}`;

function addFlags(command: Command, flags: readonly FlagShape[], { hidden = false } = {}): void {
  for (const flag of flags) {
    const option = new Option(spelling(flag), flag.describe).helpGroup(`${flag.group}:`).hideHelp(hidden);
    if (flag.repeatable)
      option.argParser((value, before) => [...((before as string[] | undefined) ?? []), value]);
    command.addOption(option);
    if (flag.bool) command.addOption(new Option(`--no-${flag.name}`, flag.describe).hideHelp());
  }
  const help = new Option('-h, --help', 'Show help').helpGroup('Global flags:').hideHelp(hidden);
  command.addHelpOption(help);
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
  collect(command, verb.flags, flags);
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
