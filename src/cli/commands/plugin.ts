/** Declares `svc plugin list`, which lists the programs `svc-NAME` on PATH. */
import type { Group, TopLevelCommandEntry, Verb } from '../command/command.ts';
import { findUnknownCommandWord } from '../command/words.ts';
import { listPlugins } from '../outside/plugins.ts';
import { openUserAliases } from './alias-or-plugin.ts';

const listVerb = (entries: () => readonly TopLevelCommandEntry[]): Verb => ({
  name: 'list',
  summary: 'List the plug-ins on PATH',
  about:
    'A program svc-NAME on PATH runs as svc NAME, with the remaining words of the command line and the same environment. Commands and ' +
    'aliases take precedence; svc never looks in the working folder',
  work: 'local',
  example: 'plugin list',
  flags: [],
  run: async ({ context }) => {
    const { env, platform } = context;
    const aliases = await openUserAliases(context).list();
    const seen = new Set<string>();
    const rows = listPlugins(env, platform).map(({ name, path }) => {
      const isSecond = seen.has(name);
      seen.add(name);
      const isCommand = findUnknownCommandWord([name], entries()) === undefined;
      const why = isCommand
        ? `svc has its own command ${name}, so the plug-in does not run`
        : aliases.has(name)
          ? `${name} is an alias`
          : isSecond
            ? 'another program of this name comes first on PATH'
            : null;
      return { name, path, not_used: why };
    });
    const columns = [{ name: 'name' }, { name: 'path' }, { name: 'not_used' }];
    const empty = 'No plug-ins: PATH has no program whose name begins with svc-.';
    return { result: { kind: 'rows', rows, columns, empty } };
  },
});

/** Declares the commands of `svc plugin`. @param entries returns the top-level commands of svc, such as `task`, including this group */
export function pluginGroup(entries: () => readonly TopLevelCommandEntry[]): Group {
  return {
    name: 'plugin',
    summary: 'List plug-ins (programs svc-NAME on PATH)',
    commands: [listVerb(entries)],
  };
}
