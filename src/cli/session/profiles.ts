/** The profiles of this run: their store, who asks, and the format that they prefer. */
import { configDirOf } from '../../files/directories.ts';
import type { Resolved } from '../../profiles/credentials.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import { FORMATS, type Format } from '../output/format.ts';
import type { Context } from '../outside/context.ts';
import type { Globals } from './globals.ts';
import type { NamingOverrides } from './naming-file.ts';
import { once } from './once.ts';
import type { Secrets } from './secrets.ts';
import { ANOTHER_WRITES, type Waits } from './waits.ts';

export interface Profiles {
  readonly store: () => Promise<ProfileStore>;
  /** None where they can't be read. */
  readonly names: () => Promise<readonly string[]>;
  readonly resolved: () => Promise<Resolved>;
  /** What has been resolved so far; asks for nothing. */
  readonly known: () => Resolved | undefined;
  /** What the profile says, if there is one; a store that can't be read is told where credentials are needed. */
  readonly format: () => Promise<Format>;
}

interface Outside {
  readonly context: Context;
  readonly globals: Globals;
  readonly secrets: Secrets;
  readonly waits: Waits;
  /** @param change an infinitive; ends a dry run */
  readonly beforeWrite: (change: string) => void;
  /** In place of the file that SVC_NAMING names. */
  readonly naming: NamingOverrides | undefined;
}

export function openProfiles(outside: Outside): Profiles {
  const { context, globals, secrets, waits, beforeWrite } = outside;
  const { env, homeDir, platform } = context;
  const store = once(async (): Promise<ProfileStore> => {
    const { openProfileStore } = await import('../../profiles/store.ts');
    const opened = openProfileStore({
      configDir: configDirOf(env, homeDir, platform),
      platform,
      beforeWrite,
    });
    return {
      ...opened,
      save: (...given) => waits.during(ANOTHER_WRITES, () => opened.save(...given)),
      setDefault: (name) => waits.during(ANOTHER_WRITES, () => opened.setDefault(name)),
      remove: (name) => waits.during(ANOTHER_WRITES, () => opened.remove(name)),
    };
  });
  const runKey = async (command: string): Promise<string> =>
    waits.during('for the key command, for 1 minute at most', async () =>
      (await import('../../profiles/key-command.ts')).runKeyCommand(command, env),
    );
  let known: Resolved | undefined;
  return {
    store,
    names: async () => {
      try {
        return (await (await store()).list()).profiles.map(({ name }) => name);
      } catch {
        return [];
      }
    },
    known: () => known,
    resolved: once(async () => {
      const { resolveCredentials } = await import('../../profiles/credentials.ts');
      const resolved = await resolveCredentials(globals, env, await store(), runKey);
      const found = resolved.profile === undefined ? await withNaming(resolved, outside) : resolved;
      secrets.hideKey(found.credentials.apiKey);
      known = found;
      return found;
    }),
    format: async () => {
      try {
        const opened = await store();
        const name = globals.profile ?? (env['SVC_PROFILE'] || (await opened.list()).defaultName);
        const output = name === undefined ? undefined : (await opened.get(name))?.output;
        return FORMATS.find((format) => format === output) ?? 'table';
      } catch {
        return 'table';
      }
    },
  };
}

/** Contract, "Numbers, ids and names, once more": SVC_NAMING gives a deployment's names where there is no profile. */
async function withNaming(found: Resolved, { context: { cwd, env }, naming }: Outside): Promise<Resolved> {
  const file = env['SVC_NAMING'];
  if (naming === undefined && !file) return found;
  const [{ readNamingFile }, { namingWith }] = await Promise.all([
    import('./naming-file.ts'),
    import('../../protocol/naming.ts'),
  ]);
  return { ...found, naming: namingWith(naming ?? (await readNamingFile(cwd, file ?? '', 'SVC_NAMING'))) };
}
