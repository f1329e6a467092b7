/** Formats help for programs: an index of commands, or one command, of limited length (contract, "Help for programs"). */
import {
  type Effect,
  type Group,
  isGroup,
  type Positional,
  type TopLevelCommandEntry,
  type Verb,
} from './command.ts';
import { companiesFlags } from './companies-flags.ts';
import { asksFirst, effectOf } from './effect.ts';
import { exampleOutputOf } from './example-outputs.ts';
import type { FlagShape } from './flag.ts';
import { globalFlags, takesValue } from './globals.ts';
import { formatPositionalUsage, formatUsageLine, helpFrontPage, SHOW_HELP } from './help.ts';
import { tokenizeCommandLine } from './tokens.ts';
import { EXIT_CODE_MEANINGS, EXIT_CODES_TOPIC } from './topics/command-line.ts';
import { listVerbExitCodes } from './verb-exits.ts';
import { resolveCommandLine } from './words.ts';

interface CommandWithPath {
  readonly path: readonly string[];
  readonly verb: Verb;
}

interface IndexRow {
  readonly path: string;
  readonly args: string;
  readonly summary: string;
  readonly does: Effect;
}

/**
 * Returns undefined for words that are no command, and for topics that have only a text.
 * @param argv the arguments after `svc help`
 */
export async function helpForPrograms(
  argv: readonly string[],
  entries: readonly TopLevelCommandEntry[],
  version: string,
): Promise<string | undefined> {
  const tokens = [...tokenizeCommandLine(argv, takesValue)];
  const words = tokens.flatMap(({ kind, text }) => (kind === 'operand' ? [text] : []));
  const { topic } = await resolveCommandLine(['help', ...words], entries);
  if (topic === 'flags') return formatLines(sharedFlags());
  if (topic === 'exit-codes') return formatLines(exitCodes());
  if (topic !== undefined && !entries.some(({ name }) => name === topic)) return undefined;
  // With the flag, words after `plan` or `log` do not belong to a default verb.
  const { node, path, unknown } = await resolveCommandLine([...words, '--help'], entries);
  if (unknown !== undefined) return undefined;
  if (tokens.some(({ text }) => text === '--all')) return formatWholeTree(entries, version, path);
  return node === undefined ? formatIndex(entries, version) : formatCommand(node, path);
}

async function formatIndex(entries: readonly TopLevelCommandEntry[], version: string): Promise<string> {
  const trees = await loadTrees(entries);
  const rows = trees.flatMap(({ isNoun, tree }) =>
    isGroup(tree) ? (isNoun ? rowsOf(tree, []) : foldedRows(tree, [])) : rowsOf(tree, []),
  );
  return formatLines({
    version,
    about: helpFrontPage(entries).summary,
    guide: 'svc agent guide',
    more: 'svc help <command> --json',
    commands: rows,
  });
}

/** The index of the commands below a group, or one command. */
function formatCommand(node: Verb | Group, path: readonly string[]): string {
  if (!isGroup(node)) return formatLines(describeVerb({ path, verb: node }));
  return formatLines({
    path: path.join(' '),
    summary: node.summary,
    more: `svc help ${path.join(' ')} <command> --json`,
    commands: node.commands.flatMap((each) => (isGroup(each) ? foldedRows(each, path) : rowsOf(each, path))),
  });
}

/** All commands below these words in full, with what they share once. @param words empty for all commands */
async function formatWholeTree(
  entries: readonly TopLevelCommandEntry[],
  version: string,
  words: readonly string[],
): Promise<string> {
  const trees = await loadTrees(entries);
  const verbs = trees.flatMap(({ tree }) => verbsIn(tree, []));
  const commands = verbs.filter(({ path }) => words.every((word, at) => path[at] === word));
  return formatLines({
    version,
    about: helpFrontPage(entries).summary,
    ...sharedFlags(),
    ...exitCodes(),
    commands: commands.map(describeVerb),
  });
}

const sharedFlags = () => ({
  flags: [...globalFlags, SHOW_HELP].map(describeFlag),
  companies: companiesFlags.map(describeFlag),
});

const exitCodes = () => ({
  exitCodes: Object.entries(EXIT_CODE_MEANINGS).map(([code, meaning]) => ({ code: Number(code), meaning })),
  notes: [
    ...EXIT_CODES_TOPIC.sections.flatMap(({ paragraphs = [] }) => paragraphs),
    ...EXIT_CODES_TOPIC.notes,
  ],
});

