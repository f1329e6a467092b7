/** Builds the data of the completion scripts: commands, flags and fixed values, from the same declarations as the help. */

import { type Entry, type Group, isGroup, type Verb } from '../command/command.ts';
import { flagsOf } from '../command/companies-flags.ts';
import { describeFlag, type FlagShape } from '../command/flag.ts';
import { globalFlags } from '../command/globals.ts';
import { TOPIC_NAMES } from '../command/help-topic-names.ts';
import { SOURCES } from './live/sources.ts';

export interface Word {
  readonly name: string;
  readonly summary: string;
}

/** Candidates at one place: fixed values, and the source that `svc __complete` looks up. */
export interface Offered {
  readonly values: readonly string[];
  readonly live?: string | undefined;
  /** True if the shell also completes files here. */
  readonly takesFile?: boolean;
}

export interface FlagWords extends Offered {
  /** Spellings with their dashes, the friendly one first. */
  readonly spellings: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  readonly takesFile: boolean;
}

/** Place on the command line: after `svc`, after a noun, after a verb. */
export interface Place {
  /** Path, space-separated: empty, `task`, `task create`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly flags: readonly FlagWords[];
  /** Candidates of each operand, in order. */
  readonly operands: readonly Offered[];
  /** True if further words have the same candidates as the last operand. */
  readonly isOpen?: true;
}

export const globals: readonly FlagWords[] = [
  ...globalFlags.flatMap(flagWords),
  { spellings: ['--help', '-h'], summary: 'Show help', takesValue: false, values: [], takesFile: false },
];

/** Returns the tree. Global flags, which are valid everywhere, are in `globals` and not repeated at each place. */
export async function completionTree(entries: readonly Entry[]): Promise<readonly Place[]> {
  const version = {
    spellings: ['--version'],
    summary: 'Print the version',
    takesValue: false,
    values: [],
    takesFile: false,
  };
  const commands = entries.map(({ name, summary }) => ({ name, summary }));
  const help = { name: 'help', summary: 'Show help for a command or a topic' };
  const topics = TOPIC_NAMES.map((name) => ({ name, summary: 'Topic of help' }));
  const places: Place[] = [
    { path: '', commands: [...commands, help], flags: [version], operands: [offered([], 'alias')] },
    { path: 'help', commands: [...topics, ...commands], flags: [], operands: [] },
  ];
  for (const entry of entries) places.push(...placesOf(await entry.load(), ''));
  return places;
}

function placesOf(tree: Verb | Group, above: string): readonly Place[] {
  const path = above === '' ? tree.name : `${above} ${tree.name}`;
  if (!isGroup(tree)) {
    const { positionals = [] } = tree;
    const flags = flagsOf(tree).flatMap(flagWords);
    const { choices: first = [], following } = positionals[0] ?? {};
    // If the second word depends on the first one, each first word is a place.
    if (following !== undefined) {
      const commands = first.map((name) => ({ name, summary: 'Resource' }));
      const after = first.map((name) => ({
        path: `${path} ${name}`,
        commands: [],
        flags,
        operands: [{ values: following(name) }],
      }));
      return [{ path, commands, flags, operands: [] }, ...after];
    }
    const operands = positionals.map(({ choices = [], completes }) => offered(choices, completes));
    const isOpen = positionals.at(-1)?.variadic;
    return [{ path, commands: [], flags, operands, ...(isOpen ? { isOpen } : {}) }];
  }
  const shown = tree.commands.filter((each) => isGroup(each) || each.announced === undefined);
  const commands = shown.map(({ name, summary }) => ({ name, summary }));
  const below = shown.flatMap((each) => placesOf(each, path));
  // The arguments of the default verb are valid here too.
  const unnamed = below.find((place) => place.path === `${path} ${tree.otherwise}`);
  const { flags = [], operands = [] } = unnamed ?? {};
  return [{ path, commands, flags, operands, ...(unnamed?.isOpen ? { isOpen: true } : {}) }, ...below];
}

/** Returns the candidates. A source that no one can look up is omitted. */
function offered(values: readonly string[], completes: string | undefined): Offered {
  if (completes === 'file') return { values, takesFile: true };
  if (completes === undefined || !SOURCES.includes(completes)) return { values };
  return { values, live: completes };
}

function flagWords(flag: FlagShape): readonly FlagWords[] {
  const { name, friendly, short, value, bool, choices = [], completes } = flag;
  const spellings = [friendly, name].filter((each) => each !== undefined).map((each) => `--${each}`);
  const words: FlagWords = {
    spellings: short === undefined ? spellings : [...spellings, `-${short}`],
    summary: describeFlag(flag, { listed: true }),
    takesValue: value !== undefined,
    ...offered(choices, completes),
    takesFile: value === 'file' || value === 'json',
  };
  if (!bool) return [words];
  return [words, { ...words, spellings: [`--no-${name}`], values: [] }];
}

/** Returns `arm` for each operand with candidates. `index` is `*` if the words after it have the same ones. */
export function operandArms(
  places: readonly Place[],
  arm: (path: string, index: string, operand: Offered) => string,
): string {
  const arms = places.flatMap(({ path, operands, isOpen }) =>
    operands.flatMap((operand, index) => {
      const isLast = isOpen && index === operands.length - 1;
      if (operand.values.length === 0 && operand.live === undefined && !operand.takesFile) return [];
      return [arm(path, isLast ? '*' : String(index), operand)];
    }),
  );
  return arms.join('\n');
}

/** Returns `arm` for each flag with values: global flags by their spellings, others with their place before them. */
export function valueArms(
  places: readonly Place[],
  arm: (patterns: readonly string[], flag: FlagWords) => string,
): { readonly ofGlobals: string; readonly ofPlaces: string } {
  const ofPlaces = places.flatMap(({ path, flags }) =>
    flags.filter(hasValue).map((flag) =>
      arm(
        flag.spellings.map((each) => `${path} ${each}`),
        flag,
      ),
    ),
  );
  const ofGlobals = globals.filter(hasValue).map((flag) => arm(flag.spellings, flag));
  return { ofGlobals: ofGlobals.join('\n'), ofPlaces: ofPlaces.join('\n') };
}

const hasValue = ({ takesValue }: FlagWords): boolean => takesValue;
