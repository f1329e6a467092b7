/** What the completion scripts know: commands, flags and fixed values, read from the same declarations as the help. */

import { type Entry, type Group, isGroup, type Verb } from '../command/command.ts';
import { flagsOf } from '../command/companies-flags.ts';
import { describeFlag, type FlagShape } from '../command/flag.ts';
import { globalFlags } from '../command/globals.ts';

export interface Word {
  readonly name: string;
  readonly summary: string;
}

export interface FlagWords {
  /** With their dashes, the friendly one first. */
  readonly spellings: readonly string[];
  readonly summary: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
  readonly takesFile: boolean;
}

/** A place on the command line: after `svc`, after a noun, after a verb. */
export interface Place {
  /** Space-separated: empty, `task`, `task create`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly flags: readonly FlagWords[];
  /** Values of the first word that is no flag. */
  readonly values: readonly string[];
}

export const globals: readonly FlagWords[] = [
  ...globalFlags.flatMap(flagWords),
  { spellings: ['--help', '-h'], summary: 'Show help', takesValue: false, values: [], takesFile: false },
];

/** Global flags, which hold everywhere, are in `globals` and not repeated at each place. */
export async function completionTree(entries: readonly Entry[]): Promise<readonly Place[]> {
  const version = {
    spellings: ['--version'],
    summary: 'Print the version',
    takesValue: false,
    values: [],
    takesFile: false,
  };
  const commands = entries.map(({ name, summary }) => ({ name, summary }));
  const places: Place[] = [{ path: '', commands, flags: [version], values: [] }];
  for (const entry of entries) places.push(...placesOf(await entry.load(), ''));
  return places;
}

function placesOf(tree: Verb | Group, above: string): readonly Place[] {
  const path = above === '' ? tree.name : `${above} ${tree.name}`;
  if (!isGroup(tree)) {
    const values = tree.positionals?.[0]?.choices ?? [];
    return [{ path, commands: [], flags: flagsOf(tree).flatMap(flagWords), values }];
  }
  const shown = tree.commands.filter((each) => isGroup(each) || each.announced === undefined);
  const commands = shown.map(({ name, summary }) => ({ name, summary }));
  return [{ path, commands, flags: [], values: [] }, ...shown.flatMap((each) => placesOf(each, path))];
}

function flagWords(flag: FlagShape): readonly FlagWords[] {
  const { name, friendly, short, value, bool, choices = [] } = flag;
  const spellings = [friendly, name].filter((each) => each !== undefined).map((each) => `--${each}`);
  const words: FlagWords = {
    spellings: short === undefined ? spellings : [...spellings, `-${short}`],
    summary: describeFlag(flag, { listed: true }),
    takesValue: value !== undefined,
    values: choices,
    takesFile: value === 'file' || value === 'json',
  };
  if (!bool) return [words];
  return [words, { ...words, spellings: [`--no-${name}`], values: [] }];
}

/** `arm` for each flag that has values: of the global flags its spellings, of the others with their place before them. */
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
