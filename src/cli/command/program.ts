/** Parses the command line with commander, from the declarations of the commands. */
import { Command, CommanderError, Option } from 'commander';
import { similarWords } from '../../kit/text/words.ts';
import { UsageError } from '../errors/errors.ts';
import { type Arguments, type Group, isGroup, type TopLevelCommandEntry, type Verb } from './command.ts';
import { flagsOf } from './companies-flags.ts';
import type { ExampleOutput } from './example-outputs.ts';
import type { FlagShape, RawFlagValue } from './flag.ts';
import { globalFlags, wantsJson } from './globals.ts';
import { formatPositionalUsage, groupHelp, helpFrontPage, verbHelp } from './help.ts';
import { formatHelpPage, HELP_WIDTH_WITHOUT_TERMINAL } from './help-page.ts';
import { readFlagValue } from './input.ts';
import {
  hasHelpFlag,
  resolveCommandLine,
  TOPIC_NAMES,
  type TopicName,
  translateOtherToolSpellings,
} from './words.ts';

export type ParsedCommandLine =
  | { readonly kind: 'print'; readonly text: string }
  | {
      readonly kind: 'run';
      readonly path: readonly string[];
      readonly verb: Verb;
      readonly given: Arguments;
    };

type Flags = Map<string, RawFlagValue>;

/** @throws UsageError for words that no command takes, with a similar word */
export async function readCommandLine(
  typedArgv: readonly string[],
  entries: readonly TopLevelCommandEntry[],
  program: { readonly version: string; readonly columns: number | undefined },
): Promise<ParsedCommandLine> {
  const { columns } = program;
  if (typedArgv[0] === 'help' && wantsJson(typedArgv, {})) {
    const { helpForPrograms } = await import('./help-json.ts');
    const text = await helpForPrograms(typedArgv.slice(1), entries, program.version);
    if (text !== undefined) return { kind: 'print', text };
  }
  const {
    argv: words,
    unknown,
    wanted,
    tree,
    topic,
    noTopic,
    ...leads
  } = await resolveCommandLine(typedArgv, entries);
  if (topic !== undefined) return { kind: 'print', text: await topicPage(topic, entries, columns) };
  const argv = translateOtherToolSpellings(words, leads);
  let chosen: ParsedCommandLine | undefined;
  let printed = '';
  const root = rootCommand(program.version, (text) => {
    printed += text;
  });
  root.configureHelp({ formatHelp: () => formatHelpPage(helpFrontPage(entries), columns) });
  const onChoice = (command: Command, verb: Verb): void => {
    if (verb.announced !== undefined) throw new UsageError(verb.announced);
    chosen = { kind: 'run', path: pathOf(command), verb, given: argumentsOf(command, verb) };
  };
  const trees = entries.map((entry) => ({ name: entry.name, tree: entry === wanted ? tree : undefined }));
  const outputs =
    columns !== undefined && hasHelpFlag(argv) ? await import('./example-outputs.ts') : undefined;
  addSubcommands(root, trees, { onChoice, columns, exampleOutputOf: outputs?.exampleOutputOf });
  try {
    // For an unknown command, commander would show the parent's help (contract, "Numbers, ids and names, once more").
    root.parse(unknown !== undefined && hasHelpFlag(argv) ? unknown : argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version' && wantsJson(argv, {})) {
      const { collectVersionInfo } = await import('./version-info.ts');
      return { kind: 'print', text: `${JSON.stringify(collectVersionInfo(program.version), null, 2)}\n` };
    }
    if (HELP_CODES.includes(error.code)) return { kind: 'print', text: printed };
    const nearTopic = noTopic === undefined ? undefined : await topicNear(noTopic, entries);
    const { convertParserError } = await import('./parse-errors.ts');
    throw await convertParserError(error, { ...leads, typed: typedArgv, parsed: argv, entries, nearTopic });
  }
  return chosen ?? { kind: 'print', text: formatHelpPage(helpFrontPage(entries), columns) };
}

/** Error codes of commander for help, the version, or a noun without a verb. */
const HELP_CODES = ['commander.help', 'commander.helpDisplayed', 'commander.version'];

async function topicPage(
  topic: TopicName,
  entries: readonly TopLevelCommandEntry[],
  columns: number | undefined,
): Promise<string> {
  const { topicHelp } = await import('./help-topics.ts');
  return formatHelpPage(await topicHelp(topic, entries), columns);
}

async function topicNear(
  word: string,
  entries: readonly TopLevelCommandEntry[],
): Promise<TopicName | undefined> {
  const [nearest] = similarWords(word, [...entries.map(({ name }) => name), ...TOPIC_NAMES]);
  return TOPIC_NAMES.find((topic) => topic === nearest);
}

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

/** Disables colors and sets a fixed width for help. Otherwise commander would open the process's streams to detect both. */
const PLAIN = {
  getOutHasColors: () => false,
  getErrHasColors: () => false,
  getOutHelpWidth: () => HELP_WIDTH_WITHOUT_TERMINAL,
  getErrHelpWidth: () => HELP_WIDTH_WITHOUT_TERMINAL,
};