const loadTrees = (entries: readonly TopLevelCommandEntry[]) =>
  Promise.all(entries.map(async ({ isNoun = false, load }) => ({ isNoun, tree: await load() })));

function verbsIn(tree: Verb | Group, above: readonly string[]): readonly CommandWithPath[] {
  const path = [...above, tree.name];
  if (isGroup(tree)) return tree.commands.flatMap((each) => verbsIn(each, path));
  return tree.announced === undefined ? [{ path, verb: tree }] : [];
}

const rowsOf = (tree: Verb | Group, above: readonly string[]): readonly IndexRow[] =>
  verbsIn(tree, above).map(({ path, verb }) => ({
    path: path.join(' '),
    args: (verb.positionals ?? []).map(formatPositionalUsage).join(' '),
    summary: verb.summary,
    does: effectOf(verb),
  }));

/** One row represents all commands of a group with its most frequent effect, unless only one command has it. Each other command has a row. */
function foldedRows(group: Group, above: readonly string[]): readonly IndexRow[] {
  const rows = rowsOf(group, above);
  const most = mostFrequent(rows.map(({ does }) => does));
  const folded = rows.filter(({ does }) => does === most);
  if (most === undefined || folded.length < MIN_FOLDED) return rows;
  const path = [...above, group.name].join(' ');
  const names = [...new Set(folded.map((row) => row.path.slice(path.length + 1).split(' ')[0]))].join('|');
  const args = names.length > MAX_NAMES_LENGTH ? '<command>' : names;
  return [{ path, args, summary: group.summary, does: most }, ...rows.filter(({ does }) => does !== most)];
}

const MIN_FOLDED = 2;
const MAX_NAMES_LENGTH = 60;

function mostFrequent<T>(values: readonly T[]): T | undefined {
  const count = (value: T): number => values.filter((each) => each === value).length;
  return [...values].sort((a, b) => count(b) - count(a))[0];
}

const describeVerb = ({ path, verb }: CommandWithPath) => {
  const { positionals = [], flags, summary, about, companies } = verb;
  const line = path.join(' ');
  const known = exampleOutputOf(line);
  return {
    path: line,
    usage: formatUsageLine(path, positionals, flags),
    summary,
    details: about,
    does: effectOf(verb),
    asks: asksFirst(verb),
    companies: typeof companies === 'function' ? 'writes' : companies,
    positionals: positionals.map(describePositional),
    flags: flags.map(describeFlag),
    examples: [{ command: `svc ${verb.example}`, output: known?.output }],
    exits: listVerbExitCodes(verb).map(({ code }) => code),
    output: known?.fields ?? {},
  };
};

const describePositional = ({ name, optional, variadic, choices, describe }: Positional) => ({
  name,
  required: !optional,
  repeatable: variadic,
  choices,
  meaning: describe,
});

/** Members that are undefined are left out of the JSON. */
const describeFlag = (flag: FlagShape) => {
  const { name, friendly, short, value, bool, required, choices, repeatable, describe } = flag;
  return {
    name: friendly ?? name,
    short,
    value: bool ? undefined : value,
    kind: kindOf(flag),
    choices,
    default: flag.default,
    required: required || undefined,
    repeatable,
    meaning: describe,
  };
};

const kindOf = ({ value, bool, choices }: FlagShape): string => {
  if (bool) return 'boolean';
  if (value === undefined) return 'switch';
  return choices === undefined ? (KIND_OF_PLACEHOLDER[value] ?? 'text') : 'choice';
};

/** The other placeholders name a text. */
const KIND_OF_PLACEHOLDER: Readonly<Record<string, string>> = {
  n: 'number',
  percent: 'percent',
  share: 'percent',
  duration: 'duration',
  time: 'time',
  file: 'file',
  dir: 'folder',
};

/** Puts each member on a line, and also each item of a list, so that people and tools for lines can read it. */
function formatLines(value: Readonly<Record<string, unknown>>): string {
  const members = Object.entries(value).flatMap(([key, member]) => {
    if (member === undefined) return [];
    const isLong = Array.isArray(member) && typeof member[0] === 'object';
    const text = isLong
      ? `[\n${member.map((each) => JSON.stringify(each)).join(',\n')}\n]`
      : JSON.stringify(member);
    return [`${JSON.stringify(key)}:${text}`];
  });
  return `{\n${members.join(',\n')}\n}\n`;
}
