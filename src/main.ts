/** Runs a command line and returns its exit code. Prints help itself, and loads `run.ts` for all other commands. */
import { readDisplaySettings } from './cli/command/globals.ts';
import { type ParsedCommandLine, readCommandLine } from './cli/command/program.ts';
import { findUnknownCommandWord } from './cli/command/words.ts';
import type { Context } from './cli/outside/context.ts';
import { VERSION } from './cli/outside/version.ts';
import { topLevelCommandEntries } from './cli/registry/entries.ts';

export { realContext } from './cli/outside/real-context.ts';

/** Runs the command line and returns its exit code. Never throws. @param argv the arguments without node and script */
export async function main(argv: readonly string[], outer: Context): Promise<number> {
  let words = argv;
  let context = outer;
  try {
    if (outer.env['GITHUB_ACTIONS'] === 'true')
      context = (await import('./cli/output/job-log.ts')).withoutJobCommandsOnStderr(outer);
    const unknown = findUnknownCommandWord(argv, topLevelCommandEntries);
    const meant =
      unknown && (await (await loadAliasesAndPlugins()).resolveAliasOrPlugin(argv, unknown, context));
    if (meant?.kind === 'plugin') return await meant.run();
    if (meant?.kind === 'alias') words = meant.argv;
    const line = await readCommandLine(words, topLevelCommandEntries, aboutThis(context));
    if (line.kind === 'run') return (await import('./run.ts')).runParsedCommand(line, words, context, main);
    await print(line, words, context);
    return 0;
  } catch (error) {
    return (await import('./run.ts')).printParseError(error, words, context);
  }
}

const aboutThis = (context: Context) => ({
  version: VERSION,
  columns: context.stdout.columns,
  aliases: async () => (await loadAliasesAndPlugins()).readAliasesForHelpPages(context),
});

/** Loads the code for aliases and plug-ins. It is needed if the first word is not a command, and for help. */
const loadAliasesAndPlugins = () => import('./cli/commands/alias-or-plugin.ts');

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