interface Attaching {
  readonly onChoice: (command: Command, verb: Verb) => void;
  readonly columns: number | undefined;
  /** Undefined if no page of help for a terminal can be printed. */
  readonly exampleOutputOf: ((path: string) => ExampleOutput | undefined) | undefined;
}

interface Subcommand {
  readonly name: string;
  readonly tree: Verb | Group | undefined;
}

/** The flags and operands of the chosen subcommand are added when commander has found it. */
function addSubcommands(parent: Command, subcommands: readonly Subcommand[], attaching: Attaching): void {
  for (const { name } of subcommands) parent.command(name);
  parent.hook('preSubcommand', (_, command) => {
    const { tree } = subcommands.find(({ name }) => name === command.name()) ?? {};
    if (tree === undefined) return;
    const siblings = subcommands.map((each) => each.name);
    if (isGroup(tree)) describeGroup(command, tree, attaching);
    else describeVerb(command, tree, { ...attaching, siblings });
  });
}

function describeGroup(command: Command, group: Group, attaching: Attaching): void {
  command.enablePositionalOptions().helpCommand(false);
  command.configureHelp({
    formatHelp: () => formatHelpPage(groupHelp(group, pathOf(command)), attaching.columns),
  });
  addSubcommands(
    command,
    group.commands.map((tree) => ({ name: tree.name, tree })),
    attaching,
  );
  addFlags(command, globalFlags);
}

function describeVerb(
  command: Command,
  verb: Verb,
  { onChoice, columns, exampleOutputOf, siblings }: Attaching & { readonly siblings: readonly string[] },
): void {
  if (verb.announced !== undefined) command.allowUnknownOption().allowExcessArguments();
  command.configureHelp({
    formatHelp: () =>
      formatHelpPage(
        verbHelp(verb, pathOf(command), {
          siblings,
          variant: variantIn(command, verb),
          exampleOutput: exampleOutputOf?.(pathOf(command).join(' '))?.terminal,
        }),
        columns,
      ),
  });
  for (const positional of verb.positionals ?? []) command.argument(formatPositionalUsage(positional));
  // A verb may list a global flag among its own, so that its page shows the flag.
  const own = flagsOf(verb);
  addFlags(command, [...own, ...globalFlags.filter(({ name }) => own.every((flag) => flag.name !== name))]);
  command.action(() => onChoice(command, verb));
}

function variantIn(command: Command, { variants }: Verb): string | undefined {
  const value: unknown = variants && command.getOptionValue(camelCase(variants.flag.name));
  return variants && typeof value === 'string' ? readFlagValue(variants.flag, value) : undefined;
}

function addFlags(command: Command, flags: readonly FlagShape[]): void {
  for (const flag of flags) for (const option of optionsOf(flag)) command.addOption(option);
  command.addHelpOption(new Option('-h, --help'));
}

/** Options of each flag. Three levels of the command line have the global flags, and commander parses each option's text slowly. */
const optionsByFlag = new WeakMap<FlagShape, readonly Option[]>();

function optionsOf(flag: FlagShape): readonly Option[] {
  const known = optionsByFlag.get(flag);
  if (known !== undefined) return known;
  const option = new Option(spelling(flag));
  if (flag.repeatable)
    option.argParser<readonly string[] | undefined>((value, before = []) => [...before, value]);
  const names = flag.friendly === undefined ? [flag.name] : [flag.name, flag.friendly];
  const options = flag.bool ? [option, ...names.map((name) => new Option(`--no-${name}`))] : [option];
  optionsByFlag.set(flag, options);
  return options;
}

/** Commander stores the value under the second of two long spellings. */
function spelling({ name, friendly, short, value, bool }: FlagShape): string {
  const shown = bool ? ' [true|false]' : value === undefined ? '' : ` <${value}>`;
  const first = short !== undefined ? `-${short}, ` : friendly !== undefined ? `--${friendly}, ` : '';
  return `${first}--${name}${shown}`;
}

/** The last value of a repeated flag is used. */
function argumentsOf(command: Command, verb: Verb): Arguments {
  const flags: Flags = new Map();
  const chain = [command];
  for (let above = command.parent; above; above = above.parent) chain.unshift(above);
  for (const each of chain) collect(each, globalFlags, flags);
  collect(command, flagsOf(verb), flags);
  return { positionals: command.args, flags };
}

function collect(command: Command, flags: readonly FlagShape[], into: Flags): void {
  for (const { name, friendly, bool } of flags) {
    // Commander stores `--no-weekends` under its own name, and `--weekends` under the name of the attribute.
    if (bool && friendly !== undefined && command.getOptionValueSource(camelCase(friendly)) === 'cli')
      into.set(name, false);
    const negative = name.startsWith('no-');
    const key = camelCase(negative ? name.slice('no-'.length) : name);
    if (command.getOptionValueSource(key) !== 'cli') continue;
    const value: RawFlagValue = command.getOptionValue(key);
    into.set(name, negative ? value === false : value);
  }
}

const camelCase = (name: string): string =>
  name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function pathOf(command: Command): readonly string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}
