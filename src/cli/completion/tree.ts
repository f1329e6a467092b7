/** Builds the completion tree from the declarations of the commands. The build puts the tree into `dist/complete.cjs`. */
import { resourceNamed } from '../../service/resources/catalogue.ts';
import { type Group, isGroup, type TopLevelCommandEntry, type Verb } from '../command/command.ts';
import { flagsOf } from '../command/companies-flags.ts';
import { describeFlag, type FlagShape } from '../command/flag.ts';
import { globalFlags } from '../command/globals.ts';
import { TOPIC_NAMES } from '../command/words.ts';
import { COMPLETION_CANDIDATE_SOURCES } from './sources.ts';

export interface CompletionTree {
  /** Valid at every place. */
  readonly globals: readonly CompletionFlag[];
  /** The keys are words such as `task create`. The empty key is for `svc` itself. */
  readonly places: Readonly<Record<string, CompletionTreeNode>>;
}

export interface CompletionTreeNode {
  readonly commands: readonly Pick<Verb, 'name' | 'summary'>[];
  readonly flags: readonly CompletionFlag[];
  readonly operands: readonly WordCandidates[];
  /** The last operand can be repeated. */
  readonly isOpen?: true;
}

export interface WordCandidates {
  readonly values?: readonly string[];
  /** Kind of record, or values from the profiles. */
  readonly live?: string;
  readonly isFile?: true;
}

export interface CompletionFlag extends WordCandidates {
  /** `--at`, then `--scheduledtime`, the attribute's name. */
  readonly spellings: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
}

export async function buildCompletionTree(entries: readonly TopLevelCommandEntry[]): Promise<CompletionTree> {
  const commands = entries.map(({ name, summary }) => ({ name, summary }));
  const help = { name: 'help', summary: 'Show help for a command or a topic' };
  const topics = TOPIC_NAMES.map((name) => ({ name, summary: 'Topic of help' }));
  const version = { spellings: ['--version'], summary: 'Print the version', takesValue: false };
  const places: [string, CompletionTreeNode][] = [
    ['', { commands: [...commands, help], flags: [version], operands: [] }],
    ['help', { commands: [...topics, ...commands], flags: [], operands: [] }],
  ];
  for (const entry of entries) places.push(...placesOf(await entry.load(), ''));
  const helpFlag = { spellings: ['--help', '-h'], summary: 'Show help', takesValue: false };
  return { globals: [...globalFlags.flatMap(flagWords), helpFlag], places: Object.fromEntries(places) };
}

/** Parsing all of it is slow. The empty key is for `svc` itself. */
export async function buildCompletionTreeJsonByCommand(
  entries: readonly TopLevelCommandEntry[],
): Promise<Readonly<Record<string, string>>> {
  const { globals, places } = await buildCompletionTree(entries);
  const names = ['', ...entries.map(({ name }) => name)];
  const trees = names.map((name) => {
    const isHere = (path: string): boolean =>
      name === '' ? path === '' || path === 'help' : path.split(' ')[0] === name;
    const here = Object.entries(places).filter(([path]) => isHere(path));
    const tree: CompletionTree = { globals: name === '' ? globals : [], places: Object.fromEntries(here) };
    return [name, JSON.stringify(tree)];
  });
  return Object.fromEntries(trees);
}

function placesOf(tree: Verb | Group, above: string): readonly [path: string, place: CompletionTreeNode][] {
  const path = above === '' ? tree.name : `${above} ${tree.name}`;
  if (!isGroup(tree)) return placesOfVerb(tree, path);
  const shown = tree.commands.filter((each) => isGroup(each) || each.announced === undefined);
  const below = shown.flatMap((each) => placesOf(each, path));
  // The arguments of the default verb are valid here too.
  const unnamed = below.find(([name]) => name === `${path} ${tree.defaultCommand}`)?.[1];
  return [
    [
      path,
      {
        flags: [],
        operands: [],
        ...unnamed,
        commands: shown.map(({ name, summary }) => ({ name, summary })),
      },
    ],
    ...below,
  ];
}

function placesOfVerb(verb: Verb, path: string): readonly [path: string, place: CompletionTreeNode][] {
  const { positionals = [] } = verb;
  const flags = flagsOf(verb).flatMap(flagWords);
  const { choices: first = [], nextChoices } = positionals[0] ?? {};
  if (nextChoices === undefined) {
    const operands = positionals.map(({ choices = [], completes }) => candidatesOf(choices, completes));
    const isOpen = positionals.at(-1)?.variadic;
    return [[path, { commands: [], flags, operands, ...(isOpen ? { isOpen } : {}) }]];
  }
  // If the second word depends on the first one, each first word is a place of its own.
  const commands = first.map((name) => ({ name, summary: 'Resource' }));
  const after = first.map((name): [string, CompletionTreeNode] => [
    `${path} ${name}`,
    { commands: [], flags, operands: [{ values: nextChoices(name) }] },
  ]);
  return [[path, { commands, flags, operands: [] }], ...after];
}

/** Files are offered for `file`, or if there are no choices. */
function candidatesOf(choices: readonly string[], completes: string | undefined): WordCandidates {
  const source = completes && (resourceNamed(completes)?.noun ?? completes);
  if (source && COMPLETION_CANDIDATE_SOURCES.includes(source)) return { values: choices, live: source };
  return choices.length > 0 && completes !== 'file' ? { values: choices } : { values: choices, isFile: true };
}

/** Values that are not file names and have no fixed choices. */
const NO_FILES: ReadonlySet<string> = new Set(['n', 'duration', 'percent', 'time', 'zone', 'url']);

function flagWords(flag: FlagShape): readonly CompletionFlag[] {
  const { name, friendly, short, value, bool, choices = [], completes } = flag;
  const spellings = [friendly, name].filter((each) => each !== undefined).map((each) => `--${each}`);
  const words: CompletionFlag = {
    spellings: short === undefined ? spellings : [...spellings, `-${short}`],
    summary: describeFlag(flag, { listed: true }),
    takesValue: value !== undefined,
    ...(value === undefined || NO_FILES.has(value) ? {} : candidatesOf(choices, completes)),
  };
  return bool ? [words, { ...words, spellings: [`--no-${name}`], values: [] }] : [words];
}
