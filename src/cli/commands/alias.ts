/** Declares the commands of `svc alias`, which manage the user's own names for commands. Aliases are stored next to the profiles. */
import { isAliasName } from '../../profiles/aliases.ts';
import type { TextMapFile } from '../../profiles/text-map-file.ts';
import type { Group, Positional, TopLevelCommandEntry, Verb } from '../command/command.ts';
import { checkNewAlias } from '../command/user-aliases.ts';
import { findUnknownCommandWord } from '../command/words.ts';
import { UsageError } from '../errors/errors.ts';
import type { Column } from '../output/result.ts';
import type { Session } from '../session/session.ts';
import { openUserAliases } from './alias-or-plugin.ts';

const COLUMNS: readonly Column[] = [{ name: 'name' }, { name: 'stands_for' }];
const NAME: Positional = { name: 'name', describe: 'Name of the alias', completes: 'alias' };

/** Declares the commands of `svc alias`. @param entries returns the top-level commands of svc, such as `task`, including this group */
export function aliasGroup(entries: () => readonly TopLevelCommandEntry[]): Group {
  return {
    name: 'alias',
    summary: 'Manage aliases for commands',
    commands: [setVerb(entries), listVerb(entries), remove],
  };
}

const setVerb = (entries: () => readonly TopLevelCommandEntry[]): Verb => ({
  name: 'set',
  summary: 'Create an alias for a command',
  about:
    'The words that you type after the alias replace $1 to $9 in the command. svc adds all other words at the end of the command. Put the command in single quotes, so that the shell does not replace $1',
  work: 'local',
  example: "alias set mytasks 'task list --cancelled false'",
  positionals: [
    NAME,
    { name: 'command', describe: 'Command that the alias runs: in quotes, without the word svc' },
  ],
  flags: [],
  run: async (session, { positionals: [name = '', expansion = ''] }) => {
    const store = openStore(session);
    const aliases = await store.list();
    const redacted = session.redact(expansion);
    checkNewAlias(name, expansion, { entries: entries(), aliases, isName: isAliasName, redacted });
    const stands = expansion.trim();
    await store.set(name, stands);
    const before = aliases.get(name);
    const was = before === undefined || before === stands ? '' : ` (before: svc ${before})`;
    await session.info(`svc ${name} runs: svc ${stands}${was}`);
    return { result: { kind: 'nothing' } };
  },
});

const listVerb = (entries: () => readonly TopLevelCommandEntry[]): Verb => ({
  name: 'list',
  summary: 'List the aliases',
  work: 'local',
  example: 'alias list',
  flags: [],
  run: async (session) => {
    const aliases = await openStore(session).list();
    const rows = [...aliases].map(([name, expansion]) => ({ name, stands_for: expansion }));
    const hidden = [...aliases.keys()].filter(
      (name) => findUnknownCommandWord([name], entries()) === undefined,
    );
    for (const name of hidden)
      await session.info(
        `ignoring the alias ${name}, because svc now has a command of this name; remove the alias with svc alias remove ${name}`,
      );
    return {
      result: { kind: 'rows', rows, columns: COLUMNS, empty: 'No aliases. Create one with svc alias set.' },
    };
  },
});

const remove: Verb = {
  name: 'remove',
  summary: 'Remove an alias',
  work: 'local',
  example: 'alias remove mytasks',
  positionals: [NAME],
  flags: [],
  run: async (session, { positionals: [name = ''] }) => {
    const store = openStore(session);
    if (!(await store.remove(name))) {
      const names = [...(await store.list()).keys()].join(', ');
      throw new UsageError(`unknown alias ${name}`, {
        hint: names === '' ? 'create one with svc alias set' : `aliases: ${names}`,
      });
    }
    await session.info(`removed the alias ${name}`);
    return { result: { kind: 'nothing' } };
  },
};

const openStore = ({ context, beforeChange }: Session): TextMapFile => openUserAliases(context, beforeChange);
