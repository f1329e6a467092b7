/** Finds the alias or plug-in to run if the first word of the command line is not a command of svc. */
import { configDirOf } from '../../files/directories.ts';
import { type Aliases, openAliasStore } from '../../profiles/aliases.ts';
import type { TextMapFile } from '../../profiles/text-map-file.ts';
import { expandAlias } from '../command/user-aliases.ts';
import type { findUnknownCommandWord } from '../command/words.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Context } from '../outside/context.ts';
import { findPlugin } from '../outside/plugins.ts';

/**
 * Meaning of the first word of a command line: the command of an alias (`argv`), or a function that runs a plug-in.
 */
export type AliasOrPlugin =
  | { readonly kind: 'alias'; readonly argv: readonly string[] }
  | { readonly kind: 'plugin'; readonly run: () => Promise<number> };

/**
 * Returns how to run a first word that is not a command of svc: as an alias or as a plug-in. Returns undefined if no alias and no plug-in
 * has this name.
 * @throws ProfileError if svc cannot read or trust the file of aliases
 */
export async function resolveAliasOrPlugin(
  argv: readonly string[],
  unknown: NonNullable<ReturnType<typeof findUnknownCommandWord>>,
  context: Context,
): Promise<AliasOrPlugin | undefined> {
  const { env, platform, runProgram } = context;
  const expanded = expandAlias(argv, unknown, await openUserAliases(context).list());
  if (expanded !== undefined) return { kind: 'alias', argv: expanded };
  const { word, at, isHelp } = unknown;
  const plugin = findPlugin(word, env, platform);
  if (plugin === undefined || runProgram === undefined) return undefined;
  const first = isHelp ? 1 : 0;
  if (at !== first)
    throw new UsageError(`cannot pass flags to the plug-in ${word} before its name`, {
      hint: 'write the flags after the name of the plug-in, or choose a profile with SVC_PROFILE',
    });
  const args = [...argv.slice(at + 1), ...(isHelp ? ['--help'] : [])];
  return {
    kind: 'plugin',
    run: () =>
      runProgram(plugin.path, args).catch((cause: unknown) => {
        throw new CliError('plugin', `cannot run ${plugin.path}`, {
          exit: EXIT.failed,
          hint: 'run svc plugin list to see the plug-ins',
          cause,
        });
      }),
  };
}

/** Returns the user's aliases for help pages. Returns an empty map if svc cannot read the file of aliases. */
export const readAliasesForHelpPages = (context: Context): Promise<Aliases> =>
  openUserAliases(context)
    .list()
    .catch(() => new Map());

/**
 * Returns the store of the user's aliases. @param beforeWrite called before each change; it throws in a dry run, so that nothing is written
 */
export function openUserAliases(
  { env, homeDir, platform }: Context,
  beforeWrite?: (change: string) => void,
): TextMapFile {
  return openAliasStore({ configDir: configDirOf(env, homeDir, platform), platform, beforeWrite });
}
