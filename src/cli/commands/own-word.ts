/** Resolves a first word that is not a command of svc: an alias of the user, or a plug-in. */
import { configDirOf } from '../../files/directories.ts';
import { type Aliases, type AliasStore, openAliasStore } from '../../profiles/aliases.ts';
import { expandAlias } from '../command/own-aliases.ts';
import type { unknownFirstWord } from '../command/words.ts';
import { CliError, UsageError } from '../errors/errors.ts';
import { EXIT } from '../errors/exit-codes.ts';
import type { Context } from '../outside/context.ts';
import { findPlugin } from '../outside/plugins.ts';

export type ResolvedWord =
  | { readonly kind: 'alias'; readonly argv: readonly string[] }
  | { readonly kind: 'plugin'; readonly run: () => Promise<number> };

/** Resolves the word. @throws ProfileError when the file of aliases can't be trusted or read */
export async function resolveOwnWord(
  argv: readonly string[],
  unknown: NonNullable<ReturnType<typeof unknownFirstWord>>,
  context: Context,
): Promise<ResolvedWord | undefined> {
  const { env, platform, runProgram } = context;
  const expanded = expandAlias(argv, unknown, await aliasStoreOf(context).list());
  if (expanded !== undefined) return { kind: 'alias', argv: expanded };
  const { word, at, isHelp } = unknown;
  const plugin = findPlugin(word, env, platform);
  if (plugin === undefined || runProgram === undefined) return undefined;
  const first = isHelp ? 1 : 0;
  if (at !== first)
    throw new UsageError(`${word} is a plug-in, and cannot see the flags before it`, {
      hint: 'write the flags after it, or choose a profile with SVC_PROFILE',
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

/** Returns the user's aliases for help. Returns an empty map if the file of aliases can't be read. */
export const aliasesForHelp = (context: Context): Promise<Aliases> =>
  aliasStoreOf(context)
    .list()
    .catch(() => new Map());

/** Returns the store of the user's aliases. @param beforeWrite called before each change; ends a dry run */
export function aliasStoreOf(
  { env, homeDir, platform }: Context,
  beforeWrite?: (change: string) => void,
): AliasStore {
  const configDir = configDirOf(env, homeDir, platform);
  return openAliasStore({ configDir, platform, ...(beforeWrite === undefined ? {} : { beforeWrite }) });
}
