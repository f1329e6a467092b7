import { type Group, isGroup, type Positional, type Verb } from '../command.ts';
import { flagsOf } from '../companies-flags.ts';
import { aliasesOfVerb } from '../other-words.ts';
import { type Argument, canTake } from './arguments.ts';
import { flagForOperand } from './flags.ts';
import { COMMANDS_BY_FILE } from './vocabulary.ts';

export interface Command {
  readonly path: string;
  /** A command without a verb, such as `plan`, is its own noun. */
  readonly noun: string;
  readonly verb: string;
  readonly declared: Verb;
  readonly aliases: readonly string[];
  readonly isDefault: boolean;
}

export function commandsIn(
  trees: readonly (Verb | Group)[],
  above: readonly string[] = [],
): readonly Command[] {
  return trees.flatMap((tree): readonly Command[] => {
    const path = [...above, tree.name];
    if (isGroup(tree)) return groupCommands(tree, path);
    return [commandOf(path, tree, [], true)];
  });
}

function groupCommands(group: Group, path: readonly string[]): readonly Command[] {
  const names = group.commands.map(({ name }) => name);
  const implied = group.defaultCommand ?? group.commandWithoutWords;
  const usual = group.name === 'why' ? ['task'] : ['list', 'get', 'show', 'status'];
  const first = implied ?? usual.find((name) => names.includes(name));
  return group.commands.flatMap((each) =>
    isGroup(each)
      ? groupCommands(each, [...path, each.name])
      : [commandOf([...path, each.name], each, names, each.name === first)],
  );
}

function commandOf(
  path: readonly string[],
  declared: Verb,
  siblings: readonly string[],
  isDefault: boolean,
): Command {
  const isAlone = siblings.length === 0;
  const verb = isAlone ? '' : declared.name;
  const noun = (isAlone ? path : path.slice(0, -1)).join(' ');
  return {
    path: path.join(' '),
    noun,
    verb,
    declared,
    aliases: isAlone ? [] : aliasesOfVerb(verb, siblings),
    isDefault,
  };
}

export const requiredOf = ({ declared }: Command): readonly Positional[] =>
  (declared.positionals ?? []).filter(({ optional }) => !optional);

export function takes({ path, declared }: Command, arg: Argument): boolean {
  if ((COMMANDS_BY_FILE[arg.kind] ?? []).includes(path)) return true;
  if ((declared.positionals ?? []).some((positional) => canTake(positional, arg, path))) return true;
  return flagForOperand(flagsOf(declared), arg.text) !== undefined;
}
