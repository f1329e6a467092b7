/** Lists the commands that generated documents describe. */
import { type Group, isGroup, type TopLevelCommandEntry, type Verb } from '../src/cli/command/command.ts';

export interface Command {
  /** Words of the command without `svc`, such as `sandbox clock set`. */
  readonly path: string;
  readonly tree: Verb | Group;
}

/** Returns all commands, each group before its verbs. Skips verbs that are only announced. */
export async function commandsOf(entries: readonly TopLevelCommandEntry[]): Promise<readonly Command[]> {
  const found: Command[] = [];
  for (const entry of entries) found.push(...below('', await entry.load()));
  return found;
}

function below(above: string, tree: Verb | Group): readonly Command[] {
  const path = above === '' ? tree.name : `${above} ${tree.name}`;
  if (!isGroup(tree)) return tree.announced === undefined ? [{ path, tree }] : [];
  return [{ path, tree }, ...tree.commands.flatMap((each) => below(path, each))];
}
