/** Stores command aliases in `aliases.json`, mode 0600, next to the profiles. */
import { join, resolve } from 'node:path';
import { createAtomicFile } from '../files/atomic-file.ts';
import { checkDirectoryAccess, makeDirectory, type Owner, thisUser } from '../files/directories.ts';
import { withLock } from '../files/lock.ts';
import { readPrivateFile } from '../files/private-file.ts';
import { fits, objectWithAnyMemberNames, objectWithAtLeast, oneOfValues, text } from '../schema/shape.ts';
import { isObject } from '../text/json-object.ts';
import { explainTooNewFileVersion, UPDATE_SVC_HINT } from '../text/svc-error.ts';
import { asStorageError, isProfileName, ProfileError } from './errors.ts';

const ALIAS_FILE = 'aliases.json';

/** Maximum size of the file in octets. A larger file is neither read nor written. */
const MAX_OCTETS = 256 * 1024;
const VERSION = 1;

/** Aliases by name, each with its expansion: the words that replace the name. */
export type Aliases = ReadonlyMap<string, string>;

/** Store of aliases. Every method throws ProfileError `storage` if the file is unsafe, was not written by svc, or is not accessible. */
export interface AliasStore {
  /** Path of the file. Empty if there is no configuration directory. */
  readonly path: string;
  list(): Promise<Aliases>;
  set(name: string, expansion: string): Promise<void>;
  /** Removes an alias. Returns false if the alias did not exist. */
  remove(name: string): Promise<boolean>;
}

interface AliasStoreOptions {
  /** Directory of the configuration file. An empty text means that there is no such directory. */
  readonly configDir: string;
  readonly platform: NodeJS.Platform;
  /** Called with the planned change, such as `remove the alias sale`. If it throws, nothing is written. */
  readonly beforeWrite?: (change: string) => void;
}

export function openAliasStore({ configDir, platform, beforeWrite }: AliasStoreOptions): AliasStore {
  const owner: Owner = thisUser(platform);
  const directory = configDir === '' ? '' : resolve(configDir);
  const path = directory === '' ? '' : join(directory, ALIAS_FILE);

  const read = (): Aliases => {
    if (path === '') return new Map();
    checkDirectoryAccess(directory, owner);
    const text = readPrivateFile(path, owner, MAX_OCTETS);
    return text === undefined ? new Map() : parseAliases(text, path);
  };

  const write = (aliases: Aliases): void => {
    const sorted = [...aliases].sort(([a], [b]) => (a < b ? -1 : 1));
    const text = `${JSON.stringify({ version: VERSION, aliases: Object.fromEntries(sorted) }, undefined, 2)}\n`;
    if (Buffer.byteLength(text) > MAX_OCTETS)
      throw new ProfileError('usage', `${path} would be too large to read; nothing was written`);
    const file = createAtomicFile(path, { platform });
    file.write(text);
    file.commit();
  };

  /**
   * Changes the file of aliases while this process holds the lock of the file.
   * @param change returns the new aliases, or undefined to leave them unchanged
   */
  const update = (purpose: string, change: (aliases: Aliases) => Aliases | undefined): Promise<boolean> =>
    asStorageError(path, async () => {
      if (path === '')
        throw new ProfileError('storage', 'cannot save aliases: there is no home directory', {
          hints: ['set SVC_CONFIG_DIR to a directory'],
        });
      if (change(read()) !== undefined) beforeWrite?.(purpose);
      makeDirectory(directory);
      checkDirectoryAccess(directory, owner);
      return withLock(`${path}.lock`, () => {
        const next = change(read());
        if (next !== undefined) write(next);
        return next !== undefined;
      });
    });

  return {
    path,
    list: () => asStorageError(path, async () => read()),
    set: async (name, expansion) => {
      await update(`make ${name} an alias of svc ${expansion}`, (aliases) =>
        new Map(aliases).set(name, expansion),
      );
    },
    remove: (name) =>
      update(`remove the alias ${name}`, (aliases) =>
        aliases.has(name) ? new Map([...aliases].filter(([other]) => other !== name)) : undefined,
      ),
  };
}

/** Reports whether the name may be an alias. Aliases use the same characters as profile names. */
export const isAliasName = isProfileName;

/**
 * Parses the file.
 * @throws ProfileError `storage` if the text does not have the form that svc writes
 */
function parseAliases(text: string, path: string): Aliases {
  const mend = {
    hints: ['correct the file, or move it away and set the aliases again; svc did not change the file'],
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProfileError('storage', `${path} is not JSON`, mend);
  }
  const newer = explainTooNewFileVersion(path, isObject(value) ? value['version'] : undefined, VERSION);
  if (newer !== undefined) throw new ProfileError('storage', newer, { hint: UPDATE_SVC_HINT });
  if (!fits(fileShape, value) || !Object.keys(value.aliases).every(isAliasName))
    throw new ProfileError('storage', `${path} is not a valid alias file of svc`, mend);
  return new Map(Object.entries(value.aliases));
}

const fileShape = objectWithAtLeast({
  version: oneOfValues(VERSION),
  aliases: objectWithAnyMemberNames(text),
});
