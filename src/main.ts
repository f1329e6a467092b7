/** Runs a command line and returns its exit code. Prints help itself, and loads `run.ts` for all other commands. */
import { isGroup, type Verb } from './cli/command/command.ts';
import { readDisplaySettings } from './cli/command/globals.ts';
import { type ParsedCommandLine, readCommandLine } from './cli/command/program.ts';
import { type Context, isForAgent } from './cli/outside/context.ts';
import { VERSION } from './cli/outside/version.ts';
import { topLevelCommandEntries } from './cli/registry/entries.ts';
import type { Run, VerbCall } from './cli/session/ports.ts';

export { realContext } from './cli/outside/real-context.ts';

/** Runs the command line and returns its exit code. Never throws. @param argv the arguments without node and script */
export async function main(argv: readonly string[], outer: Context): Promise<number> {
  let context = outer;
  try {
    if (isForAgent(outer)) context = (await import('./cli/output/agent.ts')).contextForAgent(outer);
    if (outer.env.GITHUB_ACTIONS === 'true')
      context = (await import('./cli/output/job-log.ts')).withoutJobCommandsOnStderr(context);
    const { columns } = context.stdout;
    const line = await readCommandLine(argv, topLevelCommandEntries, { version: VERSION, columns });
    if (line.kind === 'run')
      return (await import('./run.ts')).runParsedCommand(line, argv, context, runCommand);
    await print(line, argv, context);
    return 0;
  } catch (error) {
    return (await import('./run.ts')).printParseError(error, argv, context);
  }
}

/** Runs a command inside another one. A call of a verb is not parsed. */
const runCommand: Run = async (command, context) => {
  if (!('path' in command)) return main(command, context);
  const { path, ...given } = command;
  const verb = await verbAt(path);
  const argv = [...path, ...wordsOf(given)];
  return (await import('./run.ts')).runParsedCommand(
    { kind: 'run', path, verb, given },
    argv,
    context,
    runCommand,
  );
};

/** @throws RangeError if there is no such command */
async function verbAt(path: readonly string[]): Promise<Verb> {
  const [first, ...others] = path;
  let tree = await topLevelCommandEntries.find(({ name }) => name === first)?.load();
  for (const word of others)
    tree = tree !== undefined && isGroup(tree) ? tree.commands.find(({ name }) => name === word) : undefined;
  if (tree !== undefined && !isGroup(tree)) return tree;
  throw new RangeError(`there is no command ${path.join(' ')}`);
}

/** Errors hide secrets among the words of a command line. */
const wordsOf = ({ flags, positionals }: Omit<VerbCall, 'path'>): readonly string[] => [
  ...[...flags].flatMap(([name, value]) => [value].flat().map((text) => `--${name}=${text}`)),
  ...positionals,
];

async function print(
  { text }: ParsedCommandLine & { readonly kind: 'print' },
  argv: readonly string[],
  context: Context,
): Promise<void> {
  if (!context.stdout.isTTY || !readDisplaySettings(argv, context.env).pagesHelp)
    return context.stdout.write(text);
  const { runWithPager } = await import('./cli/output/paging.ts');
  await runWithPager(context, ({ stdout }) => stdout.write(text));
}
