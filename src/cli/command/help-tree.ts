import { BUILD } from '../outside/build.ts';
import { isSingleExecutable } from '../outside/own-program.ts';
import { type Group, isGroup, type TopLevelCommandEntry, type Verb, type VerbActionKind } from './command.ts';
import { flagsOf } from './companies-flags.ts';
import type { FlagShape } from './flag.ts';
import { globalFlags } from './globals.ts';
import { EXIT_CODE_MEANINGS } from './topics/command-line.ts';
import { listVerbExitCodes } from './verb-exits.ts';

/** @param commandWords the words of one command or group; empty for all commands */
export async function formatCommandTreeJson(
  entries: readonly TopLevelCommandEntry[],
  version: string,
  commandWords: readonly string[],
): Promise<string> {
  const chosen = commandWords.length === 0 ? entries : entries.filter(({ name }) => name === commandWords[0]);
  const trees = await Promise.all(chosen.map(async (entry) => commandsIn(await entry.load(), [])));
  const commands = trees.flat().filter(({ path }) => commandWords.every((word, at) => path[at] === word));
  return `${JSON.stringify({ name: 'svc', version, flags: globalFlags.map(flagIn), commands }, null, 2)}\n`;
}

function commandsIn(
  tree: Verb | Group,
  above: readonly string[],
): readonly { readonly path: readonly string[] }[] {
  const path = [...above, tree.name];
  if (isGroup(tree)) return tree.commands.flatMap((each) => commandsIn(each, path));
  return tree.announced === undefined ? [commandIn(tree, path)] : [];
}

const WRITES: readonly VerbActionKind[] = ['creates', 'sends rows', 'changes', 'changes sandbox'];

const commandIn = (verb: Verb, path: readonly string[]) => ({
  path,
  summary: verb.summary,
  writes: WRITES.includes(verb.work),
  arguments: (verb.positionals ?? []).map(({ name, optional, variadic, choices, describe }) => ({
    name,
    required: !optional,
    repeatable: variadic ?? false,
    values: choices ?? null,
    summary: describe,
  })),
  flags: flagsOf(verb).map(flagIn),
  exits: listVerbExitCodes(verb).map(({ code, meaning }) => ({
    code,
    meaning: meaning ?? EXIT_CODE_MEANINGS[code],
  })),
  examples: [`svc ${verb.example}`],
});

const flagIn = (flag: FlagShape) => {
  const { name, friendly, short, value, bool, required, choices, repeatable, describe } = flag;
  return {
    name: friendly ?? name,
    short: short ?? null,
    kind: value ?? (bool ? 'boolean' : 'switch'),
    required: required ?? false,
    default: flag.default ?? null,
    values: choices ?? null,
    repeatable: repeatable ?? false,
    aliases: [
      ...(friendly === undefined ? [] : [name]),
      ...(bool ? [`no-${name}`, ...(friendly === undefined ? [] : [`no-${friendly}`])] : []),
    ],
    summary: describe,
  };
};

export function collectVersionInfo(version: string): Readonly<Record<string, unknown>> {
  const { platform, arch, versions } = process;
  const { commit, date, targets } = BUILD;
  const kind = isSingleExecutable() ? 'executable' : 'package';
  return { version, commit, date, kind, node: versions.node, platform, arch, targets };
}
