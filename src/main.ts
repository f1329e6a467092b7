/** Runs a command line and returns its exit code. Prints help itself, and loads `run.ts` for all other commands. */
import { readDisplaySettings } from './cli/command/globals.ts';
import { type ParsedCommandLine, readCommandLine } from './cli/command/program.ts';
import type { Context } from './cli/outside/context.ts';
import { VERSION } from './cli/outside/version.ts';
import { topLevelCommandEntries } from './cli/registry/entries.ts';

export { realContext } from './cli/outside/real-context.ts';

/** Runs the command line and returns its exit code. Never throws. @param argv the arguments without node and script */
export async function main(argv: readonly string[], outer: Context): Promise<number> {
  let context = outer;
  try {
    if (outer.env.GITHUB_ACTIONS === 'true')
      context = (await import('./cli/output/job-log.ts')).withoutJobCommandsOnStderr(outer);
    const { columns } = context.stdout;
    const line = await readCommandLine(argv, topLevelCommandEntries, { version: VERSION, columns });
    if (line.kind === 'run') return (await import('./run.ts')).runParsedCommand(line, argv, context, main);
    await print(line, argv, context);
    return 0;
  } catch (error) {
    return (await import('./run.ts')).printParseError(error, argv, context);
  }
}

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
