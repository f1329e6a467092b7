/** Lists all commands with their words. */
import { type Group, isGroup, type Verb } from '../../src/cli/command/command.ts';
import { topLevelCommandEntries } from '../../src/cli/registry/entries.ts';

export async function registry(): Promise<ReadonlyMap<string, Verb>> {
  const verbs = new Map<string, Verb>();
  const walk = (command: Verb | Group, path: string): void => {
    if (isGroup(command)) for (const each of command.commands) walk(each, `${path} ${each.name}`);
    else verbs.set(path, command);
  };
  for (const entry of topLevelCommandEntries) walk(await entry.load(), entry.name);
  return verbs;
}
