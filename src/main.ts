/** argv and a context to an exit code. Help is answered here; `run.ts`, with all that a command needs, is loaded for the rest. */
import { looksIn } from './cli/command/globals.ts';
import { type CommandLine, readCommandLine } from './cli/command/program.ts';
import type { Context } from './cli/outside/context.ts';
import { VERSION } from './cli/outside/version.ts';
import { entries } from './cli/registry/entries.ts';

export { realContext } from './cli/outside/real-context.ts';

/** Never throws. @param argv without node and script */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  try {
    const line = await readCommandLine(argv, entries, { version: VERSION, columns: context.stdout.columns });
    if (line.kind === 'run') return (await import('./run.ts')).runLine(line, argv, context, main);
    await print(line, argv, context);
    return 0;
  } catch (error) {
    return (await import('./run.ts')).explainFailure(error, argv, context);
  }
}

async function print(
  { text }: CommandLine & { readonly kind: 'print' },
  argv: readonly string[],
  context: Context,
): Promise<void> {
  if (!context.stdout.isTTY || !looksIn(argv, context.env).pager) return context.stdout.write(text);
  const { paged } = await import('./cli/output/paging.ts');
  await paged(context, ({ stdout }) => stdout.write(text));
}
